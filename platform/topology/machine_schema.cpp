#include "platform/topology/machine_schema.h"

#include "models/address/phys_addr.h"
#include "platform/topology/machine_spec.h"
#include "platform/topology/pe_engines.h"

namespace kernbench {
namespace {

using Keys = std::vector<ConfigKey>;
constexpr const char* spec = "spec 1.3";

void section(Keys& keys, std::string path, std::string description, bool required = true) {
  keys.push_back(
      {std::move(path), ConfigKey::Kind::section, std::move(description), required, {}, 0, 0, {}});
}

void list(Keys& keys, std::string path, std::string description, std::size_t least,
          std::size_t most, bool required = true) {
  keys.push_back({std::move(path),
                  ConfigKey::Kind::list,
                  std::move(description),
                  required,
                  {},
                  least,
                  most,
                  {}});
}

void component(Keys& keys, std::string path, NodeKind kind, std::string description,
               bool required = true) {
  keys.push_back({std::move(path),
                  ConfigKey::Kind::component,
                  std::move(description),
                  required,
                  {},
                  0,
                  0,
                  declared_role(kind)});
}

void name(Keys& keys, std::string path, std::string description) {
  keys.push_back(
      {std::move(path), ConfigKey::Kind::name, std::move(description), true, {}, 0, 0, {}});
}

void value(Keys& keys, std::string path, Parameter parameter, bool required = true) {
  std::string description = parameter.description();
  const bool needed = required && !parameter.default_value();
  keys.push_back({std::move(path),
                  ConfigKey::Kind::value,
                  std::move(description),
                  needed,
                  std::move(parameter),
                  0,
                  0,
                  {}});
}

std::string last_of(const std::string& path) { return path.substr(path.rfind('.') + 1); }

void integer(Keys& keys, const std::string& path, const char* description, const char* unit,
             const char* lowest, const char* highest, bool required = true) {
  value(keys, path,
        Parameter::integer(last_of(path), description, unit, spec).range(lowest, highest),
        required);
}

void integer(Keys& keys, const std::string& path, const char* description, const char* unit,
             std::uint64_t highest) {
  integer(keys, path, description, unit, "1", std::to_string(highest).c_str());
}

Parameter length_mm(const std::string& name, const char* description) {
  return Parameter::decimal(name, description, "mm", spec).range("0", "1000");
}

void length(Keys& keys, const std::string& path, const char* description, bool required = true) {
  value(keys, path, length_mm(last_of(path), description), required);
}

void size(Keys& keys, const std::string& path, const char* description) {
  value(keys, path, length_mm(last_of(path), description).positive());
}

void bandwidth(Keys& keys, const std::string& path, const char* description, bool required = true) {
  value(keys, path, Parameter::rate_gbs(last_of(path), description, spec).or_unlimited(), required);
}

void limited_bandwidth(Keys& keys, const std::string& path, const char* description) {
  value(keys, path, Parameter::rate_gbs(last_of(path), description, spec));
}

// A link that may be left out: no length and no limit.
void link_by_default(Keys& keys, const std::string& path, const char* description) {
  value(keys, path + ".bw_gbs",
        Parameter::rate_gbs("bw_gbs", description, spec).or_unlimited().default_val(0));
  value(keys, path + ".distance_mm", length_mm("distance_mm", "length").default_val(0));
}

void choice(Keys& keys, const std::string& path, const char* description,
            std::vector<std::string> choices) {
  value(keys, path, Parameter::choice(last_of(path), description, std::move(choices), spec));
}

template <class Choice>
Parameter choice_of(const std::string& path, const char* description) {
  const auto& names = ChoiceNames<Choice>::all;
  return Parameter::choice(last_of(path), description, {names.begin(), names.end()}, spec);
}

void system_keys(Keys& keys) {
  section(keys, "system", "the tray: switch and SIPs");
  value(keys, "system.ns_per_mm",
        Parameter::decimal("ns_per_mm", "propagation delay of every link", "ns/mm", spec)
            .range("0", "1000"));
  integer(keys, "system.flit_bytes", "size of a flit on every link", "B", "1", "65536");
  section(keys, "system.sips", "number and arrangement of the SIPs");
  integer(keys, "system.sips.count", "number of SIPs (devices, ranks)", "", PhysAddr::sips);
  value(keys, "system.sips.topology",
        choice_of<SipTopology>("system.sips.topology", "how collectives see the SIPs"));
  integer(keys, "system.sips.w", "SIPs in a row of a 2-D arrangement", "", "1", "16", false);
  integer(keys, "system.sips.h", "rows of a 2-D arrangement", "", "1", "16", false);
  component(keys, "system.switch", NodeKind::fabric_switch, "the switch between the SIPs");
  section(keys, "system.links", "links of the tray");
  section(keys, "system.links.io_ep_to_switch", "pcie_ep <-> switch");
  bandwidth(keys, "system.links.io_ep_to_switch.bw_gbs", "bandwidth of each direction");
  length(keys, "system.links.io_ep_to_switch.distance_mm", "length");
  section(keys, "system.links.io_ual_to_switch",
          "ual_ep <-> switch; where an IO chiplet has a ual_ep, and only there", false);
  bandwidth(keys, "system.links.io_ual_to_switch.bw_gbs", "bandwidth of each direction", false);
  length(keys, "system.links.io_ual_to_switch.distance_mm",
         "length; the shorter way between SIPs is taken", false);
  list(keys, "system.tlm_initiators", "plain TLM-2.0 initiators; default none", 0, 1024, false);
  const std::string initiator = "system.tlm_initiators.*";
  section(keys, initiator, "one initiator, a node beside the one that it is attached to");
  name(keys, initiator + ".id", "name of the node in its scope");
  keys.push_back({initiator + ".attach",
                  ConfigKey::Kind::text,
                  "full name of a router of a cube or of an io_noc",
                  true,
                  {},
                  0,
                  0,
                  {}});
  component(keys, initiator + ".bridge", NodeKind::tlm_initiator,
            "bridge between the initiator and the fabric");
  link_by_default(keys, initiator, "bandwidth of each direction");
}

void sip_keys(Keys& keys) {
  section(keys, "sip", "one device");
  section(keys, "sip.cube_mesh", "arrangement of the cubes");
  integer(keys, "sip.cube_mesh.w", "cubes in a row", "", PhysAddr::ahbm_dies);
  integer(keys, "sip.cube_mesh.h", "rows of cubes", "", PhysAddr::ahbm_dies);
  section(keys, "sip.links", "links between cubes");
  section(keys, "sip.links.ucie_seam", "UCIe link between neighbouring cubes");
  bandwidth(keys, "sip.links.ucie_seam.bw_gbs", "bandwidth of each direction");
  length(keys, "sip.links.ucie_seam.distance_mm", "length; also the gap between cubes in drawings");
  list(keys, "sip.io_chiplets", "IO chiplets, at most two per side", 1, PhysAddr::io_dies);
  const std::string io = "sip.io_chiplets.*";
  section(keys, io, "one IO chiplet");
  name(keys, io + ".id", "name in node names: io0, io1, ... in this order; the host uses io0");
  choice(keys, io + ".side", "side of the SIP", {"N", "E", "S", "W"});
  section(keys, io + ".components", "parts of the chiplet");
  component(keys, io + ".components.pcie_ep", NodeKind::pcie_ep, "host-facing endpoint");
  component(keys, io + ".components.ual_ep", NodeKind::ual_ep,
            "a second way to other SIPs, over UAL; default none", false);
  component(keys, io + ".components.io_cpu", NodeKind::io_cpu, "command processor");
  component(keys, io + ".components.io_noc", NodeKind::io_noc, "forwarding fabric of the chiplet");
  component(keys, io + ".components.io_ucie", NodeKind::io_ucie,
            "UCIe protocol endpoint of each PHY");
  component(keys, io + ".components.conn", NodeKind::io_conn, "bridge io_noc <-> io_ucie");
  section(keys, io + ".links", "links of the chiplet");
  bandwidth(keys, io + ".links.pcie_ep_to_noc_bw_gbs", "pcie_ep <-> io_noc");
  bandwidth(keys, io + ".links.ual_ep_to_noc_bw_gbs",
            "ual_ep <-> io_noc; where the chiplet has a ual_ep, and only there", false);
  bandwidth(keys, io + ".links.per_connection_bw_gbs", "each connection of a PHY");
  integer(keys, io + ".links.n_connections", "connections per PHY", "", "1", "8");
  list(keys, io + ".cube_ports", "PHYs and the cube ports that they reach", 1, 256);
  const std::string port = io + ".cube_ports.*";
  section(keys, port, "one PHY");
  section(keys, port + ".cube", "the cube");
  list(keys, port + ".cube.xy", "position in the mesh of cubes: [x, y]", 2, 2);
  integer(keys, port + ".cube.xy.*", "x, then y", "", "0",
          std::to_string(PhysAddr::ahbm_dies - 1).c_str());
  choice(keys, port + ".cube_side", "UCIe port of that cube", {"N", "S", "E", "W"});
  name(keys, port + ".phy", "name of the PHY, unique in the chiplet");
  length(keys, port + ".distance_mm", "length of the link");
}

void memory_map_keys(Keys& keys) {
  section(keys, "cube.memory_map", "address model and HBM");
  value(keys, "cube.memory_map.address_model",
        choice_of<AddressModel>("address_model",
                                "how kernels address memory: shards of the launch, pages of the "
                                "MMU, segments of the BAAW")
            .default_val(name_of(AddressModel::va)));
  value(keys, "cube.memory_map.hbm_mapping_mode",
        choice_of<HbmMapping>(
            "hbm_mapping_mode",
            "with la: one request per HBM partition, or one per channel over its own link")
            .default_val(name_of(HbmMapping::n_to_one)));
  integer(keys, "cube.memory_map.hbm_pseudo_channels", "pseudo-channels of a cube", "", "1",
          "65536");
  integer(keys, "cube.memory_map.hbm_channels_per_pe",
          "pseudo-channels of a PE's partition; default of hbm_ctrl's num_pcs", "", "1", "4096");
  limited_bandwidth(keys, "cube.memory_map.hbm_channel_bw_gbs", "rate of one pseudo-channel");
  integer(keys, "cube.memory_map.hbm_slices_per_cube", "HBM partitions of a cube, one per PE", "",
          PhysAddr::pes);
  integer(keys, "cube.memory_map.hbm_total_gb_per_cube", "HBM of a cube", "GiB",
          PhysAddr::hbm_window_bytes >> 30);
}

void pe_keys(Keys& keys) {
  section(keys, "cube.pe_template", "one PE");
  section(keys, "cube.pe_template.components", "the nine engines of a PE");
  for (const EngineOfPe& engine : engines_of_pe)
    component(keys, "cube.pe_template.components." + std::string(name_of(engine.engine)),
              engine.engine, "engine of the PE");
  section(keys, "cube.pe_template.links",
          "pe_internal links; what is not named has no length and no limit", false);
  for (const EnginePair& pair : pe_internal_pairs()) {
    const std::string link = "cube.pe_template.links." + link_name(pair);
    section(keys, link, "link inside the PE", false);
    link_by_default(keys, link, "bandwidth");
  }
}

void cube_keys(Keys& keys) {
  section(keys, "cube", "one cube");
  section(keys, "cube.geometry", "dimensions");
  section(keys, "cube.geometry.cube_mm", "outline of the cube");
  size(keys, "cube.geometry.cube_mm.w", "width (x)");
  size(keys, "cube.geometry.cube_mm.h", "height (y)");
  section(keys, "cube.pe_layout", "where the PEs stand");
  list(keys, "cube.pe_layout.corners", "corners with PEs, in the order of their numbers", 1, 4);
  choice(keys, "cube.pe_layout.corners.*", "corner", {"NW", "NE", "SW", "SE"});
  integer(keys, "cube.pe_layout.pe_per_corner", "PEs in each corner", "", "1", "4");
  size(keys, "cube.pe_layout.pitch_mm", "distance of the PEs of a corner");
  section(keys, "cube.placement", "where the shared parts stand");
  for (const std::string part : {"m_cpu", "sram"}) {
    section(keys, "cube.placement." + part, "attaches to the nearest router");
    list(keys, "cube.placement." + part + ".pos_mm", "[x, y] from the north-west corner", 2, 2);
    length(keys, "cube.placement." + part + ".pos_mm.*", "x, then y");
  }
  section(keys, "cube.ucie", "the four UCIe ports N, S, E, W");
  integer(keys, "cube.ucie.n_connections", "connections per port", "", "1", "8");
  bandwidth(keys, "cube.ucie.per_connection_bw_gbs", "each connection, on both sides of it");
  component(keys, "cube.ucie.port", NodeKind::ucie_port, "UCIe protocol endpoint");
  component(keys, "cube.ucie.conn", NodeKind::ucie_conn, "bridge router <-> port");
  memory_map_keys(keys);
  section(keys, "cube.components", "parts of the cube");
  component(keys, "cube.components.router", NodeKind::router, "mesh router");
  component(keys, "cube.components.m_cpu", NodeKind::m_cpu, "command processor of the cube");
  component(keys, "cube.components.sram", NodeKind::sram, "shared scratchpad");
  component(keys, "cube.components.hbm_ctrl", NodeKind::hbm_ctrl,
            "HBM controller of one PE's partition");
  section(keys, "cube.links", "links of the cube");
  bandwidth(keys, "cube.links.router_link_bw_gbs", "router <-> router");
  bandwidth(keys, "cube.links.pe_to_router_bw_gbs", "pe_dma <-> router");
  limited_bandwidth(keys, "cube.links.hbm_to_router_bw_gbs", "hbm_ctrl <-> router");
  bandwidth(keys, "cube.links.sram_to_router_bw_gbs", "sram <-> router");
  pe_keys(keys);
}

}  // namespace

ConfigSchema machine_schema() {
  Keys keys;
  system_keys(keys);
  sip_keys(keys);
  cube_keys(keys);
  return ConfigSchema(std::move(keys));
}

}  // namespace kernbench
