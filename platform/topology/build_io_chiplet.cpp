// Nodes and edges of one IO chiplet and its links to cubes (ADR-0016, spec 2.9).
#include "platform/topology/graph_builder.h"
#include "platform/topology/node_names.h"

namespace kernbench {
namespace {

// Keeps traffic between cubes of one SIP off the IO chiplet (spec 2.7).
const Rational io_noc_weight_mm = Rational(10000);

// Point `depth` mm outside the chiplet's side of the SIP, `along` mm from that side's western or
// northern end.
PointMm outside(const MachineSpec& spec, char side, const Rational& along, const Rational& depth) {
  const Rational seam = spec.sip.ucie_seam.distance_mm;
  const Rational width = Rational(spec.sip.mesh_w) * (spec.cube.w_mm + seam) - seam;
  const Rational height = Rational(spec.sip.mesh_h) * (spec.cube.h_mm + seam) - seam;
  switch (side) {
    case 'N':
      return {along, Rational(0) - depth};
    case 'S':
      return {along, height + depth};
    case 'E':
      return {width + depth, along};
    default:
      return {Rational(0) - depth, along};
  }
}

// Position of the PHY for a cube port along the side: opposite the middle of that cube.
Rational phy_along(const MachineSpec& spec, char side, const CubePortSpec& port) {
  const bool horizontal = side == 'N' || side == 'S';
  const Rational size = horizontal ? spec.cube.w_mm : spec.cube.h_mm;
  return Rational(horizontal ? port.x : port.y) * (size + spec.sip.ucie_seam.distance_mm) +
         size / Rational(2);
}

}  // namespace

IoChipletHandles add_io_chiplet(GraphBuilder& builder, const IoChipletSpec& chiplet, int index,
                                int sip, const std::vector<CubeHandles>& cubes) {
  const MachineSpec& spec = builder.spec();
  Location here;
  here.sip = sip;
  here.io = index;
  Rational middle;  // middle of the PHYs, where the chiplet's own parts are drawn
  for (const CubePortSpec& port : chiplet.cube_ports)
    middle = middle + phy_along(spec, chiplet.side, port);
  if (!chiplet.cube_ports.empty())
    middle = middle / Rational(static_cast<std::int64_t>(chiplet.cube_ports.size()));
  const auto at = [&](const Rational& along, int depth) {
    return outside(spec, chiplet.side, along, Rational(depth));
  };

  const std::size_t pcie_ep = builder.add(node_names::io(sip, chiplet.id, "pcie_ep"), Role::pcie_ep,
                                          chiplet.pcie_ep, at(middle, 8), here);
  const std::size_t io_cpu = builder.add(node_names::io(sip, chiplet.id, "io_cpu"), Role::io_cpu,
                                         chiplet.io_cpu, at(middle + Rational(4), 6), here);
  const std::size_t io_noc = builder.add(node_names::io(sip, chiplet.id, "io_noc"), Role::io_noc,
                                         chiplet.io_noc, at(middle, 6), here);
  builder.connect_both(pcie_ep, io_noc, EdgeKind::io_internal,
                       {chiplet.pcie_ep_to_noc_bw_gbs, {}, {}});
  builder.connect_both(io_cpu, io_noc, EdgeKind::io_internal, {});
  IoChipletHandles handles{pcie_ep, std::nullopt};
  if (chiplet.ual_ep) {
    handles.ual_ep = builder.add(node_names::io(sip, chiplet.id, "ual_ep"), Role::ual_ep,
                                 *chiplet.ual_ep, at(middle + Rational(4), 8), here);
    builder.connect_both(*handles.ual_ep, io_noc, EdgeKind::io_internal,
                         {chiplet.ual_ep_to_noc_bw_gbs, {}, {}});
  }

  std::optional<Rational> port_bw = chiplet.per_connection_bw_gbs;
  if (port_bw) port_bw = *port_bw * Rational(chiplet.n_connections);
  for (const CubePortSpec& port : chiplet.cube_ports) {
    const Rational along = phy_along(spec, chiplet.side, port);
    const std::size_t phy = builder.add(node_names::io_ucie(sip, chiplet.id, port.phy),
                                        Role::io_ucie, chiplet.io_ucie, at(along, 2), here);
    for (int i = 0; i < chiplet.n_connections; ++i) {
      const std::size_t conn = builder.add(
          node_names::io_conn(sip, chiplet.id, port.phy, i), Role::io_conn, chiplet.conn,
          at(along + Rational(2 * i - chiplet.n_connections + 1), 4), here);
      builder.connect_both(io_noc, conn, EdgeKind::io_internal,
                           {chiplet.per_connection_bw_gbs, {}, io_noc_weight_mm});
      builder.connect_both(conn, phy, EdgeKind::io_internal,
                           {chiplet.per_connection_bw_gbs, {}, {}});
    }
    const CubeHandles& cube = cubes[static_cast<std::size_t>(port.y * spec.sip.mesh_w + port.x)];
    builder.connect_both(phy, cube.ucie_port[ucie_sides.find(port.cube_side)], EdgeKind::io_to_cube,
                         EdgeKind::cube_to_io, {port_bw, port.distance_mm, std::nullopt});
  }
  return handles;
}

}  // namespace kernbench
