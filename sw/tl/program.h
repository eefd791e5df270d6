// tl::Program: the kernel-side API (spec 6). A kernel is a plain function whose first parameter is
// one of these; it runs on the thread of its PE and blocks where hardware would.
//
// Every call but those of the groups identity, reference, shape and make first costs
// dispatch_cycles. Memory accesses then act on the values as they are: a store is visible from then
// on, a load binds to what is visible then; their time follows. Results of computations have no
// values before phase 2. Errors: UsageError (shapes, dtypes), AllocationError (the scratch is
// full), AccessFault (outside the tensor, or unmapped), PendingDataError.
//
// Commands that do not block have to be waited for before another call touches what they write in
// memory, or writes what they read: UsageError, whether they have completed by then or not. A call
// that uses their result in TCM waits for them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/base/atomic_op.h"
#include "models/base/call_site.h"
#include "models/protocol/kernel_context.h"
#include "sw/tl/axes.h"
#include "sw/tl/block_ptr.h"
#include "sw/tl/composite.h"
#include "sw/tl/dtypes.h"
#include "sw/tl/handle.h"
#include "sw/tl/ptr.h"

namespace kernbench {
struct Accessor;     // models/data
class RaceDetector;  // models/data
}  // namespace kernbench

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
  Handle ref(const Ptr& ptr, const Shape& shape, DType dtype, CallSite site = CallSite::here());
  Handle load(const Ptr& ptr, const Shape& shape, DType dtype,
              CallSite site = CallSite::here());                                      // blocks
  void store(const Ptr& ptr, const Handle& block, CallSite site = CallSite::here());  // blocks
  // The same, left under way: bound to what is visible now, or visible from now on. The first use
  // of the handle waits, as tl.wait(handle) does; that of a store is the block, complete when it
  // has been stored.
  Handle load_async(const Ptr& ptr, const Shape& shape, DType dtype,
                    CallSite site = CallSite::here());
  Handle store_async(const Ptr& ptr, const Handle& block, CallSite site = CallSite::here());

  // --- blocks with strides and bounds, masks, indices: one DMA request each, whose time follows
  // from the flits and bursts that it touches (spec 2.6) ---
  // `order`: axes from the innermost outwards, a permutation; a hint that has no effect here.
  BlockPtr make_block_ptr(const Ptr& base, const Extents& shape, const Extents& strides,
                          const Extents& offsets, const Shape& block_shape,
                          const std::vector<int>& order = {});
  BlockPtr advance(const BlockPtr& block, const Extents& offsets);  // no check before its use
  // The stride of the last axis is 1.
  TensorDescriptor make_tensor_descriptor(const Ptr& base, const Extents& shape,
                                          const Extents& strides, const Shape& block_shape,
                                          Padding padding = Padding::zero);
  Handle load(const BlockPtr& block, const Boundary& boundary = {},
              CallSite site = CallSite::here());  // blocks
  void store(const BlockPtr& to, const Handle& block, const Boundary& boundary = {},
             CallSite site = CallSite::here());  // blocks
  Handle load_async(const BlockPtr& block, const Boundary& boundary = {},
                    CallSite site = CallSite::here());
  Handle store_async(const BlockPtr& to, const Handle& block, const Boundary& boundary = {},
                     CallSite site = CallSite::here());
  // Composites stream its tiles with their strides. The block lies inside the tensor.
  Handle ref(const BlockPtr& block, CallSite site = CallSite::here());
  // Element i lies offsets[i] elements behind `base`. `offsets` (and the mask) are integers whose
  // values are known: Handle::index_values().
  template <class Offsets, std::enable_if_t<std::is_same_v<Offsets, Handle>, int> = 0>
  Handle load(const Ptr& base, const Offsets& offsets, DType dtype,
              const std::optional<Masked>& masked = {}, CallSite site = CallSite::here()) {
    return load_elements(base, offsets, dtype, masked, site);
  }
  template <class Offsets, std::enable_if_t<std::is_same_v<Offsets, Handle>, int> = 0>
  Handle load_async(const Ptr& base, const Offsets& offsets, DType dtype,
                    const std::optional<Masked>& masked = {}, CallSite site = CallSite::here()) {
    return load_elements_async(base, offsets, dtype, masked, site);
  }
  // Of elements at one place the last is stored.
  void store(const Ptr& base, const Handle& offsets, const Handle& block,
             const std::optional<Handle>& mask = {}, CallSite site = CallSite::here());
  Handle store_async(const Ptr& base, const Handle& offsets, const Handle& block,
                     const std::optional<Handle>& mask = {}, CallSite site = CallSite::here());

  // --- atomic operations, carried out by the memory (HBM, SRAM) when it serves the request, in the
  // order in which requests come; each blocks, and returns what was there before (spec 6.3). They
  // take the elements of a block from `ptr` on, of the shape of `value` (a scalar: one element), or
  // those at `offsets`, counted in elements, where the mask is not 0 (the result is 0 elsewhere).
  // acq_rel for the whole machine, Triton's default. add and xchg of i32, f32, f16, bf16; max and
  // min of i32, f32; the others of i32 ---
  Handle atomic_add(const Ptr& ptr, const Operand& value, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::add, ptr, {}, {value}, {}}, site);
  }
  Handle atomic_add(const Ptr& ptr, const Handle& offsets, const Operand& value,
                    const std::optional<Handle>& mask = {}, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::add, ptr, offsets, {value}, mask}, site);
  }
  Handle atomic_max(const Ptr& ptr, const Operand& value, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::max, ptr, {}, {value}, {}}, site);
  }
  Handle atomic_max(const Ptr& ptr, const Handle& offsets, const Operand& value,
                    const std::optional<Handle>& mask = {}, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::max, ptr, offsets, {value}, mask}, site);
  }
  Handle atomic_min(const Ptr& ptr, const Operand& value, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::min, ptr, {}, {value}, {}}, site);
  }
  Handle atomic_min(const Ptr& ptr, const Handle& offsets, const Operand& value,
                    const std::optional<Handle>& mask = {}, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::min, ptr, offsets, {value}, mask}, site);
  }
  Handle atomic_and(const Ptr& ptr, const Operand& value, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::bitwise_and, ptr, {}, {value}, {}}, site);
  }
  Handle atomic_and(const Ptr& ptr, const Handle& offsets, const Operand& value,
                    const std::optional<Handle>& mask = {}, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::bitwise_and, ptr, offsets, {value}, mask}, site);
  }
  Handle atomic_or(const Ptr& ptr, const Operand& value, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::bitwise_or, ptr, {}, {value}, {}}, site);
  }
  Handle atomic_or(const Ptr& ptr, const Handle& offsets, const Operand& value,
                   const std::optional<Handle>& mask = {}, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::bitwise_or, ptr, offsets, {value}, mask}, site);
  }
  Handle atomic_xor(const Ptr& ptr, const Operand& value, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::bitwise_xor, ptr, {}, {value}, {}}, site);
  }
  Handle atomic_xor(const Ptr& ptr, const Handle& offsets, const Operand& value,
                    const std::optional<Handle>& mask = {}, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::bitwise_xor, ptr, offsets, {value}, mask}, site);
  }
  Handle atomic_xchg(const Ptr& ptr, const Operand& value, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::xchg, ptr, {}, {value}, {}}, site);
  }
  Handle atomic_xchg(const Ptr& ptr, const Handle& offsets, const Operand& value,
                     const std::optional<Handle>& mask = {}, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::xchg, ptr, offsets, {value}, mask}, site);
  }
  // `value` where `compare` is there; no mask, as in Triton.
  Handle atomic_cas(const Ptr& ptr, const Operand& compare, const Operand& value,
                    CallSite site = CallSite::here()) {
    return atomic({AtomicOp::cas, ptr, {}, {compare, value}, {}}, site);
  }
  Handle atomic_cas(const Ptr& ptr, const Handle& offsets, const Operand& compare,
                    const Operand& value, CallSite site = CallSite::here()) {
    return atomic({AtomicOp::cas, ptr, offsets, {compare, value}, {}}, site);
  }

  // --- compute ---
  // {M,K} x {K,N}, or {B,M,K} x {B,K,N} as one command of B products; both in TCM, PE_GEMM only;
  // blocks, unless a tl::Overlap lives. The result has the operands' dtype (i32 for integers)
  // unless `out` says else.
  Handle dot(const Handle& a, const Handle& b, std::optional<DType> out = {},
             CallSite site = CallSite::here());
  // acc + a x b, in the time of the product: the sum over K, then one addition. `acc` has the
  // result's shape, in f32 (i32 for integers), and so has the result. Of std::move(acc) the result
  // takes over the bytes in TCM, unless another handle or a command under way has them.
  Handle dot(const Handle& a, const Handle& b, const Handle& acc,
             CallSite site = CallSite::here()) {
    return accumulate(a, b, Handle(acc), site);
  }
  Handle dot(const Handle& a, const Handle& b, Handle&& acc, CallSite site = CallSite::here()) {
    return accumulate(a, b, std::move(acc), site);
  }
  // Tiled, through memory or TCM; does not block.
  Composite composite(const GemmSpec& spec, CallSite site = CallSite::here());
  Composite composite(const MathSpec& spec, CallSite site = CallSite::here());

  // --- element-wise, PE_MATH, blocking as dot; shapes and scalars broadcast. Each result has the
  // promoted dtype of its operands unless stated ---
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
  void send(const std::string& direction, const Handle& block, CallSite site = CallSite::here());
  // From a memory of this PE; `space`: from that one only.
  void send(const std::string& direction, const Ptr& from, const Shape& shape, DType dtype,
            std::optional<MemorySpace> space = {}, CallSite site = CallSite::here());
  void send(const std::string& direction, const Ptr& from, std::uint64_t nbytes,
            std::optional<MemorySpace> space = {}, CallSite site = CallSite::here());
  // Blocks until the message is there and its slot has been given back. It must have as many bytes
  // as are asked for.
  Handle recv(const std::string& direction, const Shape& shape, DType dtype,
              CallSite site = CallSite::here());
  // The first direction with a message, round robin; returned in `direction`.
  Handle recv(const Shape& shape, DType dtype, std::string* direction = nullptr,
              CallSite site = CallSite::here());
  // Also copied: into the bytes of a block in TCM, which the result shares; or to the memory of
  // this PE.
  Handle recv(const std::string& direction, const Shape& shape, DType dtype, const Handle& dst,
              CallSite site = CallSite::here());
  Handle recv(const std::string& direction, const Shape& shape, DType dtype, const Ptr& dst,
              MemorySpace dst_space, CallSite site = CallSite::here());
  // Reserves the next place in the order of the messages; wait() receives.
  RecvFuture recv_async(const std::string& direction, const Shape& shape, DType dtype,
                        CallSite site = CallSite::here());
  // Without the slot read, and without waiting for the credit: for measurements only.
  Handle recv_no_consume(const std::string& direction, const Shape& shape, DType dtype,
                         CallSite site = CallSite::here());

  // --- control ---
  Handle wait(const RecvFuture& future, CallSite site = CallSite::here());
  void wait(const Composite& composite, CallSite site = CallSite::here());
  // For the command that makes or stores it.
  void wait(const Handle& handle, CallSite site = CallSite::here());
  void wait(CallSite site = CallSite::here());                     // for all that is under way
  void cycles(std::uint64_t n, CallSite site = CallSite::here());  // of PE_CPU
  static std::int64_t cdiv(std::int64_t a, std::int64_t b);

  // --- debugging, no time ---
  // Prints the values when they are known: now, or at the end of phase 2 by time and PE. With data
  // off those of index blocks only.
  void device_print(const std::string& prefix, const Handle& x, CallSite site = CallSite::here());
  // Every element must be other than 0: checked when the values are known. The run fails.
  void device_assert(const Handle& condition, const std::string& message = "",
                     CallSite site = CallSite::here());
  // Of what is known on the host, such as arguments and shapes: UsageError. What is known to the
  // compiler: static_assert of C++.
  static void static_assert_(bool condition, const std::string& message);

 private:
  friend class Handle;
  friend class Overlap;
  friend class TensorDescriptor;
  // A command that has not been waited for.
  struct InFlight {
    std::shared_ptr<CommandState> command;
    std::vector<std::shared_ptr<const Handle::State>>
        operands;              // and result: alive until the command has completed
    PhysRanges reads, writes;  // in memory
    std::string call;          // "tl.composite(gemm)"
    bool reads_wait = false;   // reading the values of its result waits for it
    CallSite site = {};        // of the call
    std::uint32_t agent = 0;   // of the race detector, if there is one
  };
  struct Access;         // of a block in TCM to memory
  struct Target;         // of a composite's result
  struct BoundOperands;  // of a composite

  void begin(const char* call, CallSite site = {});  // by name, "load"; pays for it

  // --- order of accesses (program_order.cpp) ---
  // An access to memory by the current call, which blocks. UsageError if a command that has not
  // been waited for stands against it.
  void access(const char* call, const Ptr& ptr, const PhysRanges& ranges, bool is_write);
  // The check alone.
  void check_order(const char* call, const Ptr& ptr, const PhysRanges& ranges, bool is_write);
  void check_overwrite(const char* call, const Handle& target);  // in TCM
  // The current call has issued a command that does not block.
  void put_in_flight(InFlight entry);
  void note(const InFlight& entry, std::uint32_t agent);  // its accesses to memory as the agent's
  const InFlight* unwaited(const std::shared_ptr<CommandState>& command) const;  // null: none
  // The current call uses what it makes, or waits for it.
  void settle(const std::shared_ptr<CommandState>& command);
  void wait_for(const std::shared_ptr<CommandState>& command);
  void forget(const std::shared_ptr<CommandState>& command);
  void begin_kernel();
  void end_kernel();

  PhysRanges resolve(const char* call, const Ptr& ptr, std::uint64_t nbytes) const;
  PhysRanges resolve(const char* call, const Ptr& base, const AddressRuns& runs) const;
  static DmaCommand dma_of(const Ptr& base, const BlockAccess& access, bool write);
  Handle reference(const char* call, const BlockPtr& block);
  Handle load_elements(const Ptr& base, const Handle& offsets, DType dtype,
                       const std::optional<Masked>& masked, CallSite site);
  Handle load_elements_async(const Ptr& base, const Handle& offsets, DType dtype,
                             const std::optional<Masked>& masked, CallSite site);
  Access begin_load(const char* call, const BlockPtr& block, const Boundary& boundary,
                    CallSite site);
  Access begin_store(const char* call, const BlockPtr& to, const Handle& block,
                     const Boundary& boundary, CallSite site);
  Access begin_load(const char* call, const Ptr& base, const Handle& offsets, DType dtype,
                    const std::optional<Masked>& masked, CallSite site);
  Access begin_store(const char* call, const Ptr& base, const Handle& offsets, const Handle& block,
                     const std::optional<Handle>& mask, CallSite site);
  Access begin_block_load(const char* call, const Ptr& base, const BlockAccess& access,
                          double fill);
  Access begin_block_store(const char* call, const Ptr& base, const BlockAccess& access,
                           const Handle& block);
  // An atomic operation as it is called (program_atomic.cpp).
  struct AtomicCall {
    AtomicOp op;
    Ptr base;
    std::optional<Handle> offsets;
    std::vector<Operand> operands;
    std::optional<Handle> mask;
  };
  Handle atomic(const AtomicCall& call, CallSite site);
  BlockAccess atomic_access(const char* name, const AtomicCall& call, DType dtype, CallSite site);
  ByteImage atomic_operand(const char* name, const Operand& operand, const BlockAccess& access);
  void check_serves_atomics(const char* name, const Ptr& base, const PhysRanges& places) const;
  Accessor accessor() const;  // for what is issued now
  PhysRanges place_of(const Handle& handle) const;
  PhysRanges place_of(const ScratchBlock& block) const;
  std::shared_ptr<ScratchBlock> allocate(const char* call, const Shape& shape, DType dtype);
  Handle make_handle(TensorValue value, std::shared_ptr<ScratchBlock> block,
                     std::shared_ptr<CommandState> producer = {}, std::uint64_t offset = 0,
                     IndexValues index = nullptr);
  // `view`: TensorValue -> TensorValue; applied to the values of an index block, too.
  template <class View>
  Handle view_of(const char* call, const Handle& x, View view, std::uint64_t offset = 0);
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
  const Handle::State& checked(const char* call, const Handle& handle, bool memory_allowed = false);
  const Handle::State& viewed_block(const char* call, const Handle& handle);
  void await(const Handle::State& state);
  TensorValue gathered_value(const GatheredLoad& load);
  bool await_oldest();
  Access begin_load(const char* call, const Ptr& ptr, const Shape& shape, DType dtype,
                    CallSite site);
  Access begin_store(const char* call, const Ptr& ptr, const Handle& block, CallSite site);
  Handle complete(Access access);
  Handle leave_under_way(Access access);
  Handle accumulate(const Handle& a, const Handle& b, Handle&& acc, CallSite site);
  static bool has_block_alone(const Handle& handle);
  Handle product(const std::vector<Operand>& operands, DType dtype,
                 std::shared_ptr<ScratchBlock> block);
  Handle::State block_state(TensorValue value, std::shared_ptr<ScratchBlock> block);
  // The handles of `results`, which one command makes.
  std::vector<Handle> compute(const std::string& call, Command command,
                              std::vector<Handle::State> results,
                              const std::vector<Operand>& operands);
  NodeId gemm_engine() const;  // of this PE, if it computes values; no_node: phase 2 does
  CompositeOperand operand_of(const Handle& handle) const;
  CompositeOperand operand_of(const Handle& handle, const Shape& broadcast) const;
  CompositeOperand operand_of(const ScratchBlock& block, const Shape& shape, DType dtype) const;
  std::vector<EpilogueOp> bind_epilogue(const std::vector<EpilogueEntry>& entries,
                                        const Shape& shape, std::vector<Handle>& handles,
                                        std::vector<EpilogueStage>& stages);
  BoundOperands bind_operands(const char* call, const std::vector<Handle>& handles);
  TensorValue view_of(const BlockAccess& access, const PhysRanges& from) const;
  Target make_target(const char* call, const CompositeOutput& out, const Shape& shape, DType dtype);
  Composite submit(const char* call, Command command, const TensorValue& value, Target target,
                   std::vector<std::shared_ptr<const Handle::State>> operands, PhysRanges reads);
  void send_bytes(const std::string& direction, TensorValue value, const PhysRanges& from);
  IpcqReceive begin_receive(const char* call, const std::string& direction, const Shape& shape,
                            DType dtype, CallSite site);
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
  std::vector<InFlight> in_flight_;  // in order of issue
  int overlaps_ = 0;                 // tl::Overlap guards that live
  RaceDetector* races_ = nullptr;    // null: races are not looked for
  std::uint32_t agent_ = 0;          // of it
  bool told_unchecked_ = false;      // that assertions are not checked
};

}  // namespace kernbench::tl
