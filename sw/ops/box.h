// Boxes of elements of tensors in kernels: the parts of a box that are in one block each, and
// access to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/protocol/machine_description.h"
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

// Box of a tensor whose elements are dense in memory, from `offset` bytes after the tensor's base.
struct PlacedBox {
  Box box;
  std::int64_t offset = 0;
};

// Blocks of a tensor, one of each set of copies or partial sums. Blocks that are cut along axis 0
// alone are consecutive in memory: they are one box, so that an access crosses them.
std::vector<PlacedBox> placed_boxes(const tl::TensorInfo& tensor);

// Parts of a box of the tensor, each within one placed box.
std::vector<Box> parts_in_memory(const tl::TensorInfo& tensor, const Box& box);

// Parts of at most `elements` elements each, cut along the axes in their order.
std::vector<Box> pieces_of(const Box& box, std::int64_t elements, const std::vector<int>& axes);
std::vector<Box> pieces_of(const Box& box, std::int64_t elements);

// Elements of an operand that a kernel holds at once: two operands, a result and its conversion, in
// f32, use a quarter of the scratch.
std::int64_t elements_at_once(const MachineDescription& machine);

// Box in memory, within one placed box of the tensor, for any PE that can address it. Each PE
// addresses its own copy or summand. The block of a tensor without axes has one axis.
tl::BlockPtr block_at(tl::Program& tl, const tl::Tensor& tensor, const Box& box);

// Block of the running PE.
Box local_box(const tl::Tensor& tensor);

}  // namespace kernbench::ops
