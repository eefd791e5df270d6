#include "platform/assembly/graph_machine_view.h"

#include <fmt/format.h>

#include "models/base/errors.h"
#include "platform/topology/pe_engines.h"

namespace kernbench {
namespace {

ChannelInterleave interleave_of(const Attributes& hbm) {
  if (!hbm.has("num_pcs") || !hbm.has("burst_bytes")) return {};
  return {static_cast<std::uint32_t>(hbm.integer("num_pcs")),
          static_cast<std::uint32_t>(hbm.integer("burst_bytes"))};
}

}  // namespace

GraphMachineView::GraphMachineView(const Graph& graph)
    : graph_(graph), spec_(graph.spec()), pes_(spec_.cube.pe_layout.pes()),
      io_count_(static_cast<int>(spec_.sip.io_chiplets.size())),
      flit_bytes_(static_cast<std::uint32_t>(spec_.system.flit_bytes)),
      hbm_interleave_(interleave_of(spec_.cube.hbm_ctrl.attributes)),
      sizes_(machine_sizes(spec_.cube)), address_map_(memory_facts(spec_)) {
  for (std::size_t kind = 0; kind < node_kinds; ++kind)
    kind_names_.emplace_back(name_of(static_cast<NodeKind>(kind)));
  file_nodes();
}

void GraphMachineView::file_nodes() {
  const auto cube_count = static_cast<std::size_t>(sips() * cubes());
  const auto pe_count = cube_count * static_cast<std::size_t>(pes_);
  pcie_eps_.assign(static_cast<std::size_t>(sips() * io_count_), no_node);
  io_cpus_ = pcie_eps_;
  m_cpus_.assign(cube_count, no_node);
  srams_ = m_cpus_;
  hbms_.assign(pe_count, no_node);
  engines_.fill(hbms_);
  for (NodeId id = 0; id < nodes(); ++id) {
    const Node& node = graph_.node(id);
    const Location& here = node.at;
    const std::size_t pe = index(PeId{here.sip, here.cube, here.pe});
    switch (node.kind) {
      case NodeKind::pcie_ep:
        pcie_eps_[index(here.sip, here.io, io_count_)] = id;
        break;
      case NodeKind::io_cpu:
        io_cpus_[index(here.sip, here.io, io_count_)] = id;
        break;
      case NodeKind::m_cpu:
        m_cpus_[index(here.sip, here.cube, cubes())] = id;
        break;
      case NodeKind::sram:
        srams_[index(here.sip, here.cube, cubes())] = id;
        break;
      case NodeKind::hbm_ctrl:
        hbms_[pe] = id;
        break;
      default:
        if (const auto engine = engine_of(node.kind))
          engines_[static_cast<std::size_t>(*engine)][pe] = id;
    }
  }
}

NodeId GraphMachineView::at(const std::vector<NodeId>& table, std::size_t index, const char* what,
                            int number) {
  if (index >= table.size() || table[index] == no_node)
    throw RoutingError(fmt::format("no {} {} in this machine", what, number));
  return table[index];
}

MemoryTarget GraphMachineView::place_of(std::uint64_t physical_address) const {
  const MemoryLocation where = address_map_.check_capacity(PhysAddr::decode(physical_address), 1);
  const int sip = static_cast<int>(where.sip);
  const int die = static_cast<int>(where.die);
  const PeId pe{sip, die, static_cast<int>(where.pe)};
  switch (where.area) {
    case MemoryArea::hbm:
      return {hbm(pe), where.offset};
    case MemoryArea::pe_tcm:
      return {engine(pe, PeEngine::pe_tcm), where.offset};
    case MemoryArea::cube_sram:
      return {sram(sip, die), where.offset};
    case MemoryArea::mcpu_sram:
      return {m_cpu(sip, die), where.offset};
    case MemoryArea::io_sram:
      return {at(io_cpus_, index(sip, die, io_count_), "IO chiplet", die), where.offset};
  }
  throw RoutingError("no memory at this address");
}

}  // namespace kernbench
