#include "platform/assembly/describe_machine.h"

#include "platform/config/machine_sizes.h"
#include "platform/config/pe_links.h"
#include "platform/topology/memory_ranges.h"

namespace kernbench {
namespace {

// Channel interleave of an hbm_ctrl; one channel if the implementation declares none.
ChannelInterleave interleave_of(const Attributes& hbm) {
  if (!hbm.has("num_pcs") || !hbm.has("burst_bytes")) return {};
  return {static_cast<std::uint32_t>(hbm.integer("num_pcs")),
          static_cast<std::uint32_t>(hbm.integer("burst_bytes"))};
}

void set_extents(MachineDescription& machine, const MachineSpec& spec) {
  machine.sips = spec.system.sips.count;
  machine.cube_mesh_w = spec.sip.mesh_w;
  machine.cube_mesh_h = spec.sip.mesh_h;
  machine.pes = spec.cube.pe_layout.pes();
  machine.sip_topology = name_of(spec.system.sips.topology);
  machine.sip_w = spec.system.sips.w;
  machine.sip_h = spec.system.sips.h;
}

void set_sizes(MachineDescription& machine, const MachineSpec& spec) {
  const MemoryMapSpec& map = spec.cube.memory_map;
  machine.address_model = map.address_model;
  machine.hbm_mapping = map.hbm_mapping_mode;
  machine.hbm_interleave = interleave_of(spec.cube.hbm_ctrl.attributes);
  machine.flit_bytes = static_cast<std::uint32_t>(spec.system.flit_bytes);
  machine.hbm_slice_bytes = map.hbm_slice_bytes();
  const MachineSizes sizes = machine_sizes(spec.cube);
  machine.sram_bytes = sizes.sram_bytes;
  machine.tcm_bytes = sizes.tcm_bytes;
  machine.tcm_reserved_bytes = sizes.tcm_reserved_bytes;
  machine.scratch_bytes = sizes.scratch_bytes;
  machine.kernel_contexts = sizes.kernel_contexts;
  machine.page_bytes = sizes.page_bytes;
}

// Entry of the node in the tables of the machine; null if it is in none.
NodeId* entry_of(MachineDescription& machine, const Node& node) {
  const Location& here = node.at;
  NodeTables& tables = machine.tables;
  switch (node.kind) {
    case Role::pcie_ep:
      return here.io == 0 ? &tables.pcie_eps[machine.index(here.sip, 0, 1)] : nullptr;
    case Role::io_cpu:
      return here.io == 0 ? &tables.io_cpus[machine.index(here.sip, 0, 1)] : nullptr;
    case Role::m_cpu:
      return &tables.m_cpus[machine.index(here.sip, here.cube, machine.cubes())];
    case Role::sram:
      return &tables.srams[machine.index(here.sip, here.cube, machine.cubes())];
    case Role::hbm_ctrl:
      return &tables.hbms[machine.index(PeId{here.sip, here.cube, here.pe})];
    default:
      break;
  }
  if (!is_engine_of_pe(node.kind)) return nullptr;
  return &tables.engines[static_cast<std::size_t>(node.kind)]
                        [machine.index(PeId{here.sip, here.cube, here.pe})];
}

}  // namespace

MachineDescription describe_machine(const Graph& graph) {
  MachineDescription machine;
  set_extents(machine, graph.spec());
  set_sizes(machine, graph.spec());
  machine.size_tables();
  machine.nodes.reserve(graph.nodes().size());
  for (const Node& node : graph.nodes()) {
    if (NodeId* entry = entry_of(machine, node)) *entry = static_cast<NodeId>(machine.nodes.size());
    machine.nodes.push_back({node.name, name_of(node.kind), &node.attributes()});
  }
  machine.memory_map = memory_map_of(graph);
  return machine;
}

}  // namespace kernbench
