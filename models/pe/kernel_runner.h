// KernelRunner: a kernel context of a PE_CPU (spec 4.4): runs one kernel at a time, beside those of
// the other contexts, on an SC_THREAD of its own, made at its first launch.
//
// Its own: the call under way, the commands that have not been waited for, the operation of
// PE_IPCQ, and where the launch asks for it a part of the scratch. Timing and rules: pe_cpu.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/small_vector.h"
#include "models/pe/command_queue.h"
#include "models/protocol/ipcq_services.h"
#include "models/protocol/kernel_context.h"
#include "models/protocol/kernel_progress.h"
#include "models/protocol/program_host.h"
#include "models/protocol/transaction.h"

namespace kernbench {

class PeCpu;

class KernelRunner final : private KernelContext {
 public:
  struct Launch {
    Transaction* request = nullptr;  // kept alive by its owner
    std::shared_ptr<const KernelLaunch> message;
    bool aborted = false;
    std::string abort_cause = {};
  };

  KernelRunner(PeCpu& cpu, std::size_t number) : cpu_(cpu), number_(number) {}

  bool busy() const { return launch_.has_value(); }
  const KernelLaunch& message() const { return *launch_->message; }  // of the kernel that runs
  bool awaits_scratch() const { return awaits_scratch_; }
  bool runs_on(const sc_core::sc_object* thread) const { return thread == thread_; }
  RunningProgram program(std::uint64_t stack_bytes) const;

  // Requires that it is not busy.
  void start(Launch launch);
  // The kernel is to end at its next call, or in the one in which it is blocked.
  void abort(const std::string& cause);
  void ipcq_ended(IpcqRequest& request);
  void pass_barrier();

  // Once somebody has asked for them, with the values of now.
  void add_signals();
  static std::vector<SignalDeclaration> signals_of(const std::string& number);

 private:
  enum class State : std::uint8_t {
    idle,
    waiting_for_start,
    running,
    waiting_for_command,
    draining,
    waiting_for_ipcq,
    waiting_for_barrier
  };
  struct Issued {
    std::shared_ptr<CommandState> state;  // null: it has been waited for
    KernelWait::CommandKind kind = KernelWait::CommandKind::none;
    KernelWait::Reason reason = KernelWait::Reason::command;
    std::uint64_t id = 0;
  };
  // A send or receive that the kernel has left under way.
  struct UnderWay : IpcqRequest {
    std::shared_ptr<IpcqOperation> operation;
  };

  // The thread.
  void start_thread();
  void run_launches();
  void run();
  void end(const std::shared_ptr<HostResponse>& response, Fs target);
  Completion run_body();
  void prepare_scratch();
  Completion failure(const char* code, const std::string& what) const;
  std::string last_call_text() const;                             // "tl.load (k.cpp:41)"
  std::string line_of_last_call(const std::string& error) const;  // behind it; or nothing
  // Returns only where the kernel may make a call: the run does not end, nor has the launch failed
  // elsewhere.
  void check_abort() const;
  // Waits until done(), or an abort: then the kernel ends. What makes it true notifies resumed_.
  // `what`, of the kernel, for reports: "tl.send in direction 'E'"; `wait`: its report, without
  // node and times.
  void await_or_end(const std::function<bool()>& done, const std::function<std::string()>& what,
                    KernelWait wait);
  void report(KernelWait wait) const;
  void report_start(Fs target) const;
  void report_run(Fs target, Fs start, Fs returned) const;
  void show(State state);

  // Kernel context.
  PeId where() const override;
  const KernelLaunch& launch() const override { return *launch_->message; }
  const MachineDescription& machine() const override;
  FunctionalModel* data() override;
  bool records_parameters() const override;
  Fs now() const override;
  void dispatch() override;
  std::shared_ptr<CommandState> issue(Command&& command) override;
  void wait(CommandState& command) override;
  void print(const std::string& text) override;
  void cycles(std::uint64_t n) override;
  Fs end_of_cycles(std::uint64_t n) const;  // UsageError beyond the end of simulated time
  PhysRanges translate(std::uint64_t address, std::uint64_t nbytes) const override;
  FreeListAllocator& scratch() override;
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
  void run_ipcq_operation(const std::string& what);
  std::shared_ptr<IpcqOperation> leave_under_way(UnderWay& request, std::string direction);
  void drain_sends();
  void remember(Issued command);

  PeCpu& cpu_;
  const std::size_t number_;  // of the context
  const sc_core::sc_object* thread_ = nullptr;
  bool thread_started_ = false;

  std::optional<Launch> launch_;  // under way
  CommandQueue::Kernel commands_;
  SmallVector<Issued, 2> unwaited_;    // by id, and some that need no wait any more
  std::size_t unwaited_at_most_ = 16;  // then these are removed
  std::string unwaited_text_;          // for the report of the kernel
  std::uint64_t next_call_ = 0;
  IpcqRequest operation_;  // the send or receive under way
  bool operation_ended_ = true;
  bool at_barrier_ = false;
  mutable int aborted_calls_ = 0;  // since the abort
  PayloadPool<UnderWay> under_way_;
  unsigned sends_under_way_ = 0;
  std::unique_ptr<FreeListAllocator> own_scratch_;  // null: it draws from what all share
  bool awaits_scratch_ = false;

  sc_core::sc_event launched_{""}, resumed_{""};
  TraceSignal *state_signal_ = nullptr, *command_signal_ = nullptr;  // null until asked for
  State state_ = State::idle;
  std::uint64_t last_command_ = 0;  // 0: none
};

}  // namespace kernbench
