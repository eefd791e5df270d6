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
#include <type_traits>
#include <vector>

#include "models/protocol/kernel_context.h"
#include "sw/tl/block_ptr.h"
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
  Handle load(const BlockPtr& block, const Boundary& boundary = {});                   // blocks
  void store(const BlockPtr& to, const Handle& block, const Boundary& boundary = {});  // blocks
  // Composites stream its tiles with their strides. The block lies inside the tensor.
  Handle ref(const BlockPtr& block);
  // Element i lies offsets[i] elements behind `base`. `offsets` (and the mask) are integers whose
  // values are known: Handle::index_values().
  template <class Offsets, std::enable_if_t<std::is_same_v<Offsets, Handle>, int> = 0>
  Handle load(const Ptr& base, const Offsets& offsets, DType dtype,
              const std::optional<Masked>& masked = {}) {
    return load_elements(base, offsets, dtype, masked);
  }
  // Of elements at one place the last is stored.
  void store(const Ptr& base, const Handle& offsets, const Handle& block,
             const std::optional<Handle>& mask = {});

  // --- compute ---
  // {M,K} x {K,N}, both in TCM, PE_GEMM only; blocks. The result has the operands' dtype (i32 for
  // integers) unless `out` says else.
  Handle dot(const Handle& a, const Handle& b, std::optional<DType> out = {});
  // Tiled, through memory or TCM; does not block.
  Composite composite(const GemmSpec& spec);
  Composite composite(const MathSpec& spec);

  // --- element-wise, PE_MATH, blocking; shapes and scalars broadcast ---
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
  Handle add(const Operand& a, const Operand& b) { return math(MathOp::add, {a, b}); }
  Handle sub(const Operand& a, const Operand& b) { return math(MathOp::sub, {a, b}); }
  Handle mul(const Operand& a, const Operand& b) { return math(MathOp::mul, {a, b}); }
  Handle div(const Operand& a, const Operand& b) { return math(MathOp::div, {a, b}); }
  Handle maximum(const Operand& a, const Operand& b) { return math(MathOp::maximum, {a, b}); }
  Handle minimum(const Operand& a, const Operand& b) { return math(MathOp::minimum, {a, b}); }
  Handle fma(const Operand& a, const Operand& b, const Operand& c) {
    return math(MathOp::fma, {a, b, c});
  }  // a * b + c
  Handle clamp(const Operand& x, const Operand& low, const Operand& high) {
    return math(MathOp::clamp, {x, low, high});
  }
  Handle where(const Operand& condition, const Operand& a, const Operand& b) {
    return math(MathOp::where, {condition, a, b});
  }

  // --- reductions: the axis stays, with extent 1 ---
  Handle sum(const Handle& x, int axis) { return math(MathOp::sum, {x}, axis); }
  Handle max(const Handle& x, int axis) { return math(MathOp::max, {x}, axis); }
  Handle min(const Handle& x, int axis) { return math(MathOp::min, {x}, axis); }
  Handle softmax(const Handle& x, int axis = -1) { return math(MathOp::softmax, {x}, axis); }
  Handle argmax(const Handle& x, int axis = -1) { return math(MathOp::argmax, {x}, axis); }

  // Each result has the promoted dtype of its operands unless `out` says else.
  Handle math(MathOp op, const std::vector<Operand>& operands, std::optional<int> axis = {},
              std::optional<DType> out = {});
  // The same values in another dtype, rounded once: a multiplication by 1 on PE_MATH. A block that
  // has the dtype costs nothing.
  Handle cast(const Handle& x, DType dtype) {
    return x.dtype() == dtype ? x : math(MathOp::mul, {x, 1.0}, {}, dtype);
  }

  // --- shape: views of the same bytes, no time ---
  Handle trans(const Handle& x);
  Handle reshape(const Handle& x, const Shape& shape);
  Handle slice(const Handle& x, std::int64_t begin, std::int64_t end);  // [begin, end) of axis 0
  Handle broadcast_to(const Handle& x, const Shape& shape);

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

 private:
  friend class Handle;
  friend class TensorDescriptor;
  struct InFlight {
    std::shared_ptr<CommandState> command;
    std::vector<std::shared_ptr<const Handle::State>>
        operands;  // alive until the command has completed
  };
  struct Target;         // of a composite's result
  struct BoundOperands;  // of a composite

  void begin(const char* call);  // by name, "load"; pays for it
  PhysRanges resolve(const char* call, const Ptr& ptr, std::uint64_t nbytes) const;
  PhysRanges resolve(const char* call, const Ptr& base, const AddressRuns& runs) const;
  static DmaCommand dma_of(const Ptr& base, const BlockAccess& access, bool write);
  Handle reference(const char* call, const BlockPtr& block);
  Handle load_elements(const Ptr& base, const Handle& offsets, DType dtype,
                       const std::optional<Masked>& masked);
  Handle load_block(const char* call, const Ptr& base, const BlockAccess& access, double fill);
  void store_block(const char* call, const Ptr& base, const BlockAccess& access,
                   const Handle& block);
  Accessor accessor() const;  // for what is issued now
  PhysRanges place_of(const Handle& handle) const;
  PhysRanges place_of(const ScratchBlock& block) const;
  std::shared_ptr<ScratchBlock> allocate(const char* call, const Shape& shape, DType dtype);
  Handle make_handle(TensorValue value, std::shared_ptr<ScratchBlock> block,
                     std::shared_ptr<CommandState> producer = {}, std::uint64_t offset = 0,
                     IndexValues index = nullptr);
  Handle view_of(const char* call, const Handle& x,
                 TensorValue (*view)(const TensorValue&, const Shape&), const Shape& shape);
  const Handle::State& operand(const char* call, const Handle& handle, bool memory_allowed = false);
  NodeId gemm_engine() const;  // of this PE, if it computes values; no_node: phase 2 does
  CompositeOperand operand_of(const Handle& handle) const;
  CompositeOperand operand_of(const Handle& handle, const Shape& broadcast) const;
  CompositeOperand operand_of(const ScratchBlock& block, const Shape& shape, DType dtype) const;
  std::vector<EpilogueOp> bind_epilogue(const std::vector<EpilogueEntry>& entries,
                                        const Shape& shape, std::vector<Handle>& handles,
                                        std::vector<EpilogueStage>& stages);
  BoundOperands bind_operands(const char* call, const std::vector<Handle>& handles) const;
  TensorValue view_of(const BlockAccess& access, const PhysRanges& from) const;
  Target make_target(const char* call, const CompositeOutput& out, const Shape& shape, DType dtype);
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
};

}  // namespace kernbench::tl
