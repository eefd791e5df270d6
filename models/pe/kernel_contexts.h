// Kernel contexts of a PE_CPU (spec 4.4): launches in order of their arrival, each run in a context
// of its own on an SC_THREAD that is spawned at the first launch of the context. Timing: pe_cpu.h.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/log.h"
#include "models/pe/kernel_calls.h"
#include "models/protocol/program_host.h"

namespace kernbench {

class KernelContexts final : private ServiceListener<IpcqRequest>, private TransactionListener {
 public:
  struct Settings {
    KernelResources::Settings kernels;
    int stack_bytes = 0;
    std::size_t contexts = 0;  // kernels of different streams that run concurrently
  };
  // Statistics.
  struct Counts {
    std::uint64_t launches = 0, failures = 0, running_time = 0;
  };

  // `cpu` sends responses and is the parent of the threads.
  KernelContexts(FabricNode& cpu, MachineServices& machine, Settings settings);
  ~KernelContexts();

  // Messages of the host to kernels.
  void launch(Transaction& request, std::shared_ptr<const KernelLaunch> message);
  void abort(const LaunchAbort& notice);
  void pass_barrier(const BarrierPassed& notice);
  Completion install(const IpcqInstall& message);

  // See ProgramHost.
  std::optional<RunningProgram> running_program() const;
  std::vector<RunningProgram> running_programs() const;

  // See Component.
  void declare_signals();
  std::vector<SignalDeclaration> signals_when_used() const;

  const Counts& counts() const { return counts_; }
  const std::uint64_t& commands() const { return resources_.command_count; }
  const std::uint64_t& cycles() const { return resources_.cycles; }
  Fs running_time(Fs now) const {
    return counts_.running_time + (running_ > 0 ? now - running_since_ : 0);
  }

 private:
  class Context;

  void begin_launches();
  bool may_begin(std::deque<ArrivedLaunch>::const_iterator launch) const;
  Context* idle_context();
  void kernel_begins(Fs target);
  void kernel_ends();
  void nb_transport_bw(IpcqRequest& request, const tlm::tlm_phase& phase) override;

  void reach_barrier(const ArrivedLaunch& launch);
  void completed(Transaction& notice) override;  // a BarrierReached has arrived at M_CPU

  KernelResources resources_;
  const int stack_bytes_;
  const std::size_t most_contexts_;
  std::deque<ArrivedLaunch> launches_;  // launches that wait for a context
  unsigned last_number_ = 0;            // number of the latest launch
  std::vector<std::unique_ptr<Context>> contexts_;
  bool signals_declared_ = false;
  TieKeySource keys_;
  std::vector<TransactionHandle> barrier_notices_;  // in flight

  // Kernels that run.
  std::size_t running_ = 0;
  Fs running_since_ = 0, last_ended_ = 0;

  Counts counts_;
  Log log_;
};

}  // namespace kernbench
