#include "platform/config/machine_keys.h"

#include "models/address/phys_addr.h"
#include "platform/config/pe_links.h"

namespace kernbench {
namespace {

constexpr const char* spec = "spec 1.3";

// --- Kinds of values shared by several keys

Parameter integer(const char* name, const char* description, const char* unit, std::uint64_t lowest,
                  std::uint64_t highest) {
  return Parameter::integer(name, description, unit, spec)
      .range(std::to_string(lowest), std::to_string(highest));
}

Parameter decimal(const char* name, const char* description, const char* unit) {
  return Parameter::decimal(name, description, unit, spec).range("0", "1000");
}

Parameter length(const char* name, const char* description) {
  return decimal(name, description, "mm");
}

Parameter bandwidth(const char* name, const char* description) {
  return Parameter::rate_gbs(name, description, spec).or_unlimited();
}

Parameter limited_bandwidth(const char* name, const char* description) {
  return Parameter::rate_gbs(name, description, spec);
}

Parameter choice(const char* name, const char* description, std::vector<std::string> choices) {
  return Parameter::choice(name, description, std::move(choices), spec);
}

constexpr const char* bw_gbs = "bw_gbs";
constexpr const char* distance_mm = "distance_mm";

void link_keys(KeyVisitor& keys, LinkSpec& link, const char* meaning_of_length = "length") {
  keys.value(bandwidth(bw_gbs, "bandwidth of each direction"), link.bw_gbs);
  keys.value(length(distance_mm, meaning_of_length), link.distance_mm);
}

// Optional link: default is no length and no bandwidth limit.
void link_by_default(KeyVisitor& keys, LinkSpec& link, const char* meaning_of_bandwidth) {
  keys.value(bandwidth(bw_gbs, meaning_of_bandwidth).default_val(0), link.bw_gbs);
  keys.value(length(distance_mm, "length").default_val(0), link.distance_mm);
}

// --- The tray

void sips_keys(KeyVisitor& keys, SipsSpec& sips) {
  const bool grid = sips.topology != SipTopology::ring_1d;
  keys.value(integer("count", "number of SIPs (devices, ranks)", "", 1, PhysAddr::sips),
             sips.count);
  keys.value(choice_of<SipTopology>("topology", "arrangement of the SIPs for collectives", spec),
             sips.topology);
  keys.optional_value(integer("w", "SIPs in a row of a 2-D arrangement", "", 1, 16), sips.w, grid);
  keys.optional_value(integer("h", "rows of a 2-D arrangement", "", 1, 16), sips.h, grid);
}

void tlm_initiator_keys(KeyVisitor& keys, TlmInitiatorSpec& initiator) {
  keys.name({"id", "name of the node in its scope"}, initiator.id);
  keys.text({"attach", "full name of a router of a cube, of an io_noc or of the switch"},
            initiator.attach);
  keys.component(
      ComponentRow("bridge", Role::tlm_initiator, "bridge between the initiator and the fabric")
          .link(initiator.link.bw_gbs),
      initiator.bridge);
  link_by_default(keys, initiator.link, "bandwidth of each direction");
}

void tlm_target_keys(KeyVisitor& keys, TlmTargetSpec& target) {
  keys.name({"id", "name of the node in its scope"}, target.id);
  keys.text({"attach", "full name of a router of a cube, of an io_noc or of the switch"},
            target.attach);
  keys.component(
      ComponentRow("bridge", Role::tlm_target, "bridge between the fabric and the target")
          .link(target.link.bw_gbs),
      target.bridge);
  link_by_default(keys, target.link, "bandwidth of each direction");
  keys.value(integer("size_bytes", "range of addresses, a multiple of 4096", "B",
                     PhysAddr::external_alignment, PhysAddr::external_window_bytes),
             target.size_bytes);
  keys.optional_value(
      integer("base_bytes",
              "start of the range in the window of its SIP, a multiple of 4096; default: the "
              "lowest free place",
              "B", 0, PhysAddr::external_window_bytes - PhysAddr::external_alignment),
      target.base_bytes, target.base_bytes.has_value());
}

void system_keys(KeyVisitor& keys, SystemSpec& system, bool has_ual) {
  keys.value(decimal("ns_per_mm", "propagation delay of every link", "ns/mm"), system.ns_per_mm);
  keys.value(integer("flit_bytes", "size of a flit on every link", "B", 1, 65536),
             system.flit_bytes);
  keys.value(choice_of<ChannelClasses>("channel_classes",
                                       "classes of the virtual channels of finite buffers: one, or "
                                       "four by the part of its path that a message is in",
                                       "spec 2.10")
                 .default_val(name_of(ChannelClasses::one)),
             system.channel_classes);
  keys.value(
      choice_of<CyclicBuffers>(
          "cyclic_buffers", "a machine whose finite buffers can deadlock under load", "spec 2.10")
          .default_val(name_of(CyclicBuffers::refuse)),
      system.cyclic_buffers);
  keys.section(KeyRow("sips", "number and arrangement of the SIPs").in_line(),
               [&] { sips_keys(keys, system.sips); });
  keys.component({"switch", Role::router, "the switch between the SIPs"}, system.switch0);
  keys.section({"links", "links of the tray"}, [&] {
    keys.section(KeyRow("io_ep_to_switch", "pcie_ep <-> switch").in_line(),
                 [&] { link_keys(keys, system.io_ep_to_switch); });
    keys.section(
        KeyRow("io_ual_to_switch",
               "ual_ep <-> switch; required if an IO chiplet has a ual_ep, else not allowed")
            .optional(has_ual)
            .in_line(),
        [&] {
          keys.optional_value(bandwidth(bw_gbs, "bandwidth of each direction"),
                              system.io_ual_to_switch.bw_gbs, has_ual);
          keys.optional_value(length(distance_mm, "length; the shorter path between SIPs is used"),
                              system.io_ual_to_switch.distance_mm, has_ual);
        });
  });
  keys.list(KeyRow("tlm_initiators", "plain TLM-2.0 initiators; default none")
                .optional(!system.tlm_initiators.empty())
                .items(0, 1024),
            {"", "one initiator, a node next to the one that it is attached to"},
            system.tlm_initiators,
            [&](TlmInitiatorSpec& initiator) { tlm_initiator_keys(keys, initiator); });
  keys.list(KeyRow("tlm_targets", "plain TLM-2.0 targets with addresses of their own; default none")
                .optional(!system.tlm_targets.empty())
                .items(0, 1024),
            {"", "one target, a node next to the one that it is attached to"}, system.tlm_targets,
            [&](TlmTargetSpec& target) { tlm_target_keys(keys, target); });
}

// --- One SIP

void cube_port_keys(KeyVisitor& keys, CubePortSpec& port) {
  keys.section({"cube", "the cube"}, [&] {
    keys.pair({"xy", "position in the mesh of cubes: [x, y]"},
              integer("", "x, then y", "", 0, PhysAddr::ahbm_dies - 1), port.x, port.y);
  });
  keys.value(choice("cube_side", "UCIe port of that cube", {"N", "S", "E", "W"}), port.cube_side);
  keys.name({"phy", "name of the PHY, unique in the chiplet"}, port.phy);
  keys.value(length(distance_mm, "length of the link"), port.distance_mm);
}

void io_chiplet_keys(KeyVisitor& keys, IoChipletSpec& io) {
  keys.name({"id", "name in node names: io0, io1, ... in this order; the host uses io0"}, io.id);
  keys.value(choice("side", "side of the SIP", {"N", "E", "S", "W"}), io.side);
  keys.section({"components", "parts of the chiplet"}, [&] {
    keys.component(ComponentRow("pcie_ep", Role::pcie_ep, "host-facing endpoint")
                       .link(io.pcie_ep_to_noc_bw_gbs),
                   io.pcie_ep);
    keys.component(
        ComponentRow("ual_ep", Role::ual_ep, "a second path to other SIPs, over UAL; default none")
            .optional()
            .link(io.ual_ep_to_noc_bw_gbs),
        io.ual_ep);
    keys.component({"io_cpu", Role::io_cpu, "command processor"}, io.io_cpu);
    keys.component({"io_noc", Role::router, "forwarding fabric of the chiplet"}, io.io_noc);
    keys.component({"io_ucie", Role::router, "UCIe protocol endpoint of each PHY"}, io.io_ucie);
    keys.component(ComponentRow("conn", Role::router, "bridge io_noc <-> io_ucie")
                       .link(io.per_connection_bw_gbs),
                   io.conn);
  });
  keys.section({"links", "links of the chiplet"}, [&] {
    keys.value(bandwidth("pcie_ep_to_noc_bw_gbs", "pcie_ep <-> io_noc"), io.pcie_ep_to_noc_bw_gbs);
    keys.optional_value(
        bandwidth("ual_ep_to_noc_bw_gbs",
                  "ual_ep <-> io_noc; required if the chiplet has a ual_ep, else not allowed"),
        io.ual_ep_to_noc_bw_gbs, io.ual_ep.has_value());
    keys.value(bandwidth("per_connection_bw_gbs", "bandwidth of each connection of a PHY"),
               io.per_connection_bw_gbs);
    keys.value(integer("n_connections", "connections per PHY", "", 1, 8), io.n_connections);
  });
  keys.list(KeyRow("cube_ports", "PHYs and the cube ports that they reach").items(1, 256),
            KeyRow("", "one PHY").in_line(), io.cube_ports,
            [&](CubePortSpec& port) { cube_port_keys(keys, port); });
}

void sip_keys(KeyVisitor& keys, SipSpec& sip) {
  keys.section(KeyRow("cube_mesh", "arrangement of the cubes").in_line(), [&] {
    keys.value(integer("w", "cubes in a row", "", 1, PhysAddr::ahbm_dies), sip.mesh_w);
    keys.value(integer("h", "rows of cubes", "", 1, PhysAddr::ahbm_dies), sip.mesh_h);
  });
  keys.value(choice_of<CubeRoutes>("cube_routes",
                                   "paths between the cubes of a SIP: the shortest, or along x "
                                   "first and then along y",
                                   "spec 2.7")
                 .default_val(name_of(CubeRoutes::shortest)),
             sip.cube_routes);
  keys.section({"links", "links between cubes"}, [&] {
    keys.section(KeyRow("ucie_seam", "UCIe link between neighbouring cubes").in_line(), [&] {
      link_keys(keys, sip.ucie_seam, "length; also the gap between cubes in drawings");
    });
  });
  keys.list(KeyRow("io_chiplets", "IO chiplets, at most two per side").items(1, PhysAddr::io_dies),
            {"", "one IO chiplet"}, sip.io_chiplets,
            [&](IoChipletSpec& io) { io_chiplet_keys(keys, io); });
}

// --- One cube

void geometry_keys(KeyVisitor& keys, CubeSpec& cube) {
  keys.section(KeyRow("geometry", "dimensions").in_line(), [&] {
    keys.section({"cube_mm", "outline of the cube"}, [&] {
      keys.value(length("w", "width (x)").positive(), cube.w_mm);
      keys.value(length("h", "height (y)").positive(), cube.h_mm);
    });
  });
  keys.section(KeyRow("pe_layout", "positions of the PEs").in_line(), [&] {
    keys.list(KeyRow("corners", "corners with PEs, in the order of their numbers").items(1, 4),
              choice("", "corner", {"NW", "NE", "SW", "SE"}), cube.pe_layout.corners);
    keys.value(integer("pe_per_corner", "PEs in each corner", "", 1, 4),
               cube.pe_layout.pe_per_corner);
    keys.value(length("pitch_mm", "distance between the PEs of a corner").positive(),
               cube.pe_layout.pitch_mm);
  });
  keys.section(KeyRow("placement", "positions of the shared parts").in_line(), [&] {
    const auto part = [&](const char* name, PointMm& at) {
      keys.section({name, "position of the part, which is attached to the nearest router"}, [&] {
        keys.pair({"pos_mm", "[x, y] from the north-west corner"}, length("", "x, then y"), at.x,
                  at.y);
      });
    };
    part("m_cpu", cube.m_cpu_pos_mm);
    part("sram", cube.sram_pos_mm);
  });
}

void ucie_keys(KeyVisitor& keys, CubeSpec& cube) {
  keys.value(integer("n_connections", "connections per port", "", 1, 8), cube.ucie_connections);
  keys.value(
      bandwidth("per_connection_bw_gbs", "bandwidth of each connection, on both sides of it"),
      cube.ucie_per_connection_bw_gbs);
  keys.value(choice_of<LaneSelect>("lane_select",
                                   "connections of paths between cubes: those near the sender's "
                                   "router, or the first by name as in the Python system",
                                   "spec 2.10")
                 .default_val(name_of(LaneSelect::spread)),
             cube.lane_select);
  keys.component({"port", Role::router, "UCIe protocol endpoint"}, cube.ucie_port);
  keys.component(ComponentRow("conn", Role::router, "bridge router <-> port")
                     .link(cube.ucie_per_connection_bw_gbs),
                 cube.ucie_conn);
}

void memory_map_keys(KeyVisitor& keys, MemoryMapSpec& map) {
  keys.value(
      choice_of<AddressModel>("address_model",
                              "addressing of memory by kernels: shards of the launch, pages of "
                              "the MMU, segments of the BAAW",
                              spec)
          .default_val(name_of(AddressModel::va)),
      map.address_model);
  keys.value(choice_of<HbmMapping>("hbm_mapping_mode",
                                   "with la: one request per HBM partition, or one per channel "
                                   "over its own link",
                                   spec)
                 .default_val(name_of(HbmMapping::n_to_one)),
             map.hbm_mapping_mode);
  keys.value(integer("hbm_pseudo_channels", "pseudo-channels of a cube", "", 1, 65536),
             map.hbm_pseudo_channels);
  keys.value(
      integer("hbm_channels_per_pe",
              "pseudo-channels of a PE's partition; default of hbm_ctrl's num_pcs", "", 1, 4096),
      map.hbm_channels_per_pe);
  keys.value(limited_bandwidth("hbm_channel_bw_gbs", "rate of one pseudo-channel"),
             map.hbm_channel_bw_gbs);
  keys.value(
      integer("hbm_slices_per_cube", "HBM partitions of a cube, one per PE", "", 1, PhysAddr::pes),
      map.hbm_slices_per_cube);
  keys.value(
      integer("hbm_total_gb_per_cube", "HBM of a cube", "GiB", 1, PhysAddr::hbm_window_bytes >> 30),
      map.hbm_total_gb_per_cube);
}

void parts_keys(KeyVisitor& keys, CubeSpec& cube) {
  keys.section({"components", "parts of the cube"}, [&] {
    keys.component(
        ComponentRow("router", Role::router, "mesh router").link(cube.router_link_bw_gbs),
        cube.router);
    keys.component({"m_cpu", Role::m_cpu, "command processor of the cube"}, cube.m_cpu);
    keys.component(
        ComponentRow("sram", Role::sram, "shared scratchpad").link(cube.sram_to_router_bw_gbs),
        cube.sram);
    keys.component(ComponentRow("hbm_ctrl", Role::hbm_ctrl, "HBM controller of one PE's partition")
                       .link(cube.hbm_to_router_bw_gbs)
                       .with_default("num_pcs", cube.memory_map.hbm_channels_per_pe),
                   cube.hbm_ctrl);
  });
  keys.section({"links", "links of the cube"}, [&] {
    keys.value(bandwidth("router_link_bw_gbs", "router <-> router"), cube.router_link_bw_gbs);
    keys.value(bandwidth("pe_to_router_bw_gbs", "pe_dma <-> router"), cube.pe_to_router_bw_gbs);
    keys.value(limited_bandwidth("hbm_to_router_bw_gbs", "hbm_ctrl <-> router"),
               cube.hbm_to_router_bw_gbs);
    keys.value(bandwidth("sram_to_router_bw_gbs", "sram <-> router"), cube.sram_to_router_bw_gbs);
  });
}

void pe_keys(KeyVisitor& keys, CubeSpec& cube) {
  keys.section({"components", "the nine engines of a PE"}, [&] {
    for (const EngineOfPe& row_of_engine : engines_of_pe) {
      const std::string name(name_of(row_of_engine.engine));
      ComponentRow row(name, row_of_engine.engine, "engine of the PE");
      if (row_of_engine.engine == PeEngine::pe_dma) row.link(cube.pe_to_router_bw_gbs);
      keys.component(row, cube.engines[name]);
    }
  });
  keys.section(
      KeyRow("links", "pe_internal links; a link that is not named has no length and no limit")
          .optional()
          .by_name(),
      [&] {
        for (const EnginePair& pair : pe_internal_pairs()) {
          const std::string name = link_name(pair);
          keys.section(KeyRow(name, "link inside the PE").optional().in_line().of_family("LINK"),
                       [&] { link_by_default(keys, cube.pe_links[name], "bandwidth"); });
        }
      });
}

void cube_keys(KeyVisitor& keys, CubeSpec& cube) {
  geometry_keys(keys, cube);
  keys.section({"ucie", "the four UCIe ports N, S, E, W"}, [&] { ucie_keys(keys, cube); });
  keys.section({"memory_map", "address model and HBM"},
               [&] { memory_map_keys(keys, cube.memory_map); });
  parts_keys(keys, cube);
  keys.section({"pe_template", "one PE"}, [&] { pe_keys(keys, cube); });
}

// --- Single instances

std::vector<std::string> kinds() {
  std::vector<std::string> names;
  for (const RoleInfo& role : role_table) names.emplace_back(role.name);
  return names;
}

void override_keys(KeyVisitor& keys, OverrideSpec& entry) {
  keys.text({"match", "names of nodes: * ? and [0-3] within one step, ** over any steps"},
            entry.match);
  keys.optional_value(choice("kind", "only nodes of this kind; default: of any", kinds()),
                      entry.kind, !entry.kind.empty());
  keys.implementation(
      KeyRow("impl", "different implementation; default: the present one of the instance")
          .optional(!entry.impl.empty()),
      entry.impl);
  keys.attributes(KeyRow("attrs", "attributes; the others stay while the implementation does")
                      .optional(!entry.attributes.empty()),
                  entry.attributes);
}

}  // namespace

void visit_keys(KeyVisitor& keys, MachineSpec& machine) {
  keys.section({"system", "the tray: switch and SIPs"},
               [&] { system_keys(keys, machine.system, machine.sip.has_ual()); });
  keys.section({"sip", "one device"}, [&] { sip_keys(keys, machine.sip); });
  keys.section({"cube", "one cube"}, [&] { cube_keys(keys, machine.cube); });
  keys.list(
      KeyRow("overrides", "single instances that differ from their kind, in order; default none")
          .optional(!machine.overrides.empty())
          .items(0, 65536),
      KeyRow("", "one pattern of names, and its settings").in_line(), machine.overrides,
      [&](OverrideSpec& entry) { override_keys(keys, entry); });
}

std::vector<MachineFact> facts_of(const MachineSpec& machine) {
  const MemoryMapSpec& map = machine.cube.memory_map;
  return {{"flit_bytes", &machine.system.flit_bytes},
          {"channels_per_pe", &map.hbm_channels_per_pe},
          {"channel_bw_gbs", &map.hbm_channel_bw_gbs},
          {"hbm_gb_per_cube", &map.hbm_total_gb_per_cube},
          {"hbm_partitions", &map.hbm_slices_per_cube}};
}

}  // namespace kernbench
