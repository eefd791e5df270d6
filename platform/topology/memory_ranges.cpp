#include "platform/topology/memory_ranges.h"

#include <optional>
#include <utility>

#include "platform/config/machine_sizes.h"
#include "platform/topology/load_machine.h"
#include "platform/topology/node_names.h"

namespace kernbench {
namespace {

unsigned index(int value) { return static_cast<unsigned>(value); }

std::optional<MemoryArea> area_of(Role kind) {
  switch (kind) {
    case Role::hbm_ctrl:
      return MemoryArea::hbm;
    case Role::pe_tcm:
      return MemoryArea::pe_tcm;
    case Role::sram:
      return MemoryArea::cube_sram;
    case Role::m_cpu:
      return MemoryArea::mcpu_sram;
    case Role::io_cpu:
      return MemoryArea::io_sram;
    default:
      return std::nullopt;
  }
}

MemoryLocation place_of(const Node& node, MemoryArea area) {
  const bool of_pe = area == MemoryArea::hbm || area == MemoryArea::pe_tcm;
  return {area, index(node.at.sip), index(area == MemoryArea::io_sram ? node.at.io : node.at.cube),
          of_pe ? index(node.at.pe) : 0, 0};
}

// Each sram has its own size.
AddressMap layout_of(const Graph& graph) {
  MemoryFacts facts = memory_facts(graph.spec());
  for (const auto& [name, component] : graph.spec().instances) {
    const Node& node = graph.node(graph.at(name));
    if (node.kind == Role::sram)
      facts.sram_bytes_of_cube[{index(node.at.sip), index(node.at.cube)}] = sram_bytes(*component);
  }
  return AddressMap(facts);
}

void add_tlm_targets(const Graph& graph, std::vector<MemoryRange>& ranges) {
  for (const TlmTargetSpec& target : graph.spec().system.tlm_targets) {
    const PhysAddr base =
        PhysAddr::external_addr(index(sip_of_tlm_target(target)),
                                static_cast<std::uint64_t>(target.base_bytes.value_or(0)));
    ranges.push_back({base.encode(), static_cast<std::uint64_t>(target.size_bytes),
                      graph.at(node_names::attached_to(target.attach, target.id))});
  }
}

}  // namespace

MemoryMap memory_map_of(const Graph& graph) {
  const AddressMap layout = layout_of(graph);
  std::vector<MemoryRange> ranges;
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const std::optional<MemoryArea> area = area_of(graph.node(id).kind);
    if (!area) continue;
    const MemoryLocation place = place_of(graph.node(id), *area);
    const std::uint64_t nbytes = layout.capacity(place);
    if (nbytes > 0) ranges.push_back({layout.address_of(place).encode(), nbytes, id});
  }
  add_tlm_targets(graph, ranges);
  return MemoryMap(std::move(ranges), layout);
}

}  // namespace kernbench
