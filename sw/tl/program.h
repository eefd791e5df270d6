// tl::Program: the kernel-side API (spec 6). A kernel is a plain function whose first parameter is
// a tl::Program&; it runs on the thread of its PE and blocks where hardware would.
//
// Every call first costs dispatch_cycles, except the groups identity, reference, shape and make.
// Memory accesses then act on values immediately: a store is visible from then on, a load binds to
// the values visible then; their time follows. Results of computations have no values before phase
// 2. Errors: UsageError (shapes, dtypes), AllocationError (the scratch is full), AccessFault
// (outside the tensor, or unmapped), PendingDataError.
//
// A command that does not block must be waited for before another call accesses memory that it
// writes, or writes memory that it reads: UsageError, even if the command has completed by then. A
// call that uses their result in TCM waits for them.
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

// Message that a kernel will receive: tl.wait() blocks until it has arrived and returns it.
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
    std::shared_ptr<IpcqOperation> operation = nullptr;  // receive in flight, and its block
    std::shared_ptr<ScratchBlock> room = nullptr;
  };
  std::shared_ptr<State> state_;  // shared by copies: a message is received only once
};

class Program : public MathCalls, public ShapeCalls, public AtomicCalls {
 public:
  explicit Program(KernelContext& context);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // --- identity: axis 0 = PEs of a cube, 1 = cubes, 2 = SIPs ---
  // Ids count the programs of the launch, as in Triton: a launch on PEs 2 and 5 has ids 0 and 1 of
  // 2.
  int program_id(int axis = 0, CallSite site = CallSite::here()) const;
  int num_programs(int axis = 0, CallSite site = CallSite::here()) const;
  PeId pe_id() const;  // PE of the machine that runs it

  // --- reference, move ---
  Handle ref(const Ptr& ptr, const Shape& shape, DType dtype, CallSite site = CallSite::here());
  Handle load(const Ptr& ptr, const Shape& shape, DType dtype,
              CallSite site = CallSite::here());                                      // blocks
  void store(const Ptr& ptr, const Handle& block, CallSite site = CallSite::here());  // blocks
  // Asynchronous load and store: bound to the values visible now, or visible from now on. The first
  // use of a loaded handle waits, as tl.wait(handle) does. A store returns its block, which is
  // complete when it has been stored.
  Handle load_async(const Ptr& ptr, const Shape& shape, DType dtype,
                    CallSite site = CallSite::here());
  Handle store_async(const Ptr& ptr, const Handle& block, CallSite site = CallSite::here());

  // --- blocks with strides and bounds, masks, indices: one DMA request each, whose time follows
  // from the flits and bursts that it touches (spec 2.6) --- `order`: axes from the innermost
  // outwards, a permutation; a hint without effect.
  BlockPtr make_block_ptr(const Ptr& base, const Extents& shape, const Extents& strides,
                          const Extents& offsets, const Shape& block_shape,
                          const std::vector<int>& order = {}, CallSite site = CallSite::here());
  BlockPtr advance(const BlockPtr& block, const Extents& offsets,
                   CallSite site = CallSite::here());  // checked at its use
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
  // Reference whose tiles composites stream with their strides. The block must be inside the
  // tensor.
  Handle ref(const BlockPtr& block, CallSite site = CallSite::here());
  // Element i is offsets[i] elements after `base`. `offsets` and the mask are integers whose values
  // are known: Handle::index_values().
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
  // If several elements have the same address, the last one is stored.
  void store(const Ptr& base, const Handle& offsets, const Handle& block,
             const std::optional<Handle>& mask = {}, CallSite site = CallSite::here());
  Handle store_async(const Ptr& base, const Handle& offsets, const Handle& block,
                     const std::optional<Handle>& mask = {}, CallSite site = CallSite::here());

  // --- compute ---
  // {M,K} x {K,N}, or {B,M,K} x {B,K,N} as one command of B products; both in TCM, PE_GEMM only.
  // Blocks unless a tl::Overlap is active. The result has the operands' dtype (i32 for integers)
  // unless `out` is given.
  Handle dot(const Handle& a, const Handle& b, std::optional<DType> out = {},
             CallSite site = CallSite::here());
  // acc + a x b, in the time of the product: the sum over K, then one addition. `acc` and the
  // result have the product's shape, in f32 (i32 for integers). With std::move(acc) the result
  // reuses its bytes in TCM, unless another handle or a command in flight holds them.
  Handle dot(const Handle& a, const Handle& b, const Handle& acc,
             CallSite site = CallSite::here()) {
    return accumulate(a, b, Handle(acc), site);
  }
  Handle dot(const Handle& a, const Handle& b, Handle&& acc, CallSite site = CallSite::here()) {
    return accumulate(a, b, std::move(acc), site);
  }
  // Tiled operation on memory or TCM; does not block.
  Composite composite(const GemmSpec& spec, CallSite site = CallSite::here());
  Composite composite(const MathSpec& spec, CallSite site = CallSite::here());

  // --- communication with other PEs over the queue pairs of torch.ipcq.install (spec 8.1). A
  // direction names one queue pair ---
  bool connected(const std::string& direction, CallSite site = CallSite::here()) const;  // no time
  std::uint64_t slot_bytes(CallSite site = CallSite::here())
      const;  // size of the largest message; no time. UsageError without queue pairs
  // Capacity of the peer's ring in messages; no time. UsageError without that queue pair.
  int ring_slots(const std::string& direction, CallSite site = CallSite::here()) const;
  // Blocks while the peer's ring is full. The bytes sent are those at the call; the read of TCM
  // takes no time.
  void send(const std::string& direction, const Handle& block, CallSite site = CallSite::here());
  // Sends from a memory of this PE; `space`: from that memory only.
  void send(const std::string& direction, const Ptr& from, const Shape& shape, DType dtype,
            std::optional<MemorySpace> space = {}, CallSite site = CallSite::here());
  void send(const std::string& direction, const Ptr& from, std::uint64_t nbytes,
            std::optional<MemorySpace> space = {}, CallSite site = CallSite::here());
  // Does not block: if the peer's ring is full, the message is queued in PE_IPCQ. The result is
  // complete when the message has left.
  Handle send_async(const std::string& direction, const Handle& block,
                    CallSite site = CallSite::here());
  // Blocks until the message has arrived and its slot has been returned. The message must have the
  // size of `shape`.
  Handle recv(const std::string& direction, const Shape& shape, DType dtype,
              CallSite site = CallSite::here());
  // Receives from the first direction with a message, round robin; returned in `direction`.
  Handle recv(const Shape& shape, DType dtype, std::string* direction = nullptr,
              CallSite site = CallSite::here());
  // Also copies the message: into a block in TCM, which the result shares, or to memory of this PE.
  Handle recv(const std::string& direction, const Shape& shape, DType dtype, const Handle& dst,
              CallSite site = CallSite::here());
  Handle recv(const std::string& direction, const Shape& shape, DType dtype, const Ptr& dst,
              MemorySpace dst_space, CallSite site = CallSite::here());
  // Reserves the next position in the order of the messages; wait() receives. Under a tl::Overlap
  // PE_IPCQ receives immediately, concurrently with the kernel, and wait() blocks until the message
  // has been read.
  RecvFuture recv_async(const std::string& direction, const Shape& shape, DType dtype,
                        CallSite site = CallSite::here());
  // Omits the slot read and does not wait for the credit: for measurements only.
  Handle recv_no_consume(const std::string& direction, const Shape& shape, DType dtype,
                         CallSite site = CallSite::here());

  // --- control ---
  Handle wait(const RecvFuture& future, CallSite site = CallSite::here());
  void wait(const Composite& composite, CallSite site = CallSite::here());
  // Waits for the command that makes or stores the block.
  void wait(const Handle& handle, CallSite site = CallSite::here());
  void wait(CallSite site = CallSite::here());  // waits for all commands in flight
  void cycles(std::uint64_t n, CallSite site = CallSite::here());  // cycles of PE_CPU
  // Waits for all commands in flight except receives, then until every PE of the launch has made
  // the same number of calls. Accesses before the barrier are visible to all PEs after it.
  void barrier(CallSite site = CallSite::here());

  // --- debugging: no time of its own; waits for a block in flight, as any use does ---
  // Prints the values when they are available: immediately, or at the end of phase 2 by time and
  // PE. With data off only values of index blocks.
  void device_print(const std::string& prefix, const Handle& x, CallSite site = CallSite::here());
  // Checks that every element differs from 0, when the values are available. A failure fails the
  // run.
  void device_assert(const Handle& condition, const std::string& message = "",
                     CallSite site = CallSite::here());
  // Checks conditions known on the host, such as arguments and shapes: UsageError. For compile-time
  // conditions use static_assert of C++.
  static void static_assert_(bool condition, const std::string& message,
                             CallSite site = CallSite::here());

  // --- hints to Triton's compiler: accepted without effect; coalescing follows from the addresses.
  // A false assumption is a UsageError ---
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
  // Maps (i, j) of size_i x size_j blocks to groups of size_g rows, so that programs that run
  // concurrently share more data.
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
  // Command that has not been waited for.
  struct InFlight {
    std::shared_ptr<CommandState> command;
    States operands;           // with the result: kept until the command has completed
    PhysRanges reads, writes;  // in memory
    std::string call;          // "tl.composite(gemm)"
    bool reads_wait = false;   // a read of its result values waits for it
    bool receives = false;     // completion depends on other PEs
    CallSite site = {};        // call site
    std::optional<std::uint32_t> agent = {};  // race detector's agent; none: no race detection
  };
  struct Access;         // access from TCM to memory
  struct Target;         // destination of a composite's result
  struct BoundOperands;  // operands of a composite

  // Begins a call by name, "load", and charges its dispatch time.
  void begin(const char* call, CallSite site = {});

  // --- order of accesses (program_order.cpp) ---
  // Records a blocking memory access by the current call. UsageError if it conflicts with a command
  // that has not been waited for.
  void access(const char* call, const Ptr& ptr, const PhysRanges& ranges, bool is_write);
  // Checks without recording.
  void check_order(const char* call, const Ptr& ptr, const PhysRanges& ranges, bool is_write);
  void check_overwrite(const char* call, const Handle& target);  // checks a write to TCM
  // Records a non-blocking command issued by the current call.
  void put_in_flight(InFlight&& entry);
  std::uint32_t fork_agent();
  void note(const InFlight& entry, std::uint32_t agent);  // records its memory accesses for `agent`
  // null: the command has been waited for.
  const InFlight* unwaited(const std::shared_ptr<CommandState>& command) const;
  // Called when the current call uses the command's result or waits for it.
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
  Accessor accessor() const;  // accessor of commands issued now
  PhysRanges place_of(const Handle& handle) const;
  PhysRanges place_of(const ScratchBlock& block) const;
  std::shared_ptr<ScratchBlock> allocate(const char* call, const Shape& shape, DType dtype);
  Handle make_handle(TensorValue&& value, std::shared_ptr<ScratchBlock> block,
                     std::shared_ptr<CommandState> producer = {}, std::uint64_t offset = 0,
                     IndexValues index = nullptr);
  // `view`: TensorValue -> TensorValue; also applied to the values of an index block.
  template <class View>
  Handle view_of(const char* call, const BlockArg& x, View view, std::uint64_t offset = 0);
  struct MathInputs;
  MathInputs bind_math(MathOp op, const std::string& call, const std::vector<Operand>& operands);
  // One command; one result for each of `results`, the first of which is recorded with the command.
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
  using NewBlock = std::shared_ptr<Handle::State>;  // block before it becomes a handle
  NewBlock new_block(TensorValue&& value, std::shared_ptr<ScratchBlock> block);
  // Handles of `results`, which one command makes.
  Handles compute(const std::string& call, Command&& command,
                  const SmallVector<NewBlock, 2>& results, const std::vector<Operand>& operands);
  NodeId gemm_engine() const;  // PE_GEMM, if it computes values; no_node: phase 2 computes them
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
  const bool records_without_data_;  // commands carry a DataOp without values
  NodeId who_;                       // its PE_CPU, which orders accesses at the same time
  PhysAddr tcm_;                     // first byte of the PE's TCM
  std::shared_ptr<Scratch> scratch_;
  std::map<std::uint64_t, InFlight> in_flight_;  // by command id: in order of issue
  AccessIndex reads_in_flight_, writes_in_flight_;
  // Commands in flight that have completed, or were found completed, since the last reap().
  std::shared_ptr<std::vector<std::uint64_t>> completed_;
  std::uint64_t first_unfinished_ = 0;  // lower bound of the commands that await_oldest() waits for
  int overlaps_ = 0;                    // number of active tl::Overlap guards
  RaceDetector* races_ = nullptr;       // null: races are not detected
  std::uint32_t agent_ = 0;             // of it
  std::uint64_t barriers_ = 0;          // barriers passed, for the race detector
  bool told_unchecked_ = false;         // the warning about unchecked assertions has been printed
};

}  // namespace kernbench::tl
