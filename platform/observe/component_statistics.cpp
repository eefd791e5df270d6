#include "platform/observe/component_statistics.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "platform/assembly/machine_root.h"
#include "platform/output/json_text.h"

namespace kernbench {
namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

void add_servers(KindTotal& total, const Component& component) {
  for (const Statistic& statistic : component.statistics()) {
    if (!statistic.is_busy_time()) continue;
    for (StatisticTotal& each : total.totals) {
      if (each.name == statistic.name) each.servers += statistic.server.places;
    }
  }
}

nlohmann::ordered_json number(Quantity quantity, std::uint64_t value) {
  return quantity == Quantity::time_fs ? ns_json(value) : nlohmann::ordered_json(value);
}

}  // namespace

std::string key_of(const Statistic& statistic) {
  std::string key = statistic.name;
  switch (statistic.quantity) {
    case Quantity::time_fs:
      if (ends_with(key, "_fs")) key.resize(key.size() - 3);
      if (!ends_with(key, "_ns")) key += "_ns";
      break;
    case Quantity::bytes:
      if (key.find("bytes") == std::string::npos) key += "_bytes";
      break;
    case Quantity::count:
      break;
  }
  return key;
}

nlohmann::ordered_json statistics_json(const std::vector<Component*>& components,
                                       const KindOf& kind_of) {
  auto list = nlohmann::ordered_json::array();
  for (const Component* component : components) {
    if (component->statistics().empty()) continue;
    auto stats = nlohmann::ordered_json::object();
    for (const Statistic& statistic : component->statistics())
      stats[key_of(statistic)] = number(statistic.quantity, statistic.at(Component::now()));
    nlohmann::ordered_json entry;
    entry["name"] = name_in_machine(*component);
    entry["kind"] = kind_of(*component);
    entry["stats"] = std::move(stats);
    list.push_back(std::move(entry));
  }
  return list;
}

const StatisticTotal* KindTotal::find(const std::string& name) const {
  for (const StatisticTotal& total : totals) {
    if (total.name == name) return &total;
  }
  return nullptr;
}

std::vector<KindTotal> totals_by_kind(const std::vector<Component*>& components,
                                      const KindOf& kind_of) {
  std::map<std::string, KindTotal> kinds;
  for (const Component* component : components) {
    const std::string kind = kind_of(*component);
    KindTotal& total = kinds[kind];
    total.kind = kind;
    ++total.components;
    bool active = false;
    for (const Statistic& statistic : component->statistics()) {
      const std::uint64_t value = statistic.at(Component::now());
      auto at = std::find_if(total.totals.begin(), total.totals.end(),
                             [&](const StatisticTotal& t) { return t.name == statistic.name; });
      if (at == total.totals.end())
        at = total.totals.insert(at, {statistic.name, key_of(statistic), statistic.quantity, 0, 0});
      at->value = statistic.merge == Merge::sum ? at->value + value : std::max(at->value, value);
      active = active || value > 0;
    }
    if (!active) continue;
    ++total.active;
    add_servers(total, *component);
  }
  std::vector<KindTotal> list;
  for (auto& [kind, total] : kinds) list.push_back(std::move(total));
  return list;
}

nlohmann::ordered_json totals_json(const std::vector<KindTotal>& totals) {
  auto kinds = nlohmann::ordered_json::object();
  for (const KindTotal& kind : totals) {
    if (kind.totals.empty()) continue;
    nlohmann::ordered_json entry;
    entry["components"] = kind.components;
    entry["active"] = kind.active;
    for (const StatisticTotal& total : kind.totals)
      entry[total.key] = number(total.quantity, total.value);
    kinds[kind.kind] = std::move(entry);
  }
  return kinds;
}

}  // namespace kernbench
