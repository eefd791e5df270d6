#include "platform/observe/run_statistics.h"

#include <ostream>

#include "platform/observe/object_tree.h"
#include "platform/observe/wire_statistics.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

Json window_json(const Window& window) { return window.empty() ? Json() : Json(ns_number(window.length())); }

Json ratio_json(const std::optional<double>& ratio) { return ratio ? Json(*ratio) : Json(); }

}  // namespace

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
    entry["gemm_busy_ns"] = ns_number(pe.gemm_busy);
    entry["macs"] = pe.macs;
    json["pes"].push_back(std::move(entry));
  }
  return json;
}

Json run_statistics(const KindOf& kind_of, const ActivitySummary& activity) {
  const auto components = objects_of<Component>();
  const Fs now = Component::now();
  Json json;
  json["simulated_ns"] = ns_number(now);
  json["activity"] = activity_json(activity);
  json["totals"] = totals_json(totals_by_kind(components, kind_of));
  json["components"] = statistics_json(components, kind_of);
  json["wires"] = wires_json(elaborated_wires(), now);
  return json;
}

void write_json_lines(std::ostream& out, const Json& object) {
  out << "{\n";
  bool first = true;
  for (const auto& [key, value] : object.items()) {
    out << (first ? "" : ",\n") << Json(key).dump() << ": ";
    first = false;
    if (!value.is_array() || value.empty()) {
      out << value.dump();
      continue;
    }
    out << '[';
    for (std::size_t i = 0; i < value.size(); ++i) out << (i == 0 ? "\n " : ",\n ") << value[i].dump();
    out << "\n]";
  }
  out << "\n}\n";
}

}  // namespace kernbench
