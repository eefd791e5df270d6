// Calls of a kernel on its PE (spec 4.4): commands, cycles, scratch, barriers, messages. Timing:
// pe_cpu.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/base/small_vector.h"
#include "models/base/thread_turns.h"
#include "models/pe/pe_identity.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/ipcq_services.h"
#include "models/protocol/kernel_context.h"
#include "models/protocol/kernel_progress.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/pe_services.h"

namespace kernbench {

// Outstanding commands of all kernels of a PE, on its service `commands` of PE_SCHEDULER.
class CommandQueue final : private ServiceListener<CommandRequest> {
 public:
  // Commands of one kernel.
  struct Kernel {
    std::uint32_t stream = 0;  // stream of its launch
    std::size_t in_flight = 0;
    PeUsage usage;  // usage of the complete commands
    bool awaits_drained = false;
    sc_core::sc_event drained{""};  // the last one is complete; where it is awaited
  };

  // Throws UsageError for a command that can never run.
  void submit(Kernel& kernel, std::shared_ptr<CommandState> state, Command&& command) {
    Submitted& request = requests_.take();
    request.state = std::move(state);
    request.command = std::move(command);
    request.stream = kernel.stream;
    request.kernel = &kernel;
    try {
      to_scheduler_.nb_transport_fw(request);
    } catch (...) {
      requests_.give_back(request);
      throw;
    }
    ++kernel.in_flight;
  }
  // Fails the kernel's commands in flight with `why`.
  void abandon(const Kernel& kernel, const std::string& why) {
    CommandRequest request;
    request.abandon = why;
    request.stream = kernel.stream;
    to_scheduler_.b_transport(request);
  }
  // Usage by all kernels, and by other users of the engines.
  PeUsage usage() {
    CommandRequest request;
    to_scheduler_.transport_dbg(request);
    return request.usage;
  }

 private:
  struct Submitted : CommandRequest {
    Kernel* kernel = nullptr;
  };

  void nb_transport_bw(CommandRequest& request, const tlm::tlm_phase& /*phase*/) override {
    auto& submitted = static_cast<Submitted&>(request);
    Kernel& kernel = *submitted.kernel;
    kernel.usage.dma += request.state->usage().dma;
    kernel.usage.compute += request.state->usage().compute;
    request.state->complete();
    requests_.give_back(submitted);
    if (--kernel.in_flight == 0 && kernel.awaits_drained)
      kernel.drained.notify(sc_core::SC_ZERO_TIME);
  }

  PayloadPool<Submitted> requests_;
  ServiceInitiator<CommandRequest> to_scheduler_{this};
};

class KernelCalls;

// Exception that ends a kernel whose launch has failed elsewhere. Not derived from std::exception,
// so that it passes the kernel's own handlers.
struct KernelAborted {
  std::string blocked_on;  // call in which it was blocked; empty: it was between two calls
  Fs since = 0;
};

// A launch that has arrived at the PE.
struct ArrivedLaunch {
  Transaction* request = nullptr;  // kept alive by its owner
  std::shared_ptr<const KernelLaunch> message;
  unsigned number = 0;  // in the order of arrivals
  bool aborted = false;
  std::string abort_cause = {};
};

// Resources of a PE that its kernels share.
struct KernelResources {
  struct Settings {
    Rational clock_ghz;
    std::uint64_t scratch_bytes = 0;
    std::function<std::uint64_t(std::uint64_t call)> call_cycles;  // cycle policy of PE_CPU
  };
  KernelResources(FabricNode& component, MachineServices& services, Settings given,
                  ServiceListener<IpcqRequest>& ipcq_listener)
      : cpu(component), machine(services), settings(std::move(given)),
        where(services, component.node(), PeEngine::pe_cpu), to_ipcq(&ipcq_listener),
        turns(services.end_of_timestep(), component.node()) {}

  bool runs_alone(const KernelCalls& kernel) const;
  // Another kernel runs on and may free some of the scratch.
  bool others_free_scratch(const KernelCalls& kernel) const;

  FabricNode& cpu;
  MachineServices& machine;
  const Settings settings;
  PeIdentity where;
  CommandQueue commands;
  ServiceInitiator<TranslationRequest> to_mmu;
  ServiceInitiator<IpcqRequest> to_ipcq;
  std::unique_ptr<FreeListAllocator> scratch;
  sc_core::sc_event scratch_freed{""};
  ThreadTurns turns;
  std::vector<const KernelCalls*> kernels;  // by context; some are not busy
  std::uint64_t next_command = 1;
  std::uint64_t command_count = 0, cycles = 0;  // statistics
};

class KernelCalls final : public KernelContext {
 public:
  // Values of the signal.
  enum class State : std::uint8_t {
    idle,
    waiting_for_start,
    running,
    waiting_for_command,
    draining,
    waiting_for_ipcq,
    waiting_for_barrier
  };

  // reach_barrier() reports to M_CPU that the kernel of this launch has called tl.barrier.
  KernelCalls(KernelResources& pe, std::function<void(const ArrivedLaunch&)> reach_barrier);

  // --- Life of a kernel, for its context.
  bool busy() const { return launch_.has_value(); }
  void accept(ArrivedLaunch launch) { launch_ = std::move(launch); }  // busy from here on
  void free() { launch_.reset(); }
  void start();
  // Kernels that share the PE continue at one instant in the order of their arrivals.
  void await_turn() {
    if (!pe_.runs_alone(*this)) pe_.turns.await(launch_->number);
  }
  // Runs on the kernel's thread, before its body: takes its part of the scratch, if it has one.
  void prepare();
  void drain_sends();  // runs after its body: its messages leave before the launch is answered
  // The kernel has ended: PE_IPCQ drops its operations, a failed kernel leaves no command pending.
  // Returns when the engines have drained.
  void drain_engines(const Completion& completion);
  // Returns the error of a command that was never waited for, or an empty text. Forgets these
  // commands.
  std::string take_unwaited_error();
  void free_scratch();

  // Ends the kernel at its next call, or in the call in which it is blocked.
  void abort(const std::string& cause);
  void pass_barrier();
  void ipcq_ended(IpcqRequest& request);

  const ArrivedLaunch& arrived() const { return *launch_; }
  const KernelLaunch& launch() const override { return *launch_->message; }
  bool awaits_scratch() const { return awaits_scratch_; }
  const PeUsage& usage() const { return commands_.usage; }
  const std::string& unwaited_text() const { return unwaited_text_; }
  void show(State state);
  void add_signals(const std::string& number);  // adds the signals with their current values
  static std::vector<SignalDeclaration> signals_of(const std::string& number);

 private:
  struct Issued {
    std::shared_ptr<CommandState> state;  // null: already waited for
    KernelWait::CommandKind kind = KernelWait::CommandKind::none;
    KernelWait::Reason reason = KernelWait::Reason::command;
    std::uint64_t id = 0;
  };
  // An asynchronous send or receive.
  struct Asynchronous : IpcqRequest {
    std::shared_ptr<IpcqOperation> operation;
  };

  // Returns only if the kernel may make a call: the run does not end, and the launch has not failed
  // elsewhere.
  void check_abort();
  // Waits until done(), or ends the kernel at an abort. The code that makes done() true notifies
  // resumed_. `what`, of the kernel, for reports: "tl.send in direction 'E'"; `wait`: its report,
  // without node and times.
  void await_or_end(const std::function<bool()>& done, const std::function<std::string()>& what,
                    KernelWait wait);
  void report(KernelWait wait) const;
  void prepare_scratch();
  void announce_tensors();
  Fs end_of_cycles(std::uint64_t n) const;  // UsageError beyond the end of simulated time
  void remember(Issued command);
  void run_ipcq_operation(const std::string& what);
  std::shared_ptr<IpcqOperation> issue_asynchronous(Asynchronous& request, std::string direction);

  // Kernel context.
  PeId where() const override { return pe_.where(); }
  const MachineDescription& machine() const override { return pe_.machine.machine(); }
  FunctionalModel* data() override { return pe_.machine.data(); }
  bool records_parameters() const override { return pe_.machine.observation().records_parameters; }
  Fs now() const override { return Component::now(); }
  void dispatch() override;
  std::shared_ptr<CommandState> issue(Command&& command) override;
  void wait(CommandState& command) override;
  void print(const std::string& text) override;
  void cycles(std::uint64_t n) override;
  PhysRanges translate(std::uint64_t address, std::uint64_t nbytes) const override;
  FreeListAllocator& scratch() override {
    return own_scratch_ != nullptr ? *own_scratch_ : *pe_.scratch;
  }
  bool await_scratch() override;
  std::string scratch_sharers() const override;
  void barrier() override;
  void leaves_unwaited(std::string what) override { unwaited_text_ = std::move(what); }
  const IpcqSetup& ipcq_setup() const override;
  void ipcq_send(IpcqSend message) override;
  IpcqReceived ipcq_receive(IpcqReceive request) override;
  std::shared_ptr<IpcqOperation> ipcq_begin(IpcqSend message) override;
  std::shared_ptr<IpcqOperation> ipcq_begin(IpcqReceive request) override;
  void wait(IpcqOperation& operation) override;
  std::uint64_t ipcq_reserve(const std::string& direction) override;

  KernelResources& pe_;
  const std::function<void(const ArrivedLaunch&)> reach_barrier_;

  std::optional<ArrivedLaunch> launch_;
  CommandQueue::Kernel commands_;
  SmallVector<Issued, 2> unwaited_;    // by id, including some that need no wait any more
  std::size_t unwaited_at_most_ = 16;  // size at which these are removed
  std::string unwaited_text_;          // for the report of the kernel
  std::uint64_t next_call_ = 0;
  IpcqRequest operation_;  // blocking send or receive
  bool operation_ended_ = true;
  bool at_barrier_ = false;
  int aborted_calls_ = 0;  // calls since the abort
  PayloadPool<Asynchronous> asynchronous_;
  unsigned outstanding_sends_ = 0;
  std::unique_ptr<FreeListAllocator> own_scratch_;  // null: allocates from the shared scratch
  bool awaits_scratch_ = false;

  sc_core::sc_event resumed_{""};
  TraceSignal *state_signal_ = nullptr, *command_signal_ = nullptr;  // null until observed
  State state_ = State::idle;
  std::uint64_t last_command_ = 0;  // 0: none
};

}  // namespace kernbench
