#include "platform/topology/machine_reader.h"

#include <algorithm>

#include "models/base/errors.h"
#include "platform/topology/pe_engines.h"

namespace kernbench {
namespace {

class Reader {
 public:
  explicit Reader(const ResolvedConfig& config) : config_(config) {}

  Rational decimal(const std::string& path) const {
    const Rational* value = config_.number(path);
    return value == nullptr ? Rational() : *value;
  }
  std::int64_t integer(const std::string& path) const { return decimal(path).to_int64(); }
  int small(const std::string& path) const { return static_cast<int>(integer(path)); }
  std::string text(const std::string& path) const {
    const std::string* value = config_.text(path);
    return value == nullptr ? std::string() : *value;
  }
  char letter(const std::string& path) const {
    const std::string value = text(path);
    return value.empty() ? '?' : value[0];
  }
  std::optional<Rational> bandwidth(const std::string& path) const {
    const Rational value = decimal(path);
    return value.is_zero() ? std::nullopt : std::optional<Rational>(value);
  }
  LinkSpec link(const std::string& path) const {
    return {bandwidth(path + ".bw_gbs"), decimal(path + ".distance_mm")};
  }
  PointMm point(const std::string& path) const {
    return {decimal(path + ".0"), decimal(path + ".1")};
  }
  template <class Choice>
  Choice choice(const std::string& path) const {
    const std::string* value = config_.text(path);
    if (value == nullptr) return Choice{};  // faulty, reported already
    const auto& names = ChoiceNames<Choice>::all;
    const auto found = std::find(names.begin(), names.end(), *value);
    if (found == names.end())
      throw ModelError(path + ": the schema admits '" + *value + "', which means nothing");
    return static_cast<Choice>(found - names.begin());
  }

 private:
  const ResolvedConfig& config_;
};

// Fills w and h: as given, or a square for 2-D; a ring is one row. A count that is no square is
// left for check_machine.
SipsSpec read_sips(const Reader& in, const ResolvedConfig& config) {
  SipsSpec sips;
  sips.count = in.small("system.sips.count");
  sips.topology = in.choice<SipTopology>("system.sips.topology");
  const bool w_given = config.number("system.sips.w") != nullptr;
  const bool h_given = config.number("system.sips.h") != nullptr;
  int side = 1;
  while ((side + 1) * (side + 1) <= sips.count) ++side;
  const bool ring = sips.topology == SipTopology::ring_1d;
  sips.w = w_given   ? in.small("system.sips.w")
           : h_given ? sips.count / in.small("system.sips.h")
           : ring    ? sips.count
                     : side;
  sips.h = h_given ? in.small("system.sips.h") : w_given ? sips.count / sips.w : ring ? 1 : side;
  return sips;
}

IoChipletSpec read_io_chiplet(const Reader& in, const ResolvedConfig& config, std::size_t index) {
  const std::string path = "sip.io_chiplets." + std::to_string(index);
  IoChipletSpec io;
  io.id = in.text(path + ".id");
  io.side = in.letter(path + ".side");
  if (config.has(path + ".components.ual_ep")) io.ual_ep.emplace();
  io.pcie_ep_to_noc_bw_gbs = in.bandwidth(path + ".links.pcie_ep_to_noc_bw_gbs");
  io.ual_ep_to_noc_bw_gbs = in.bandwidth(path + ".links.ual_ep_to_noc_bw_gbs");
  io.per_connection_bw_gbs = in.bandwidth(path + ".links.per_connection_bw_gbs");
  io.n_connections = in.small(path + ".links.n_connections");
  for (std::size_t i = 0; i < config.items(path + ".cube_ports"); ++i) {
    const std::string port = path + ".cube_ports." + std::to_string(i);
    io.cube_ports.push_back({in.small(port + ".cube.xy.0"), in.small(port + ".cube.xy.1"),
                             in.letter(port + ".cube_side"), in.text(port + ".phy"),
                             in.decimal(port + ".distance_mm")});
  }
  return io;
}

MemoryMapSpec read_memory_map(const Reader& in) {
  const std::string path = "cube.memory_map.";
  MemoryMapSpec map;
  map.address_model = in.choice<AddressModel>(path + "address_model");
  map.hbm_mapping_mode = in.choice<HbmMapping>(path + "hbm_mapping_mode");
  map.hbm_pseudo_channels = in.integer(path + "hbm_pseudo_channels");
  map.hbm_channels_per_pe = in.integer(path + "hbm_channels_per_pe");
  map.hbm_channel_bw_gbs = in.decimal(path + "hbm_channel_bw_gbs");
  map.hbm_slices_per_cube = in.integer(path + "hbm_slices_per_cube");
  map.hbm_total_gb_per_cube = in.integer(path + "hbm_total_gb_per_cube");
  return map;
}

CubeSpec read_cube(const Reader& in, const ResolvedConfig& config) {
  CubeSpec cube;
  cube.w_mm = in.decimal("cube.geometry.cube_mm.w");
  cube.h_mm = in.decimal("cube.geometry.cube_mm.h");
  for (std::size_t i = 0; i < config.items("cube.pe_layout.corners"); ++i)
    cube.pe_layout.corners.push_back(in.text("cube.pe_layout.corners." + std::to_string(i)));
  cube.pe_layout.pe_per_corner = in.small("cube.pe_layout.pe_per_corner");
  cube.pe_layout.pitch_mm = in.decimal("cube.pe_layout.pitch_mm");
  cube.m_cpu_pos_mm = in.point("cube.placement.m_cpu.pos_mm");
  cube.sram_pos_mm = in.point("cube.placement.sram.pos_mm");
  cube.ucie_connections = in.small("cube.ucie.n_connections");
  cube.ucie_per_connection_bw_gbs = in.bandwidth("cube.ucie.per_connection_bw_gbs");
  cube.memory_map = read_memory_map(in);
  cube.router_link_bw_gbs = in.bandwidth("cube.links.router_link_bw_gbs");
  cube.pe_to_router_bw_gbs = in.bandwidth("cube.links.pe_to_router_bw_gbs");
  cube.hbm_to_router_bw_gbs = in.bandwidth("cube.links.hbm_to_router_bw_gbs");
  cube.sram_to_router_bw_gbs = in.bandwidth("cube.links.sram_to_router_bw_gbs");
  for (const EnginePair& pair : pe_internal_pairs()) {
    const std::string name = link_name(pair);
    cube.pe_links[name] = in.link("cube.pe_template.links." + name);
  }
  return cube;
}

}  // namespace

MachineSpec read_machine(const ResolvedConfig& config) {
  const Reader in(config);
  MachineSpec machine;
  machine.system.ns_per_mm = in.decimal("system.ns_per_mm");
  machine.system.flit_bytes = in.integer("system.flit_bytes");
  machine.system.sips = read_sips(in, config);
  machine.system.io_ep_to_switch = in.link("system.links.io_ep_to_switch");
  machine.system.io_ual_to_switch = in.link("system.links.io_ual_to_switch");
  for (std::size_t i = 0; i < config.items("system.tlm_initiators"); ++i) {
    const std::string path = "system.tlm_initiators." + std::to_string(i);
    machine.system.tlm_initiators.push_back(
        {in.text(path + ".id"), in.text(path + ".attach"), {}, in.link(path)});
  }
  machine.sip.mesh_w = in.small("sip.cube_mesh.w");
  machine.sip.mesh_h = in.small("sip.cube_mesh.h");
  machine.sip.ucie_seam = in.link("sip.links.ucie_seam");
  for (std::size_t i = 0; i < config.items("sip.io_chiplets"); ++i)
    machine.sip.io_chiplets.push_back(read_io_chiplet(in, config, i));
  machine.cube = read_cube(in, config);
  return machine;
}

}  // namespace kernbench
