// TensorSlice: a box of a tensor's elements that consists of whole shards, the unit of host reads
// and writes.
//
//   t[{{0, 8}}].copy_(rows);                     // rows 0 to 7
//   const HostArray part = t[{{}, {16, 32}}].to_host();  // all rows, columns 16 to 31
//
// Shards cannot be read or written in part: a box that cuts one is a UsageError that names it.
// t.local(cube, pe) is the part of one PE; for a partial tensor its summand, unchanged.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sw/runtime/tensor.h"

namespace kernbench {

// Range [begin, end) of an axis; default: all of it.
class AxisRange {
 public:
  AxisRange() = default;
  AxisRange(std::int64_t begin, std::int64_t end) : bounds_({begin, end}) {}
  const std::optional<std::pair<std::int64_t, std::int64_t>>& bounds() const { return bounds_; }

 private:
  std::optional<std::pair<std::int64_t, std::int64_t>> bounds_;
};

class TensorSlice {
 public:
  // Slice of the whole tensor. UsageError for an empty handle.
  TensorSlice(const Tensor& tensor);  // NOLINT(google-explicit-constructor)
  // Omitted axes are whole. UsageError: a range that is not inside the tensor, a shard that is cut.
  TensorSlice(const Tensor& tensor, const std::vector<AxisRange>& ranges);
  // Part of one PE. UsageError if it has none.
  TensorSlice(const Tensor& tensor, PeId where);

  const Tensor& tensor() const { return tensor_; }
  const Shape& shape() const { return shape_; }
  DType dtype() const { return tensor_.dtype(); }
  std::string str() const;  // "x", "x[0:8, 16:32]", "x on sip0.cube0.pe1"

  // Shards of the box, copies and partial sums included, in (cube, pe) order; `start` of each is
  // relative to the corner of the box. Empty for a box without elements.
  const std::vector<tl::Block>& blocks() const;
  // Indices in blocks() of the shards that form one value: one shard, or all its partial sums in
  // order.
  using Holders = std::vector<std::size_t>;
  // Holders of each shard of the box, once per copy, in (cube, pe) order of their first.
  std::vector<Holders> holders() const;
  // Holders of the first copy of each shard only.
  std::vector<Holders> distinct_holders() const;

  // Same operations as in Tensor. All calls first wait for the pending launches of the calling
  // worker and of the tensor's worker.
  TensorSlice& fill_(double value);
  TensorSlice& copy_(const HostArray& source);
  TensorSlice& copy_(const TensorSlice& source);
  HostArray to_host() const;
  void read_discard() const;

 private:
  void take(const tl::Block& block);

  Tensor tensor_;
  std::vector<std::int64_t> start_;
  Shape shape_;
  mutable std::vector<tl::Block> blocks_;
  std::optional<PeId> where_;
};

// Prints str() and the values, or why they are not available.
std::ostream& operator<<(std::ostream& out, const TensorSlice& slice);

}  // namespace kernbench
