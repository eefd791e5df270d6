#include "models/protocol/machine_description.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"

namespace kernbench {

void MachineDescription::size_tables(NodeId node) {
  const auto sip_count = static_cast<std::size_t>(sips);
  const std::size_t cube_count = sip_count * static_cast<std::size_t>(cubes());
  tables.pcie_eps.assign(sip_count, node);
  tables.io_cpus = tables.pcie_eps;
  tables.m_cpus.assign(cube_count, node);
  tables.srams = tables.m_cpus;
  tables.hbms.assign(cube_count * static_cast<std::size_t>(pes), node);
  tables.engines.fill(tables.hbms);
}

NodeId MachineDescription::find(std::string_view name) const {
  const auto found = std::lower_bound(
      nodes.begin(), nodes.end(), name,
      [](const NodeDescription& node, std::string_view key) { return node.name < key; });
  return found == nodes.end() || found->name != name ? no_node
                                                     : static_cast<NodeId>(found - nodes.begin());
}

void MachineDescription::refuse(const char* what, int number) {
  throw RoutingError(fmt::format("no {} {} in this machine", what, number));
}

}  // namespace kernbench
