// TilePlan: the tiles of a composite command and the stages of each (spec 5.1, ADR-0042). Pure:
// equal arguments produce equal plans. Tiles are computed on demand.
//
//   GEMM: for m, n, k:  [DMA_READ A] [DMA_READ B] FETCH GEMM [MATH k_tile]*
//         and on the last k  [MATH output_tile]* STORE [DMA_WRITE]
//   MATH: for m, n:  [DMA_READ]* FETCH MATH [MATH output_tile]* STORE [DMA_WRITE],
//         one DMA_READ per operand
//   Both, with epilogues at kernel scope: then one MATH pass over the whole output,
//         [DMA_READ] FETCH MATH+ STORE [DMA_WRITE]
//
// Stages identify the operands that they use by their position in TaskOperands: operands of the
// command's own operation, tensors of the epilogue in list order, the result.
//
// A pinned operand has no DMA_READ, a pinned result no DMA_WRITE. Tiles at the edges have their
// true size. For timing a tensor counts as stored in tile order: tile (i, j) of X[I, J] begins at
// base + itemsize * (i0 * J + rows_of_the_tile * j0), so that every tile is one contiguous range
// and the tiles cover the tensor exactly. The strides of a strided operand define the addresses of
// its tiles (CompositeOperand::strided): their DMA has several runs of bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/protocol/command.h"
#include "models/protocol/tile_task.h"

namespace kernbench {

class TilePlan {
 public:
  // `default_tile` applies if the command names no tile. Both throw UsageError: an extent below 1,
  // an epilogue with more entries than a tile has stages for.
  TilePlan(CompositeGemm command, const TileShape& default_tile);
  TilePlan(CompositeMath command, const TileShape& default_tile);

  std::uint64_t tile_count() const { return first_pass_tiles_ + second_pass_tiles_; }
  // i < tile_count(); its id is i.
  Tile tile(std::uint64_t i) const;
  // The tile may start only when all before it have completed: the pass of the kernel epilogue.
  bool waits_for_all(std::uint64_t i) const {
    return second_pass_tiles_ > 0 && i == first_pass_tiles_;
  }

  bool is_gemm() const { return gemm_; }
  const char* op_log_name() const;  // "composite_gemm", "composite_add", ...
  std::string tile_text() const;    // "tile 32x64x32 (m, k, n) of composite_gemm"

  // Largest demand of a tile on the register file, with the accumulator that it finds there, and on
  // the tile buffers.
  std::uint64_t largest_register_bytes() const;
  std::uint64_t largest_buffer_bytes() const;

 private:
  // An operation of a tile, and the positions of the operands that it uses.
  struct Op {
    EpilogueStage stage;
    std::size_t first_operand = 0, operands = 0;
  };
  // An element-wise pass over the output: a math command, or the kernel epilogue.
  struct Pass {
    std::vector<CompositeOperand> inputs;
    std::size_t first_input = 0;  // position
    CompositeOperand result;
    std::vector<Op> ops;
  };

  void number_epilogue(const std::vector<EpilogueStage>& epilogue, std::size_t inputs);
  void add_kernel_epilogue(const CompositeOperand& out);
  Tile gemm_tile(std::uint64_t i) const;
  Tile math_tile(std::uint64_t id, std::uint64_t i, const Pass& pass) const;

  bool gemm_ = false;
  CompositeGemm product_;     // gemm_ only
  std::vector<Op> epilogue_;  // in list order, all scopes
  std::size_t result_ = 0;    // position
  TileShape shape_;
  std::uint64_t tiles_m_ = 1, tiles_n_ = 1, tiles_k_ = 1;
  std::uint64_t first_pass_tiles_ = 0, second_pass_tiles_ = 0;
  std::int64_t rows_ = 1, columns_ = 1;  // extents of the output
  Pass math_;                            // !gemm_ only
  Pass kernel_epilogue_;
};

// Demand of a live tile on the scheduler's reserve: its unpinned operands and its result,
// contiguous.
std::uint64_t buffer_bytes(const Tile& tile);

}  // namespace kernbench
