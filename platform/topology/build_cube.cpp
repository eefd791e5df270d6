// Nodes and edges of one cube (spec 1.1, 2.9).
#include "platform/config/pe_links.h"
#include "platform/topology/graph_builder.h"
#include "platform/topology/node_names.h"

namespace kernbench {
namespace {

using Link = GraphBuilder::Link;

// A UCIe crossing has a routing weight of 100 mm, so that routes use few of them (spec 2.7); with
// lane_select `first` it has none (spec 2.10).
const Rational crossing_weight_mm = Rational(100);

Rational magnitude(const Rational& value) {
  return value < Rational(0) ? Rational(0) - value : value;
}

class CubeBuilder {
 public:
  CubeBuilder(GraphBuilder& builder, const CubeMesh& mesh, int sip, int cube)
      : builder_(builder), spec_(builder.spec().cube), mesh_(mesh), sip_(sip), cube_(cube) {
    const SipSpec& layout = builder.spec().sip;
    origin_ = {Rational(cube % layout.mesh_w) * (spec_.w_mm + layout.ucie_seam.distance_mm),
               Rational(cube / layout.mesh_w) * (spec_.h_mm + layout.ucie_seam.distance_mm)};
    here_.sip = sip;
    here_.cube = cube;
  }

  CubeHandles build() {
    add_routers();
    add_terminals();
    for (int pe = 0; pe < static_cast<int>(mesh_.pe.size()); ++pe) add_pe(pe);
    CubeHandles handles;
    for (std::size_t side = 0; side < ucie_sides.size(); ++side)
      handles.ucie_port[side] = add_ucie(side);
    return handles;
  }

 private:
  PointMm local(MeshPoint at) const {
    return {mesh_.col_x_mm[static_cast<std::size_t>(at.col)],
            mesh_.row_y_mm[static_cast<std::size_t>(at.row)]};
  }
  PointMm absolute(const PointMm& at) const { return {origin_.x + at.x, origin_.y + at.y}; }
  PointMm position(MeshPoint at) const { return absolute(local(at)); }
  std::size_t router(MeshPoint at) const {
    return routers_[static_cast<std::size_t>(at.row * mesh_.cols() + at.col)];
  }

  void add_routers() {
    routers_.assign(static_cast<std::size_t>(mesh_.rows() * mesh_.cols()), 0);
    for (int row = 0; row < mesh_.rows(); ++row) {
      for (int col = 0; col < mesh_.cols(); ++col) {
        if (!mesh_.has_router({row, col})) continue;
        Location at = here_;
        at.row = row;
        at.col = col;
        const std::size_t here = builder_.add(node_names::router(sip_, cube_, row, col),
                                              Role::router, spec_.router, position({row, col}), at);
        routers_[static_cast<std::size_t>(row * mesh_.cols() + col)] = here;
        for (const MeshPoint before : {MeshPoint{row, col - 1}, MeshPoint{row - 1, col}}) {
          if (!mesh_.has_router(before)) continue;
          const PointMm a = local(before);
          const PointMm b = local({row, col});
          builder_.connect_both(router(before), here, EdgeKind::router_mesh,
                                {spec_.router_link_bw_gbs, (b.x - a.x) + (b.y - a.y), {}});
        }
      }
    }
  }

  void add_terminals() {
    const std::size_t m_cpu = builder_.add(node_names::m_cpu(sip_, cube_), Role::m_cpu, spec_.m_cpu,
                                           absolute(spec_.m_cpu_pos_mm), here_);
    builder_.connect_both(router(mesh_.m_cpu), m_cpu, EdgeKind::router_to_mcpu, {});
    const std::size_t sram = builder_.add(node_names::sram(sip_, cube_), Role::sram, spec_.sram,
                                          absolute(spec_.sram_pos_mm), here_);
    builder_.connect_both(router(mesh_.sram), sram, EdgeKind::router_to_sram,
                          {spec_.sram_to_router_bw_gbs, {}, {}});
  }

  void add_pe(int pe) {
    const MeshPoint at = mesh_.pe[static_cast<std::size_t>(pe)];
    Location where = here_;
    where.pe = pe;
    std::map<PeEngine, std::size_t> engines;
    for (const auto& [engine, stages] : engines_of_pe) {
      const std::string_view name = name_of(engine);
      engines[engine] = builder_.add(node_names::engine(sip_, cube_, pe, name), engine,
                                     spec_.engines.find(name)->second, position(at), where);
    }
    for (const EnginePair& pair : pe_internal_pairs()) {
      const auto link = spec_.pe_links.find(link_name(pair));
      const Link internal_link =
          link == spec_.pe_links.end()
              ? Link{}
              : Link{link->second.bw_gbs, link->second.distance_mm, std::nullopt};
      builder_.connect(engines.at(pair.src), engines.at(pair.dst), EdgeKind::pe_internal,
                       internal_link);
    }
    builder_.connect_both(engines[PeEngine::pe_dma], router(at), EdgeKind::pe_to_router,
                          {spec_.pe_to_router_bw_gbs, {}, {}});
    builder_.connect_both(engines[PeEngine::pe_cpu], router(at), EdgeKind::command, {});
    builder_.connect_both(engines[PeEngine::pe_mmu], router(at), EdgeKind::command, {});
    const std::size_t hbm = builder_.add(node_names::hbm_ctrl(sip_, cube_, pe), Role::hbm_ctrl,
                                         spec_.hbm_ctrl, position(at), where);
    builder_.connect_both(router(at), hbm, EdgeKind::router_to_hbm,
                          {spec_.hbm_to_router_bw_gbs, {}, {}});
    if (spec_.memory_map.hbm_mapping_mode == HbmMapping::one_to_one)
      add_channels(pe, router(at), hbm, position(at), where);
  }

  // One internal_link at the channel's rate per channel (spec 3.3); the far side of the channel
  // adds no delay.
  void add_channels(int pe, std::size_t router, std::size_t hbm, const PointMm& at,
                    const Location& where) {
    for (int channel = 0; channel < spec_.memory_map.hbm_channels_per_pe; ++channel) {
      const std::size_t node = builder_.add(node_names::hbm_channel(sip_, cube_, pe, channel),
                                            Role::hbm_channel, spec_.hbm_channel, at, where);
      builder_.connect_both(router, node, EdgeKind::router_to_hbm,
                            {spec_.memory_map.hbm_channel_bw_gbs, {}, {}});
      builder_.connect_both(node, hbm, EdgeKind::router_to_hbm, {});
    }
  }

  std::size_t add_ucie(std::size_t side) {
    const Rational two(2);
    const std::array<PointMm, 4> middles{{{spec_.w_mm / two, 0},
                                          {spec_.w_mm / two, spec_.h_mm},
                                          {spec_.w_mm, spec_.h_mm / two},
                                          {0, spec_.h_mm / two}}};
    const PointMm middle = middles[side];
    const std::size_t port =
        builder_.add(node_names::ucie_port(sip_, cube_, ucie_sides[side]), Role::ucie_port,
                     spec_.ucie_port, absolute(middle), here_);
    for (std::size_t i = 0; i < mesh_.ucie[side].size(); ++i) {
      const MeshPoint at = mesh_.ucie[side][i];
      const std::size_t conn =
          builder_.add(node_names::ucie_conn(sip_, cube_, ucie_sides[side], static_cast<int>(i)),
                       Role::ucie_conn, spec_.ucie_conn, position(at), here_);
      builder_.connect_both(router(at), conn, EdgeKind::router_to_ucie_conn,
                            EdgeKind::ucie_conn_to_router,
                            {spec_.ucie_per_connection_bw_gbs, {}, {}});
      const PointMm from = local(at);
      const Rational weight =
          spec_.lane_select == LaneSelect::first
              ? Rational(0)
              : crossing_weight_mm + magnitude(from.x - middle.x) + magnitude(from.y - middle.y);
      builder_.connect_both(conn, port, EdgeKind::ucie_internal,
                            {spec_.ucie_per_connection_bw_gbs, {}, weight});
    }
    return port;
  }

  GraphBuilder& builder_;
  const CubeSpec& spec_;
  const CubeMesh& mesh_;
  int sip_, cube_;
  PointMm origin_;
  Location here_;
  std::vector<std::size_t> routers_;  // [row * cols + col]; meaningless inside the HBM zone
};

}  // namespace

CubeHandles add_cube(GraphBuilder& builder, const CubeMesh& mesh, int sip, int cube) {
  return CubeBuilder(builder, mesh, sip, cube).build();
}

}  // namespace kernbench
