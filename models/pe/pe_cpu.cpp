#include "models/pe/pe_cpu.h"

#include <memory>
#include <string>

#include "models/base/errors.h"
#include "models/pe/pe_components.h"

namespace kernbench {

PeCpu::PeCpu(const ComponentInit& init)
    : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward),
      parameters_(init.attributes.as<Parameters>()),
      kernels_(*this, machine_services(init.services),
               {{*parameters_.clock_ghz, *parameters_.scratch_bytes,
                 [this](std::uint64_t call) { return call_cycles(call); }},
                *parameters_.kernel_stack_bytes,
                *parameters_.kernel_contexts}) {
  add_statistic("launches", "kernels run", Quantity::count, kernels_.counts().launches);
  add_statistic("failures", "kernels that failed", Quantity::count, kernels_.counts().failures);
  add_statistic("commands", "commands issued", Quantity::count, kernels_.commands());
  add_statistic("cycles", "cycles requested by kernels", Quantity::count, kernels_.cycles());
  add_busy_time("running_time",
                "time from target_start until the kernel has returned and the engines have drained",
                kernels_.counts().running_time,
                [this](Fs now) { return kernels_.running_time(now); }, {Server::Kind::none});
}

void PeCpu::declare_signals() {
  FabricNode::declare_signals();
  kernels_.declare_signals();
}

Fs PeCpu::next_due() const { return arrivals_.control_due(*parameters_.overhead); }

void PeCpu::serve() {
  arrivals_.take_control(now(), *parameters_.overhead, [this](const Arrival& arrival) {
    report_traversal(arrival, arrival.time);
    take(*arrival.transaction);
  });
}

void PeCpu::take(Transaction& request) {
  const std::shared_ptr<const Message> message = request.route().message;
  if (auto launch = std::dynamic_pointer_cast<const KernelLaunch>(message)) {
    kernels_.launch(request, std::move(launch));
  } else if (const auto* abort = dynamic_cast<const LaunchAbort*>(message.get())) {
    kernels_.abort(*abort);
    request.route().listener->completed(request);
  } else if (const auto* barrier = dynamic_cast<const BarrierPassed*>(message.get())) {
    kernels_.pass_barrier(*barrier);
    request.route().listener->completed(request);
  } else if (const auto* rings = dynamic_cast<const IpcqInstall*>(message.get())) {
    const auto response = std::make_shared<HostResponse>();
    response->completion = kernels_.install(*rings);
    request.route().message = response;
    request.route().make_response();
    send_message(request);
  } else {
    throw ModelError(
        std::string(name()) +
        ": a message that is neither KernelLaunch, LaunchAbort, BarrierPassed nor IpcqInstall");
  }
}

Implementation pe_cpu_implementation() { return implementation_of<PeCpu>("builtin.pe_cpu"); }

}  // namespace kernbench
