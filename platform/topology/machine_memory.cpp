#include "platform/topology/machine_memory.h"

#include <fmt/format.h>

#include "platform/config/pe_links.h"
#include "platform/topology/cube_mesh.h"

namespace kernbench {
namespace {

struct Parts {
  std::uint64_t nodes = 0, links = 0;

  // `links`: counts both directions.
  void add(std::uint64_t more_nodes, std::uint64_t more_links) {
    nodes += more_nodes;
    links += more_links;
  }
  void add(std::uint64_t times, const Parts& other) {
    add(times * other.nodes, times * other.links);
  }
};

std::uint64_t count(int value) { return static_cast<std::uint64_t>(value); }

Parts parts_of_mesh(const CubeMesh& mesh) {
  Parts parts;
  for (int row = 0; row < mesh.rows(); ++row) {
    for (int col = 0; col < mesh.cols(); ++col) {
      if (!mesh.has_router({row, col})) continue;
      parts.add(
          1, (mesh.has_router({row, col - 1}) ? 2 : 0) + (mesh.has_router({row - 1, col}) ? 2 : 0));
    }
  }
  return parts;
}

Parts parts_of_pe(const MemoryMapSpec& map) {
  Parts parts;
  parts.add(engines_of_pe.size() + 1,
            8);  // links of pe_dma, pe_cpu, pe_mmu and the HBM partition to the router
  if (map.hbm_mapping_mode == HbmMapping::one_to_one)
    parts.add(count(map.hbm_channels_per_pe), Parts{1, 4});
  return parts;
}

Parts parts_of_cube(const CubeSpec& cube) {
  const CubeMesh mesh = generate_mesh(cube);
  Parts parts = parts_of_mesh(mesh);
  parts.add(2, 4);  // m_cpu and sram
  for (const auto& connections : mesh.ucie)
    parts.add(1 + connections.size(), 4 * connections.size());
  parts.add(count(cube.pe_layout.pes()), parts_of_pe(cube.memory_map));
  return parts;
}

Parts parts_of_chiplet(const IoChipletSpec& chiplet) {
  Parts parts;
  parts.add(3, 6);  // pcie_ep, io_cpu and io_noc; path to the switch
  parts.add(chiplet.cube_ports.size(),
            Parts{1 + count(chiplet.n_connections), 2 + 4 * count(chiplet.n_connections)});
  return parts;
}

}  // namespace

MachineMemory machine_memory(const MachineSpec& machine) {
  const SipSpec& sip = machine.sip;
  Parts of_sip;
  of_sip.add(count(sip.cubes()), parts_of_cube(machine.cube));
  of_sip.add(0, 2 * count(sip.mesh_w * (sip.mesh_h - 1) + sip.mesh_h * (sip.mesh_w - 1)));
  for (const IoChipletSpec& chiplet : sip.io_chiplets) of_sip.add(1, parts_of_chiplet(chiplet));
  const std::uint64_t sips = count(machine.system.sips.count);
  Parts all;
  all.add(sips, of_sip);
  all.add(1, 0);  // the switch
  all.add(machine.system.tlm_initiators.size() + machine.system.tlm_targets.size(), Parts{1, 2});
  MachineMemory memory;
  memory.pes = sips * count(sip.cubes()) * count(machine.cube.pe_layout.pes());
  memory.nodes = all.nodes;
  memory.links = all.links;
  memory.pseudo_channels =
      memory.pes * static_cast<std::uint64_t>(machine.cube.memory_map.hbm_channels_per_pe);
  return memory;
}

std::uint64_t MachineMemory::bytes() const {
  constexpr std::uint64_t program = 14 << 20, node = 9'600, link = 4'000, pseudo_channel = 600;
  return program + nodes * node + links * link + pseudo_channels * pseudo_channel;
}

std::string MachineMemory::str() const {
  return fmt::format("{} nodes, {} links and {} pseudo-channels", nodes, links, pseudo_channels);
}

}  // namespace kernbench
