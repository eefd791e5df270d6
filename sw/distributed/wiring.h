// Wiring: the ring buffers of a process group. Installed once for what the algorithm of all_reduce
// needs (lane 0 of every cube); a call that needs others adds them.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "models/protocol/ipcq.h"
#include "sw/collectives/neighbour_graph.h"
#include "sw/runtime/worker.h"

namespace kernbench {

// Latest ring installation of a process group, and the program's own one that it extended.
struct GroupInstallation {
  std::uint64_t number = 0;  // IpcqInstallation::number(); 0: none
  NeighbourGraph program;
  IpcqSettings program_options;
};

class Wiring {
 public:
  Wiring(Runtime& runtime, GroupInstallation& there, const IpcqSettings& options);

  bool has(const NeighbourGraph& graph) const;
  // Adds the queue pairs of `graph` beside those that are there, whatever these hold. False, and
  // nothing has happened, if a direction is in use for something else. The first time, and after a
  // torch.ipcq.install of the program, everything is installed anew, with the settings of the
  // group. Blocks for the time of the messages. Errors as torch.ipcq.install has them.
  // `n_slots`: of each ring.
  bool add(const NeighbourGraph& graph, std::uint32_t n_slots);
  // Waits for every launch that has been reported, then installs `graph` in place of what is there.
  void replace(const NeighbourGraph& graph, std::uint32_t n_slots);

  // Removes the directions that begin with `prefix`. Blocks for the time of the messages.
  // LaunchError if their queues hold messages.
  void remove(const std::string& prefix);
  // Removes them at the next addition, for callers that cannot block.
  void remove_later(std::string prefix) { removed_later_.push_back(std::move(prefix)); }
  // Removes all directions and restores the program's own installation.
  void remove_all();

  // A launch first waits while an installation is under way, and is then reported.
  void await_installation();
  void launched(std::shared_ptr<Worker> worker, const LaunchHandle& launch);

 private:
  class Installing;
  bool own() const { return runtime_.ipcq.installed() && runtime_.ipcq.number() == number_; }
  void install(const NeighbourGraph& graph, std::uint32_t n_slots);

  Runtime& runtime_;
  GroupInstallation& there_;
  IpcqSettings options_;
  std::uint64_t number_ = 0;  // of the installation that this group has made
  std::vector<std::string> removed_later_;
  bool installing_ = false;
  sc_core::sc_event installed_{""};
  std::vector<std::pair<std::shared_ptr<Worker>, LaunchHandle>> launches_;
};

}  // namespace kernbench
