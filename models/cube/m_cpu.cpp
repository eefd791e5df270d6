// M_CPU: endpoint of the control path in a cube. It forwards launches to the pe_cpu, and MMU
// messages to the pe_mmu, of every target PE in the cube, and merges their answers into one;
// metrics are merged by max and kept per PE.
//
// Timing (spec 4): overhead_ns per request message; answers cost nothing. target_start is passed
// through; a launch without one is stamped here with now + the latency to the farthest of its PEs.
// MCPU_SRAM: an internal pair of DMA channels, read and write, of capacity 1 each; a memory request
// holds its channel for overhead_ns after its command or last flit, and is answered then. Not
// modelled: decoding, MCPU_SRAM's size and bandwidth.
#include <algorithm>

#include "models/cube/cube_components.h"
#include "models/data/debug_access.h"
#include "models/protocol/control_node.h"

namespace kernbench {
namespace {

class MCpu final : public ControlNode {
 public:
  static constexpr const char* description =
      "a cube's control processor: fans launches and MMU messages out to PEs";
  static constexpr std::array roles{Role::m_cpu};
  struct Parameters : ControlParameters {
    Parameters() : ControlParameters(5) {}
  };
  explicit MCpu(const ComponentInit& init);

 private:
  void arrived(Transaction& request, std::shared_ptr<const PeMessage> message) override;
  std::vector<End> ends_of(const PeMessage& message) const override;
  void failed_early(FanOut& fan_out, PeId where, const Completion& completion) override;
  void reached_barrier(FanOut& fan_out) override;
  Fs memory_due(const Transaction& request, Fs arrival) override;
  unsigned debug_access(tlm::tlm_generic_payload& payload, std::uint64_t offset) override;

  PeId first_pe() const;  // first PE of the cube

  Fs read_free_at_ = 0;
  Fs write_free_at_ = 0;
};

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

PeId MCpu::first_pe() const {
  const std::vector<NodeId>& m_cpus = machine().tables.m_cpus;
  const auto index =
      static_cast<int>(std::find(m_cpus.begin(), m_cpus.end(), node()) - m_cpus.begin());
  return {index / machine().cubes(), index % machine().cubes(), 0};
}

std::vector<ControlNode::End> MCpu::ends_of(const PeMessage& message) const {
  std::vector<End> ends;
  const auto [begin, end] =  // sorted
      std::equal_range(message.targets.begin(), message.targets.end(), first_pe(),
                       [](const PeId& a, const PeId& b) {
                         return std::tie(a.sip, a.cube) < std::tie(b.sip, b.cube);
                       });
  ends.reserve(static_cast<std::size_t>(end - begin));
  for (auto pe = begin; pe != end; ++pe)
    ends.push_back({machine().engine(*pe, message.end()), *pe, false});
  return ends;
}

void MCpu::failed_early(FanOut& fan_out, PeId where, const Completion& completion) {
  auto notice = std::make_shared<LaunchFailed>();
  notice->launch = std::static_pointer_cast<const KernelLaunch>(fan_out.received);
  notice->where = where;
  notice->completion = completion;
  post(fan_out.request->route().path->reverse(),
       std::move(notice));  // on the path of the later answer
}

// A launch whose PEs are all in this cube is released here; IO_CPU is not notified.
void MCpu::reached_barrier(FanOut& fan_out) {
  const auto& launch = static_cast<const KernelLaunch&>(*fan_out.sent);
  const bool elsewhere =
      launch.on_several_sips() || launch.targets.front().cube != launch.targets.back().cube;
  elsewhere ? pass_on_barrier(fan_out) : end_barrier(fan_out);
}

Fs MCpu::memory_due(const Transaction& request, Fs arrival) {
  Fs& free_at = request.is_read() ? read_free_at_ : write_free_at_;
  free_at = std::max(free_at, arrival) + overhead();
  return free_at;
}

}  // namespace

Implementation m_cpu_implementation() { return implementation_of<MCpu>("builtin.m_cpu"); }

}  // namespace kernbench
