#include "sw/distributed/wiring.h"

#include <algorithm>
#include <utility>

#include "models/base/errors.h"

namespace kernbench {
namespace {

NeighbourGraph joined(const NeighbourGraph& there, const NeighbourGraph& more) {
  try {
    return NeighbourGraph(there).add(more);
  } catch (const UsageError&) {
    return more;
  }
}

}  // namespace

Wiring::Wiring(Runtime& runtime, GroupInstallation& there, const IpcqSettings& options)
    : runtime_(runtime), there_(there), options_(options) {}

bool Wiring::has(const NeighbourGraph& graph) const {
  if (graph.empty()) return true;
  if (!own()) return false;
  const NeighbourGraph& there = runtime_.ipcq.graph();
  return std::all_of(graph.pes().begin(), graph.pes().end(), [&](const auto& entry) {
    const NeighbourGraph::Neighbours& mine = there.neighbours(entry.first);
    return std::includes(mine.begin(), mine.end(), entry.second.begin(), entry.second.end());
  });
}

class Wiring::Installing {
 public:
  explicit Installing(Wiring& wiring) : wiring_(wiring) { wiring_.installing_ = true; }
  ~Installing() {
    wiring_.installing_ = false;
    wiring_.installed_.notify(sc_core::SC_ZERO_TIME);
  }

 private:
  Wiring& wiring_;
};

bool Wiring::add(const NeighbourGraph& graph, std::uint32_t n_slots) {
  const Installing installing(*this);
  if (own()) {
    for (const std::string& prefix : std::exchange(removed_later_, {}))
      runtime_.ipcq.remove(prefix);
    return runtime_.ipcq.add(graph, n_slots);
  }
  if (runtime_.ipcq.number() != there_.number) {
    there_.program = runtime_.ipcq.graph();
    there_.program_options = runtime_.ipcq.options();
  }
  install(joined(there_.program, graph), n_slots);
  return true;
}

void Wiring::replace(const NeighbourGraph& graph, std::uint32_t n_slots) {
  const Installing installing(*this);
  for (const auto& [worker, launch] : std::exchange(launches_, {})) worker->join(launch);
  install(graph, n_slots);
  there_.program = {};
}

void Wiring::remove(const std::string& prefix) {
  await_installation();
  const Installing installing(*this);
  if (own()) runtime_.ipcq.remove(prefix);
}

void Wiring::remove_all() {
  await_installation();
  const Installing installing(*this);
  if (!own()) return;
  if (there_.program.empty()) return runtime_.ipcq.remove();
  runtime_.ipcq.install(there_.program, there_.program_options);
}

void Wiring::install(const NeighbourGraph& graph, std::uint32_t n_slots) {
  IpcqSettings options = options_;
  options.n_slots = n_slots;
  runtime_.ipcq.install(graph, options);
  removed_later_.clear();
  number_ = there_.number = runtime_.ipcq.number();
}

void Wiring::await_installation() {
  while (installing_) runtime_.link.port().wait(installed_, "the installation of ring buffers");
}

void Wiring::launched(std::shared_ptr<Worker> worker, const LaunchHandle& launch) {
  const auto ended = [](const auto& entry) { return entry.second.done(); };
  launches_.erase(std::remove_if(launches_.begin(), launches_.end(), ended), launches_.end());
  launches_.emplace_back(std::move(worker), launch);
}

}  // namespace kernbench
