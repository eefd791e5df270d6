// Operands and result of a command, and the block of each that a tile uses (spec 5.2): one table
// for all tiles of the command, to which the stages of a tile refer by position.
//
// In the order of DataOp::inputs: operands of the command's own operation, then the tensors of the
// epilogue in list order; the result is last. For timing, tiles count as stored back to back
// (Stage::address); references are the real places of the elements.
#pragma once

#include <cstddef>

#include "models/base/block_reference.h"
#include "models/base/small_vector.h"
#include "models/protocol/command.h"
#include "models/protocol/tile_task.h"

namespace kernbench {

class TaskOperands {
 public:
  // Extents of the command that an operand spans, rows x columns: rows x depth (A of a GEMM), depth
  // x columns (B), rows x columns, 1 x columns (a bias), one element per k tile, or all of its own
  // in every tile (simple commands).
  enum class Spans : std::uint8_t {
    rows_depth,
    depth_columns,
    rows_columns,
    columns,
    k_tile,
    whole
  };

  TaskOperands() = default;
  // `default_tile`: used if a composite names no tile. Empty for a DMA command, and for a simple
  // command without known operands.
  TaskOperands(const Command& command, const TileShape& default_tile);

  bool empty() const { return operands_.empty(); }
  std::size_t size() const { return operands_.size(); }  // the result included
  std::size_t result() const { return operands_.size() - 1; }
  Spans spans(std::size_t operand) const { return operands_[operand].spans; }
  std::int64_t depth() const { return depth_; }  // GEMM: all tiles together

  // The whole operand.
  BlockReference operator[](std::size_t operand) const;
  // Block of an operand that the tile uses.
  BlockReference block(std::size_t operand, const Tile& tile) const;
  // Operand i of a stage, i < stage.operand_count.
  BlockReference block(const Tile& tile, const Stage& stage, std::size_t i = 0) const {
    return block(stage.first_operand + i, tile);
  }

  // Effect of the command on values, whose inputs are the values bound at its issue; null with data
  // off, unless parameters are recorded (inputs have no values then).
  const DataOp* data() const { return data_; }

 private:
  struct Operand {
    CompositeOperand at;
    TensorLayout layout;
    Spans spans = Spans::whole;
  };
  struct Listing;

  SmallVector<Operand, 3> operands_;
  std::int64_t depth_ = 0, tile_k_ = 1;
  const DataOp* data_ = nullptr;
};

// Appends a run, or continues the last one.
void add_run(AddressRuns& runs, std::uint64_t address, std::uint64_t nbytes);
// The bytes of a block in memory: its contiguous pieces in the order of the larger stride, then the
// smaller one. An axis of stride 0 is included once.
AddressRuns block_runs(const BlockReference& block);
// Sum of their bytes.
std::uint64_t block_bytes(const TensorLayout& block, DType dtype);

}  // namespace kernbench
