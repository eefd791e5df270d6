#include "sw/ops/box.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "models/base/errors.h"

namespace kernbench::ops {
namespace {

bool holds(const Box& outer, const Box& inner) {
  for (std::size_t axis = 0; axis < outer.start.size(); ++axis) {
    const std::int64_t end = inner.start[axis] + inner.extents[axis];
    if (inner.start[axis] < outer.start[axis] || end > outer.start[axis] + outer.extents[axis])
      return false;
  }
  return true;
}

// Bytes from the tensor's base of row `row` of a tensor that is dense as a whole.
std::int64_t offset_of_row(const tl::TensorInfo& tensor, std::int64_t row) {
  const std::int64_t rows = std::max<std::int64_t>(tensor.shape[0], 1);
  return static_cast<std::int64_t>(tensor.nbytes) / rows * row;
}

bool has_consecutive_rows(const tl::TensorInfo& tensor, const PlacedBox& part) {
  const auto& [start, extents] = part.box;
  if (start.empty()) return false;
  const Shape& shape = tensor.shape;
  return std::equal(extents.begin() + 1, extents.end(), shape.extents().begin() + 1) &&
         part.offset == offset_of_row(tensor, start[0]);
}

}  // namespace

std::int64_t Box::elements() const {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

Box Box::moved(const Extents& by) const {
  Box box = *this;
  for (std::size_t axis = 0; axis < by.size(); ++axis) box.start[axis] += by[axis];
  return box;
}

Box common(const Box& a, const Box& b) {
  Box box = a;
  for (std::size_t axis = 0; axis < a.start.size(); ++axis) {
    const std::int64_t begin = std::max(a.start[axis], b.start[axis]),
                       end = std::min(a.start[axis] + a.extents[axis],
                                      b.start[axis] + b.extents[axis]);
    box.start[axis] = begin;
    box.extents[axis] = std::max<std::int64_t>(end - begin, 0);
  }
  return box;
}

std::vector<PlacedBox> placed_boxes(const tl::TensorInfo& tensor) {
  std::vector<PlacedBox> boxes;
  std::set<std::uint64_t> seen;
  for (const tl::Block& block : tensor.blocks) {
    if (seen.insert(block.offset).second)
      boxes.push_back(
          {{block.start, block.shape.extents()}, static_cast<std::int64_t>(block.offset)});
  }
  const bool consecutive = std::all_of(boxes.begin(), boxes.end(), [&](const PlacedBox& part) {
    return has_consecutive_rows(tensor, part);
  });
  if (consecutive) return {{Box::whole(tensor.shape), 0}};
  return boxes;
}

std::vector<Box> parts_in_memory(const tl::TensorInfo& tensor, const Box& box) {
  std::vector<Box> parts;
  for (const PlacedBox& placed : placed_boxes(tensor)) {
    Box part = common(box, placed.box);
    if (part.elements() > 0) parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<Box> pieces_of(const Box& box, std::int64_t elements, const std::vector<int>& axes) {
  if (box.elements() <= elements) return {box};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(axes[i]);
    const std::int64_t extent = box.extents[axis];
    if (extent == 1) continue;
    const std::int64_t each = std::max<std::int64_t>(elements / (box.elements() / extent), 1);
    const std::vector<int> further(axes.begin() + static_cast<std::ptrdiff_t>(i) + 1, axes.end());
    std::vector<Box> pieces;
    for (std::int64_t begin = 0; begin < extent; begin += each) {
      Box piece = box;
      piece.start[axis] += begin;
      piece.extents[axis] = std::min(each, extent - begin);
      for (Box& smaller : pieces_of(piece, elements, further)) pieces.push_back(std::move(smaller));
    }
    return pieces;
  }
  return {box};
}

std::vector<Box> pieces_of(const Box& box, std::int64_t elements) {
  std::vector<int> axes(box.start.size());
  std::iota(axes.begin(), axes.end(), 0);
  return pieces_of(box, elements, axes);
}

std::int64_t elements_at_once(const MachineDescription& machine) {
  return std::max<std::int64_t>(static_cast<std::int64_t>(machine.scratch_bytes / 64), 1);
}

tl::BlockPtr block_at(tl::Program& tl, const tl::Tensor& tensor, const Box& box) {
  const tl::Ptr base = tensor.ptr();
  for (const auto& [whole, offset] : placed_boxes(*base.tensor())) {
    if (!holds(whole, box)) continue;
    const tl::Ptr first = base + offset;
    const std::size_t rank = whole.start.size();
    if (rank == 0) return tl.make_block_ptr(first, {1}, {1}, {0}, {1});
    Extents strides(rank, 1), offsets(rank, 0);
    for (std::size_t axis = rank - 1; axis > 0; --axis)
      strides[axis - 1] = strides[axis] * whole.extents[axis];
    for (std::size_t axis = 0; axis < rank; ++axis)
      offsets[axis] = box.start[axis] - whole.start[axis];
    return tl.make_block_ptr(first, whole.extents, strides, offsets, Shape(box.extents));
  }
  throw UsageError(fmt::format("tensor '{}' {}: no block holds {} elements from {}", tensor.name(),
                               tensor.shape().str(), Shape(box.extents).str(),
                               Shape(box.start).str()));
}

Box local_box(const tl::Tensor& tensor) {
  return {tensor.local_start(), tensor.local_shape().extents()};
}

}  // namespace kernbench::ops
