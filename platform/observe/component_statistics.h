// Statistics of components and links up to now, as JSON and summed by kind, and their catalogue.
// Key names carry the unit: busy_ns, read_bytes, commands.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/base/component.h"
#include "platform/assembly/machine_modules.h"

namespace kernbench {

// "hbm_ctrl", "pe_gemm", ...: from the topology.
using KindOf = std::function<std::string(const Component&)>;

// "busy" or "busy_fs" -> "busy_ns"; "read" -> "read_bytes"; a name with a unit stays.
std::string key_of(const Statistic& statistic);

// part / whole; null: nothing has been counted.
nlohmann::ordered_json share_json(const Ratio::Parts& parts);

// [{"name", "kind", "stats": {...}}] in the order given; components without counters are left out.
nlohmann::ordered_json statistics_json(const std::vector<Component*>& components,
                                       const KindOf& kind_of);

struct StatisticTotal {
  std::string name;  // declared name
  std::string key;
  Quantity quantity = Quantity::count;
  std::uint64_t value = 0;    // summed, or the largest, as declared
  std::uint64_t servers = 0;  // for a busy time: servers of the active components
};

struct RatioTotal {
  std::string name;  // key in files, too
  Ratio::Parts parts;
};

// Those that the components of each kind declare, in the order of declaration.
using RatiosByKind = std::map<std::string, std::vector<RatioTotal>>;
RatiosByKind ratios_by_kind(const std::vector<Component*>& components, const KindOf& kind_of);

// Totals over all components of one kind.
struct KindTotal {
  std::string kind;
  std::size_t components = 0;
  std::size_t active = 0;              // components with any statistic above 0
  std::vector<StatisticTotal> totals;  // in the order of declaration
  std::vector<RatioTotal> ratios;      // the same

  const StatisticTotal* find(const std::string& name) const;
};

std::vector<KindTotal> totals_by_kind(const std::vector<Component*>& components,
                                      const KindOf& kind_of);  // sorted by kind
nlohmann::ordered_json totals_json(const std::vector<KindTotal>& totals);

// --- Servers

// Busy and idle times: busy + idle = servers * elapsed, to the femtosecond (spec 11.3).
//
// {"gemm_busy": {"servers", "busy_ns", "idle_ns", "utilisation"}, ...} of each busy time that a
// component declares; null: none. A busy time beyond that of its servers, from an implementation
// that adds up several, is left out.
nlohmann::ordered_json busy_json(const Component& component, Fs elapsed);

// --- Links

using LinkInstances = std::vector<LinkInstance>;

// [{"name", "src", "dst", "kind", "bytes", "flits", "control_messages", "busy_ns", "idle_ns",
// "utilisation"}] in the order of the graph's edges; up to now; utilisation = busy / `elapsed`, the
// time since the start of the run.
nlohmann::ordered_json links_json(const Graph& graph, const LinkInstances& links, Fs elapsed);

// Totals over all links of one kind of edge.
struct LinkTotal {
  EdgeKind kind = EdgeKind::router_mesh;
  std::size_t links = 0;
  std::size_t used = 0;  // links that carried data
  std::uint64_t bytes = 0;
  double busiest = 0;  // highest utilisation
  std::string busiest_link;
};

std::vector<LinkTotal> totals_by_link(const Graph& graph, const LinkInstances& links,
                                      Fs elapsed);  // in the order of EdgeKind

// --- Catalogue

// Every statistic of a machine with its unit and description: those that the components declare, by
// kind, and those that observers add to `--stats` (spec 11.3).
struct StatisticDeclaration {
  std::string key;           // key in files
  std::string unit;          // "ns", "B", "share", "" for numbers
  std::string over_several;  // "sum", "largest", "of sums"; "" without a total
  std::string description;
};

struct StatisticsSection {
  std::string name;  // kind of components, or list of the file
  bool of_components = false;
  std::vector<StatisticDeclaration> statistics;  // in the order of declaration
};

// Kinds by name, then the lists.
std::vector<StatisticsSection> statistics_catalogue(const std::vector<Component*>& components,
                                                    const KindOf& kind_of);
// {"SECTION": [{"key", "unit", "over_several", "description"}, ...], ...}
nlohmann::ordered_json catalogue_json(const std::vector<StatisticsSection>& catalogue);

}  // namespace kernbench
