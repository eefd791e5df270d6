// Composites: tiled pipelines over whole operands, as kernels describe them.
//
//   tl.composite(tl::gemm(A, tl.ref(b, {K, N}, f16)).to(out).epilogue({tl::relu()}))
#pragma once

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "models/data/data_op.h"
#include "models/protocol/command.h"
#include "sw/tl/block_ptr.h"
#include "sw/tl/handle.h"

namespace kernbench::tl {

// --- epilogue entries (spec 5.3); tensor operands must be in TCM ---

struct EpilogueEntry {
  EpilogueOp::Kind kind = EpilogueOp::Kind::relu;
  EpilogueScope scope = EpilogueScope::output_tile;
  std::optional<Handle> operand;
  double factor = 1;
  double low = 0, high = 0;
};

EpilogueEntry relu(EpilogueScope scope = EpilogueScope::output_tile);
EpilogueEntry gelu(EpilogueScope scope = EpilogueScope::output_tile);
EpilogueEntry silu(EpilogueScope scope = EpilogueScope::output_tile);
EpilogueEntry exp(EpilogueScope scope = EpilogueScope::output_tile);
EpilogueEntry bias(const Handle& bias, EpilogueScope scope = EpilogueScope::output_tile);  // [N]
EpilogueEntry scale(double factor, EpilogueScope scope = EpilogueScope::output_tile);
EpilogueEntry dequant(double scale, EpilogueScope scope = EpilogueScope::output_tile);
EpilogueEntry dequant(const Handle& scales,
                      EpilogueScope scope = EpilogueScope::k_tile);  // [K tiles]
EpilogueEntry add(const Handle& other,
                  EpilogueScope scope = EpilogueScope::output_tile);  // the output's shape, or [N]
EpilogueEntry mul(const Handle& other, EpilogueScope scope = EpilogueScope::output_tile);
EpilogueEntry clamp(double low, double high, EpilogueScope scope = EpilogueScope::output_tile);

// --- operations of a composite ---

// Destination of a result: TCM, memory, or a block of a tensor.
using CompositeOutput = std::variant<std::monostate, Ptr, BlockPtr>;

// Fields that both kinds share; `Self` is returned for chaining.
template <class Self>
class CompositeSpec {
 public:
  Self& to(const Ptr& out) { return out_ = out, self(); }       // default: the result stays in TCM
  Self& to(const BlockPtr& out) { return out_ = out, self(); }  // with strides
  // Element type of the result; default: the target's, else the operands'.
  Self& as(DType dtype) { return dtype_ = dtype, self(); }
  Self& epilogue(std::vector<EpilogueEntry> entries) {
    return epilogue_ = std::move(entries), self();
  }
  Self& tile(const TileShape& tile) { return tile_ = tile, self(); }  // default: the scheduler's

 protected:
  friend class Program;
  Self& self() { return static_cast<Self&>(*this); }
  CompositeOutput out_;
  std::optional<DType> dtype_;
  std::vector<EpilogueEntry> epilogue_;
  std::optional<TileShape> tile_;
};

class GemmSpec : public CompositeSpec<GemmSpec> {
 public:
  GemmSpec(Handle a, Handle b) : a_(std::move(a)), b_(std::move(b)) {}
  // Accumulator type: f32 for floats, i32 for integers; no other dtype is allowed.
  GemmSpec& acc(DType dtype) { return acc_ = dtype, *this; }

 private:
  friend class Program;
  Handle a_, b_;
  std::optional<DType> acc_;
};

class MathSpec : public CompositeSpec<MathSpec> {
 public:
  MathSpec(MathOp op, std::vector<Operand> operands) : op_(op), operands_(std::move(operands)) {}

 private:
  friend class Program;
  MathOp op_;
  std::vector<Operand> operands_;
};

inline GemmSpec gemm(Handle a, Handle b) { return {std::move(a), std::move(b)}; }
inline MathSpec math(MathOp op, std::vector<Operand> operands) { return {op, std::move(operands)}; }

// Composite in flight. tl.wait() blocks until it has completed.
class Composite {
 public:
  bool done(CallSite site = CallSite::here()) const;  // true: equivalent to tl.wait()
  // Result block, unless the result was stored to memory. A call that uses it before tl.wait()
  // waits for it.
  const Handle& result(CallSite site = CallSite::here()) const;

 private:
  friend class Program;
  std::shared_ptr<CommandState> command_;
  std::optional<Handle> result_;
};

}  // namespace kernbench::tl
