#include "platform/topology/topology_json.h"

#include <map>
#include <nlohmann/json.hpp>

#include "models/address/virtual_space.h"
#include "platform/config/machine_keys.h"
#include "platform/topology/memory_ranges.h"

namespace kernbench {
namespace {

// Rational::str() yields a decimal for all values here: configured decimals, their sums and
// differences, and quotients by powers of two.
std::string number(const Rational& value) { return value.str(); }

std::string text(const std::string& value) {
  return nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_value(const ParameterValue& value) {
  const auto* words = std::get_if<std::string>(&value);
  return words != nullptr ? text(*words) : format_value(value);
}

// Scalar keys of `system`, by name.
class SystemScalars final : public KeyVisitor {
 public:
  explicit SystemScalars(MachineSpec machine) { visit_keys(*this, machine); }
  const std::map<std::string, std::string>& printed() const { return printed_; }

 private:
  void on_value(const KeyRow& row, const Parameter& /*parameter*/,
                const ParameterMember& member) override {
    const std::optional<ParameterValue> value = member.value();
    if (value && path() == "system." + row.key) printed_[row.key] = json_value(*value);
  }

  std::map<std::string, std::string> printed_;
};

std::string attributes(const Graph& graph, const Node& node) {
  std::map<std::string, std::string> printed;
  for (const auto& [name, value] : node.attributes().values()) printed[name] = json_value(value);
  const Attributes& attrs = node.attributes();
  const auto& link = graph.spec().cube.hbm_to_router_bw_gbs;
  if (node.kind == Role::hbm_ctrl && link && attrs.has("num_pcs") && attrs.has("efficiency")) {
    printed["pc_bw_gbs"] =
        number(*link * attrs.decimal("efficiency") / attrs.decimal("num_pcs"));  // spec 2.5
  }
  std::string json = "{";
  for (const auto& [name, value] : printed)
    json += (json.size() > 1 ? ", " : "") + text(name) + ": " + value;
  return json + "}";
}

// Address of a memory; empty for other nodes.
std::string address(const MemoryMap& map, NodeId node) {
  const std::optional<MemoryRange> range = map.range_of(node);
  if (!range) return "";
  return ", \"address\": " + text(format_address(range->base)) +
         ", \"size_bytes\": " + std::to_string(range->nbytes);
}

}  // namespace

std::string topology_json(const Graph& graph) {
  const SystemScalars system(graph.spec());
  const MemoryMap map = memory_map_of(graph);
  std::string json = "{";
  for (const auto& [name, value] : system.printed())
    json += (json.size() > 1 ? ", " : "") + text(name) + ": " + value;
  json += ",\n\"nodes\": [\n";
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const Node& node = graph.node(id);
    json += "{\"name\": " + text(node.name) +
            ", \"kind\": " + text(std::string(name_of(node.kind))) +
            ", \"impl\": " + text(node.impl()) + ", \"x_mm\": " + number(node.x_mm) +
            ", \"y_mm\": " + number(node.y_mm) + ", \"attrs\": " + attributes(graph, node) +
            address(map, id) + "}";
    json += id + 1 < graph.nodes().size() ? ",\n" : "\n";
  }
  json += "],\n\"edges\": [\n";
  for (std::size_t i = 0; i < graph.edges().size(); ++i) {
    const Edge& edge = graph.edges()[i];
    json += "{\"src\": " + text(graph.node(edge.src).name) +
            ", \"dst\": " + text(graph.node(edge.dst).name) +
            ", \"kind\": " + text(std::string(name_of(edge.kind))) +
            ", \"bw_gbs\": " + (edge.bw_gbs ? number(*edge.bw_gbs) : "null") +
            ", \"distance_mm\": " + number(edge.distance_mm) +
            ", \"routing_weight_mm\": " + number(edge.routing_weight_mm) + "}";
    json += i + 1 < graph.edges().size() ? ",\n" : "\n";
  }
  return json + "]}\n";
}

}  // namespace kernbench
