#include "platform/observe/limits.h"

#include <algorithm>

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
    rows.push_back({resource.name, resource.key, name_of(resource.kind), {}, 0, {}, 0, 0});
  for (std::size_t i = 0; i < window.use.size(); ++i) {
    const UsedServer& server = table.servers()[i];
    ResourceLimit& row = rows[server.resource];
    if (const std::optional<Fs>& stalled = window.use[i].stalled)
      row.stalled = row.stalled.value_or(0) + *stalled;
    const Fs busy = std::min(window.use[i].busy / server.places, window.length);
    if (busy <= row.busy) continue;
    row.busy = busy;
    row.busiest = server.name;
    row.key = server.own_key.empty() ? resources[server.resource].key : server.own_key;
  }
  return rows;
}

}  // namespace

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
  // Transfers contend for the servers of the fabric; the queues of engines are dependences.
  const auto stalled_at = [&](std::size_t id) {
    return resources.all()[id].in_fabric ? rows[id].stalled.value_or(0) : 0;
  };
  Fs stalled = 0;
  for (std::size_t id = 0; id < rows.size(); ++id) stalled += stalled_at(id);
  for (std::size_t id = 0; id < rows.size(); ++id) {
    ResourceLimit& row = rows[id];
    const Fs contended = part_of(saved_by(contention), stalled_at(id), stalled);
    Fs less = saved_by(id) + contended;
    // Bursts at an HBM channel are queued behind those of their own message: no queue of
    // independent requests that could become shorter.
    if (!resources.is_of_hbm(static_cast<ResourceId>(id)))
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

}  // namespace kernbench
