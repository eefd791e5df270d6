// TensorSlice: a box of a tensor's elements that is made of whole shards: what the host reads and
// writes at once.
//
//   t[{{0, 8}}].copy_(rows);                     // rows 0 to 7
//   const HostArray part = t[{{}, {16, 32}}].to_host();  // of all rows, columns 16 to 31
//
// Shards cannot be read or written in part: a box that cuts one is a UsageError that names it.
// t.local(cube, pe) is what one PE has; of a partial tensor its summand as it is.
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

// [begin, end) of an axis; without numbers all of it.
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
  // The whole tensor. UsageError for a handle without one.
  TensorSlice(const Tensor& tensor);  // NOLINT(google-explicit-constructor)
  // Axes that are not named are taken whole. UsageError: a range that is not inside the tensor, a
  // shard that is cut.
  TensorSlice(const Tensor& tensor, const std::vector<AxisRange>& ranges);
  // The part of one PE. UsageError if it has none.
  TensorSlice(const Tensor& tensor, PeId where);

  const Tensor& tensor() const { return tensor_; }
  const Shape& shape() const { return shape_; }
  DType dtype() const { return tensor_.dtype(); }
  std::string str() const;  // "x", "x[0:8, 16:32]", "x on sip0.cube0.pe1"

  // The shards of the box, copies and partial sums too, in (cube, pe) order; `start` of each counts
  // from the corner of the box. None of a box without elements.
  const std::vector<tl::Block>& blocks() const;
  // Indices in blocks() of the shards that together have one value: one, or all its partial sums
  // in order.
  using Holders = std::vector<std::size_t>;
  // Each shard of the box as often as it has copies, in (cube, pe) order of their first.
  std::vector<Holders> holders() const;
  // Of copies only the first.
  std::vector<Holders> distinct_holders() const;

  // As those of a tensor. All wait first for the pending launches of the worker that calls and of
  // the one that made the tensor.
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

// str() and the values, or why there are none yet.
std::ostream& operator<<(std::ostream& out, const TensorSlice& slice);

}  // namespace kernbench
