// ServerUsage: busy and stall time of every server of a machine in two windows of the run: `pe`,
// while kernels run; `host`, while the host moves data and no kernel runs.
//
// Statistics are sampled at the start and the end of a window, not per event. The window `pe`
// starts with the first command of a kernel and ends with the last answer of a PE; a transfer that
// the host issues while no kernel runs interrupts it until the next command.
#pragma once

#include <cstdint>
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
  Fs stalled = 0;           // time that messages were queued at it, summed
  std::uint64_t bytes = 0;  // that it carried; 0: not known
  bool empty() const { return busy == 0 && stalled == 0 && bytes == 0; }
  ServerUse& operator+=(const ServerUse& other);
  // Not less than 0: a sample may cut a message to the byte.
  ServerUse operator-(const ServerUse& before) const;
};

struct UsedServer {
  std::string name;  // "sip0.cube0.pe0.pe_dma"
  std::string part;  // of a node with several: "read_channel", "pc3"
  ResourceId resource = no_resource;
  std::uint64_t places = 1;
  const Statistic* busy = nullptr;  // busy time of a component; null: `link` is the server
  const Link* link = nullptr;
  std::string src, dst;  // nodes of the link
};

// Servers and their use up to now.
class ServerTable {
 public:
  ServerTable(const Platform& platform, Resources& resources);
  const std::vector<UsedServer>& servers() const { return servers_; }
  std::vector<ServerUse> use() const;

 private:
  void add(const Component& component, Role role, Resources& resources);
  std::vector<UsedServer> servers_;
};

// Servers that were used, ascending by index.
using SparseUse = std::vector<std::pair<std::uint32_t, ServerUse>>;
SparseUse difference_of(const std::vector<ServerUse>& at_begin,
                        const std::vector<ServerUse>& at_end);

// Samples of the servers of `table` that a run can afford, at most 512: reading them costs some
// 0.2 us per server.
std::size_t affordable_samples(const ServerTable& table);

// Use of all servers in one or more parts of a run.
struct UsageWindow {
  Fs begin = never_fs, end = 0;  // of the first and the last part
  Fs length = 0;
  std::vector<ServerUse> use;  // by server

  // A part, with the use at its start and at its end.
  void add(const std::vector<ServerUse>& at_begin, const std::vector<ServerUse>& at_end, Fs from,
           Fs to);
};

// Whether a kernel runs, by the statistics of the PE_CPUs.
class RunningKernels {
 public:
  explicit RunningKernels(const Platform& platform);
  bool any() const;

 private:
  std::vector<const Statistic*> running_;
};

class ServerUsage final : private tlm::tlm_analysis_if<TraceEvent>,
                          private tlm::tlm_analysis_if<KernelRun>,
                          private tlm::tlm_analysis_if<HostTransfer> {
 public:
  // Observes `platform`, which outlives it.
  ServerUsage(Platform& platform, Resources& resources);

  // For a machine without kernels: the window `pe` starts now and lasts to the end.
  void begin();
  // Up to now.
  void close();
  bool runs_kernels() const { return running_.any(); }
  const ServerTable& table() const { return table_; }
  const UsageWindow& pe() const { return pe_; }
  const UsageWindow& host() const { return host_; }

 private:
  void write(const TraceEvent& event) override;
  void write(const KernelRun& run) override;
  void write(const HostTransfer& transfer) override;
  void turn(UsageWindow& window, Fs until);

  ServerTable table_;
  RunningKernels running_;
  UsageWindow pe_, host_;
  bool in_kernel_ = false, without_kernels_ = false;
  Fs began_ = 0;
  Fs answered_ = 0;  // the last one
  std::vector<ServerUse> at_begin_;
  AnalysisBinding<TraceEvent> events_;
  AnalysisBinding<KernelRun> runs_;
  AnalysisBinding<HostTransfer> transfers_;
};

}  // namespace kernbench
