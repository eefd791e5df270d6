#include "platform/observe/statistics_regions.h"

#include <algorithm>
#include <map>

#include "models/noc/link.h"
#include "platform/observe/object_tree.h"
#include "platform/observe/run_statistics.h"
#include "platform/output/json_text.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

struct Total {
  std::string key;
  Quantity quantity;
  std::uint64_t value = 0;
};
using TotalsByKind =
    std::map<std::string, std::vector<Total>>;  // totals of a kind in the order of declaration

void add(std::vector<Total>& totals, const std::string& key, Quantity quantity,
         std::uint64_t value) {
  for (Total& total : totals) {
    if (total.key == key) {
      total.value += value;
      return;
    }
  }
  totals.push_back({key, quantity, value});
}

Json json_of(const TotalsByKind& kinds) {
  Json json = Json::object();
  for (const auto& [kind, totals] : kinds) {
    bool any = false;
    Json entry = Json::object();
    for (const Total& total : totals) {
      any = any || total.value > 0;
      entry[total.key] =
          total.quantity == Quantity::time_fs ? ns_json(total.value) : Json(total.value);
    }
    if (any) json[kind] = std::move(entry);
  }
  return json;
}

}  // namespace

StatisticsRegions::StatisticsRegions(const Platform& platform)
    : platform_(platform), components_(components_of(platform)), servers_(platform, resources_) {
  reset(0);
}

// visit(is_link, kind, key, quantity, value) for each counter, always in the same order.
template <class Visit>
void StatisticsRegions::for_each_counter(Visit visit) const {
  const KindOf kind_of = kind_in(platform_);
  for (const Component* component : components_) {
    const std::string kind = kind_of(*component);
    for (const Statistic& statistic : component->statistics()) {
      if (statistic.merge == Merge::sum)
        visit(false, kind, key_of(statistic), statistic.quantity, statistic.at(Component::now()));
    }
  }
  for (const auto& [edge, link] : platform_.links()) {
    const std::string kind(name_of(platform_.graph().edges()[edge].kind));
    const Link::Statistics carried = link->statistics();
    visit(true, kind, "bytes", Quantity::bytes, carried.bytes);
    visit(true, kind, "flits", Quantity::count, carried.flits);
    visit(true, kind, "control_messages", Quantity::count, carried.control_messages);
    visit(true, kind, "busy_ns", Quantity::time_fs, carried.busy_fs);
  }
}

void StatisticsRegions::reset(Fs now) {
  begin_ = now;
  at_begin_.clear();
  use_at_begin_ = servers_.sample();
  for_each_counter([this](bool, const std::string&, const std::string&, Quantity,
                          std::uint64_t value) { at_begin_.push_back(value); });
  ratios_at_begin_ = ratios_by_kind(components_, kind_in(platform_));
}

void StatisticsRegions::begin_with_run() {
  begin_ = 0;
  std::fill(at_begin_.begin(), at_begin_.end(), 0);
  use_at_begin_.clear();
  ratios_at_begin_.clear();
}

void StatisticsRegions::dump(const std::string& label, Fs now) {
  TotalsByKind components, links;
  auto before = at_begin_.begin();
  for_each_counter([&](bool is_link, const std::string& kind, const std::string& key,
                       Quantity quantity, std::uint64_t value) {
    const std::uint64_t from = *before++;
    add((is_link ? links : components)[kind], key, quantity,
        value - std::min(from, value));  // bytes of a link: cut to the byte
  });
  Json region;
  region["label"] = label;
  region["from_ns"] = ns_json(begin_);
  region["to_ns"] = ns_json(now);
  region["totals"] = json_of(components);
  for (const auto& [kind, ratios] : ratios_by_kind(components_, kind_in(platform_))) {
    if (!region["totals"].contains(kind)) continue;
    std::vector<RatioTotal>& from = ratios_at_begin_[kind];
    from.resize(ratios.size());  // empty: from the start of the run
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      const Ratio::Parts &at = ratios[i].parts, &begin = from[i].parts;
      region["totals"][kind][ratios[i].name] =
          share_json({at.part - begin.part, at.whole - begin.whole});
    }
  }
  region["links"] = json_of(links);
  UsageWindow window;
  window.add(servers_.used_between(use_at_begin_, servers_.sample()), begin_, now);
  regions_.push_back(std::move(region));
  windows_.push_back({label, std::move(window)});
}

}  // namespace kernbench
