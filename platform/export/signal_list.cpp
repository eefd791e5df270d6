#include "platform/export/signal_list.h"

#include <map>
#include <regex>
#include <set>

#include "platform/assembly/machine_root.h"
#include "platform/export/trace_scope.h"
#include "platform/observe/object_tree.h"
#include "platform/topology/graph.h"

namespace kernbench {
namespace {

// a longer list holds names of nodes
constexpr std::size_t most_labels = 16;

SignalRow row_of(const TraceSignal& signal) {
  SignalRow row{
      signal.name(), signal.type(), signal.unit(), signal.width(), signal.description(), {}, false};
  if (signal.labels().size() <= most_labels) row.labels = signal.labels();
  return row;
}

SignalRow row_of(const SignalDeclaration& later) {
  SignalRow row = row_of(TraceSignal(later.name, later.description, later.format));
  row.when_used = true;
  return row;
}

// --- By kind

std::string with_peer(const std::string& name) {
  static const std::regex link("to_.+_(busy|waiting|bytes|transaction)");
  return std::regex_replace(name, link, "to_{peer}_$1");
}

std::string with_number(const std::string& name) {
  static const std::regex number("[0-9]+");
  return std::regex_replace(name, number, "{i}");
}

// Merges signals that differ in a neighbour's name or in a number into one row.
std::vector<SignalRow> rows_of_kind(Component& component) {
  std::map<std::string, int> alike;
  for (const TraceSignal& signal : component.signals())
    ++alike[with_number(with_peer(signal.name()))];
  std::vector<SignalRow> rows;
  std::set<std::string> listed;
  for (const TraceSignal& signal : component.signals()) {
    SignalRow row = row_of(signal);
    const std::string peer = with_peer(row.name);
    const std::string number = with_number(peer);
    row.name = alike[number] > 1 && peer == row.name ? number : peer;
    if (listed.insert(row.name).second) rows.push_back(std::move(row));
  }
  for (const SignalDeclaration& later : component.signals_when_used())
    rows.push_back(row_of(later));
  return rows;
}

// --- By glob

std::vector<SignalRow> rows_of(Component& component, const TraceScope& scope) {
  const std::string name = name_in_machine(component);
  std::vector<SignalRow> rows;
  for (const TraceSignal& signal : component.signals()) {
    if (scope.takes(name, signal.name())) rows.push_back(row_of(signal));
  }
  for (const SignalDeclaration& later : component.signals_when_used()) {
    if (scope.may_take(name, later)) rows.push_back(row_of(later));
  }
  return rows;
}

}  // namespace

std::vector<SignalList> signals_by_kind(const Platform& platform,
                                        const ComponentRegistry& registry) {
  std::map<std::string, SignalList> kinds;
  for (NodeId id = 0; id < platform.graph().nodes().size(); ++id) {
    const std::string& impl = platform.graph().node(id).impl();
    if (kinds.count(impl) > 0) continue;
    kinds[impl] = {impl, registry.find(impl)->description, rows_of_kind(platform.component(id))};
  }
  std::vector<SignalList> lists;
  for (auto& [name, list] : kinds) lists.push_back(std::move(list));
  lists.push_back({"host", "issues the requests of a bench", rows_of_kind(platform.host())});
  return lists;
}

std::vector<SignalList> selected_signals(const Platform& platform, const std::string& glob) {
  const TraceScope scope({glob});
  const std::vector<Component*> components = components_of(platform);
  scope.check(components, "");
  std::vector<SignalList> lists;
  for (Component* component : components) {
    SignalList list{name_in_machine(*component), "", rows_of(*component, scope)};
    if (!list.signals.empty()) lists.push_back(std::move(list));
  }
  return lists;
}

}  // namespace kernbench
