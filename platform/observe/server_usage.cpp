#include "platform/observe/server_usage.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "models/noc/link.h"
#include "platform/assembly/machine_modules.h"
#include "platform/assembly/machine_root.h"
#include "platform/observe/object_tree.h"
#include "platform/topology/instance_overrides.h"

namespace kernbench {

namespace {

bool sets_one_of(const OverrideSpec& spec, const std::string& attributes) {
  return !spec.impl.empty() ||
         std::any_of(spec.attributes.begin(), spec.attributes.end(), [&](const auto& given) {
           return (" " + attributes + ",").find(" " + given.name + ",") != std::string::npos;
         });
}

// Keys of the last override that sets the implementation of a node or one of these attributes, else
// those of its kind.
std::string server_keys(const MachineSpec& spec, const Node& node, const std::string& attributes) {
  std::string keys = keys_of(node.kind, attributes);
  for (const OverrideSpec& each : spec.overrides) {
    if (!each.kind.empty() && each.kind != name_of(node.kind)) continue;
    if (sets_one_of(each, attributes) && NodeGlob(each.match).matches(node.name))
      keys = keys_of(each.match, attributes);
  }
  return keys;
}

}  // namespace

// --- Servers

ServerTable::ServerTable(const Platform& platform, Resources& resources) {
  for (const Component* component : components_of(platform)) {
    if (component->node() == no_node) continue;  // the host is not a server
    add(*component, platform.graph(), resources);
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

void ServerTable::add(const Component& component, const Graph& graph, Resources& resources) {
  const Node& node = graph.node(component.node());
  for (const Statistic& statistic : component.statistics()) {
    if (!statistic.is_busy_time()) continue;
    const ResourceId resource = resources.of_busy_time(node.kind, statistic);
    if (resource == no_resource) continue;
    UsedServer server;
    server.name = name_in_machine(component);
    server.node = component.node();
    server.part = statistic.name.substr(0, statistic.name.rfind('_'));
    server.resource = resource;
    server.places = statistic.server.places;  // before those of outputs are known
    if (!graph.spec().overrides.empty() && *statistic.server.attribute != '\0') {
      std::string keys = server_keys(graph.spec(), node, statistic.server.attribute);
      if (keys != resources[resource].key) server.own_key = std::move(keys);
    }
    server.busy = &statistic;
    servers_.push_back(std::move(server));
  }
}

ServerUse ServerTable::use_of(const UsedServer& server, Fs now) {
  if (server.link != nullptr) {
    const Link::Statistics carried = server.link->statistics();
    return {carried.busy_fs, carried.stalled_fs, carried.bytes};
  }
  ServerUse use;
  use.busy = server.busy->at(now);
  if (server.busy->server.stalled) use.stalled = server.busy->server.stalled(now);
  if (server.busy->server.bytes != nullptr) use.bytes = *server.busy->server.bytes;
  return use;
}

ServerTable::Sample ServerTable::sample() const {
  const Fs now = Component::now();
  Sample sample;
  if (!active_) {
    sample.reserve(servers_.size());
    for (const UsedServer& server : servers_) sample.push_back(use_of(server, now));
    return sample;
  }
  active_->update();
  sample.reserve(active_->indices().size());
  for (const std::uint32_t i : active_->indices()) sample.push_back(use_of(servers_[i], now));
  return sample;
}

SparseUse ServerTable::used_between(const Sample& begin, const Sample& end) const {
  SparseUse used;
  for (std::uint32_t i = 0; i < end.size(); ++i) {
    const ServerUse use = end[i] - (i < begin.size() ? begin[i] : ServerUse());
    if (!use.empty()) used.emplace_back(active_ ? active_->indices()[i] : i, use);
  }
  if (active_)
    std::sort(used.begin(), used.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
  return used;
}

// --- Servers in use

ActiveServers::ActiveServers(Platform& platform, const std::vector<UsedServer>& servers)
    : group_of_(platform.graph().nodes().size()),
      starts_(platform.observation().kernel_starts, *this) {
  const Graph& graph = platform.graph();
  std::unordered_map<std::string, std::size_t> by_name;  // entries of a node or its PE
  for (NodeId id = 0; id < group_of_.size(); ++id) {
    std::string name = graph.node(id).name;
    if (is_engine_of_pe(graph.node(id).kind)) name.resize(name.rfind('.'));
    group_of_[id] = by_name.try_emplace(name, by_name.size()).first->second;
  }
  groups_.resize(by_name.size());
  std::unordered_map<const Link*, std::uint32_t> server_of;
  for (std::uint32_t i = 0; i < servers.size(); ++i) {
    if (servers[i].link != nullptr) {
      server_of[servers[i].link] = i;
    } else {
      groups_[group_of_[servers[i].node]].push_back(i);
    }
  }
  for (const LinkInstance& instance : platform.links()) {
    const Edge& edge = graph.edges()[instance.edge];
    idle_links_.push_back(
        {instance.link.get(), server_of.at(instance.link.get()), edge.src, edge.dst});
  }
}

void ActiveServers::update() {
  const auto used =
      std::partition(idle_links_.begin(), idle_links_.end(),
                     [](const LinkRecord& record) { return !record.link->is_used(); });
  std::for_each(used, idle_links_.end(), [this](const LinkRecord& record) {
    indices_.push_back(record.server);
    activate(record.src);
    activate(record.dst);
  });
  idle_links_.erase(used, idle_links_.end());
}

void ActiveServers::write(const KernelStart& start) {
  activate(dynamic_cast<const Component&>(*start.node).node());
}

void ActiveServers::activate(NodeId node) {
  Group& group = groups_[group_of_[node]];
  indices_.insert(indices_.end(), group.begin(), group.end());
  group.clear();
}

// --- Windows

ServerUse& ServerUse::operator+=(const ServerUse& other) {
  busy += other.busy;
  if (other.stalled) stalled = stalled.value_or(0) + *other.stalled;
  bytes += other.bytes;
  return *this;
}

ServerUse ServerUse::operator-(const ServerUse& before) const {
  const auto less = [](std::uint64_t from, std::uint64_t by) { return from - std::min(from, by); };
  ServerUse difference{less(busy, before.busy), {}, less(bytes, before.bytes)};
  if (stalled) difference.stalled = less(*stalled, before.stalled.value_or(0));
  return difference;
}

std::size_t affordable_samples(const ServerTable& table) {
  constexpr std::size_t reads = 8'000'000, most = 512, least = 32;
  return std::clamp(reads / std::max<std::size_t>(table.servers().size(), 1), least, most);
}

SparseUse sum_of(const SparseUse& a, const SparseUse& b) {
  SparseUse sum;
  sum.reserve(a.size() + b.size());
  auto in_a = a.begin(), in_b = b.begin();
  while (in_a != a.end() || in_b != b.end()) {
    const bool from_a = in_b == b.end() || (in_a != a.end() && in_a->first <= in_b->first);
    const auto& [server, use] = from_a ? *in_a++ : *in_b++;
    if (!sum.empty() && sum.back().first == server) {
      sum.back().second += use;
    } else {
      sum.emplace_back(server, use);
    }
  }
  return sum;
}

void UsageWindow::add(const SparseUse& part, Fs from, Fs to) {
  begin = std::min(begin, from);
  end = std::max(end, to);
  length += to - std::min(from, to);
  for (const auto& [server, times] : part) {
    if (use.size() <= server) use.resize(server + 1);
    use[server] += times;
  }
}

ServerUsage::ServerUsage(Platform& platform, Resources& resources)
    : table_(platform, resources), starts_(platform.observation().kernel_starts, *this),
      runs_(platform.observation().kernel_runs, *this),
      transfers_(platform.observation().host_transfers, *this) {}

// Ends the current window at `until`; the other one starts now.
void ServerUsage::turn(UsageWindow& window, Fs until) {
  ServerTable::Sample now = table_.sample();
  window.add(table_.used_between(at_begin_, now), began_, until);
  at_begin_ = std::move(now);
  began_ = Component::now();
}

void ServerUsage::write(const KernelStart& /*start*/) {
  ++running_;
  if (in_kernel_) return;
  turn(host_, Component::now());
  in_kernel_ = true;
}

void ServerUsage::write(const KernelRun& run) {
  --running_;
  answered_ = run.answered;
}

void ServerUsage::write(const HostTransfer& /*transfer*/) {
  if (!in_kernel_ || running_ > 0) return;
  turn(pe_, answered_);
  in_kernel_ = false;
}

void ServerUsage::begin() {
  turn(host_, Component::now());
  in_kernel_ = without_kernels_ = true;
}

void ServerUsage::close() {
  if (in_kernel_) {
    turn(pe_, without_kernels_ || running_ > 0 ? Component::now() : std::max(answered_, began_));
  } else {
    turn(host_, Component::now());
  }
}

}  // namespace kernbench
