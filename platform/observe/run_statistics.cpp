#include "platform/observe/run_statistics.h"

#include <algorithm>
#include <map>
#include <ostream>

#include "models/noc/link.h"
#include "platform/assembly/elaborated_part.h"
#include "platform/assembly/fabric_edges.h"
#include "platform/observe/component_statistics.h"
#include "platform/observe/object_tree.h"
#include "platform/observe/roofline.h"
#include "platform/observe/waiting_times.h"
#include "platform/output/json_text.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

Json window_json(const Window& window) {
  return window.empty() ? Json() : ns_json(window.length());
}

struct InProgress final : tlm::tlm_analysis_if<ExecutedOp> {
  void write(const ExecutedOp& op) override { ops.push_back(op); }
  std::vector<ExecutedOp> ops;
};

Json ratio_json(const std::optional<double>& ratio) { return ratio ? Json(*ratio) : Json(); }

}  // namespace

KindOf kind_in(const Platform& platform) {
  return [&platform](const Component& component) {
    return component.node() == no_node
               ? std::string("host")
               : std::string(name_of(platform.graph().node(component.node()).kind));
  };
}

Json activity_json(const ActivitySummary& activity) {
  Json json;
  json["pe_window_ns"] = window_json(activity.all);
  json["composite_window_ns"] = window_json(activity.composite);
  json["mac_utilisation"] = ratio_json(activity.mac_utilisation);
  json["useful_efficiency"] = ratio_json(activity.useful_efficiency);
  json["pes"] = Json::array();
  for (const PeActivity& pe : activity.pes) {
    Json entry;
    entry["pe"] = pe.pe;
    entry["pe_window_ns"] = window_json(pe.all);
    entry["composite_window_ns"] = window_json(pe.composite);
    entry["mac_window_ns"] = window_json(pe.mac_window());
    entry["gemm_busy_ns"] = ns_json(pe.gemm_busy);
    entry["macs"] = pe.macs;
    json["pes"].push_back(std::move(entry));
  }
  return json;
}

RunStatistics::RunStatistics(const Platform& platform_, const ActivityWindows& windows,
                             Fs simulated_)
    : platform(platform_), simulated(simulated_), elapsed(simulated_), events(windows.operations()),
      components(components_of(platform_)) {
  for (const auto& edge : platform.links()) {
    events += edge.link->statistics().flits + edge.link->statistics().control_messages;
    elapsed = std::max(elapsed, std::min(edge.link->available_at(), Component::now()));
  }
  InProgress in_progress;
  for (const Component* component : components) component->report_in_progress(in_progress);
  const auto rate_of = [this](const std::string& pe) { return mac_rate(platform.graph(), pe); };
  activity = windows.summary(rate_of, in_progress.ops);
  kinds = totals_by_kind(components, kind_in(platform));
  links = totals_by_link(platform.graph(), platform.links(), elapsed);
  if (!platform.part().is_whole()) count_outside();
}

// Components and links that have not been elaborated are counted as unused.
void RunStatistics::count_outside() {
  const Graph& graph = platform.graph();
  const KindOf kind_of = kind_in(platform);
  std::map<NodeId, std::size_t> nodes;  // outside, by their equals
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (!platform.part().has(node)) ++nodes[platform.part().equal_of(node)];
  }
  for (const auto& [equal, count] : nodes) {
    std::vector<const Component*> of_node;
    collect_objects({&platform.component(equal)}, of_node);
    for (const Component* component : of_node) {
      const std::string kind = kind_of(*component);
      for (KindTotal& total : kinds) total.components += total.kind == kind ? count : 0;
    }
  }
  for (std::size_t i = 0; i < graph.edges().size(); ++i) {
    const FabricEdges::Edge& edge = platform.fabric_edges()[i];
    if (edge.is_elaborated || edge.binding != EdgeBinding::link) continue;
    const EdgeKind kind = graph.edges()[i].kind;
    auto total = std::lower_bound(links.begin(), links.end(), kind,
                                  [](const LinkTotal& a, EdgeKind b) { return a.kind < b; });
    if (total == links.end() || total->kind != kind) {
      total = links.insert(total, LinkTotal());
      total->kind = kind;
    }
    ++total->links;
  }
}

Json RunStatistics::json(Json regions, const WaitingTimes& waiting, Json transfers) const {
  Json json;
  json["simulated_ns"] = ns_json(simulated);
  json["elapsed_ns"] = ns_json(elapsed);
  json["statistics"] = catalogue_json(statistics_catalogue(components, kind_in(platform)));
  json["activity"] = activity_json(activity);
  json["data_races"] = platform.data_races();
  json["totals"] = totals_json(kinds);
  json["components"] = components_json(waiting);
  json["links"] = links_json(platform.graph(), platform.links(), elapsed);
  auto entry = json["links"].begin();
  for (const auto& instance : platform.links())
    (*entry++)["waiting"] = waiting.json(*instance.link);
  json["regions"] = std::move(regions);
  json["hbm_channels"] = waiting.hbm_json(elapsed);
  json["transfers"] = std::move(transfers);
  return json;
}

Json RunStatistics::components_json(const WaitingTimes& waiting) const {
  Json list = statistics_json(components, kind_in(platform));
  auto entry = list.begin();
  for (const Component* component : components) {
    if (component->statistics().empty()) continue;
    if (Json busy = busy_json(*component, elapsed); !busy.is_null())
      (*entry)["busy"] = std::move(busy);
    if (Json waits = waiting.json(*component); !waits.is_null())
      (*entry)["waiting"] = std::move(waits);
    ++entry;
  }
  return list;
}

void write_json_lines(std::ostream& out, const Json& object) {
  out << "{\n";
  bool first = true;
  for (const auto& [key, value] : object.items()) {
    out << (first ? "" : ",\n") << json_text(key) << ": ";
    first = false;
    if (!value.is_array() || value.empty()) {
      out << json_text(value);
      continue;
    }
    out << '[';
    for (std::size_t i = 0; i < value.size(); ++i)
      out << (i == 0 ? "\n " : ",\n ") << json_text(value[i]);
    out << "\n]";
  }
  out << "\n}\n";
}

}  // namespace kernbench
