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

class Wiring {
 public:
  Wiring(Runtime& runtime, const IpcqSettings& options);

  bool has(const NeighbourGraph& graph) const;
  // Adds the queue pairs of `graph` beside those that are there, whatever these hold. False, and
  // nothing has happened, if a direction is in use for something else. The first time, and after a
  // torch.ipcq.install of the program, everything is installed anew, with the settings of the
  // group. Blocks for the time of the messages. Errors as torch.ipcq.install has them.
  // `n_slots`: of each ring.
  bool add(const NeighbourGraph& graph, std::uint32_t n_slots);
  // Waits for every launch that has been reported, then installs `graph` in place of what is there.
  void replace(const NeighbourGraph& graph, std::uint32_t n_slots);

  // A launch first waits while an installation is under way, and is then reported.
  void await_installation();
  void launched(std::shared_ptr<Worker> worker, const LaunchHandle& launch);

 private:
  class Installing;
  bool own() const { return runtime_.ipcq.installed() && runtime_.ipcq.number() == number_; }
  void install(const NeighbourGraph& graph, std::uint32_t n_slots);

  Runtime& runtime_;
  IpcqSettings options_;
  std::uint64_t number_ = 0;  // of the installation that this group has made
  bool installing_ = false;
  sc_core::sc_event installed_{""};
  std::vector<std::pair<std::shared_ptr<Worker>, LaunchHandle>> launches_;
};

}  // namespace kernbench
