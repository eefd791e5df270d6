// Wiring: ring buffers of a process group. The first installation serves the algorithm of
// all_reduce (lane 0 of every cube); a call that needs other rings adds them.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "models/protocol/ipcq.h"
#include "sw/collectives/neighbour_graph.h"
#include "sw/runtime/worker.h"

namespace kernbench {

// Latest ring installation of a process group, and the program's own installation that it extended.
struct GroupInstallation {
  std::uint64_t number = 0;  // IpcqInstallation::number(); 0: none
  NeighbourGraph program;
  IpcqSettings program_options;
};

class Wiring {
 public:
  Wiring(Runtime& runtime, GroupInstallation& there, const IpcqSettings& options);

  bool has(const NeighbourGraph& graph) const;
  // Adds the queue pairs of `graph` to the existing ones, regardless of what these hold. `n_slots`:
  // slots of each ring. Returns false without effect if a direction is in use for a different peer.
  // The first call, and the first one after a torch.ipcq.install of the program, installs all rings
  // again with the settings of the group. Blocks for the time of the messages. Errors as in
  // torch.ipcq.install.
  bool add(const NeighbourGraph& graph, std::uint32_t n_slots);
  // Waits for every reported launch, then installs `graph` instead of the current rings.
  void replace(const NeighbourGraph& graph, std::uint32_t n_slots);

  // Removes the directions that begin with `prefix`. Blocks for the time of the messages.
  // LaunchError if their queues hold messages.
  void remove(const std::string& prefix);
  // Removes the directions at the next addition, for callers that cannot block.
  void remove_later(std::string prefix) { removed_later_.push_back(std::move(prefix)); }
  // Removes all directions and restores the program's own installation.
  void remove_all();

  // Waits while an installation is in progress; a launch calls it before it is reported.
  void await_installation();
  void launched(std::shared_ptr<Worker> worker, const LaunchHandle& launch);

 private:
  class Installing;
  bool own() const { return runtime_.ipcq.installed() && runtime_.ipcq.number() == number_; }
  void install(const NeighbourGraph& graph, std::uint32_t n_slots);

  Runtime& runtime_;
  GroupInstallation& there_;
  IpcqSettings options_;
  std::uint64_t number_ = 0;  // installation that this group has made
  std::vector<std::string> removed_later_;
  bool installing_ = false;
  sc_core::sc_event installed_{""};
  std::vector<std::pair<std::shared_ptr<Worker>, LaunchHandle>> launches_;
};

}  // namespace kernbench
