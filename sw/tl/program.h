// tl::Program: the kernel-side API (spec 6). A kernel is a plain function whose first parameter is
// one of these; it runs on the thread of its PE and blocks where hardware would.
//
// Every call but those of the groups identity, reference, shape and make first costs
// dispatch_cycles. Memory accesses then act on the values as they are: a store is visible from then
// on, a load binds to what is visible then; their time follows. Results of computations have no
// values before phase 2. Errors: UsageError (shapes, dtypes), AllocationError (the scratch is
// full), AccessFault (outside the tensor, or unmapped), PendingDataError.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/protocol/kernel_context.h"
#include "sw/tl/axes.h"
#include "sw/tl/composite.h"
#include "sw/tl/dtypes.h"
#include "sw/tl/handle.h"
#include "sw/tl/ptr.h"

namespace kernbench {
struct Accessor;  // models/data
}

namespace kernbench::tl {

// A message that a kernel will receive: tl.wait() blocks until it is there and returns it.
class RecvFuture {
 public:
  bool received() const { return state_ != nullptr && state_->block.has_value(); }

 private:
  friend class Program;
  struct State {
    Program* program = nullptr;
    std::string direction;
    std::uint64_t place = 0;  // in the order of the direction's messages
    Shape shape;
    DType dtype = DType::f16;
    std::optional<Handle> block;
  };
  std::shared_ptr<State> state_;  // shared by copies: a message is received once
};

// What an operation along an axis chooses, and where it stood there.
struct ValuesAndIndices {
  Handle values, indices;  // indices: i32
};

class Program {
 public:
  explicit Program(KernelContext& context);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // --- identity: axis 0 = PE in the cube, 1 = cube, 2 = SIP ---
  int program_id(int axis = 0) const;
  int num_programs(int axis = 0) const;  // of the machine
  int launch_num(int axis = 0) const;    // of this launch

  // --- reference, move ---
  Handle ref(const Ptr& ptr, const Shape& shape, DType dtype);
  Handle load(const Ptr& ptr, const Shape& shape, DType dtype);  // blocks
  void store(const Ptr& ptr, const Handle& block);               // blocks

  // --- compute ---
  // {M,K} x {K,N}, both in TCM, PE_GEMM only; blocks. The result has the operands' dtype (i32 for
  // integers) unless `out` says else.
  Handle dot(const Handle& a, const Handle& b, std::optional<DType> out = {});
  // Tiled, through memory or TCM; does not block.
  Composite composite(const GemmSpec& spec);
  Composite composite(const MathSpec& spec);

  // --- element-wise, PE_MATH, blocking; shapes and scalars broadcast. Each result has the promoted
  // dtype of its operands unless stated ---
  Handle exp(const Handle& x) { return math(MathOp::exp, {x}); }
  Handle log(const Handle& x) { return math(MathOp::log, {x}); }
  Handle sqrt(const Handle& x) { return math(MathOp::sqrt, {x}); }
  Handle rsqrt(const Handle& x) { return math(MathOp::rsqrt, {x}); }
  Handle abs(const Handle& x) { return math(MathOp::abs, {x}); }
  Handle sigmoid(const Handle& x) { return math(MathOp::sigmoid, {x}); }
  Handle cos(const Handle& x) { return math(MathOp::cos, {x}); }
  Handle sin(const Handle& x) { return math(MathOp::sin, {x}); }
  Handle tanh(const Handle& x) { return math(MathOp::tanh, {x}); }
  Handle relu(const Handle& x) { return math(MathOp::relu, {x}); }
  Handle gelu(const Handle& x) { return math(MathOp::gelu, {x}); }
  Handle silu(const Handle& x) { return math(MathOp::silu, {x}); }
  Handle exp2(const Handle& x) { return math(MathOp::exp2, {x}); }
  Handle log2(const Handle& x) { return math(MathOp::log2, {x}); }
  Handle erf(const Handle& x) { return math(MathOp::erf, {x}); }
  Handle floor(const Handle& x) { return math(MathOp::floor, {x}); }
  Handle ceil(const Handle& x) { return math(MathOp::ceil, {x}); }
  Handle rint(const Handle& x) { return math(MathOp::rint, {x}); }    // half to even
  Handle trunc(const Handle& x) { return math(MathOp::trunc, {x}); }  // towards zero
  Handle add(const Operand& a, const Operand& b) { return math(MathOp::add, {a, b}); }
  Handle sub(const Operand& a, const Operand& b) { return math(MathOp::sub, {a, b}); }
  Handle mul(const Operand& a, const Operand& b) { return math(MathOp::mul, {a, b}); }
  Handle div(const Operand& a, const Operand& b) { return math(MathOp::div, {a, b}); }
  Handle maximum(const Operand& a, const Operand& b) { return math(MathOp::maximum, {a, b}); }
  Handle minimum(const Operand& a, const Operand& b) { return math(MathOp::minimum, {a, b}); }
  // Remainder with the sign of `a`, as C and Triton have it; of floats fmod.
  Handle mod(const Operand& a, const Operand& b) { return math(MathOp::mod, {a, b}); }
  // Quotient of integers, towards zero: `//` of Triton. By 0: -1 (mod: a).
  Handle idiv(const Operand& a, const Operand& b) { return math(MathOp::idiv, {a, b}); }
  Handle fma(const Operand& a, const Operand& b, const Operand& c) {
    return math(MathOp::fma, {a, b, c});
  }  // a * b + c
  Handle clamp(const Operand& x, const Operand& low, const Operand& high) {
    return math(MathOp::clamp, {x, low, high});
  }
  Handle where(const Operand& condition, const Operand& a, const Operand& b) {
    return math(MathOp::where, {condition, a, b});
  }
  Handle cdiv(const Handle& a, const Operand& b);  // (a + b - 1) idiv b

  // --- comparisons and logical operations: masks, i8, 0 or 1. NaN is true, and unlike everything
  // ---
  Handle eq(const Operand& a, const Operand& b) { return math(MathOp::eq, {a, b}); }
  Handle ne(const Operand& a, const Operand& b) { return math(MathOp::ne, {a, b}); }
  Handle lt(const Operand& a, const Operand& b) { return math(MathOp::lt, {a, b}); }
  Handle le(const Operand& a, const Operand& b) { return math(MathOp::le, {a, b}); }
  Handle gt(const Operand& a, const Operand& b) { return math(MathOp::gt, {a, b}); }
  Handle ge(const Operand& a, const Operand& b) { return math(MathOp::ge, {a, b}); }
  Handle logical_and(const Operand& a, const Operand& b) {
    return math(MathOp::logical_and, {a, b});
  }
  Handle logical_or(const Operand& a, const Operand& b) { return math(MathOp::logical_or, {a, b}); }
  Handle logical_not(const Handle& x) { return math(MathOp::logical_not, {x}); }

  // --- bits: integers only. Shifts by the width or more, or by less than 0, shift everything out;
  // shr keeps the sign. bitwise_not of a mask is its negation ---
  Handle bitwise_and(const Operand& a, const Operand& b) {
    return math(MathOp::bitwise_and, {a, b});
  }
  Handle bitwise_or(const Operand& a, const Operand& b) { return math(MathOp::bitwise_or, {a, b}); }
  Handle bitwise_xor(const Operand& a, const Operand& b) {
    return math(MathOp::bitwise_xor, {a, b});
  }
  Handle shl(const Operand& a, const Operand& b) { return math(MathOp::shl, {a, b}); }
  Handle shr(const Operand& a, const Operand& b) { return math(MathOp::shr, {a, b}); }
  Handle bitwise_not(const Handle& x) {
    return math(x.is_mask() ? MathOp::logical_not : MathOp::bitwise_not, {x});
  }

  // --- reductions over one axis, several together, or all: each axis stays, with extent 1, unless
  // keep_dims is false ---
  Handle sum(const Handle& x, const Axes& axes = {}, bool keep_dims = true) {
    return reduce(MathOp::sum, x, axes, keep_dims);
  }
  Handle max(const Handle& x, const Axes& axes = {}, bool keep_dims = true) {
    return reduce(MathOp::max, x, axes, keep_dims);
  }
  Handle min(const Handle& x, const Axes& axes = {}, bool keep_dims = true) {
    return reduce(MathOp::min, x, axes, keep_dims);
  }
  Handle any(const Handle& x, const Axes& axes = {}, bool keep_dims = true) {
    return reduce(MathOp::any, x, axes, keep_dims);
  }
  Handle all(const Handle& x, const Axes& axes = {}, bool keep_dims = true) {
    return reduce(MathOp::all, x, axes, keep_dims);
  }
  Handle xor_sum(const Handle& x, const Axes& axes = {}, bool keep_dims = true) {
    return reduce(MathOp::xor_sum, x, axes, keep_dims);
  }  // integers
  Handle softmax(const Handle& x, int axis = -1) { return math(MathOp::softmax, {x}, axis); }
  // Of equal elements the first; so also where the caller does not care.
  Handle argmax(const Handle& x, int axis = -1, bool /*tie_break_left*/ = true,
                bool keep_dims = true) {
    return reduce(MathOp::argmax, x, axis, keep_dims);
  }
  Handle argmin(const Handle& x, int axis = -1, bool /*tie_break_left*/ = true,
                bool keep_dims = true) {
    return reduce(MathOp::argmin, x, axis, keep_dims);
  }
  ValuesAndIndices max_with_indices(const Handle& x, int axis = -1, bool /*tie_break_left*/ = true,
                                    bool keep_dims = true) {
    return best(MathOp::argmax, MathOp::max, x, axis, keep_dims);
  }
  ValuesAndIndices min_with_indices(const Handle& x, int axis = -1, bool /*tie_break_left*/ = true,
                                    bool keep_dims = true) {
    return best(MathOp::argmin, MathOp::min, x, axis, keep_dims);
  }

  // --- scans and sorts, PE_MATH. NaN is larger than every number; of equal elements the one with
  // the lowest index comes first ---
  Handle cumsum(const Handle& x, int axis = 0, bool reverse = false) {
    return scan(MathOp::cumsum, x, axis, reverse);
  }
  Handle cumprod(const Handle& x, int axis = 0, bool reverse = false) {
    return scan(MathOp::cumprod, x, axis, reverse);
  }
  Handle sort(const Handle& x, int dim = -1, bool descending = false);
  ValuesAndIndices sort_with_indices(const Handle& x, int dim = -1, bool descending = false);
  Handle topk(const Handle& x, std::int64_t k, int dim = -1);  // the largest first
  ValuesAndIndices topk_with_indices(const Handle& x, std::int64_t k, int dim = -1);

  // --- moves of elements, PE_MATH: new blocks ---
  Handle cat(const std::vector<Handle>& blocks, int dim = 0);  // of one dtype
  Handle join(const Handle& a, const Handle& b);  // in a new last axis of extent 2; they broadcast
  Handle flip(const Handle& x, int dim = -1);
  // result[.., i, ..] = source[.., index[.., i, ..], ..]; an index outside is an error.
  Handle gather(const Handle& source, const Handle& index, int axis);
  // `x` with `part` from `starts` on (one for each axis); a part that is not inside is an error.
  Handle update(const Handle& x, const Handle& part, const std::vector<std::int64_t>& starts);

  // --- random numbers, PE_MATH: those of Triton's functions (Philox 4x32); they follow from the
  // seed and the offsets, integers, alone ---
  Handle randint(std::uint64_t seed, const Handle& offsets, int n_rounds = 10) {
    return random(MathOp::randint, seed, offsets, n_rounds);
  }  // the bits of i32
  Handle rand(std::uint64_t seed, const Handle& offsets, int n_rounds = 10) {
    return random(MathOp::rand, seed, offsets, n_rounds);
  }  // f32 in [0, 1)
  Handle randn(std::uint64_t seed, const Handle& offsets, int n_rounds = 10) {
    return random(MathOp::randn, seed, offsets, n_rounds);
  }  // f32, normal

  // Any operation of PE_MATH that needs no more than an axis.
  Handle math(MathOp op, const std::vector<Operand>& operands, std::optional<int> axis = {},
              std::optional<DType> out = {});
  // The same values in another dtype, rounded once: a multiplication by 1 on PE_MATH. A block that
  // has the dtype costs nothing.
  Handle cast(const Handle& x, DType dtype) {
    return x.dtype() == dtype ? x : math(MathOp::mul, {x, 1.0}, {}, dtype);
  }

  // --- shape: views of the same bytes, no time ---
  Handle trans(const Handle& x);  // the last two axes
  Handle trans(const Handle& x, const std::vector<int>& dims) { return permute(x, dims); }
  Handle permute(const Handle& x, const std::vector<int>& dims);  // axis i of the result: dims[i]
  Handle reshape(const Handle& x, const Shape& shape);
  Handle view(const Handle& x, const Shape& shape) { return reshape(x, shape); }
  Handle ravel(const Handle& x) { return reshape(x, {x.shape().elements()}); }
  Handle expand_dims(const Handle& x, int axis);  // a new one of extent 1, there
  Handle slice(const Handle& x, std::int64_t begin, std::int64_t end);  // [begin, end) of axis 0
  // Every `step`-th of [begin, end) of an axis.
  Handle slice(const Handle& x, int axis, std::int64_t begin, std::int64_t end,
               std::int64_t step = 1);
  std::pair<Handle, Handle> split(const Handle& x);  // along a last axis of extent 2: undoes join
  Handle broadcast_to(const Handle& x, const Shape& shape);
  Handle bitcast(const Handle& x, DType dtype);  // the same bits as another dtype of the same size

  // --- make: known values in TCM, no time ---
  Handle arange(std::int64_t begin, std::int64_t end, DType dtype = DType::i32);
  Handle zeros(const Shape& shape, DType dtype = DType::f16) { return full(shape, 0, dtype); }
  Handle full(const Shape& shape, double value, DType dtype = DType::f16);

  // --- communication: with other PEs, over the queue pairs of torch.ipcq.install (spec 8.1). A
  // direction names one of them ---
  bool connected(const std::string& direction) const;  // no time
  std::uint64_t slot_bytes() const;  // the largest message; no time. UsageError without queue pairs
  // Blocks while the peer's ring is full. The bytes sent are those at the call; reading them is
  // free of charge.
  void send(const std::string& direction, const Handle& block);
  // From a memory of this PE; `space`: from that one only.
  void send(const std::string& direction, const Ptr& from, const Shape& shape, DType dtype,
            std::optional<MemorySpace> space = {});
  void send(const std::string& direction, const Ptr& from, std::uint64_t nbytes,
            std::optional<MemorySpace> space = {});
  // Blocks until the message is there and its slot has been given back. It must have as many bytes
  // as are asked for.
  Handle recv(const std::string& direction, const Shape& shape, DType dtype);
  // The first direction with a message, round robin; returned in `direction`.
  Handle recv(const Shape& shape, DType dtype, std::string* direction = nullptr);
  // Also copied: into the bytes of a block in TCM, which the result shares; or to the memory of
  // this PE.
  Handle recv(const std::string& direction, const Shape& shape, DType dtype, const Handle& dst);
  Handle recv(const std::string& direction, const Shape& shape, DType dtype, const Ptr& dst,
              MemorySpace dst_space);
  // Reserves the next place in the order of the messages; wait() receives.
  RecvFuture recv_async(const std::string& direction, const Shape& shape, DType dtype);
  // Without the slot read, and without waiting for the credit: for measurements only.
  Handle recv_no_consume(const std::string& direction, const Shape& shape, DType dtype);

  // --- control ---
  Handle wait(const RecvFuture& future);
  void wait(const Composite& composite);
  void wait();                   // for all composites
  void cycles(std::uint64_t n);  // of PE_CPU
  static std::int64_t cdiv(std::int64_t a, std::int64_t b);

  // --- debugging, no time ---
  // Prints the values when they are known: now, or at the end of phase 2 by time and PE. With data
  // off those of index blocks only.
  void device_print(const std::string& prefix, const Handle& x);
  // Every element must be other than 0: checked when the values are known. The run fails.
  void device_assert(const Handle& condition, const std::string& message = "");
  // Of what is known on the host, such as arguments and shapes: UsageError. What is known to the
  // compiler: static_assert of C++.
  static void static_assert_(bool condition, const std::string& message);

 private:
  friend class Handle;
  struct InFlight {
    std::shared_ptr<CommandState> command;
    std::vector<std::shared_ptr<const Handle::State>>
        operands;  // alive until the command has completed
  };
  struct Target;         // of a composite's result
  struct BoundOperands;  // of a composite

  void begin(const char* call);  // by name, "load"; pays for it
  PhysRanges resolve(const char* call, const Ptr& ptr, std::uint64_t nbytes) const;
  Accessor accessor() const;  // for what is issued now
  PhysRanges place_of(const Handle& handle) const;
  PhysRanges place_of(const ScratchBlock& block) const;
  std::shared_ptr<ScratchBlock> allocate(const char* call, const Shape& shape, DType dtype);
  Handle make_handle(TensorValue value, std::shared_ptr<ScratchBlock> block,
                     std::shared_ptr<CommandState> producer = {}, std::uint64_t offset = 0);
  // `view`: TensorValue -> TensorValue; applied to the values of an index block, too.
  template <class View>
  Handle view_of(const char* call, const Handle& x, View view, std::uint64_t offset = 0);
  template <class Element>  // an index block, if it holds integers
  Handle make_known(TensorValue value, std::shared_ptr<ScratchBlock> block, Element element);
  struct MathInputs;
  MathInputs bind_math(const std::string& call, const std::vector<Operand>& operands);
  // One command; a result for each of `results`, of which the first is recorded with the command.
  std::vector<Handle> run_math(std::vector<MathParams> results,
                               const std::vector<Operand>& operands);
  Handle reduce(MathOp op, const Handle& x, const Axes& axes, bool keep_dims);
  Handle without_axes(const Handle& x, const Axes& axes);
  ValuesAndIndices best(MathOp place, MathOp value, const Handle& x, int axis, bool keep_dims);
  Handle scan(MathOp op, const Handle& x, int axis, bool reverse);
  Handle random(MathOp op, std::uint64_t seed, const Handle& offsets, int rounds);
  const Handle::State& operand(const char* call, const Handle& handle, bool memory_allowed = false);
  NodeId gemm_engine() const;  // of this PE, if it computes values; no_node: phase 2 does
  CompositeOperand operand_of(const Handle& handle) const;
  CompositeOperand operand_of(const Handle& handle, const Shape& broadcast) const;
  CompositeOperand operand_of(const ScratchBlock& block, const Shape& shape, DType dtype) const;
  std::vector<EpilogueOp> bind_epilogue(const std::vector<EpilogueEntry>& entries,
                                        const Shape& shape, std::vector<Handle>& handles,
                                        std::vector<EpilogueStage>& stages);
  BoundOperands bind_operands(const char* call, const std::vector<Handle>& handles) const;
  Target make_target(const char* call, const std::optional<Ptr>& out, const Shape& shape,
                     DType dtype);
  Composite submit(Command command, const TensorValue& value, Target target,
                   std::vector<std::shared_ptr<const Handle::State>> operands);
  void send_bytes(const std::string& direction, TensorValue value, const PhysRanges& from);
  IpcqReceive begin_receive(const char* call, const std::string& direction, const Shape& shape,
                            DType dtype);
  Handle receive(IpcqReceive request, std::shared_ptr<ScratchBlock> block,
                 std::string* direction = nullptr);
  PhysRanges resolve_in(const char* call, const Ptr& ptr, std::uint64_t nbytes,
                        std::optional<MemorySpace> space) const;
  void run(Command command);
  void reap();
  TileShape default_tile() const;

  KernelContext& context_;
  FunctionalModel* data_;
  NodeId who_;  // its PE_CPU, by which accesses of one instant are ordered
  std::shared_ptr<Scratch> scratch_;
  std::vector<InFlight> in_flight_;
  bool told_unchecked_ = false;  // that assertions are not checked
};

}  // namespace kernbench::tl
