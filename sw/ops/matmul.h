// Matrix products of placed tensors (torch.matmul, torch.nn.functional.linear).
//
//   ops::matmul(torch, x, weight, out);                       // out{M, N} = x{M, K} weight{K, N}
//   ops::matmul(torch, x, weight, out, {bias, Activation::gelu});
//
// Each PE computes the part of `out` that it holds, from the parts of `a` and `b` that this needs,
// wherever their shards are: rows of `a` are loaded into TCM, `b` is streamed by composites. So the
// placement of `out` selects the division of work, and that of `b` next to it the traffic: with
// columns of `b` and `out` on the same PEs, weights are read locally. If all PEs need all of an `a`
// that is spread over cubes, a launch before copies it once for each cube, over the PEs there, so
// that it crosses to a cube once and not for every PE.
//
// Partial sums: if `out` is partial, a PE multiplies its own rows of `b` with the same columns of
// `a`, and its summand is that product; the rows of `b` on the holders of a part of `out` make up
// K.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/ops/operands.h"
#include "sw/ops/placed_matrix.h"
#include "sw/tl/composite.h"
#include "sw/torch/torch.h"

namespace kernbench::ops {

enum class Activation : std::int32_t { none, relu, gelu, silu };  // gelu: exact, by erf

// Epilogue of a composite: the activation, or nothing.
std::vector<tl::EpilogueEntry> epilogue_of(Activation activation);

struct MatmulOptions {
  std::optional<Tensor> bias = {};  // {N}, added to every row before the activation
  Activation activation = Activation::none;
  std::string name = "matmul";     // name of the launch
  std::optional<Range> rows = {};  // rows of `a` that are multiplied; all
};

// `b` is read again for at least this many rows of `out`.
constexpr std::int64_t matmul_block_rows = 32;

// Any M, K, N from 1 (M or N 0: nothing happens). Floats accumulate in f32 and round once to the
// dtype of `out`; integers accumulate in i32, which `out` has to be. Returns when the kernel has
// ended. UsageError, naming the tensors: shapes that do not fit, a partial input or bias, a bias or
// an activation of partial sums, rows of `b` that do not make up K. LaunchError: a shard that a PE
// cannot address (spec 3.3).
void matmul(Torch& torch, const Tensor& a, const Tensor& b, const Tensor& out,
            const MatmulOptions& options = {});

// `a` for several products whose columns are over the PEs of a grid: the copy for each cube that
// ops::matmul would make for each of them, or `a` itself.
Tensor operand_of_products(Torch& torch, const Tensor& a, const PeGrid& grid);

}  // namespace kernbench::ops
