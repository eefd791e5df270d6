#include "platform/observe/server_usage.h"

#include <algorithm>

#include "models/noc/link.h"
#include "platform/assembly/machine_modules.h"
#include "platform/assembly/machine_root.h"
#include "platform/observe/object_tree.h"
#include "platform/report/json_text.h"

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
      use[i] = {carried.busy_fs, carried.stalled_fs};
    } else {
      use[i].busy = server.busy->at(now);
      if (const std::uint64_t* stalled = server.busy->server.stalled) use[i].stalled = *stalled;
    }
  }
  return use;
}

// --- Windows

void UsageWindow::add(const std::vector<ServerUse>& from, const std::vector<ServerUse>& to,
                      Fs time) {
  length += time;
  use.resize(to.size());
  for (std::size_t i = 0; i < to.size(); ++i) {
    use[i].busy += to[i].busy - std::min(from[i].busy, to[i].busy);
    use[i].stalled += to[i].stalled - std::min(from[i].stalled, to[i].stalled);
  }
}

nlohmann::ordered_json servers_json(const ServerTable& table, const Resources& resources,
                                    const UsageWindow& window) {
  auto list = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < window.use.size(); ++i) {
    const UsedServer& server = table.servers()[i];
    const ServerUse& use = window.use[i];
    if (use.busy == 0 && use.stalled == 0) continue;
    const Fs time = window.length * server.places;
    nlohmann::ordered_json row{{"name", server.name}};
    if (server.link != nullptr) {
      row["src"] = server.src;
      row["dst"] = server.dst;
    } else {
      row["part"] = server.part;
    }
    row["resource"] = resources[server.resource].name;
    row["kind"] = name_of(resources[server.resource].kind);
    row["places"] = server.places;
    row["busy_ns"] = ns_json(use.busy);
    row["utilisation"] =
        time == 0 ? 0.0 : std::min(1.0, static_cast<double>(use.busy) / static_cast<double>(time));
    row["stalled_ns"] = ns_json(use.stalled);
    list.push_back(std::move(row));
  }
  return list;
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
  window.add(at_begin_, use, until - std::min(began_, until));
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
