#include "platform/observe/link_statistics.h"

#include <algorithm>
#include <map>

#include "models/noc/link.h"
#include "platform/assembly/machine_root.h"
#include "platform/observe/component_statistics.h"
#include "platform/output/json_text.h"

namespace kernbench {
namespace {

double utilisation(Fs busy, Fs elapsed) {
  return elapsed == 0 ? 0.0 : static_cast<double>(busy) / static_cast<double>(elapsed);
}

}  // namespace

nlohmann::ordered_json links_json(const Graph& graph, const LinkInstances& links, Fs elapsed) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& [index, link] : links) {
    const Edge& edge = graph.edges()[index];
    const Link::Statistics statistics = link->statistics();
    nlohmann::ordered_json entry;
    entry["name"] = name_in_machine(*link);
    entry["src"] = graph.node(edge.src).name;
    entry["dst"] = graph.node(edge.dst).name;
    entry["kind"] = name_of(edge.kind);
    entry["bytes"] = statistics.bytes;
    entry["flits"] = statistics.flits;
    entry["control_messages"] = statistics.control_messages;
    entry["busy_ns"] = ns_json(statistics.busy_fs);
    entry["idle_ns"] = ns_json(elapsed - std::min(statistics.busy_fs, elapsed));
    entry["utilisation"] = utilisation(statistics.busy_fs, elapsed);
    list.push_back(std::move(entry));
  }
  return list;
}

std::vector<LinkTotal> totals_by_link(const Graph& graph, const LinkInstances& links, Fs elapsed) {
  std::map<EdgeKind, LinkTotal> kinds;
  for (const auto& [index, link] : links) {
    const EdgeKind kind = graph.edges()[index].kind;
    LinkTotal& total = kinds[kind];
    total.kind = kind;
    ++total.links;
    const Link::Statistics statistics = link->statistics();
    total.bytes += statistics.bytes;
    if (statistics.bytes > 0) ++total.used;
    if (utilisation(statistics.busy_fs, elapsed) > total.busiest) {
      total.busiest = utilisation(statistics.busy_fs, elapsed);
      total.busiest_link = name_in_machine(*link);
    }
  }
  std::vector<LinkTotal> list;
  for (auto& [kind, total] : kinds) list.push_back(std::move(total));
  return list;
}

}  // namespace kernbench
