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
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/address/phys_addr.h"
#include "models/base/call_site.h"
#include "models/base/small_vector.h"
#include "models/protocol/kernel_context.h"
#include "sw/tl/access_index.h"
#include "sw/tl/atomic_calls.h"
#include "sw/tl/block_ptr.h"
#include "sw/tl/composite.h"
#include "sw/tl/dtypes.h"
#include "sw/tl/handle.h"
#include "sw/tl/math_calls.h"
#include "sw/tl/ptr.h"
#include "sw/tl/shape_calls.h"

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
    std::shared_ptr<IpcqOperation> operation = nullptr;  // under way; and the block for it
    std::shared_ptr<ScratchBlock> room = nullptr;
  };
  std::shared_ptr<State> state_;  // shared by copies: a message is received once
};

class Program : public MathCalls, public ShapeCalls, public AtomicCalls {
 public:
  explicit Program(KernelContext& context);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // --- identity: axis 0 = PEs of a cube, 1 = cubes, 2 = SIPs ---
  // The programs of the launch, as in Triton: a launch on PEs 2 and 5 has ids 0 and 1 of 2.
  int program_id(int axis = 0, CallSite site = CallSite::here()) const;
  int num_programs(int axis = 0, CallSite site = CallSite::here()) const;
  PeId pe_id() const;  // where it runs in the machine

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
                          const std::vector<int>& order = {}, CallSite site = CallSite::here());
  BlockPtr advance(const BlockPtr& block, const Extents& offsets,
                   CallSite site = CallSite::here());  // no check before its use
  // The stride of the last axis is 1.
  TensorDescriptor make_tensor_descriptor(const Ptr& base, const Extents& shape,
                                          const Extents& strides, const Shape& block_shape,
                                          Padding padding = Padding::zero,
                                          CallSite site = CallSite::here());
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

  // --- communication: with other PEs, over the queue pairs of torch.ipcq.install (spec 8.1). A
  // direction names one of them ---
  bool connected(const std::string& direction, CallSite site = CallSite::here()) const;  // no time
  std::uint64_t slot_bytes(CallSite site = CallSite::here())
      const;  // the largest message; no time. UsageError without queue pairs
  // Messages that the peer's ring holds; no time. UsageError without that queue pair.
  int ring_slots(const std::string& direction, CallSite site = CallSite::here()) const;
  // Blocks while the peer's ring is full. The bytes sent are those at the call; reading them is
  // free of charge.
  void send(const std::string& direction, const Handle& block, CallSite site = CallSite::here());
  // From a memory of this PE; `space`: from that one only.
  void send(const std::string& direction, const Ptr& from, const Shape& shape, DType dtype,
            std::optional<MemorySpace> space = {}, CallSite site = CallSite::here());
  void send(const std::string& direction, const Ptr& from, std::uint64_t nbytes,
            std::optional<MemorySpace> space = {}, CallSite site = CallSite::here());
  // Does not block: a message that finds the peer's ring full waits in PE_IPCQ. The result is
  // complete when the message has left.
  Handle send_async(const std::string& direction, const Handle& block,
                    CallSite site = CallSite::here());
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
  // Reserves the next place in the order of the messages; wait() receives. Under a tl::Overlap
  // PE_IPCQ receives at once, beside the kernel: wait() blocks until the message has been read.
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
  // Waits for all that is under way but receives, and then until every PE of the launch has called
  // it as often: what one has done before is seen by all behind it.
  void barrier(CallSite site = CallSite::here());

  // --- debugging: no time of its own. A block under way is waited for, as by any use ---
  // Prints the values when they are known: now, or at the end of phase 2 by time and PE. With data
  // off those of index blocks only.
  void device_print(const std::string& prefix, const Handle& x, CallSite site = CallSite::here());
  // Every element must be other than 0: checked when the values are known. The run fails.
  void device_assert(const Handle& condition, const std::string& message = "",
                     CallSite site = CallSite::here());
  // Of what is known on the host, such as arguments and shapes: UsageError. What is known to the
  // compiler: static_assert of C++.
  static void static_assert_(bool condition, const std::string& message,
                             CallSite site = CallSite::here());

  // --- hints to Triton's compiler: accepted, without effect; accesses coalesce as their addresses
  // do. A false assumption is a UsageError ---
  static void assume(bool condition, CallSite site = CallSite::here());
  template <class X>
  static X multiple_of(X x, std::int64_t /*values*/) {
    return x;
  }
  template <class X>
  static X max_contiguous(X x, std::int64_t /*values*/) {
    return x;
  }
  template <class X>
  static X max_constancy(X x, std::int64_t /*values*/) {
    return x;
  }
  static void debug_barrier() {}  // a program is one thread
  // (i, j) of size_i x size_j blocks, in groups of size_g rows: those that run together share more.
  static std::pair<std::int64_t, std::int64_t> swizzle2d(std::int64_t i, std::int64_t j,
                                                         std::int64_t size_i, std::int64_t size_j,
                                                         std::int64_t size_g);

 private:
  friend class MathCalls;
  friend class ShapeCalls;
  friend class AtomicCalls;
  friend class Handle;
  friend class Overlap;
  friend class TensorDescriptor;
  using States = SmallVector<std::shared_ptr<const Handle::State>, 2>;
  // A command that has not been waited for.
  struct InFlight {
    std::shared_ptr<CommandState> command;
    States operands;                          // and result: alive until the command has completed
    PhysRanges reads, writes;                 // in memory
    std::string call;                         // "tl.composite(gemm)"
    bool reads_wait = false;                  // reading the values of its result waits for it
    bool receives = false;                    // ends by what other PEs do
    CallSite site = {};                       // of the call
    std::optional<std::uint32_t> agent = {};  // of the race detector, if there is one
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
  void put_in_flight(InFlight&& entry);
  std::uint32_t fork_agent();
  void note(const InFlight& entry, std::uint32_t agent);  // its accesses to memory as the agent's
  const InFlight* unwaited(const std::shared_ptr<CommandState>& command) const;  // null: none
  // The current call uses what it makes, or waits for it.
  void settle(const std::shared_ptr<CommandState>& command);
  void wait_for(const std::shared_ptr<CommandState>& command);
  void forget(const std::shared_ptr<CommandState>& command);
  void begin_kernel();
  void end_kernel();

  std::pair<int, int> place_in_launch(const char* call, int axis, CallSite site) const;
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
  Access begin_gather(const char* call, const TensorDescriptor& table, const Handle& rows,
                      std::int64_t column, CallSite site);
  Access begin_scatter(const char* call, const TensorDescriptor& table, const Handle& block,
                       const Handle& rows, std::int64_t column, CallSite site);
  Access begin_block_load(const char* call, const Ptr& base, const BlockAccess& access,
                          double fill);
  Access begin_block_store(const char* call, const Ptr& base, const BlockAccess& access,
                           const Handle& block);
  // --- atomic operations (program_atomic.cpp) ---
  Handle atomic(const AtomicCall& call, CallSite site);
  BlockAccess atomic_access(const char* name, const AtomicCall& call, DType dtype, CallSite site);
  ByteImage atomic_operand(const char* name, const Operand& operand, const BlockAccess& access);
  void check_serves_atomics(const char* name, const Ptr& base, const PhysRanges& places) const;
  Accessor accessor() const;  // for what is issued now
  PhysRanges place_of(const Handle& handle) const;
  PhysRanges place_of(const ScratchBlock& block) const;
  std::shared_ptr<ScratchBlock> allocate(const char* call, const Shape& shape, DType dtype);
  Handle make_handle(TensorValue&& value, std::shared_ptr<ScratchBlock> block,
                     std::shared_ptr<CommandState> producer = {}, std::uint64_t offset = 0,
                     IndexValues index = nullptr);
  // `view`: TensorValue -> TensorValue; applied to the values of an index block, too.
  template <class View>
  Handle view_of(const char* call, const BlockArg& x, View view, std::uint64_t offset = 0);
  struct MathInputs;
  MathInputs bind_math(MathOp op, const std::string& call, const std::vector<Operand>& operands);
  // One command; a result for each of `results`, of which the first is recorded with the command.
  using Handles = SmallVector<Handle, 2>;
  Handles run_math(SmallVector<MathParams, 2>&& results, const std::vector<Operand>& operands);
  const Handle::State& operand(const char* call, const Handle& handle, bool memory_allowed = false);
  const Handle::State& checked(const char* call, const Handle& handle, bool memory_allowed = false);
  void await(const Handle::State& state);
  TensorValue gathered_value(const GatheredLoad& load);
  bool await_oldest();
  Access begin_load(const char* call, const Ptr& ptr, const Shape& shape, DType dtype,
                    CallSite site);
  Access begin_store(const char* call, const Ptr& ptr, const Handle& block, CallSite site);
  Handle complete(Access&& access);
  Handle leave_in_flight(Access&& access);
  Handle accumulate(const Handle& a, const Handle& b, Handle&& acc, CallSite site);
  static bool has_block_alone(const Handle& handle);
  Handle product(const std::vector<Operand>& operands, DType dtype,
                 std::shared_ptr<ScratchBlock> block);
  using NewBlock = std::shared_ptr<Handle::State>;  // before it is a handle
  NewBlock new_block(TensorValue&& value, std::shared_ptr<ScratchBlock> block);
  // The handles of `results`, which one command makes.
  Handles compute(const std::string& call, Command&& command,
                  const SmallVector<NewBlock, 2>& results, const std::vector<Operand>& operands);
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
  Composite submit(const char* call, Command&& command, const TensorValue& value, Target target,
                   States operands, PhysRanges reads);
  IpcqSend message_of(const std::string& direction, TensorValue value, const PhysRanges& from);
  IpcqReceive begin_receive(const char* call, const std::string& direction, const Shape& shape,
                            DType dtype, CallSite site);
  Handle receive(IpcqReceive request, std::shared_ptr<ScratchBlock> block,
                 std::string* direction = nullptr);
  Handle received_block(const IpcqReceived& received, const Shape& shape, DType dtype,
                        std::shared_ptr<ScratchBlock> block);
  void receive_concurrently(RecvFuture::State& future);
  PhysRanges resolve_in(const char* call, const Ptr& ptr, std::uint64_t nbytes,
                        std::optional<MemorySpace> space) const;
  void run(Command&& command);
  void reap();
  void erase(std::map<std::uint64_t, InFlight>::iterator entry);
  TileShape default_tile() const;

  KernelContext& context_;
  FunctionalModel* data_;
  const bool records_without_data_;  // commands have a DataOp without values
  NodeId who_;                       // its PE_CPU, by which accesses of one instant are ordered
  PhysAddr tcm_;                     // of the PE, its first byte
  std::shared_ptr<Scratch> scratch_;
  std::map<std::uint64_t, InFlight> in_flight_;  // by command: in order of issue
  AccessIndex reads_in_flight_, writes_in_flight_;
  // Commands in flight that have completed, or have been found so, since the last reap().
  std::shared_ptr<std::vector<std::uint64_t>> completed_;
  std::uint64_t first_unfinished_ = 0;  // none before it is to be waited for by await_oldest()
  int overlaps_ = 0;                    // tl::Overlap guards that live
  RaceDetector* races_ = nullptr;       // null: races are not looked for
  std::uint32_t agent_ = 0;             // of it
  std::uint64_t barriers_ = 0;          // passed, counted for the race detector
  bool told_unchecked_ = false;         // that assertions are not checked
};

}  // namespace kernbench::tl
