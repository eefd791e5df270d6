// Commands of a kernel to its PE, from PE_CPU to PE_SCHEDULER (spec 5). Timing only; the effect of
// a command on values travels along as an opaque DataOp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "models/base/block_reference.h"
#include "models/base/dtype.h"
#include "models/base/math_op.h"
#include "models/base/small_vector.h"
#include "models/base/units.h"

namespace kernbench {

struct AtomicAccess;  // models/base/atomic_op.h
struct DataOp;        // models/data: effect of a command on values

// Bytes at consecutive addresses, virtual or physical as in spec 3.3.
struct AddressRun {
  std::uint64_t address = 0;
  std::uint64_t nbytes = 0;
};
using AddressRuns = std::vector<AddressRun>;

// Memory <-> TCM.
struct DmaCommand {
  bool write = false;
  std::uint64_t address = 0;                     // address of the first byte
  std::uint64_t nbytes = 0;                      // total bytes of all runs
  std::shared_ptr<const AddressRuns> runs = {};  // in the order of the transfer; null: one
  // Operation that the memory performs on its contents: a write whose answer has the old bytes.
  // Null: none.
  std::shared_ptr<const AtomicAccess> atomic = {};
};

// An operand or result of a command that computes. In TCM (pinned): no DMA stage.
struct CompositeOperand {
  bool pinned = false;
  std::uint64_t address = 0;  // address of its first byte; pinned: physical, in the TCM of the PE
  DType dtype = DType::f16;
  std::optional<TensorLayout> layout = {};  // none: dense, row by row
  // True: in memory at the strides of `layout`, which the DMA of its tiles follows; false: its
  // tiles count as contiguous (docs/decisions/tile-order-and-tile-scheduling.md).
  bool strided = false;
};
using CommandOperands = SmallVector<CompositeOperand, 3>;

// TCM operands, PE_GEMM time only. A batch: so many products of m x k x n, back to back.
struct DotCommand {
  std::int64_t m = 1, k = 1, n = 1;
  DType dtype = DType::f16;       // dtype of the operands
  CommandOperands operands = {};  // a, b, accumulator if any, result; none: not known
  std::int64_t batch = 1;
};

// TCM operands, PE_MATH time only.
struct MathCommand {
  MathOp op = MathOp::add;
  std::int64_t elements = 1;          // elements of the widest operand
  CommandOperands operands = {};      // tensors, result; none: not known
  std::int64_t extent = 1, kept = 1;  // extent of a sorted line; elements of it that topk keeps
};

struct TileShape {
  std::int64_t m = 32, k = 64, n = 32;
};

// One op of the epilogue, in list order. `operand_bytes_per_element`: moved by FETCH for a tensor
// operand (0: scalar or none).
struct EpilogueStage {
  MathOp op = MathOp::relu;
  EpilogueScope scope = EpilogueScope::output_tile;
  std::uint64_t operand_bytes_per_column = 0;   // bias-like [N] operands
  std::uint64_t operand_bytes_per_element = 0;  // operands of the output's shape
  // A tensor operand; of a dequant, one element per k tile.
  std::optional<CompositeOperand> operand = {};
};

struct CompositeGemm {
  std::int64_t m = 1, k = 1, n = 1;
  std::optional<TileShape> tile;  // default: the scheduler's
  CompositeOperand a, b, out;
  DType acc_dtype = DType::f32;
  std::vector<EpilogueStage> epilogue;
};

struct CompositeMath {
  MathOp op = MathOp::add;
  std::int64_t m = 1, n = 1;  // rows, columns of the output
  std::optional<TileShape> tile;
  std::vector<CompositeOperand> inputs;
  CompositeOperand out;
  std::vector<EpilogueStage> epilogue;  // not at k_tile scope
};

struct Command {
  std::variant<DmaCommand, DotCommand, MathCommand, CompositeGemm, CompositeMath> what;
  std::shared_ptr<const DataOp> data;  // null with data off, unless parameters are recorded
};

}  // namespace kernbench
