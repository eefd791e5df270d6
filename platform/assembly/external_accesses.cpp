#include "platform/assembly/external_accesses.h"

#include <fmt/format.h>

#include "platform/assembly/platform.h"
#include "platform/topology/graph.h"

namespace kernbench {

std::vector<const TlmBridge*> bridges_of(const Platform& platform) {
  std::vector<const TlmBridge*> bridges;
  for (const Component* component : platform.components()) {
    if (const auto* bridge = dynamic_cast<const TlmBridge*>(component)) bridges.push_back(bridge);
  }
  return bridges;
}

namespace {

// Module of a bridge: its attribute, or an implementation that is the module under its own name.
std::string module_of(const Node& node) {
  return node.attributes().has("module") ? node.attributes().text("module") : node.impl();
}

}  // namespace

std::vector<ExternalAccesses> initiator_accesses(const Platform& platform) {
  std::vector<ExternalAccesses> all;
  for (const TlmBridge* bridge : bridges_of(platform)) {
    const Node& node = platform.graph().node(bridge->node());
    if (node.kind == Role::tlm_initiator)
      all.push_back({node.name, module_of(node), bridge->accesses()});
  }
  return all;
}

std::string failed_accesses(const std::vector<ExternalAccesses>& initiators) {
  std::uint64_t failed = 0;
  std::string text;
  for (const ExternalAccesses& initiator : initiators) {
    const TlmBridge::Accesses& accesses = initiator.accesses;
    if (accesses.errors == 0) continue;
    failed += accesses.errors;
    text += fmt::format("\n  {} ({}): {}, first {}", initiator.node, initiator.module,
                        accesses.errors, accesses.first_error);
  }
  if (failed == 0) return "";
  return fmt::format("{} of plain TLM-2.0 initiators failed:{}",
                     failed == 1 ? "1 access" : fmt::format("{} accesses", failed), text);
}

}  // namespace kernbench
