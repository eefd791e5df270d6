#include "platform/observe/resolved_config.h"

#include <fmt/format.h>

#include <optional>

#include "platform/topology/pe_engines.h"

namespace kernbench {
namespace {

std::string rate(const std::optional<Rational>& gbs) { return gbs ? gbs->str() : "0"; }

std::string link(const LinkSpec& spec) {
  return fmt::format("{{bw_gbs: {}, distance_mm: {}}}", rate(spec.bw_gbs), spec.distance_mm.str());
}

template <class List, class Format>
std::string joined(const List& list, const Format& format) {
  std::string text;
  for (const auto& item : list) text += (text.empty() ? "" : ", ") + format(item);
  return text;
}

class Writer {
 public:
  explicit Writer(const ComponentRegistry& registry) : registry_(registry) {}

  void line(int depth, const std::string& text) {
    text_ += std::string(static_cast<std::size_t>(2 * depth), ' ') + text + '\n';
  }

  void component(int depth, const std::string& key, const ComponentSpec& spec) {
    const Implementation* implementation = registry_.find(spec.impl);
    std::string own, machine;
    for (const auto& [name, value] : spec.attributes.values()) {
      std::string& list = is_from_machine(implementation, name) ? machine : own;
      list += (list.empty() ? "" : ", ") + name + ": " + format_value(value);
    }
    const std::string& impl = implementation == nullptr
                                  ? spec.impl
                                  : implementation->factory;  // an alias is of this run alone
    line(depth, fmt::format("{}: {{impl: {}, attrs: {{{}}}}}{}", key, impl, own,
                            machine.empty() ? "" : "  # of the machine: " + machine));
  }

  std::string text_;

 private:
  static bool is_from_machine(const Implementation* implementation, const std::string& name) {
    if (implementation == nullptr) return false;
    for (const Parameter& parameter : implementation->schema) {
      if (parameter.name() == name) return parameter.is_from_machine();
    }
    return false;
  }

  const ComponentRegistry& registry_;
};

void write_system(Writer& out, const SystemSpec& system, bool with_ual) {
  out.line(0, "system:");
  out.line(1, "ns_per_mm: " + system.ns_per_mm.str());
  out.line(1, fmt::format("flit_bytes: {}", system.flit_bytes));
  const bool ring = system.sips.topology == SipTopology::ring_1d;
  out.line(1, fmt::format("sips: {{count: {}, topology: {}{}}}", system.sips.count,
                          name_of(system.sips.topology),
                          ring ? "" : fmt::format(", w: {}, h: {}", system.sips.w, system.sips.h)));
  out.component(1, "switch", system.switch0);
  out.line(1, "links:");
  out.line(2, "io_ep_to_switch: " + link(system.io_ep_to_switch));
  if (with_ual) out.line(2, "io_ual_to_switch: " + link(system.io_ual_to_switch));
  if (!system.tlm_initiators.empty()) out.line(1, "tlm_initiators:");
  for (const TlmInitiatorSpec& initiator : system.tlm_initiators) {
    out.line(2, "- id: " + initiator.id);
    out.line(3, "attach: " + initiator.attach);
    out.component(3, "bridge", initiator.bridge);
    out.line(3, "bw_gbs: " + rate(initiator.link.bw_gbs));
    out.line(3, "distance_mm: " + initiator.link.distance_mm.str());
  }
}

void write_sip(Writer& out, const SipSpec& sip) {
  out.line(0, "sip:");
  out.line(1, fmt::format("cube_mesh: {{w: {}, h: {}}}", sip.mesh_w, sip.mesh_h));
  out.line(1, "links:");
  out.line(2, "ucie_seam: " + link(sip.ucie_seam));
  out.line(1, "io_chiplets:");
  for (const IoChipletSpec& io : sip.io_chiplets) {
    out.line(2, "- id: " + io.id);
    out.line(3, fmt::format("side: {}", io.side));
    out.line(3, "components:");
    out.component(4, "pcie_ep", io.pcie_ep);
    if (io.ual_ep) out.component(4, "ual_ep", *io.ual_ep);
    out.component(4, "io_cpu", io.io_cpu);
    out.component(4, "io_noc", io.io_noc);
    out.component(4, "io_ucie", io.io_ucie);
    out.component(4, "conn", io.conn);
    out.line(3, "links:");
    out.line(4, "pcie_ep_to_noc_bw_gbs: " + rate(io.pcie_ep_to_noc_bw_gbs));
    if (io.ual_ep) out.line(4, "ual_ep_to_noc_bw_gbs: " + rate(io.ual_ep_to_noc_bw_gbs));
    out.line(4, "per_connection_bw_gbs: " + rate(io.per_connection_bw_gbs));
    out.line(4, fmt::format("n_connections: {}", io.n_connections));
    out.line(3, "cube_ports:");
    for (const CubePortSpec& port : io.cube_ports) {
      out.line(4,
               fmt::format("- {{cube: {{xy: [{}, {}]}}, cube_side: {}, phy: {}, distance_mm: {}}}",
                           port.x, port.y, port.cube_side, port.phy, port.distance_mm.str()));
    }
  }
}

void write_cube(Writer& out, const CubeSpec& cube) {
  const auto point = [](const PointMm& at) {
    return fmt::format("{{pos_mm: [{}, {}]}}", at.x.str(), at.y.str());
  };
  out.line(0, "cube:");
  out.line(
      1, fmt::format("geometry: {{cube_mm: {{w: {}, h: {}}}}}", cube.w_mm.str(), cube.h_mm.str()));
  out.line(1, fmt::format(
                  "pe_layout: {{corners: [{}], pe_per_corner: {}, pitch_mm: {}}}",
                  joined(cube.pe_layout.corners, [](const std::string& corner) { return corner; }),
                  cube.pe_layout.pe_per_corner, cube.pe_layout.pitch_mm.str()));
  out.line(1, fmt::format("placement: {{m_cpu: {}, sram: {}}}", point(cube.m_cpu_pos_mm),
                          point(cube.sram_pos_mm)));
  out.line(1, "ucie:");
  out.line(2, fmt::format("n_connections: {}", cube.ucie_connections));
  out.line(2, "per_connection_bw_gbs: " + rate(cube.ucie_per_connection_bw_gbs));
  out.component(2, "port", cube.ucie_port);
  out.component(2, "conn", cube.ucie_conn);
  const MemoryMapSpec& map = cube.memory_map;
  out.line(1, "memory_map:");
  out.line(2, fmt::format("address_model: {}", name_of(map.address_model)));
  out.line(2, fmt::format("hbm_mapping_mode: {}", name_of(map.hbm_mapping_mode)));
  out.line(2, fmt::format("hbm_pseudo_channels: {}", map.hbm_pseudo_channels));
  out.line(2, fmt::format("hbm_channels_per_pe: {}", map.hbm_channels_per_pe));
  out.line(2, "hbm_channel_bw_gbs: " + map.hbm_channel_bw_gbs.str());
  out.line(2, fmt::format("hbm_slices_per_cube: {}", map.hbm_slices_per_cube));
  out.line(2, fmt::format("hbm_total_gb_per_cube: {}", map.hbm_total_gb_per_cube));
  out.line(1, "components:");
  out.component(2, "router", cube.router);
  out.component(2, "m_cpu", cube.m_cpu);
  out.component(2, "sram", cube.sram);
  out.component(2, "hbm_ctrl", cube.hbm_ctrl);
  out.line(1, "links:");
  out.line(2, "router_link_bw_gbs: " + rate(cube.router_link_bw_gbs));
  out.line(2, "pe_to_router_bw_gbs: " + rate(cube.pe_to_router_bw_gbs));
  out.line(2, "hbm_to_router_bw_gbs: " + rate(cube.hbm_to_router_bw_gbs));
  out.line(2, "sram_to_router_bw_gbs: " + rate(cube.sram_to_router_bw_gbs));
  out.line(1, "pe_template:");
  out.line(2, "components:");
  for (const EngineOfPe& engine : engines_of_pe) {
    const auto found = cube.engines.find(name_of(engine.engine));
    if (found != cube.engines.end()) out.component(3, found->first, found->second);
  }
  out.line(2, cube.pe_links.empty() ? "links: {}" : "links:");
  for (const auto& [name, spec] : cube.pe_links) out.line(3, name + ": " + link(spec));
}

}  // namespace

std::string resolved_config(const MachineSpec& spec, const ComponentRegistry& registry) {
  Writer out(registry);
  write_system(out, spec.system, spec.sip.has_ual());
  write_sip(out, spec.sip);
  write_cube(out, spec.cube);
  return out.text_;
}

}  // namespace kernbench
