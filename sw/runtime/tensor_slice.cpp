#include "sw/runtime/tensor_slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <set>

#include "models/base/errors.h"
#include "sw/runtime/worker.h"
#include "sw/tl/dtypes.h"

namespace kernbench {
namespace {

// "[0:8, 16:32]"
std::string box_text(const std::vector<std::int64_t>& start, const Shape& shape) {
  std::string text;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    text += fmt::format("{}{}:{}", axis == 0 ? "[" : ", ", start[axis], start[axis] + shape[axis]);
  }
  return text + "]";
}

enum class Overlap : std::uint8_t { none, part, whole };

Overlap overlap(const tl::Block& block, const std::vector<std::int64_t>& start,
                const Shape& shape) {
  bool whole = true;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    const std::int64_t begin = block.start[axis], end = begin + block.shape[axis];
    const std::int64_t from = start[axis], to = from + shape[axis];
    if (end <= from || begin >= to) return Overlap::none;
    whole = whole && begin >= from && end <= to;
  }
  return whole ? Overlap::whole : Overlap::part;
}

}  // namespace

TensorSlice::TensorSlice(const Tensor& tensor)
    : tensor_(tensor), start_(tensor.shape().rank(), 0), shape_(tensor.shape()),
      blocks_(tensor.info()->blocks) {}

TensorSlice::TensorSlice(const Tensor& tensor, const std::vector<AxisRange>& ranges)
    : tensor_(tensor), start_(tensor.shape().rank(), 0) {
  const Shape& whole = tensor.shape();
  const std::string named =
      fmt::format("slice of tensor '{}' {}: ", tensor.name(), describe(tensor.dtype(), whole));
  if (ranges.size() > whole.rank()) {
    throw UsageError(fmt::format("{}{} ranges for {} axes", named, ranges.size(), whole.rank()));
  }
  std::vector<std::int64_t> extents = whole.extents();
  for (std::size_t axis = 0; axis < ranges.size(); ++axis) {
    if (!ranges[axis].bounds()) continue;
    const auto [begin, end] = *ranges[axis].bounds();
    if (begin < 0 || begin >= end || end > whole[axis]) {
      throw UsageError(fmt::format("{}range {}:{} of axis {}, allowed: 0 <= begin < end <= {}",
                                   named, begin, end, axis, whole[axis]));
    }
    start_[axis] = begin;
    extents[axis] = end - begin;
  }
  shape_ = Shape(std::move(extents));
  for (const tl::Block& block : tensor.info()->blocks) {
    const Overlap overlapped = overlap(block, start_, shape_);
    if (overlapped == Overlap::none) continue;
    if (overlapped == Overlap::part) {
      throw UsageError(fmt::format(
          "{}{} cuts the shard {} on {}; the host reads and writes whole shards", named,
          box_text(start_, shape_), box_text(block.start, block.shape), block.where.str()));
    }
    blocks_.push_back(block);
    for (std::size_t axis = 0; axis < start_.size(); ++axis)
      blocks_.back().start[axis] -= start_[axis];
  }
}

std::string TensorSlice::str() const {
  return shape_ == tensor_.shape() ? tensor_.name() : tensor_.name() + box_text(start_, shape_);
}

std::vector<const tl::Block*> TensorSlice::distinct_blocks() const {
  std::vector<const tl::Block*> distinct;
  std::set<std::uint64_t> offsets;
  for (const tl::Block& block : blocks_) {
    if (offsets.insert(block.offset).second) distinct.push_back(&block);
  }
  return distinct;
}

TensorSlice& TensorSlice::fill_(double value) {
  tensor_.worker().fill(*this, value);
  return *this;
}

TensorSlice& TensorSlice::copy_(const HostArray& source) {
  tensor_.worker().write(*this, source);
  return *this;
}

TensorSlice& TensorSlice::copy_(const TensorSlice& source) {
  tensor_.worker().copy(*this, source);
  return *this;
}

HostArray TensorSlice::to_host() const { return tensor_.worker().read(*this); }

void TensorSlice::read_discard() const { tensor_.worker().read_discard(*this); }

std::ostream& operator<<(std::ostream& out, const TensorSlice& slice) {
  return out << slice.tensor().worker().text_of(slice);
}

}  // namespace kernbench
