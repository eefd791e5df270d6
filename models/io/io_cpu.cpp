// IO_CPU: endpoint of the control path that faces the host. It forwards launches and MMU messages
// to the m_cpu of every target cube and merges their answers into one.
//
// Timing (spec 4): overhead_ns per request message; answers cost nothing. A launch is stamped when
// its overhead has been paid:
//   target_start = now + max over the target PEs of latency(io_cpu -> m_cpu -> pe_cpu)
// with the overheads of m_cpu and pe_cpu counted once and that of io_cpu excluded, so that the
// farthest PE is ready exactly then. Launches of one stream whose PE sets overlap run in order of
// arrival, as do launches that name a launch they follow: the later one is stamped and sent when
// every PE of the earlier one has answered. Other launches run concurrently if the PEs have room
// for them and all launches before them: a kernel context for each stream, scratch for each part
// requested. The oldest launch therefore never waits for a younger one. IO_SRAM: a memory request
// is answered overhead_ns after its arrival. Not modelled: decoding, IO_SRAM's size and bandwidth.
#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "models/data/debug_access.h"
#include "models/io/io_components.h"
#include "models/protocol/control_node.h"

namespace kernbench {
namespace {

bool overlap(const std::vector<PeId>& a, const std::vector<PeId>& b) {  // both sorted
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j) return true;
    *i < *j ? ++i : ++j;
  }
  return false;
}

class IoCpu final : public ControlNode {
 public:
  static constexpr const char* description =
      "host-facing processor of an IO chiplet: fans launches and MMU messages out to cubes";
  static constexpr std::array roles{Role::io_cpu};
  struct Parameters : ControlParameters {
    Parameters() : ControlParameters(10) {}
  };
  explicit IoCpu(const ComponentInit& init);

 private:
  struct Launch;
  using LaunchIt = std::list<Launch>::iterator;
  struct Launch {
    std::uint64_t number;  // order of arrival
    Transaction* request;
    std::shared_ptr<const KernelLaunch> message;
    bool running = false;
    std::optional<LaunchIt> blocked_by = {};  // youngest launch that it follows
    std::vector<LaunchIt> blocks = {};        // launches blocked by this one
  };

  void arrived(Transaction& request, std::shared_ptr<const PeMessage> message) override;
  std::vector<End> ends_of(const PeMessage& message) const override;
  void failed_early(FanOut& fan_out, PeId where, const Completion& completion) override;
  void reached_barrier(FanOut& fan_out) override;
  void reached_barrier_elsewhere(const BarrierReached& notice) override;
  bool withdrawn(const LaunchAbort& notice) override;
  void finished(const FanOut& fan_out) override;
  unsigned debug_access(tlm::tlm_generic_payload& payload, std::uint64_t offset) override;

  void start_if_possible(LaunchIt launch);
  void remove(LaunchIt launch);
  bool has_room(LaunchIt launch, const PeId& pe);
  Fs target_start(const KernelLaunch& launch) const;

  // Launches that some of their PEs have not answered, in order of arrival.
  std::list<Launch> launches_;
  std::map<std::uint64_t, LaunchIt> without_room_;  // follow no launch, by number
  // Launches on several SIPs with this SIP as the first one: the SIPs that wait in tl.barrier, by
  // launch group.
  std::map<std::uint64_t, std::vector<BarrierReached>> at_barrier_;
  std::uint64_t launches_so_far_ = 0;
  TraceSignal& launches_signal_;
};

IoCpu::IoCpu(const ComponentInit& init)
    : ControlNode(init), launches_signal_(add_signal("launches", "launches queued or running",
                                                     SignalFormat::count("launches", 8))) {}

unsigned IoCpu::debug_access(tlm::tlm_generic_payload& payload, std::uint64_t /*offset*/) {
  return kernbench::debug_access(machine_services().data(), payload);
}

void IoCpu::arrived(Transaction& request, std::shared_ptr<const PeMessage> message) {
  const int sip = message->targets.front().sip;
  if (machine().io_cpu(sip) != node()) {
    return refuse(
        request, "wrong_sip",
        fmt::format("a message for {} has arrived here; its SIP has {}",
                    message->targets.front().str(), machine().name(machine().io_cpu(sip))));
  }
  auto launch = std::dynamic_pointer_cast<const KernelLaunch>(message);
  if (launch == nullptr) return fan_out(request, message, message);
  launches_.push_back({launches_so_far_++, &request, std::move(launch)});
  launches_signal_.set(launches_.size());
  start_if_possible(std::prev(launches_.end()));
}

std::vector<ControlNode::End> IoCpu::ends_of(const PeMessage& message) const {
  std::vector<End> ends;
  for (const PeId& pe : message.targets) {  // sorted: the PEs of a cube are adjacent
    const NodeId m_cpu = machine().m_cpu(pe.sip, pe.cube);
    if (ends.empty() || ends.back().node != m_cpu) ends.push_back({m_cpu, std::nullopt, false});
  }
  return ends;
}

bool follows(const KernelLaunch& later, const KernelLaunch& before) {
  const auto& follows = later.follows;
  return later.stream == before.stream ||
         std::find(follows.begin(), follows.end(), before.request_id) != follows.end();
}

// Checks the youngest earlier launch first: on the same PEs of a stream the launch waits for that
// one.
void IoCpu::start_if_possible(LaunchIt launch) {
  bool shares = false;
  for (auto before = launch; before != launches_.begin();) {
    --before;
    if (!overlap(before->message->targets, launch->message->targets)) continue;
    shares = true;
    if (!follows(*launch->message, *before->message)) continue;
    launch->blocked_by = before;
    before->blocks.push_back(launch);
    return;
  }
  const std::vector<PeId>& pes = launch->message->targets;
  if (shares &&
      !std::all_of(pes.begin(), pes.end(), [&](const PeId& pe) { return has_room(launch, pe); })) {
    without_room_[launch->number] = launch;
    return;
  }
  launch->running = true;
  auto stamped = std::make_shared<KernelLaunch>(*launch->message);
  stamped->target_start =
      std::max(stamped->target_start.value_or(0), target_start(*launch->message));
  fan_out(*launch->request, launch->message, std::move(stamped));
}

// Starts the launches that it has blocked, in the order of the launches.
void IoCpu::remove(LaunchIt launch) {
  if (launch->blocked_by) {
    std::vector<LaunchIt>& list = (*launch->blocked_by)->blocks;
    list.erase(std::find(list.begin(), list.end(), launch));
  }
  without_room_.erase(launch->number);
  std::map<std::uint64_t, LaunchIt> next = std::exchange(without_room_, {});
  for (const LaunchIt each : launch->blocks) {
    each->blocked_by.reset();
    next[each->number] = each;
  }
  launches_.erase(launch);
  launches_signal_.set(launches_.size());
  for (const auto& [number, each] : next) start_if_possible(each);
}

// Whether it fits together with every launch before it: at most one of each stream runs at a time.
bool IoCpu::has_room(LaunchIt launch, const PeId& pe) {
  std::map<std::uint32_t, std::uint64_t> parts;  // parts of the scratch, by stream
  for (auto before = launches_.begin(); before != launch; ++before) {
    const std::vector<PeId>& targets = before->message->targets;
    if (!std::binary_search(targets.begin(), targets.end(), pe)) continue;
    std::uint64_t& part = parts[before->message->stream];
    part = std::max(part, before->message->scratch_bytes);
  }
  std::uint64_t scratch = launch->message->scratch_bytes;
  for (const auto& [stream, part] : parts) scratch += part;
  return parts.empty() ||
         (parts.size() < machine().kernel_contexts && scratch <= machine().scratch_bytes);
}

Fs IoCpu::target_start(const KernelLaunch& launch) const {
  Routes& routes = machine_services().routes();
  Fs farthest = 0;
  for (const PeId& pe : launch.targets) {
    const NodeId m_cpu = machine().m_cpu(pe.sip, pe.cube);
    const NodeId pe_cpu = machine().engine(pe, PeEngine::pe_cpu);
    // Each leg includes the overhead of its target and excludes that of its source.
    farthest = std::max(farthest, routes.control_path(node(), m_cpu).control_latency_fs() +
                                      routes.control_path(m_cpu, pe_cpu).control_latency_fs());
  }
  return now() + farthest;
}

void IoCpu::failed_early(FanOut& fan_out, PeId where, const Completion& completion) {
  if (!fan_out.fail_fast()) return;  // the answer lists all of them
  const HostResponse gathered = fan_out.merged;
  fan_out.merged = {};
  fan_out.merged.metrics = gathered.metrics;
  fan_out.merged.per_pe = gathered.per_pe;
  fan_out.merged.completion = completion;
  fan_out.merged.failures[where] = completion;
  answer(fan_out);
}

void IoCpu::reached_barrier(FanOut& fan_out) {
  const auto& launch = static_cast<const KernelLaunch&>(*fan_out.sent);
  if (!launch.on_several_sips()) return end_barrier(fan_out);
  BarrierReached notice;
  notice.launch = std::static_pointer_cast<const KernelLaunch>(fan_out.received);
  notice.from = node();
  const NodeId first = machine().io_cpu(launch.grid.sips.front());
  if (first == node()) return reached_barrier_elsewhere(notice);
  post(machine_services().routes().control_path(node(), first),
       std::make_shared<const BarrierReached>(notice));
}

void IoCpu::reached_barrier_elsewhere(const BarrierReached& notice) {
  const auto group = at_barrier_.try_emplace(notice.launch->group).first;
  group->second.push_back(notice);
  if (group->second.size() < notice.launch->grid.sips.size()) return;
  for (const BarrierReached& each : std::exchange(group->second, {})) {
    if (each.from != node()) {
      auto passed = std::make_shared<BarrierPassed>();
      passed->launch = each.launch;
      post(machine_services().routes().control_path(node(), each.from), std::move(passed));
    } else if (const FanOut* own = fan_out_of(*each.launch)) {
      end_barrier(*own);
    }
  }
}

bool IoCpu::withdrawn(const LaunchAbort& notice) {
  const auto launch = std::find_if(launches_.begin(), launches_.end(), [&](const Launch& l) {
    return l.message == notice.launch && !l.running;
  });
  if (launch == launches_.end()) return false;
  refuse(*launch->request, Completion::aborted,
         "the launch has failed on another SIP before it started here");
  remove(launch);
  return true;
}

void IoCpu::finished(const FanOut& fan_out) {
  if (const auto* launch = dynamic_cast<const KernelLaunch*>(fan_out.received.get()))
    at_barrier_.erase(launch->group);
  const auto launch = std::find_if(launches_.begin(), launches_.end(),
                                   [&](const Launch& l) { return l.message == fan_out.received; });
  if (launch != launches_.end()) remove(launch);
}

}  // namespace

Implementation io_cpu_implementation() { return implementation_of<IoCpu>("builtin.io_cpu"); }

}  // namespace kernbench
