#include "platform/observe/bottleneck.h"

#include <algorithm>
#include <numeric>

namespace kernbench {
namespace {

// A share of the window in which a server is busy, from which on it is what others wait for.
constexpr double saturated = 0.9;

Fs part_of(Fs time, Fs part, Fs whole) {
  return whole == 0 ? 0
                    : static_cast<Fs>(static_cast<double>(time) * static_cast<double>(part) /
                                      static_cast<double>(whole));
}

}  // namespace

Bottleneck::Bottleneck(Platform& platform)
    : usage_(platform, resources_), doubled_(platform, resources_) {}

// A row for each resource, also those that only dependences know.
void Bottleneck::add_use(const UsageWindow& window) {
  limits_.window = window.length;
  for (const Resource& resource : resources_.all())
    limits_.rows.push_back({resource.name, resource.key, name_of(resource.kind), {}, 0, 0, 0, 0});
  const std::vector<UsedServer>& servers = usage_.table().servers();
  for (std::size_t i = 0; i < window.use.size(); ++i) {
    ResourceLimit& row = limits_.rows[servers[i].resource];
    row.stalled += window.use[i].stalled;
    const Fs busy = std::min(window.use[i].busy / servers[i].places, window.length);
    if (busy <= row.busy) continue;
    row.busy = busy;
    row.busiest = servers[i].name;
  }
}

void Bottleneck::estimate() {
  const Fs window = limits_.window;
  const auto is_rate = [this](std::size_t id) {
    return resources_.all()[id].kind == Server::Kind::rate;
  };
  const auto saved = [this](ResourceId resource) {
    return doubled_.time() - std::min(doubled_.time(), doubled_.time_with(resource));
  };
  std::vector<ResourceLimit>& rows = limits_.rows;
  const Fs stalled =
      std::accumulate(rows.begin(), rows.end(), Fs{0},
                      [](Fs sum, const ResourceLimit& row) { return sum + row.stalled; });
  for (std::size_t id = 0; id < rows.size(); ++id) {
    ResourceLimit& row = rows[id];
    Fs less = saved(static_cast<ResourceId>(id)) +
              part_of(saved(doubled_.contention()), row.stalled, stalled);
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
}

void Bottleneck::close() {
  usage_.close();
  if (usage_.pe().length == 0) return;
  add_use(usage_.pe());
  estimate();
  std::vector<ResourceLimit>& rows = limits_.rows;
  const Fs window = limits_.window;
  rows.erase(std::remove_if(rows.begin(), rows.end(),
                            [window](const ResourceLimit& row) {
                              return (row.busy == 0 && row.twice >= window) || row.kind == "none";
                            }),
             rows.end());
  std::stable_sort(rows.begin(), rows.end(), [](const ResourceLimit& a, const ResourceLimit& b) {
    return a.twice != b.twice ? a.twice < b.twice : a.busy > b.busy;
  });
}

}  // namespace kernbench
