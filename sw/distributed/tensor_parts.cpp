#include "sw/distributed/tensor_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "models/base/errors.h"
#include "sw/collectives/message_cut.h"
#include "sw/collectives/shard_layout.h"
#include "sw/tl/dtypes.h"

namespace kernbench {
namespace {

using Extents = std::vector<std::int64_t>;

Extents concatenated(Extents part, int count) {
  part.front() *= count;
  return part;
}

Extents stacked(Extents part, int count) {
  part.insert(part.begin(), count);
  return part;
}

std::string text_of(const tl::TensorInfo& tensor) {
  return fmt::format("tensor '{}' {} ({})", tensor.name, describe(tensor.dtype, tensor.shape),
                     ShardLayout::of(tensor).str());
}

// Whether its rows are contiguous: it is not cut, or along axis 0 only.
bool lies_row_after_row(const tl::TensorInfo& tensor) {
  std::int64_t row = 1;
  for (std::size_t axis = 1; axis < tensor.shape.rank(); ++axis) row *= tensor.shape[axis];
  return std::all_of(tensor.blocks.begin(), tensor.blocks.end(), [&](const tl::Block& block) {
    return block.offset ==
               static_cast<std::uint64_t>(block.start.front() * row) * size_of(tensor.dtype) &&
           block.shape.elements() == block.shape[0] * row;
  });
}

bool same_holders(const tl::TensorInfo& a, const tl::TensorInfo& b) {
  const ShardLayout mine = ShardLayout::of(a), theirs = ShardLayout::of(b);
  const auto same_pe = [](const auto& x, const auto& y) {
    return x.cube == y.cube && x.pe == y.pe;
  };
  return mine.over_cubes() == theirs.over_cubes() && mine.over_pes() == theirs.over_pes() &&
         std::equal(mine.members.begin(), mine.members.end(), theirs.members.begin(),
                    theirs.members.end(), same_pe);
}

class Parts {
 public:
  Parts(const tl::TensorInfo& whole, int count, Shape shape)
      : whole_(whole), count_(count), shape_(std::move(shape)) {}

  // For each part, each PE has the block that it has in `blocks`, within its own block of the
  // whole. Empty if that does not hold.
  std::vector<tl::TensorInfoPtr> within_blocks(const std::vector<tl::Block>& blocks,
                                               bool are_stacked) const {
    if (blocks.size() != whole_.blocks.size()) return {};
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const tl::Block &of_part = blocks[i], &of_whole = whole_.blocks[i];
      const Extents extents = of_part.shape.extents();
      Extents start = of_part.start;
      if (are_stacked) start.insert(start.begin(), 0);
      const bool fits =
          of_part.where == of_whole.where && start == of_whole.start &&
          (are_stacked ? of_whole.shape.extents() == stacked(extents, count_)
                       : of_part.shape[0] == shape_[0] &&
                             of_whole.shape.extents() == concatenated(extents, count_));
      if (!fits) return {};
    }
    return made([&](int number) {
      std::vector<tl::Block> made = blocks;
      for (std::size_t i = 0; i < made.size(); ++i) {
        const std::uint64_t before =
            static_cast<std::uint64_t>(number) * bytes_of(made[i].shape, whole_.dtype);
        made[i].nbytes = bytes_of(made[i].shape, whole_.dtype);
        made[i].offset = whole_.blocks[i].offset + before;
        made[i].pa = whole_.blocks[i].pa + before;
      }
      return made;
    });
  }

  // Parts concatenated in the address range of the whole, regardless of the PE that holds the
  // bytes.
  std::vector<tl::TensorInfoPtr> in_a_row(const std::vector<tl::Block>& blocks) const {
    return made([&](int number) {
      std::vector<tl::Block> made = blocks;
      for (tl::Block& block : made) {
        block.pa = 0;  // spans several PEs
        block.offset += static_cast<std::uint64_t>(number) * bytes_of(shape_, whole_.dtype);
      }
      return made;
    });
  }

 private:
  template <class BlocksOf>
  std::vector<tl::TensorInfoPtr> made(const BlocksOf& blocks_of) const {
    std::vector<tl::TensorInfoPtr> parts;
    for (int number = 0; number < count_; ++number) {
      tl::TensorInfo part = whole_;
      part.shape = shape_;
      part.blocks = blocks_of(number);
      parts.push_back(std::make_shared<const tl::TensorInfo>(std::move(part)));
    }
    return parts;
  }

  const tl::TensorInfo& whole_;
  const int count_;
  const Shape shape_;
};

// Blocks of one part, within the blocks of the whole, which axis 0 does not cut.
std::vector<tl::Block> blocks_across(const tl::TensorInfo& whole, int count) {
  std::vector<tl::Block> blocks = whole.blocks;
  for (tl::Block& block : blocks) {
    Extents extents = block.shape.extents();
    extents.front() /= count;
    block.shape = Shape(extents);
  }
  return blocks;
}

// Blocks of one part: `elements` for each PE, equal for copies.
std::vector<tl::Block> blocks_along(const tl::TensorInfo& whole, std::int64_t elements) {
  std::map<std::uint64_t, std::int64_t> order;  // order of the blocks of the whole, by offset
  for (const tl::Block& block : whole.blocks) order[block.offset] = 0;
  std::int64_t next = 0;
  for (auto& [offset, index] : order) index = next++;
  std::vector<tl::Block> blocks;
  for (tl::Block block : whole.blocks) {
    const ElementRange range = part_of({0, elements}, order.at(block.offset), next);
    if (range.elements() == 0) continue;
    block.offset = static_cast<std::uint64_t>(range.begin) * size_of(whole.dtype);
    block.nbytes = static_cast<std::uint64_t>(range.elements()) * size_of(whole.dtype);
    block.shape = Shape{range.elements()};
    block.start = {range.begin};
    blocks.push_back(std::move(block));
  }
  return blocks;
}

void check_shape(const std::string& call, const tl::TensorInfo& whole, int count,
                 const tl::TensorInfo& part) {
  const Extents extents = part.shape.extents(), given = whole.shape.extents();
  const Extents one_axis = concatenated(extents, count), own_axis = stacked(extents, count);
  if (given == one_axis || given == own_axis) return;
  throw UsageError(
      fmt::format("{}: tensor '{}' {} has the parts of {} ranks, tensor '{}' {} is one of them; "
                  "{} or {} has all of them",
                  call, whole.name, describe(whole.dtype, whole.shape), count, part.name,
                  describe(part.dtype, part.shape), describe(part.dtype, Shape(one_axis)),
                  describe(part.dtype, Shape(own_axis))));
}

std::vector<tl::TensorInfoPtr> like(const std::string& call, const tl::TensorInfo& whole, int count,
                                    const tl::TensorInfo& part) {
  check_shape(call, whole, count, part);
  const Parts parts(whole, count, part.shape);
  if (whole.nbytes == 0) return parts.in_a_row(whole.blocks);
  const bool are_stacked = whole.shape.rank() != part.shape.rank();
  std::vector<tl::TensorInfoPtr> within = parts.within_blocks(part.blocks, are_stacked);
  if (!within.empty()) return within;
  if (lies_row_after_row(whole) && lies_row_after_row(part) && same_holders(whole, part))
    return parts.in_a_row(part.blocks);
  throw UsageError(
      fmt::format("{}: no PE has its part of {} in its own part of {}; both lie on the same PEs, "
                  "and are cut alike, not along axis 0, or both along axis 0 only",
                  call, text_of(part), text_of(whole)));
}

}  // namespace

std::vector<tl::TensorInfoPtr> parts_of(const std::string& call, const tl::TensorInfoPtr& whole,
                                        int count, const tl::TensorInfoPtr& part) {
  if (part != nullptr) return like(call, *whole, count, *part);
  if (whole->shape[0] % count != 0)
    throw UsageError(fmt::format(
        "{}: tensor '{}' {} is cut along axis 0 into a part for each of "
        "{} ranks, and {} is not a multiple of that",
        call, whole->name, describe(whole->dtype, whole->shape), count, whole->shape[0]));
  Extents extents = whole->shape.extents();
  extents.front() /= count;
  const Parts parts(*whole, count, Shape(extents));
  if (whole->nbytes == 0) return parts.in_a_row(whole->blocks);
  const bool is_cut =
      std::any_of(whole->blocks.begin(), whole->blocks.end(),
                  [&](const auto& block) { return block.shape[0] != whole->shape[0]; });
  if (!is_cut) return parts.within_blocks(blocks_across(*whole, count), false);
  if (lies_row_after_row(*whole))
    return parts.in_a_row(blocks_along(*whole, Shape(extents).elements()));
  throw UsageError(fmt::format(
      "{}: {} is cut along axis 0 and along a further axis, so that no PE has a whole part", call,
      text_of(*whole)));
}

}  // namespace kernbench
