#include "platform/observe/bottleneck.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "platform/report/json_text.h"

namespace kernbench {
namespace {

constexpr double worth_naming = 1.1;  // a gain
constexpr double saturated = 0.9;     // a busy share
constexpr std::size_t named_in_chain = 4;
// Rows for people.
constexpr double least_gain = 0.005, least_busy = 0.05;
constexpr std::size_t most_rows = 12;

double ratio(Fs part, Fs whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

Bottleneck::Bottleneck(Platform& platform)
    : usage_(platform, resources_), doubled_(platform, resources_) {}

// By resource, also those that only the chain knows.
std::vector<ResourceUse> Bottleneck::used(const UsageWindow& window) const {
  std::vector<ResourceUse> uses(resources_.all().size());
  for (ResourceId id = 0; id < uses.size(); ++id) uses[id].resource = id;
  const std::vector<UsedServer>& servers = usage_.table().servers();
  for (std::size_t i = 0; i < window.use.size(); ++i) {
    ResourceUse& use = uses[servers[i].resource];
    use.stalled += window.use[i].stalled;
    const double share = ratio(window.use[i].busy, window.length * servers[i].places);
    if (share <= use.busy) continue;
    use.busy = std::min(share, 1.0);
    use.busiest = servers[i].name;
  }
  return uses;
}

void Bottleneck::estimate(std::vector<ResourceUse>& uses) const {
  const Fs window = usage_.pe().length;
  const auto busy = [&](const ResourceUse& use) {
    return static_cast<Fs>(use.busy * static_cast<double>(window));
  };
  const auto saved = [&](ResourceId resource) {
    const Fs with = doubled_.time_with(resource);
    return doubled_.time() - std::min(doubled_.time(), with);
  };
  const Fs stalled =
      std::accumulate(uses.begin(), uses.end(), Fs{0},
                      [](Fs sum, const ResourceUse& use) { return sum + use.stalled; });
  for (ResourceUse& use : uses) {
    const bool is_rate = resources_[use.resource].kind == Server::Kind::rate;
    Fs less =
        saved(use.resource) + static_cast<Fs>(static_cast<double>(saved(doubled_.contention())) *
                                              ratio(use.stalled, stalled));
    if (is_rate && use.busy > saturated) less = std::max(less, busy(use) / 2);
    less = std::min(less, window / 2);
    Fs others = 0;
    for (const ResourceUse& other : uses) {
      if (&other != &use && resources_[other.resource].kind == Server::Kind::rate)
        others = std::max(others, busy(other));
    }
    use.twice = std::max({window - less, others, is_rate ? busy(use) / 2 : 0});
    use.at_least = std::max(window - 2 * less, others);
  }
}

double Bottleneck::gain(const ResourceUse& use) const {
  return use.twice == 0 ? 1 : ratio(window(), use.twice);
}

void Bottleneck::close() {
  usage_.close();
  uses_ = used(usage_.pe());
  if (window() == 0) return uses_.clear();
  estimate(uses_);
  const Fs window = this->window();
  uses_.erase(std::remove_if(uses_.begin(), uses_.end(),
                             [this, window](const ResourceUse& use) {
                               return (use.busy == 0 && use.twice >= window) ||
                                      resources_[use.resource].kind == Server::Kind::none;
                             }),
              uses_.end());
  std::stable_sort(uses_.begin(), uses_.end(), [](const ResourceUse& a, const ResourceUse& b) {
    return a.twice != b.twice ? a.twice < b.twice : a.busy > b.busy;
  });
}

const ResourceUse* Bottleneck::limit() const {
  return uses_.empty() || gain(uses_.front()) < worth_naming ? nullptr : &uses_.front();
}

std::string Bottleneck::verdict() const {
  if (uses_.empty()) return "";
  if (const ResourceUse* first = limit()) {
    return fmt::format("{}, {} busy: twice as much gains {}; with no end of it {} remain",
                       resource(*first).name, percent(first->busy), percent(gain(*first) - 1),
                       readable_time(to_ns(first->at_least)));
  }
  std::string chain;
  for (std::size_t i = 0; i < std::min(uses_.size(), named_in_chain); ++i) {
    const ResourceUse& use = uses_[i];
    if (use.twice < window())
      chain += fmt::format("{}{} {}", chain.empty() ? "" : ", ", resource(use).name,
                           percent(ratio(2 * (window() - use.twice), window())));
  }
  return "latency, twice as much of no resource gains 10 %" +
         (chain.empty() ? "" : "; on the chain of dependences " + chain);
}

std::string Bottleneck::text() const {
  if (uses_.empty()) return "";
  using Align = Table::Align;
  Table table({{"resource"},
               {"busiest"},
               {"busy", Align::right},
               {"stalled", Align::right},
               {"2x gains", Align::right},
               {"2x is"}});
  for (const ResourceUse& use : uses_) {
    const double more = gain(use) - 1;
    if (table.size() >= most_rows || (use.busy < least_busy && more < least_gain)) continue;
    table.add(row_of({resource(use).name, use.busiest, percent(use.busy),
                      use.stalled == 0 ? "-" : readable_time(to_ns(use.stalled)), percent(more),
                      resource(use).key}));
  }
  return "\nlimit: " + verdict() + "\n\n" + table.text();
}

Table Bottleneck::busiest() const {
  Table table("busiest", {{"resource", "resource"},
                          {"busiest", "busiest"},
                          {"busy", "busy"},
                          {"stalled_ns", "stalled"},
                          {"gain", "2x gains"},
                          {"at_least_ns", "at least"},
                          {"key", "key"}});
  for (const ResourceUse& use : uses_) {
    table.add({resource(use).name, use.busiest, ShareCell{use.busy}, TimeCell{use.stalled},
               ShareCell{gain(use) - 1}, TimeCell{use.at_least}, resource(use).key});
  }
  return table;
}

nlohmann::ordered_json Bottleneck::json() const {
  const ResourceUse* first = limit();
  return {{"window_ns", ns_json(window())},
          {"limit", first == nullptr ? nlohmann::ordered_json("latency")
                                     : nlohmann::ordered_json(resource(*first).name)},
          {"resources", busiest().json()}};
}

}  // namespace kernbench
