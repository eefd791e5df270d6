// ServerUsage: busy and stall time of every server of a machine in two windows of the run: `pe`,
// while kernels run; `host`, while the host moves data and no kernel runs.
//
// Statistics are sampled at the start and the end of a window, not per event. The window `pe`
// starts with the first kernel and ends with the last answer of a PE; a transfer that the host
// issues while no kernel runs interrupts it until the next kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/protocol/observation.h"
#include "platform/assembly/platform.h"
#include "platform/observe/resources.h"

namespace kernbench {

class Link;

struct ServerUse {
  Fs busy = 0;
  std::optional<Fs> stalled = {};  // queueing time of its messages, summed; none: unknown
  std::uint64_t bytes = 0;         // bytes carried; 0: unknown
  bool empty() const { return busy == 0 && stalled.value_or(0) == 0 && bytes == 0; }
  ServerUse& operator+=(const ServerUse& other);
  // At least 0: a sample may cut a message to the byte.
  ServerUse operator-(const ServerUse& before) const;
};

struct UsedServer {
  std::string name;  // "sip0.cube0.pe0.pe_dma"
  std::string part;  // server of a node with several: "read_channel", "pc3"
  ResourceId resource = no_resource;
  std::string own_key;    // if another than that of the resource
  NodeId node = no_node;  // none for a link
  // Places that share all work. Outputs of a switch, which do not, are counted as one: their sum is
  // an upper bound of the busiest.
  std::uint64_t places = 1;
  const Statistic* busy = nullptr;  // busy time of a component; null: `link` is the server
  const Link* link = nullptr;
  std::string src, dst;  // nodes of the link
};

// Servers that have been in use, by index: links that a message has entered, and the nodes at their
// ends; all servers of a PE with any of its nodes, or with a kernel. New ones follow the others.
class ActiveServers final : private tlm::tlm_analysis_if<KernelStart> {
 public:
  ActiveServers(Platform& platform, const std::vector<UsedServer>& servers);
  // Adds the servers that have come into use since the last call.
  void update();
  const std::vector<std::uint32_t>& indices() const { return indices_; }

 private:
  using Group = std::vector<std::uint32_t>;  // servers of a node or a PE; empty: active
  struct LinkRecord {
    const Link* link = nullptr;
    std::uint32_t server = 0;
    NodeId src = no_node, dst = no_node;
  };
  void write(const KernelStart& start) override;
  void activate(NodeId node);

  std::vector<std::size_t> group_of_;  // by NodeId
  std::vector<Group> groups_;
  std::vector<LinkRecord> idle_links_;  // not used yet
  std::vector<std::uint32_t> indices_;
  AnalysisBinding<KernelStart> starts_;
};

// Servers that were used, ascending by index.
using SparseUse = std::vector<std::pair<std::uint32_t, ServerUse>>;
SparseUse sum_of(const SparseUse& a, const SparseUse& b);

// Servers and their use up to now.
class ServerTable {
 public:
  ServerTable(const Platform& platform, Resources& resources);

  const std::vector<UsedServer>& servers() const { return servers_; }
  // Restricts samples to the servers that have been in use, which makes them much cheaper. Called
  // before the run.
  void observe_activity(Platform& platform) {
    if (active_ == nullptr) active_ = std::make_unique<ActiveServers>(platform, servers_);
  }

  // Use of all servers, or of those that have been in use. A later sample begins with the same
  // servers.
  using Sample = std::vector<ServerUse>;
  Sample sample() const;
  SparseUse used_between(const Sample& begin, const Sample& end) const;

 private:
  void add(const Component& component, const Graph& graph, Resources& resources);
  static ServerUse use_of(const UsedServer& server, Fs now);

  std::vector<UsedServer> servers_;
  std::unique_ptr<ActiveServers> active_;  // null: samples hold all servers
};

// Samples of the servers of `table` that a run can afford, at most 512: reading them costs some
// 0.2 us per server.
std::size_t affordable_samples(const ServerTable& table);

// Use of all servers in one or more parts of a run.
struct UsageWindow {
  Fs begin = never_fs, end = 0;  // first and last part
  Fs length = 0;
  std::vector<ServerUse> use;  // by server, up to the last that was used

  void add(const SparseUse& part, Fs from, Fs to);
};

class ServerUsage final : private tlm::tlm_analysis_if<KernelStart>,
                          private tlm::tlm_analysis_if<KernelRun>,
                          private tlm::tlm_analysis_if<HostTransfer> {
 public:
  // Observes `platform`, which outlives it.
  ServerUsage(Platform& platform, Resources& resources);

  // For a machine without kernels: the window `pe` starts now and lasts to the end.
  void begin();
  // Closes the windows at the present time.
  void close();
  bool runs_kernels() const { return running_ > 0; }
  void observe_activity(Platform& platform) { table_.observe_activity(platform); }
  const ServerTable& table() const { return table_; }
  const UsageWindow& pe() const { return pe_; }
  const UsageWindow& host() const { return host_; }

 private:
  void write(const KernelStart& start) override;
  void write(const KernelRun& run) override;
  void write(const HostTransfer& transfer) override;
  void turn(UsageWindow& window, Fs until);

  ServerTable table_;
  std::uint64_t running_ = 0;  // running kernels over all PEs
  UsageWindow pe_, host_;
  bool in_kernel_ = false, without_kernels_ = false;
  Fs began_ = 0;
  Fs answered_ = 0;  // time of the last response
  ServerTable::Sample at_begin_;
  AnalysisBinding<KernelStart> starts_;
  AnalysisBinding<KernelRun> runs_;
  AnalysisBinding<HostTransfer> transfers_;
};

}  // namespace kernbench
