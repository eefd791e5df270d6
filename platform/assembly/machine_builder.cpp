#include "platform/assembly/machine_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/base/errors.h"
#include "platform/assembly/builtin_components.h"
#include "platform/assembly/machine_root.h"
#include "platform/config/config_tree.h"
#include "platform/config/nearest_name.h"
#include "platform/topology/build_graph.h"
#include "platform/topology/load_machine.h"

namespace kernbench {
namespace {

std::string node_of(const sc_core::sc_object& socket) {
  return name_in_machine(*socket.get_parent_object());
}

// Removes the socket of a node from the unbound ones.
template <class Socket>
Socket& take(std::vector<Socket*>& open, const std::string& node, const char* what) {
  const auto found =
      std::find_if(open.begin(), open.end(), [&](Socket* each) { return node_of(*each) == node; });
  if (found == open.end()) {
    std::vector<std::string> names;
    for (const Socket* each : open) names.push_back(node_of(*each));
    throw UsageError(fmt::format("no bridge waits for {} at '{}'; those that do: {}{}", what, node,
                                 listed(names, "none"), did_you_mean(node, names)));
  }
  Socket& socket = **found;
  open.erase(found);
  return socket;
}

bool has_own_initiators(const std::string& topology) {
  std::vector<ConfigIssue> issues;  // load_machine() reports them
  const ConfigNode root = load_config_tree(topology, issues);
  const ConfigNode* system = root.find("system");
  const ConfigNode* initiators = system == nullptr ? nullptr : system->find("tlm_initiators");
  return initiators != nullptr && !initiators->items.empty();
}

}  // namespace

MachineBuilder::MachineBuilder(std::string topology) : topology_(std::move(topology)) {
  modules_.add_initiator(program, [this](const char*, ExternalModules::TargetSocket& bridge) {
    open_targets_.push_back(&bridge);
    return nullptr;
  });
  modules_.add_target(program, [this](const char*, ExternalModules::InitiatorSocket& bridge) {
    open_initiators_.push_back(&bridge);
    return nullptr;
  });
}

MachineBuilder::~MachineBuilder() = default;

MachineBuilder& MachineBuilder::set(std::string key, std::string value) {
  overrides_.push_back({std::move(key), std::move(value)});
  return *this;
}

MachineBuilder& MachineBuilder::add_initiator(const std::string& id, const std::string& attach,
                                              const std::string& attributes) {
  initiators_ += fmt::format(
      "{}{{id: {}, attach: {}, bridge: {{impl: builtin.tlm_initiator_bridge, attrs: {{module: "
      "{}{}{}}}}}}}",
      initiators_.empty() ? "" : ", ", id, attach, program, attributes.empty() ? "" : ", ",
      attributes);
  return *this;
}

MachineBuilder& MachineBuilder::replace_srams() {
  set("cube.components.sram.impl", "builtin.tlm_target_bridge");
  return set("cube.components.sram.attrs.module", program);
}

std::unique_ptr<Platform> MachineBuilder::build(const PlatformOptions& options) {
  if (!initiators_.empty()) {
    if (has_own_initiators(topology_))
      throw UsageError(fmt::format(
          "add_initiator(): '{}' has system.tlm_initiators of its own; name those of the program "
          "there, with module: {}",
          topology_, program));
    set("system.tlm_initiators", "[" + initiators_ + "]");
  }
  register_builtin_components(components_, modules_);
  return std::make_unique<Platform>(build_graph(load_machine(topology_, overrides_, components_)),
                                    components_, options);
}

ExternalModules::TargetSocket& MachineBuilder::open_target(const std::string& node) {
  return take(open_targets_, node, "an initiator");
}

ExternalModules::InitiatorSocket& MachineBuilder::open_initiator(const std::string& node) {
  return take(open_initiators_, node, "a target");
}

}  // namespace kernbench
