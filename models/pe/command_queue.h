// PE_CPU's end of the service `commands` of PE_SCHEDULER: the commands under way.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "models/protocol/pe_services.h"

namespace kernbench {

class CommandQueue final : private ServiceListener<CommandRequest> {
 public:
  // Throws UsageError for a command that can never run.
  void submit(std::shared_ptr<CommandState> state, Command command) {
    CommandRequest& request = requests_.take();
    request.state = std::move(state);
    request.command = std::move(command);
    try {
      to_scheduler_.begin(request);
    } catch (...) {
      requests_.give_back(request);
      throw;
    }
  }
  // The commands under way fail with `why`.
  void abandon(const std::string& why) {
    CommandRequest request;
    request.abandon = why;
    to_scheduler_.ask(request);
  }
  PeUsage usage() {
    CommandRequest request;
    to_scheduler_.look(request);
    return request.usage;
  }

  // No command is under way. drained_event() is notified when that becomes true.
  bool drained() const { return requests_.outstanding() == 0; }
  const sc_core::sc_event& drained_event() const { return drained_; }

 private:
  void responded(CommandRequest& request, const tlm::tlm_phase& /*phase*/) override {
    request.state->complete();
    requests_.give_back(request);
    if (drained()) drained_.notify(sc_core::SC_ZERO_TIME);
  }

  PayloadPool<CommandRequest> requests_;
  sc_core::sc_event drained_{"drained_event"};
  ServiceInitiator<CommandRequest> to_scheduler_{this};
};

}  // namespace kernbench
