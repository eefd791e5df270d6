// Moves within a device, by kernels: parts of a tensor to parts of a second one, whatever their
// placements, and constants.
#pragma once

#include <vector>

#include "sw/ops/box.h"
#include "sw/torch/torch.h"

namespace kernbench::ops {

// Elements of `from` that start at `from_start`, to the box of the target.
struct BoxCopy {
  Extents from_start;
  Box to;
};

// Each PE writes its own block of `to`: the boxes of `copies` from `from`, zeros in the boxes of
// `zeros`; other elements keep their values. Boxes may not overlap. Tensors of the same rank and
// dtype, at most 5 axes. Waits for the kernel; without elements there is none. UsageError: rank or
// dtype that differ, a box outside its tensor, partial sums; a PE that cannot address a block of
// `from` is an error of the launch.
void copy(Torch& torch, const Tensor& from, const Tensor& to, const std::vector<BoxCopy>& copies,
          const std::vector<Box>& zeros = {});

// All of `to` from the elements of `from` that start at `from_start`: torch.narrow, and a copy with
// a different placement.
void slice(Torch& torch, const Tensor& from, const Extents& from_start, const Tensor& to);

// Writes `value` to all elements.
void fill(Torch& torch, const Tensor& to, double value);

}  // namespace kernbench::ops
