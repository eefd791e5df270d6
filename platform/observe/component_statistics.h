// Statistics of the components up to now, as JSON and summed by kind. Key names carry the unit:
// busy_ns, read_bytes, commands.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/base/component.h"

namespace kernbench {

// "hbm_ctrl", "pe_gemm", ...: from the topology.
using KindOf = std::function<std::string(const Component&)>;

// "busy" or "busy_fs" -> "busy_ns"; "read" -> "read_bytes"; a name with a unit stays.
std::string key_of(const Statistic& statistic);

// [{"name", "kind", "stats": {...}}] in the order given; components that count nothing are left
// out.
nlohmann::ordered_json statistics_json(const std::vector<Component*>& components,
                                       const KindOf& kind_of);

struct StatisticTotal {
  std::string name;  // as declared
  std::string key;
  Quantity quantity = Quantity::count;
  std::uint64_t value = 0;    // summed, or the largest, as declared
  std::uint64_t servers = 0;  // of a busy time: those of the active components
};

// All components of one kind together.
struct KindTotal {
  std::string kind;
  std::size_t components = 0;
  std::size_t active = 0;              // with any statistic above 0
  std::vector<StatisticTotal> totals;  // in the order of declaration

  const StatisticTotal* find(const std::string& name) const;
};

std::vector<KindTotal> totals_by_kind(const std::vector<Component*>& components,
                                      const KindOf& kind_of);  // sorted by kind
nlohmann::ordered_json totals_json(const std::vector<KindTotal>& totals);

}  // namespace kernbench
