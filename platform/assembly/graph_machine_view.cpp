#include "platform/assembly/graph_machine_view.h"

#include "models/base/errors.h"
#include "platform/topology/node_names.h"

namespace kernbench {
namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;

std::uint64_t fact(const ComponentSpec& component, const char* role, const char* parameter) {
  if (!component.attributes.has(parameter)) {
    throw UsageError("the implementation " + component.impl + " of " + role + " does not declare '" + parameter +
                     "', by which the machine is described");
  }
  return static_cast<std::uint64_t>(component.attributes.integer(parameter));
}

std::uint64_t engine_fact(const CubeSpec& cube, const char* engine, const char* parameter) {
  return fact(cube.engines.find(engine)->second, engine, parameter);
}

ChannelInterleave interleave_of(const Attributes& hbm) {
  if (!hbm.has("num_pcs") || !hbm.has("burst_bytes")) return {};
  return {static_cast<std::uint32_t>(hbm.integer("num_pcs")), static_cast<std::uint32_t>(hbm.integer("burst_bytes"))};
}

}  // namespace

GraphMachineView::GraphMachineView(const Graph& graph)
    : graph_(graph),
      spec_(graph.spec()),
      pes_(spec_.cube.pe_layout.pes()),
      io_count_(static_cast<int>(spec_.sip.io_chiplets.size())),
      flit_bytes_(static_cast<std::uint32_t>(spec_.system.flit_bytes)),
      hbm_interleave_(interleave_of(spec_.cube.hbm_ctrl.attributes)),
      sram_bytes_(fact(spec_.cube.sram, "sram", "size_mb") * mib),
      tcm_bytes_(engine_fact(spec_.cube, "pe_tcm", "size_mb") * mib),
      tcm_reserved_bytes_(engine_fact(spec_.cube, "pe_tcm", "reserved_kb") * kib),
      scratch_bytes_(engine_fact(spec_.cube, "pe_cpu", "scratch_bytes")),
      page_bytes_(engine_fact(spec_.cube, "pe_mmu", "page_bytes")) {
  for (int io = 0; io < io_count_; ++io) {
    if (spec_.sip.io_chiplets[static_cast<std::size_t>(io)].id == "io0") host_io_ = io;
  }
  for (std::size_t kind = 0; kind < node_kinds; ++kind) kind_names_.emplace_back(name_of(static_cast<NodeKind>(kind)));
  file_nodes();

  MemoryFacts facts;
  facts.sips = static_cast<unsigned>(sips());
  facts.cubes_per_sip = static_cast<unsigned>(cubes());
  facts.pes_per_cube = static_cast<unsigned>(pes_);
  facts.io_chiplets_per_sip = static_cast<unsigned>(io_count_);
  facts.hbm_slices_per_cube = static_cast<unsigned>(spec_.cube.memory_map.hbm_slices_per_cube);
  facts.hbm_slice_bytes = hbm_slice_bytes();
  facts.hbm_bytes_per_cube = static_cast<std::uint64_t>(spec_.cube.memory_map.hbm_total_gb_per_cube) * 1024 * mib;
  facts.sram_bytes_per_cube = sram_bytes_;
  facts.tcm_bytes_per_pe = tcm_bytes_;
  address_map_ = std::make_unique<AddressMap>(facts);
}

void GraphMachineView::file_nodes() {
  // In the order of PeEngine, which is alphabetical like the names.
  constexpr std::array<NodeKind, 9> kind_of_engine{NodeKind::pe_cpu,  NodeKind::pe_dma, NodeKind::pe_fetch_store, NodeKind::pe_gemm, NodeKind::pe_ipcq,
                                                   NodeKind::pe_math, NodeKind::pe_mmu, NodeKind::pe_scheduler,   NodeKind::pe_tcm};
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
      case NodeKind::pcie_ep: pcie_eps_[index(here.sip, here.io, io_count_)] = id; break;
      case NodeKind::io_cpu: io_cpus_[index(here.sip, here.io, io_count_)] = id; break;
      case NodeKind::m_cpu: m_cpus_[index(here.sip, here.cube, cubes())] = id; break;
      case NodeKind::sram: srams_[index(here.sip, here.cube, cubes())] = id; break;
      case NodeKind::hbm_ctrl: hbms_[pe] = id; break;
      default:
        for (std::size_t engine = 0; engine < kind_of_engine.size(); ++engine) {
          if (kind_of_engine[engine] == node.kind) engines_[engine][pe] = id;
        }
    }
  }
}

NodeId GraphMachineView::at(const std::vector<NodeId>& table, std::size_t index, const char* what, int number) {
  if (index >= table.size() || table[index] == no_node) throw RoutingError("no " + std::string(what) + " " + std::to_string(number) + " in this machine");
  return table[index];
}

MemoryPlace GraphMachineView::place_of(std::uint64_t physical_address) const {
  const MemoryLocation where = address_map_->check_capacity(PhysAddr::decode(physical_address), 1);
  const int sip = static_cast<int>(where.sip);
  const int die = static_cast<int>(where.die);
  const PeId pe{sip, die, static_cast<int>(where.pe)};
  switch (where.area) {
    case MemoryArea::hbm: return {hbm(pe), where.offset};
    case MemoryArea::pe_tcm: return {engine(pe, PeEngine::pe_tcm), where.offset};
    case MemoryArea::cube_sram: return {sram(sip, die), where.offset};
    case MemoryArea::mcpu_sram: return {m_cpu(sip, die), where.offset};
    case MemoryArea::io_sram: return {at(io_cpus_, index(sip, die, io_count_), "IO chiplet", die), where.offset};
  }
  throw RoutingError("no memory at this address");
}

}  // namespace kernbench
