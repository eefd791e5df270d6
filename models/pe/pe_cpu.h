// PE_CPU: runs kernels (spec 4.3, 4.4, 5, 6).
//
// Timing: a launch pays overhead_ns once, then waits until its target_start; one that comes late
// starts on receipt and reports the skew. Every call that is not metadata pays dispatch_cycles of
// the clock before it does anything. When the kernel has ended the engines drain, which pe_exec
// covers; then the answer leaves at once. Kernels run on one SC_THREAD, made at the first launch,
// on a stack of kernel_stack_bytes. A message that installs rings pays overhead_ns, is then passed
// to PE_IPCQ, and is answered at once. A kernel that throws, a command that ends in a fault, and an
// abort make the answer ok = false; the text names node and time. An abort ends the kernel at its
// next call, or in the one in which it is blocked; a kernel that fails leaves no command waiting.
// Not modelled: instructions other than those that reach an engine.
//
// A base class as well: a PE_CPU of other costs derives from it, its Parameters from these, and
// overrides call_cycles(). Launches, aborts, the kernel's thread and the services are here.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/log.h"
#include "models/base/parameter_set.h"
#include "models/pe/command_queue.h"
#include "models/pe/pe_identity.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/ipcq_services.h"
#include "models/protocol/kernel_context.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/pe_services.h"
#include "models/protocol/program_host.h"

namespace kernbench {

class PeCpu : public FabricNode,
              public ProgramHost,
              private KernelContext,
              private ServiceListener<IpcqRequest> {
 public:
  static constexpr const char* description = "runs kernels: turns their calls into commands";
  static constexpr std::array roles{Role::pe_cpu};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<Fs> overhead{
        *this, Parameter::duration_ns("overhead_ns", "time per launch", "spec 1.2").default_val(2)};
    Param<Rational> clock_ghz{
        *this, Parameter::frequency_ghz("clock_ghz", "clock", "spec 5").default_val(1)};
    Param<int> kernel_stack_bytes{
        *this,
        Parameter::integer("kernel_stack_bytes", "stack of the kernel thread", "B", "spec 4.4")
            .default_val(262144)
            .range("65536", "1073741824")};
    Param<std::uint64_t> dispatch_cycles{
        *this, Parameter::integer("dispatch_cycles", "cycles per command", "", "spec 6")
                   .default_val(0)
                   .range("0", "1000000")};
    Param<std::uint64_t> scratch_bytes{
        *this, Parameter::integer("scratch_bytes", "TCM for the handles of a kernel", "B", "spec 6")
                   .default_val(1048576)
                   .range("1", "1073741824")};
  };
  explicit PeCpu(const ComponentInit& init);
  ~PeCpu() override;

  std::optional<RunningProgram> running_program() const override;

 protected:
  // The rule to override: cycles that a call of the kernel pays before it does anything; asked once
  // per call that is not metadata. `call`: its number in the launch, from 0.
  virtual std::uint64_t call_cycles(std::uint64_t /*call*/) { return *parameters_.dispatch_cycles; }

 private:
  struct Launch {
    Transaction* request = nullptr;  // kept alive by its owner
    std::shared_ptr<const KernelLaunch> message;
    bool aborted = false;
  };

  // Fabric node.
  Fs next_due() const override;
  void serve() override;
  void take(Transaction& request);
  void start_thread();
  void install(Transaction& request, const IpcqInstall& message);
  void abort(const LaunchAbort& notice);

  // The kernel thread.
  void run_launches();
  void run(Launch& launch);
  Completion run_body(const KernelLaunch& message);
  Completion failure(const char* code, const std::string& what) const;
  std::string last_call_text() const;                             // "tl.load (k.cpp:41)"
  std::string line_of_last_call(const std::string& error) const;  // behind it; or nothing
  // Returns only where the kernel may make a call: the run does not end, nor has the launch failed
  // elsewhere.
  void check_abort() const;
  // await(), on the kernel's thread, until an abort at the latest: then the kernel ends. `command`:
  // the one that is waited for.
  void await_or_end(const sc_core::sc_event& event, const std::string& what,
                    KernelWait::Reason reason, std::uint64_t command = 0);
  void report_wait(KernelWait::Reason reason, std::uint64_t command, Fs since) const;
  void report_run(const KernelLaunch& message, Fs start, Fs returned) const;

  // Kernel context.
  PeId where() const override { return where_(); }
  const KernelLaunch& launch() const override { return *current_->message; }
  const MachineDescription& machine() const override { return machine_.machine(); }
  FunctionalModel* data() override { return machine_.data(); }
  Fs now() const override { return Component::now(); }
  void dispatch() override;
  std::shared_ptr<CommandState> issue(Command command) override;
  void wait(CommandState& command) override;
  void print(const std::string& text) override;
  void cycles(std::uint64_t n) override;
  Fs end_of_cycles(std::uint64_t n) const;  // UsageError beyond the end of simulated time
  PhysRanges translate(std::uint64_t address, std::uint64_t nbytes) const override;
  FreeListAllocator& scratch() override { return *scratch_; }
  void leaves_unwaited(std::string what) override;
  const IpcqSetup& ipcq_setup() const override;
  void ipcq_send(IpcqSend message) override;
  IpcqReceived ipcq_receive(IpcqReceive request) override;
  std::uint64_t ipcq_reserve(const std::string& direction) override;
  void run_ipcq_operation(const std::string& what);
  void responded(IpcqRequest& request, const tlm::tlm_phase& phase) override;

  MachineServices& machine_;
  const Parameters parameters_;
  PeIdentity where_;
  CommandQueue command_queue_;
  mutable ServiceInitiator<TranslationRequest> to_mmu_;
  mutable ServiceInitiator<IpcqRequest> to_ipcq_{this};
  IpcqRequest operation_;  // the send or receive under way
  bool operation_ended_ = true;

  std::deque<Launch> launches_;  // the first one runs
  Launch* current_ = nullptr;
  std::vector<std::shared_ptr<CommandState>> unwaited_;
  std::string unwaited_text_;  // for the report of the kernel
  std::unique_ptr<FreeListAllocator> scratch_;
  std::uint64_t next_command_ = 1;
  std::uint64_t next_call_ = 0;  // of the launch
  bool thread_started_ = false;

  std::optional<Fs> running_since_;  // while a kernel runs

  sc_core::sc_event launched_, aborted_, ipcq_ended_;
  std::uint64_t launch_count_ = 0, failures_ = 0, commands_ = 0, cycles_ = 0, running_time_ = 0;
  TraceSignal &state_signal_, &command_signal_;
  Log log_{*this};
};

}  // namespace kernbench
