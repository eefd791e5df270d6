#include "sw/runtime/tensor_slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
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
    : tensor_(tensor), start_(tensor.shape().rank(), 0), shape_(tensor.shape()) {
  if (shape_.elements() > 0) blocks_ = tensor.info()->blocks;
}

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
    if (begin < 0 || begin > end || end > whole[axis]) {
      throw UsageError(fmt::format("{}range {}:{} of axis {}, allowed: 0 <= begin <= end <= {}",
                                   named, begin, end, axis, whole[axis]));
    }
    start_[axis] = begin;
    extents[axis] = end - begin;
  }
  shape_ = Shape(std::move(extents));
  if (shape_.elements() == 0) return;
  for (const tl::Block& block : tensor.info()->blocks) {
    const Overlap overlapped = overlap(block, start_, shape_);
    if (overlapped == Overlap::none) continue;
    if (overlapped == Overlap::part) {
      throw UsageError(fmt::format(
          "{}{} cuts the shard {} on {}; the host reads and writes whole shards", named,
          box_text(start_, shape_), box_text(block.start, block.shape), block.where.str()));
    }
    take(block);
  }
}

TensorSlice::TensorSlice(const Tensor& tensor, PeId where) : tensor_(tensor), where_(where) {
  const std::vector<tl::Block>& blocks = tensor.info()->blocks;
  const auto found = std::find_if(blocks.begin(), blocks.end(),
                                  [where](const tl::Block& block) { return block.where == where; });
  if (found == blocks.end())
    throw UsageError(fmt::format("tensor '{}' has no shard on {}", tensor.name(), where.str()));
  start_ = found->start;
  shape_ = found->shape;
  if (shape_.elements() == 0) return;
  take(*found);
  blocks_.front().summand = 0;
}

// Adds a block, with its position relative to the corner of the box.
void TensorSlice::take(const tl::Block& block) {
  blocks_.push_back(block);
  for (std::size_t axis = 0; axis < start_.size(); ++axis)
    blocks_.back().start[axis] -= start_[axis];
}

std::string TensorSlice::str() const {
  if (where_) return fmt::format("{} on {}", tensor_.name(), where_->str());
  return shape_ == tensor_.shape() ? tensor_.name() : tensor_.name() + box_text(start_, shape_);
}

// Partial sums may have become copies since the slice was created.
const std::vector<tl::Block>& TensorSlice::blocks() const {
  if (!tensor_.is_partial()) {
    for (tl::Block& block : blocks_) block.summand = 0;
  }
  return blocks_;
}

// The n-th shard of a summand belongs to the n-th copy of its value.
std::vector<TensorSlice::Holders> TensorSlice::holders() const {
  std::vector<Holders> all;
  std::map<std::uint64_t, std::vector<std::size_t>> of_value;  // indices in `all`, by offset
  std::map<std::pair<std::uint64_t, int>, std::size_t> seen;   // by offset and summand
  const std::vector<tl::Block>& blocks = this->blocks();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const tl::Block& block = blocks[i];
    const std::size_t copy = seen[{block.offset, block.summand}]++;
    std::vector<std::size_t>& copies = of_value[block.offset];
    if (copy == copies.size()) {
      copies.push_back(all.size());
      all.emplace_back();
    }
    all[copies[copy]].push_back(i);
  }
  return all;
}

std::vector<TensorSlice::Holders> TensorSlice::distinct_holders() const {
  std::vector<Holders> distinct;
  std::set<std::uint64_t> offsets;
  for (Holders& each : holders()) {
    if (offsets.insert(blocks_[each.front()].offset).second) distinct.push_back(std::move(each));
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
