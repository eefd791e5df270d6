#include "sw/collectives/shipped_graphs.h"

#include <fmt/format.h>

#include <numeric>

#include "models/base/errors.h"

namespace kernbench::graphs {
namespace {

void check(bool ok, const std::string& what) {
  if (!ok) throw UsageError(what);
}

// E leads to the next PE, W to the previous one, with wrap. A ring of one has no neighbours; in a
// ring of two both lead to the same peer.
void ring(NeighbourGraph& graph, const std::vector<PeId>& pes, const std::string& prefix = "") {
  const std::size_t n = pes.size();
  if (n < 2) return;
  for (std::size_t i = 0; i < n; ++i) {
    graph.connect(pes[i], prefix + "E", pes[(i + 1) % n]);
    graph.connect(pes[i], prefix + "W", pes[(i + n - 1) % n]);
  }
}

void both_ways(NeighbourGraph& graph, PeId from, const std::string& there, PeId to,
               const std::string& back) {
  graph.connect(from, there, to);
  graph.connect(to, back, from);
}

// Along row 0, then through rows 1 to h - 1 from the last column to the first, down and up. With an
// even number of columns the path ends below the start. With an odd number the first column is
// traversed downwards, so that only a torus closes.
std::vector<int> round_trip(int w, int h) {
  std::vector<int> order;
  for (int x = 0; x < w; ++x) order.push_back(x);
  bool down = true;
  for (int x = w - 1; x >= 0; --x, down = !down) {
    for (int step = 1; step < h; ++step) order.push_back((down ? step : h - step) * w + x);
  }
  return order;
}

// A w x h grid, numbered along rows, with rows and columns exchanged.
std::vector<int> transposed(std::vector<int> order, int w, int h) {
  for (int& sip : order) sip = sip % h * w + sip / h;
  return order;
}

}  // namespace

NeighbourGraph cube_mesh(int sip, int mesh_w, const CubeRectangle& cubes,
                         const std::vector<int>& lanes) {
  check(cubes.x >= 0 && cubes.y >= 0 && cubes.w >= 1 && cubes.h >= 1 && cubes.x + cubes.w <= mesh_w,
        fmt::format("cube_mesh: a rectangle of {} x {} cubes at ({}, {}) in a mesh of width {}",
                    cubes.w, cubes.h, cubes.x, cubes.y, mesh_w));
  NeighbourGraph graph;
  for (const int lane : lanes) {
    for (int y = cubes.y; y < cubes.y + cubes.h; ++y) {
      for (int x = cubes.x; x < cubes.x + cubes.w; ++x) {
        const PeId here{sip, y * mesh_w + x, lane};
        if (x + 1 < cubes.x + cubes.w)
          both_ways(graph, here, "E", {sip, y * mesh_w + x + 1, lane}, "W");
        if (y + 1 < cubes.y + cubes.h)
          both_ways(graph, here, "S", {sip, (y + 1) * mesh_w + x, lane}, "N");
      }
    }
  }
  return graph;
}

NeighbourGraph intra_mesh(int sip, int cube, int pes) {
  check(pes >= 2 && pes % 2 == 0, fmt::format("intra_mesh: {} PEs are not in two rows", pes));
  NeighbourGraph graph;
  const int columns = pes / 2;
  for (int column = 0; column < columns; ++column) {
    for (int row = 0; row < 2; ++row) {
      const int pe = row * columns + column;
      if (column + 1 < columns)
        both_ways(graph, {sip, cube, pe}, "intra_E", {sip, cube, pe + 1}, "intra_W");
    }
    both_ways(graph, {sip, cube, column}, "intra_S", {sip, cube, columns + column}, "intra_N");
  }
  return graph;
}

NeighbourGraph intra_pe_ring(int sip, int cube, int pes) {
  check(pes >= 1, fmt::format("intra_pe_ring: {} PEs", pes));
  std::vector<PeId> members;
  for (int pe = 0; pe < pes; ++pe) members.push_back({sip, cube, pe});
  NeighbourGraph graph;
  ring(graph, members);
  return graph;
}

NeighbourGraph cube_ring(int sip, const std::vector<int>& cubes, const std::vector<int>& lanes) {
  check(!cubes.empty(), "cube_ring: no cubes");
  NeighbourGraph graph;
  for (const int lane : lanes) {
    std::vector<PeId> members;
    for (const int cube : cubes) members.push_back({sip, cube, lane});
    ring(graph, members);
  }
  return graph;
}

NeighbourGraph sip(const SipGrid& grid, const std::vector<CubePe>& members) {
  const bool is_ring = grid.topology == "ring_1d";
  const bool is_torus = grid.topology == "torus_2d";
  check(
      is_ring || is_torus || grid.topology == "mesh_2d_no_wrap",
      fmt::format("SIP topology '{}', allowed: ring_1d, torus_2d, mesh_2d_no_wrap", grid.topology));
  const int w = is_ring ? grid.sips : grid.w, h = is_ring ? 1 : grid.h;
  check(grid.sips >= 1 && w >= 1 && h >= 1 && w * h == grid.sips,
        fmt::format("SIPs as {} x {}, but there are {}", w, h, grid.sips));
  NeighbourGraph graph;
  for (const CubePe& member : members) {
    const auto at = [&](int x, int y) {
      return PeId{(y + h) % h * w + (x + w) % w, member.cube, member.pe};
    };
    for (int y = 0; y < h; ++y) {
      for (int x = 0; x < w; ++x) {
        const bool wraps = is_ring || is_torus;
        if (w > 1 && (wraps || x + 1 < w)) graph.connect(at(x, y), "global_E", at(x + 1, y));
        if (w > 1 && (wraps || x > 0)) graph.connect(at(x, y), "global_W", at(x - 1, y));
        if (h > 1 && (wraps || y + 1 < h)) graph.connect(at(x, y), "global_S", at(x, y + 1));
        if (h > 1 && (wraps || y > 0)) graph.connect(at(x, y), "global_N", at(x, y - 1));
      }
    }
  }
  return graph;
}

std::optional<std::vector<int>> ring_order(const SipGrid& grid) {
  std::vector<int> line(static_cast<std::size_t>(grid.sips));
  std::iota(line.begin(), line.end(), 0);
  if (grid.topology == "ring_1d") return line;
  const bool wraps = grid.topology == "torus_2d";
  if (grid.w == 1 || grid.h == 1)
    return wraps || grid.sips <= 2 ? std::optional(line) : std::nullopt;
  if (grid.w % 2 == 0) return round_trip(grid.w, grid.h);
  if (grid.h % 2 == 0) return transposed(round_trip(grid.h, grid.w), grid.w, grid.h);
  return wraps ? std::optional(round_trip(grid.w, grid.h)) : std::nullopt;
}

}  // namespace kernbench::graphs
