// PE_CPU's end of the service `commands` of PE_SCHEDULER: the commands under way, of all kernels.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "models/protocol/pe_services.h"

namespace kernbench {

class CommandQueue final : private ServiceListener<CommandRequest> {
 public:
  // The commands of one kernel.
  struct Kernel {
    std::uint32_t stream = 0;  // of its launch
    std::size_t under_way = 0;
    PeUsage usage;  // of those that are complete
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
      to_scheduler_.begin(request);
    } catch (...) {
      requests_.give_back(request);
      throw;
    }
    ++kernel.under_way;
  }
  // The kernel's commands under way fail with `why`.
  void abandon(const Kernel& kernel, const std::string& why) {
    CommandRequest request;
    request.abandon = why;
    request.stream = kernel.stream;
    to_scheduler_.ask(request);
  }
  // Of all kernels, and of whatever else uses the engines.
  PeUsage usage() {
    CommandRequest request;
    to_scheduler_.look(request);
    return request.usage;
  }

 private:
  struct Submitted : CommandRequest {
    Kernel* kernel = nullptr;
  };

  void responded(CommandRequest& request, const tlm::tlm_phase& /*phase*/) override {
    auto& submitted = static_cast<Submitted&>(request);
    Kernel& kernel = *submitted.kernel;
    kernel.usage.dma += request.state->usage().dma;
    kernel.usage.compute += request.state->usage().compute;
    request.state->complete();
    requests_.give_back(submitted);
    if (--kernel.under_way == 0 && kernel.awaits_drained)
      kernel.drained.notify(sc_core::SC_ZERO_TIME);
  }

  PayloadPool<Submitted> requests_;
  ServiceInitiator<CommandRequest> to_scheduler_{this};
};

}  // namespace kernbench
