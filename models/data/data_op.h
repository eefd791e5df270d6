// DataOp: the effect of one command on values. Memory ops only move references; gemm and math ops
// define new values, which phase 2 computes (spec 9). An op is immutable once recorded, until its
// inputs are released.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/address/phys_range.h"
#include "models/base/math_op.h"
#include "models/base/node_id.h"
#include "models/base/small_vector.h"
#include "models/data/tensor_value.h"

namespace kernbench {

// --- epilogues (spec 5.3), applied in f32 before the output conversion ---

struct EpilogueOp {
  enum class Kind : std::uint8_t { bias, relu, scale, dequant, gelu, silu, add, mul, clamp, exp };
  Kind kind = Kind::relu;
  EpilogueScope scope = EpilogueScope::output_tile;
  int input = -1;            // bias, add, mul, and dequant by a vector: index into DataOp::inputs
  double factor = 1;         // scale; dequant by a scalar (input < 0)
  double low = 0, high = 0;  // clamp
};

// --- parameters ---

struct MemoryParams {
  enum class Kind : std::uint8_t { load, store, copy, atomic };
  Kind kind = Kind::load;
  // Pending values among the bytes moved; none before the accesses of the op's instant are in order
  // (FunctionalModel::resolve).
  std::optional<std::vector<ValueId>> values;
  // Block that is moved, for records; none: `inputs` are the blocks (FETCH of a tile).
  DType dtype = DType::f16;
  std::optional<Shape> block;
};

// out{M,N} = a{M,K} b{K,N}; with transpose_a the operand has shape {K,M}, with transpose_b {N,K}.
// Operands of three axes, {batch,M,K} and {batch,K,N}: a product per batch index, not transposed.
// inputs: a, b, then the accumulator or the epilogue's operands.
struct GemmParams {
  std::int64_t m = 0, k = 0, n = 0;  // filled by FunctionalModel
  std::int64_t batch = 1;            // filled by FunctionalModel
  // Input 2 is added to the product: the sum over K from zero first, then one addition in the
  // accumulator's dtype, which is the output's. Not with an epilogue.
  bool accumulates = false;
  bool transpose_a = false,
       transpose_b = false;        // FunctionalModel turns transposed views into these
  std::optional<DType> acc_dtype;  // f32 for floats, i32 for integers: filled by FunctionalModel,
                                   // anything else is refused
  std::optional<DType> out_dtype;  // default: the promoted dtype of floats, i32 for integers
  std::int64_t tile_k = 0;         // extent of a k tile, for epilogues at k_tile scope; 0 = K
  std::vector<EpilogueOp> epilogue;
  // Component that computes the products (FunctionalModel::computed); no_node: phase 2 multiplies.
  NodeId engine = no_node;
};

inline bool is_integral(double value) { return std::isfinite(value) && std::trunc(value) == value; }

// One operand of a math op: an input, or an immediate scalar. A floating-point scalar next to
// integers makes the result f32, as in PyTorch and Triton; an integer keeps their dtype.
struct MathOperand {
  int input = -1;
  double immediate = 0;
  bool floating = false;
  static MathOperand tensor(int index) { return {index, 0, false}; }
  static MathOperand scalar(double value, bool floating) { return {-1, value, floating}; }
  // Floating-point where the value is not an integer.
  static MathOperand scalar(double value) { return {-1, value, !is_integral(value)}; }
};

using MathOperands = SmallVector<MathOperand, 3>;

struct MathParams {
  MathOp op = MathOp::add;
  MathOperands operands;             // in the order of the op; empty = the inputs in order
  std::optional<int> axis;           // reductions and softmax; negative counts from the end
  std::optional<DType> out_dtype;    // default: see result_dtype(); FunctionalModel fills it
  std::vector<EpilogueOp> epilogue;  // composites: output_tile and kernel scope
  std::vector<int> more_axes;        // reductions: reduced together with `axis`
  bool reverse = false;              // scans: from the end; sort, topk: the largest first
  bool indices = false;              // sort, topk: places along the axis instead of elements
  std::int64_t kept = 0;             // topk: extent of the result
  std::vector<std::int64_t> starts;  // update: place of the part's first element
  std::uint64_t seed = 0;            // random numbers
  int rounds = 10;                   // rounds of Philox
};

// Converts the elements of the one input, in row-major order, to the output's dtype. Not a command:
// created where a strided handle needs a dense form.
struct ConvertParams {};

struct OutputValue {
  ValueId id = no_value;
  Shape shape;
  DType dtype = DType::f32;
  std::uint64_t nbytes() const {
    return static_cast<std::uint64_t>(shape.elements()) * size_of(dtype);
  }
};

// Addresses of the operands and of the result, for records only: they determine no order. Stages of
// tiles also have bytes in the register file, listed before the ranges.
struct OpAddresses {
  PhysRanges from, to;
  std::uint64_t from_registers = 0, to_registers = 0;
};

struct DataOp {
  std::uint64_t id = 0;  // in order of issue; 0: without values, for records only
  std::variant<MemoryParams, GemmParams, MathParams, ConvertParams> params;
  std::vector<TensorValue> inputs;      // gemm, math, convert
  SmallVector<OutputValue, 1> outputs;  // gemm, math, convert: one
  OpAddresses places;
  // Values that `inputs` referred to, set when their images are released (release_inputs).
  std::optional<std::vector<ValueId>> released = std::nullopt;
};
using DataOpPtr = std::shared_ptr<const DataOp>;

// --- static facts ---

const char* name_of(EpilogueOp::Kind kind);
const char* gemm_name(DType in);                       // "gemm_f16": the name of the record
const char* space_of(std::uint64_t physical_address);  // "HBM", "PE_TCM", "CUBE_SRAM", ...
// "m=32 k=64 n=32 acc=f32 in0=f16:32x64 in1=f16:64x32 out=f16:32x32 from=PE_TCM:0xc000000+4096;...
// to=..." for logs; without commas.
std::string describe(const DataOp& op);
std::vector<ValueId> input_ids(
    const DataOp& op);  // values that it reads or moves; each once, ascending

// Host memory that the op holds: the known bytes of its inputs, shared ones in full, and the pieces
// of gathered ones.
std::uint64_t input_bytes(const DataOp& op);
// Whether the accesses that bind the inputs are in order (AccessJournal).
bool inputs_bound(const DataOp& op);
// Releases the bytes and values that the op reads, when the op will be neither computed nor checked
// any more. Their shapes and ids stay for its record.
void release_inputs(DataOp& op);

}  // namespace kernbench
