#include "platform/observe/bottleneck.h"

#include <algorithm>
#include <numeric>

namespace kernbench {
namespace {

Fs part_of(Fs time, Fs part, Fs whole) {
  return whole == 0 ? 0
                    : static_cast<Fs>(static_cast<double>(time) * static_cast<double>(part) /
                                      static_cast<double>(whole));
}

// Reduction of the queueing delay at a server that is busy for `busy` of `window`, with twice its
// rate, beyond the half that shorter services save: a part of that half, as a part of `window`. By
// M/M/1: the delay is rho / (1 - rho) services, and rho halves.
Fs shorter_queue(Fs busy, Fs window) {
  const double rho = std::min(1.0, static_cast<double>(busy) / static_cast<double>(window));
  return static_cast<Fs>((1 - (1 - rho) / (2 - rho)) * static_cast<double>(window));
}

// One row per resource, including those without a server.
std::vector<ResourceLimit> rows_of(const ServerTable& table, const Resources& resources,
                                   const UsageWindow& window) {
  std::vector<ResourceLimit> rows;
  for (const Resource& resource : resources.all())
    rows.push_back({resource.name, resource.key, name_of(resource.kind), {}, 0, 0, 0, 0});
  for (std::size_t i = 0; i < window.use.size(); ++i) {
    const UsedServer& server = table.servers()[i];
    ResourceLimit& row = rows[server.resource];
    row.stalled += window.use[i].stalled;
    const Fs busy = std::min(window.use[i].busy / server.places, window.length);
    if (busy <= row.busy) continue;
    row.busy = busy;
    row.busiest = server.name;
  }
  return rows;
}

// Limits of a window with this use of the servers. `saved`: time saved by twice as much of each
// resource, by dependences.
Limits limits_of(const ServerTable& table, const Resources& resources, const UsageWindow& use,
                 const std::vector<Fs>& saved, ResourceId contention) {
  const Fs window = use.length;
  if (window == 0) return {};
  Limits limits;
  limits.window = window;
  limits.rows = rows_of(table, resources, use);
  std::vector<ResourceLimit>& rows = limits.rows;
  const auto is_rate = [&resources](std::size_t id) {
    return resources.all()[id].kind == Server::Kind::rate;
  };
  const auto saved_by = [&saved](std::size_t id) { return id < saved.size() ? saved[id] : 0; };
  const Fs stalled =
      std::accumulate(rows.begin(), rows.end(), Fs{0},
                      [](Fs sum, const ResourceLimit& row) { return sum + row.stalled; });
  for (std::size_t id = 0; id < rows.size(); ++id) {
    ResourceLimit& row = rows[id];
    const Fs contended = part_of(saved_by(contention), row.stalled, stalled);
    Fs less = saved_by(id) + contended;
    // Bursts at an HBM channel are queued behind those of their own message: no queue of
    // independent requests, which would become shorter.
    if (id != resources.of_hbm())
      less += part_of(contended, shorter_queue(row.busy, window), window);
    if (is_rate(id) && static_cast<double>(row.busy) > saturated * static_cast<double>(window))
      less = std::max(less, row.busy / 2);
    less = std::min(less, window / 2);
    Fs others = 0;
    for (std::size_t other = 0; other < rows.size(); ++other) {
      if (other != id && is_rate(other)) others = std::max(others, rows[other].busy);
    }
    row.twice = std::max({window - less, others, is_rate(id) ? row.busy / 2 : 0});
    row.at_least = std::max(window - 2 * less, others);
  }
  rows.erase(std::remove_if(rows.begin(), rows.end(),
                            [window](const ResourceLimit& row) {
                              return (row.busy == 0 && row.twice >= window) || row.kind == "none";
                            }),
             rows.end());
  std::stable_sort(rows.begin(), rows.end(), [](const ResourceLimit& a, const ResourceLimit& b) {
    return a.twice != b.twice ? a.twice < b.twice : a.busy > b.busy;
  });
  return limits;
}

}  // namespace

Bottleneck::Bottleneck(Platform& platform, bool of_kernels)
    : usage_(platform, resources_), doubled_(platform, resources_) {
  if (of_kernels) kernels_.emplace(platform, usage_.table(), doubled_);
}

void Bottleneck::close() {
  const bool is_estimated = doubled_.has_ended() && !usage_.runs_kernels();
  usage_.close();
  const auto limits = [this](const UsageWindow& window, const std::vector<Fs>& saved) {
    return limits_of(usage_.table(), resources_, window, saved, doubled_.contention());
  };
  report_.run = limits(usage_.pe(), doubled_.saved());
  report_.run.is_estimated = is_estimated;
  if (!kernels_) return;
  for (const KernelWindows::Kernel& kernel : kernels_->kernels())
    report_.kernels.push_back({kernel.name, limits(kernel.window, kernel.saved)});
}

}  // namespace kernbench
