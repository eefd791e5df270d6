// Boxes of elements of tensors in kernels: the parts of a box that are in one block each, and
// access to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "sw/tl/program.h"

namespace kernbench::ops {

using Extents = std::vector<std::int64_t>;

// Elements [start, start + extents) of a tensor, per axis.
struct Box {
  Extents start, extents;

  static Box whole(const Shape& shape) { return {Extents(shape.rank(), 0), shape.extents()}; }
  std::int64_t elements() const;
  Box moved(const Extents& by) const;
};

// Empty extents if the boxes have no element in common.
Box common(const Box& a, const Box& b);

// Blocks of a tensor, one of each set of copies, as boxes of the whole tensor.
std::vector<Box> block_boxes(const tl::TensorInfo& tensor);

// Parts of a box of the tensor, each within one block.
std::vector<Box> parts_in_blocks(const tl::TensorInfo& tensor, const Box& box);

// Parts of at most `elements` elements each, cut along the axes in their order.
std::vector<Box> pieces_of(const Box& box, std::int64_t elements, const std::vector<int>& axes);
std::vector<Box> pieces_of(const Box& box, std::int64_t elements);

// Elements that a kernel loads at once: with operands and results in f32 a quarter of the scratch.
inline constexpr std::int64_t elements_at_once = 16384;

// A box within one block of the tensor, on any PE that can address the block. The handle of a
// tensor without axes has one axis.
tl::Handle load_box(tl::Program& tl, const tl::Tensor& tensor, const Box& box);
void store_box(tl::Program& tl, const tl::Tensor& tensor, const Box& box, const tl::Handle& value);

// Block of the running PE.
Box local_box(const tl::Tensor& tensor);

}  // namespace kernbench::ops
