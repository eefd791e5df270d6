// MachineView over the graph: coordinates to nodes by table, addresses through the AddressMap.
#pragma once

#include <array>
#include <vector>

#include "models/address/address_map.h"
#include "models/protocol/machine_view.h"
#include "platform/config/machine_sizes.h"
#include "platform/topology/graph.h"
#include "platform/topology/pe_engines.h"

namespace kernbench {

class GraphMachineView final : public MachineView {
 public:
  // Throws UsageError or AddressError for a machine that load_machine() would have refused.
  explicit GraphMachineView(const Graph& graph);

  int sips() const override { return spec_.system.sips.count; }
  int cube_mesh_w() const override { return spec_.sip.mesh_w; }
  int cube_mesh_h() const override { return spec_.sip.mesh_h; }
  int pes() const override { return pes_; }
  std::string sip_topology() const override {
    return std::string(name_of(spec_.system.sips.topology));
  }
  int sip_w() const override { return spec_.system.sips.w; }
  int sip_h() const override { return spec_.system.sips.h; }

  AddressModel address_model() const override { return spec_.cube.memory_map.address_model; }
  HbmMapping hbm_mapping() const override { return spec_.cube.memory_map.hbm_mapping_mode; }
  ChannelInterleave hbm_interleave() const override { return hbm_interleave_; }
  std::uint32_t flit_bytes() const override { return flit_bytes_; }
  std::uint64_t hbm_slice_bytes() const override { return spec_.cube.memory_map.hbm_slice_bytes(); }
  std::uint64_t sram_bytes() const override { return sizes_.sram_bytes; }
  std::uint64_t tcm_bytes() const override { return sizes_.tcm_bytes; }
  std::uint64_t tcm_reserved_bytes() const override { return sizes_.tcm_reserved_bytes; }
  std::uint64_t scratch_bytes() const override { return sizes_.scratch_bytes; }
  std::uint64_t page_bytes() const override { return sizes_.page_bytes; }

  // All throw RoutingError for coordinates outside the machine.
  NodeId pcie_ep(int sip) const override {
    return at(pcie_eps_, index(sip, 0, io_count_), "SIP", sip);
  }
  NodeId io_cpu(int sip) const override {
    return at(io_cpus_, index(sip, 0, io_count_), "SIP", sip);
  }
  NodeId m_cpu(int sip, int cube) const override {
    return at(m_cpus_, index(sip, cube, cubes()), "cube", cube);
  }
  NodeId sram(int sip, int cube) const override {
    return at(srams_, index(sip, cube, cubes()), "cube", cube);
  }
  NodeId hbm(PeId pe) const override { return at(hbms_, index(pe), "PE", pe.pe); }
  NodeId engine(PeId pe, PeEngine engine) const override {
    return at(engines_[static_cast<std::size_t>(engine)], index(pe), "PE", pe.pe);
  }

  MemoryTarget place_of(std::uint64_t physical_address) const override;

  std::uint32_t nodes() const override { return static_cast<std::uint32_t>(graph_.nodes().size()); }
  const std::string& name(NodeId node) const override { return graph_.node(node).name; }
  NodeId find(const std::string& name) const override {
    return graph_.find(name).value_or(no_node);
  }
  const std::string& kind(NodeId node) const override {
    return kind_names_[static_cast<std::size_t>(graph_.node(node).kind)];
  }
  const Attributes& attributes(NodeId node) const override {
    return graph_.node(node).attributes();
  }

  const AddressMap& address_map() const { return address_map_; }

 private:
  static constexpr std::size_t outside = ~std::size_t{0};

  void file_nodes();
  std::size_t index(int outer, int inner, int inner_count) const {
    return outer < 0 || outer >= sips() || inner < 0 || inner >= inner_count
               ? outside
               : static_cast<std::size_t>(outer) * static_cast<std::size_t>(inner_count) +
                     static_cast<std::size_t>(inner);
  }
  std::size_t index(PeId pe) const {
    const std::size_t cube = index(pe.sip, pe.cube, cubes());
    return cube == outside || pe.pe < 0 || pe.pe >= pes_
               ? outside
               : cube * static_cast<std::size_t>(pes_) + static_cast<std::size_t>(pe.pe);
  }
  static NodeId at(const std::vector<NodeId>& table, std::size_t index, const char* what,
                   int number);

  const Graph& graph_;
  const MachineSpec& spec_;
  int pes_;
  int io_count_;
  std::uint32_t flit_bytes_;
  ChannelInterleave hbm_interleave_;  // one channel if the implementation of hbm_ctrl has none
  MachineSizes sizes_;
  AddressMap address_map_;
  std::vector<NodeId> pcie_eps_, io_cpus_;  // [sip * io chiplets + chiplet]
  std::vector<NodeId> m_cpus_, srams_;      // [sip * cubes + cube]
  std::vector<NodeId> hbms_;                // [(sip * cubes + cube) * pes + pe]
  std::array<std::vector<NodeId>, engines_of_pe.size()> engines_;  // [PeEngine]
  std::vector<std::string> kind_names_;
};

}  // namespace kernbench
