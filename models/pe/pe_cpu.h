// PE_CPU: runs kernels (spec 4.3, 4.4, 5, 6).
//
// Timing: a launch pays overhead_ns once, then waits until its target_start; one that comes late
// starts on receipt and reports the skew. Every call that is not metadata pays dispatch_cycles of
// the clock before it does anything. When the kernel has ended the engines drain, which pe_exec
// covers; then the answer leaves at once. Kernels of one stream run one after the other, those of
// different streams together, each in a context of its own (kernel_runner.h), with a stack of
// kernel_stack_bytes; where kernel_contexts are taken a launch waits. Contexts share the engines,
// the scratch and the queue pairs, and do not slow one another down otherwise. A message that
// installs rings pays overhead_ns, is then passed to PE_IPCQ, and is answered at once. A kernel
// that throws, a command that ends in a fault, and an abort make the answer ok = false; the text
// names node and time. An abort ends the kernel at its next call, or in the one in which it is
// blocked; a kernel that fails leaves no command waiting. Not modelled: instructions other than
// those that reach an engine; that contexts of one processor share its issue.
//
// A base class as well: a PE_CPU of other costs derives from it, its Parameters from these, and
// overrides call_cycles(). Launches, aborts, the contexts and the services are here.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/log.h"
#include "models/base/parameter_set.h"
#include "models/pe/kernel_runner.h"
#include "models/pe/pe_identity.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/program_host.h"

namespace kernbench {

class PeCpu : public FabricNode,
              public ProgramHost,
              private ServiceListener<IpcqRequest>,
              private TransactionListener {
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
        Parameter::integer("kernel_stack_bytes", "stack of a kernel's thread", "B", "spec 4.4")
            .default_val(262144)
            .range("65536", "1073741824")};
    Param<std::size_t> kernel_contexts{
        *this, Parameter::integer("kernel_contexts",
                                  "kernels of different streams that run together", "", "spec 4.4")
                   .default_val(8)
                   .range("1", "64")};
    Param<std::uint64_t> dispatch_cycles{
        *this, Parameter::integer("dispatch_cycles", "cycles per command", "", "spec 6")
                   .default_val(0)
                   .range("0", "1000000")};
    Param<std::uint64_t> scratch_bytes{
        *this, Parameter::integer("scratch_bytes", "TCM for the handles of kernels", "B", "spec 6")
                   .default_val(1048576)
                   .range("1", "1073741824")};
  };
  explicit PeCpu(const ComponentInit& init);
  ~PeCpu() override;

  std::optional<RunningProgram> running_program() const override;
  std::vector<RunningProgram> running_programs() const override;
  std::vector<SignalDeclaration> signals_when_used() const override;

 protected:
  // The rule to override: cycles that a call of the kernel pays before it does anything; asked once
  // per call that is not metadata. `call`: its number in the launch, from 0.
  virtual std::uint64_t call_cycles(std::uint64_t /*call*/) { return *parameters_.dispatch_cycles; }
  void declare_signals() override;

 private:
  friend class KernelRunner;
  using Launch = KernelRunner::Launch;

  // Fabric node.
  Fs next_due() const override;
  void serve() override;
  void take(Transaction& request);
  void install(Transaction& request, const IpcqInstall& message);
  void abort(const LaunchAbort& notice);
  void pass_barrier(const BarrierPassed& notice);
  void completed(Transaction& notice) override;  // a BarrierReached has arrived at M_CPU

  // Launches, in the order in which they came, to contexts.
  void begin_launches();
  bool may_begin(std::deque<Launch>::const_iterator launch) const;
  KernelRunner* idle_runner();
  void responded(IpcqRequest& request, const tlm::tlm_phase& phase) override;

  // For the contexts.
  void kernel_begins(Fs target);
  void kernel_ends();
  void reach_barrier(const Launch& launch);
  // PE_MMU is told what the kernels that run reach.
  void tell_tensors(const KernelRunner& starting);
  bool runs_alone(const KernelRunner& runner) const;
  // Some other kernel goes on and may give back what it has of the scratch.
  bool others_free_scratch(const KernelRunner& runner) const;

  MachineServices& machine_;
  const Parameters parameters_;
  PeIdentity where_;
  CommandQueue command_queue_;
  mutable ServiceInitiator<TranslationRequest> to_mmu_;
  mutable ServiceInitiator<IpcqRequest> to_ipcq_{this};

  std::deque<Launch> launches_;  // that wait for a context
  std::vector<std::unique_ptr<KernelRunner>> runners_;
  bool signals_declared_ = false;
  std::unique_ptr<FreeListAllocator> scratch_;
  sc_core::sc_event scratch_freed_{""};
  std::uint64_t next_command_ = 1;
  TieKeySource keys_;
  std::vector<TransactionHandle> barrier_notices_;  // in flight

  // While kernels run.
  std::size_t running_ = 0;
  Fs running_since_ = 0, last_ended_ = 0;

  std::uint64_t launch_count_ = 0, failures_ = 0, commands_ = 0, cycles_ = 0, running_time_ = 0;
  Log log_{*this};
};

}  // namespace kernbench
