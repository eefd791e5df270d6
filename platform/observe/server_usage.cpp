#include "platform/observe/server_usage.h"

#include <algorithm>

#include "models/noc/link.h"
#include "platform/assembly/machine_modules.h"
#include "platform/assembly/machine_root.h"
#include "platform/observe/object_tree.h"

namespace kernbench {

// --- Servers

ServerTable::ServerTable(const Platform& platform, Resources& resources) {
  for (const Component* component : components_of(platform)) {
    if (component->node() == no_node) continue;  // the host is no server
    add(*component, platform.graph().node(component->node()).kind, resources);
  }
  for (const LinkInstance& instance : platform.links()) {
    UsedServer server;
    server.name = name_in_machine(*instance.link);
    server.resource = resources.of_link(platform.graph().edges()[instance.edge].kind);
    server.link = instance.link.get();
    const Edge& edge = platform.graph().edges()[instance.edge];
    server.src = platform.graph().node(edge.src).name;
    server.dst = platform.graph().node(edge.dst).name;
    servers_.push_back(std::move(server));
  }
}

void ServerTable::add(const Component& component, Role role, Resources& resources) {
  for (const Statistic& statistic : component.statistics()) {
    if (!statistic.is_busy_time()) continue;
    const ResourceId resource = resources.of_busy_time(role, statistic);
    if (resource == no_resource) continue;
    UsedServer server;
    server.name = name_in_machine(component);
    server.part = statistic.name.substr(0, statistic.name.rfind('_'));
    server.resource = resource;
    server.places = statistic.server.places;
    server.busy = &statistic;
    servers_.push_back(std::move(server));
  }
}

std::vector<ServerUse> ServerTable::use() const {
  const Fs now = Component::now();
  std::vector<ServerUse> use(servers_.size());
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    const UsedServer& server = servers_[i];
    if (server.link != nullptr) {
      const Link::Statistics carried = server.link->statistics();
      use[i] = {carried.busy_fs, carried.stalled_fs, carried.bytes};
    } else {
      use[i].busy = server.busy->at(now);
      if (const std::uint64_t* stalled = server.busy->server.stalled) use[i].stalled = *stalled;
      if (const std::uint64_t* bytes = server.busy->server.bytes) use[i].bytes = *bytes;
    }
  }
  return use;
}

// --- Windows

ServerUse& ServerUse::operator+=(const ServerUse& other) {
  busy += other.busy;
  stalled += other.stalled;
  bytes += other.bytes;
  return *this;
}

ServerUse ServerUse::operator-(const ServerUse& before) const {
  return {busy - std::min(before.busy, busy), stalled - std::min(before.stalled, stalled),
          bytes - std::min(before.bytes, bytes)};
}

std::size_t affordable_samples(const ServerTable& table) {
  constexpr std::size_t reads = 8'000'000, most = 512, least = 32;
  return std::clamp(reads / std::max<std::size_t>(table.servers().size(), 1), least, most);
}

SparseUse difference_of(const std::vector<ServerUse>& at_begin,
                        const std::vector<ServerUse>& at_end) {
  SparseUse used;
  for (std::uint32_t i = 0; i < at_end.size(); ++i) {
    const ServerUse difference = at_end[i] - at_begin[i];
    if (!difference.empty()) used.emplace_back(i, difference);
  }
  return used;
}

void UsageWindow::add(const std::vector<ServerUse>& at_begin, const std::vector<ServerUse>& at_end,
                      Fs from, Fs to) {
  begin = std::min(begin, from);
  end = std::max(end, to);
  length += to - std::min(from, to);
  use.resize(at_end.size());
  for (std::size_t i = 0; i < at_end.size(); ++i) use[i] += at_end[i] - at_begin[i];
}

RunningKernels::RunningKernels(const Platform& platform) {
  for (const Component* component : components_of(platform)) {
    for (const Statistic& statistic : component->statistics()) {
      if (statistic.name == "running_time" && statistic.is_busy_time())
        running_.push_back(&statistic);
    }
  }
}

bool RunningKernels::any() const {
  const Fs now = Component::now();
  return std::any_of(running_.begin(), running_.end(), [now](const Statistic* running) {
    return running->at(now) > *running->value;
  });
}

ServerUsage::ServerUsage(Platform& platform, Resources& resources)
    : table_(platform, resources), running_(platform), at_begin_(table_.servers().size()),
      events_(platform.observation().trace_events, *this),
      runs_(platform.observation().kernel_runs, *this),
      transfers_(platform.observation().host_transfers, *this) {}

// Ends the current window at `until`; the other one starts now.
void ServerUsage::turn(UsageWindow& window, Fs until) {
  std::vector<ServerUse> use = table_.use();
  window.add(at_begin_, use, began_, until);
  at_begin_ = std::move(use);
  began_ = Component::now();
}

void ServerUsage::write(const TraceEvent& event) {
  if (in_kernel_ || event.kind != TraceKind::command_submitted) return;
  turn(host_, Component::now());
  in_kernel_ = true;
}

void ServerUsage::write(const KernelRun& run) { answered_ = run.answered; }

void ServerUsage::write(const HostTransfer& /*transfer*/) {
  if (!in_kernel_ || running_.any()) return;
  turn(pe_, answered_);
  in_kernel_ = false;
}

void ServerUsage::begin() {
  turn(host_, Component::now());
  in_kernel_ = without_kernels_ = true;
}

void ServerUsage::close() {
  if (in_kernel_) {
    turn(pe_, without_kernels_ || running_.any() ? Component::now() : std::max(answered_, began_));
  } else {
    turn(host_, Component::now());
  }
}

}  // namespace kernbench
