#include "models/cube/m_cpu.h"

#include <algorithm>

#include "models/data/debug_access.h"

namespace kernbench {

MCpu::MCpu(const ComponentInit& init) : ControlNode(init) {}

unsigned MCpu::debug_access(tlm::tlm_generic_payload& payload, std::uint64_t /*offset*/) {
  return kernbench::debug_access(machine_services().data(), payload);
}

void MCpu::arrived(Transaction& request, std::shared_ptr<const PeMessage> message) {
  const std::vector<End> ends = ends_of(*message);
  if (ends.empty()) return refuse(request, "wrong_cube", "a message without a target in this cube");
  const auto* launch = dynamic_cast<const KernelLaunch*>(message.get());
  if (launch == nullptr || launch->target_start) return fan_out(request, message, message);
  Fs farthest = 0;
  for (const End& end : ends)
    farthest = std::max(
        farthest, machine_services().routes().control_path(node(), end.node).control_latency_fs());
  auto stamped = std::make_shared<KernelLaunch>(*launch);
  stamped->target_start = now() + farthest;
  fan_out(request, message, std::move(stamped));
}

std::vector<ControlNode::End> MCpu::ends_of(const PeMessage& message) const {
  std::vector<End> ends;
  for (const PeId& pe : message.targets) {
    if (machine().m_cpu(pe.sip, pe.cube) == node())
      ends.push_back({machine().engine(pe, message.end()), pe, false});
  }
  return ends;
}

void MCpu::failed_early(FanOut& fan_out, PeId where, const Completion& completion) {
  auto notice = std::make_shared<LaunchFailed>();
  notice->launch = std::static_pointer_cast<const KernelLaunch>(fan_out.received);
  notice->where = where;
  notice->completion = completion;
  post(fan_out.request->route().path->reverse(),
       std::move(notice));  // the way that the answer will take
}

Fs MCpu::memory_due(const Transaction& request, Fs arrival) {
  Fs& free_at = request.is_read() ? read_free_at_ : write_free_at_;
  free_at = std::max(free_at, arrival) + overhead();
  return free_at;
}

}  // namespace kernbench
