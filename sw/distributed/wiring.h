// Wiring: the ring buffers of a process group. Installed once for what the algorithm of all_reduce needs (lane 0 of every cube),
// and again, with more queue pairs, when a call needs others.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "sw/collectives/ccl_settings.h"
#include "sw/collectives/neighbour_graph.h"
#include "sw/runtime/worker.h"

namespace kernbench {

class Wiring {
 public:
  Wiring(Runtime& runtime, const CclSettings& settings);

  bool has(const NeighbourGraph& graph) const;
  // Waits for every launch that has been reported, then installs what is there and `graph`; if they use one direction for different
  // things, `graph` alone. Blocks for the time of the messages. Errors as torch.ipcq.install has them.
  void install(const NeighbourGraph& graph);

  // Whoever is about to launch waits while an installation is under way, and reports the launch.
  void await_installation();
  void launched(std::shared_ptr<Worker> worker, const LaunchHandle& launch);

 private:
  Runtime& runtime_;
  IpcqOptions options_;
  bool installing_ = false;
  sc_core::sc_event installed_{""};
  std::vector<std::pair<std::shared_ptr<Worker>, LaunchHandle>> launches_;
};

}  // namespace kernbench
