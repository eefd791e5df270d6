// The graphs of spec 8.1.
#include "sw/collectives/shipped_graphs.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>

#include "models/base/errors.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(shipped_graphs)

namespace {

// "E2 W0" for the cubes, PEs or SIPs that a PE reaches.
template <class Number>
std::string reaches(const NeighbourGraph& graph, PeId pe, Number number) {
  std::string text;
  for (const auto& [direction, peer] : graph.neighbours(pe))
    text += (text.empty() ? "" : " ") + direction + std::to_string(number(peer));
  return text;
}
int cube_of(PeId pe) { return pe.cube; }
int pe_of(PeId pe) { return pe.pe; }
int sip_of(PeId pe) { return pe.sip; }

std::size_t edges(const NeighbourGraph& graph) {
  std::size_t count = 0;
  for (const auto& entry : graph.pes()) count += entry.second.size();
  return count;
}

}  // namespace

// Cubes are numbered along the rows of the mesh, 4 wide; there is no way round its rim.
BOOST_AUTO_TEST_CASE(cube_mesh_joins_neighbouring_cubes_without_wrap) {
  const NeighbourGraph graph = graphs::cube_mesh(0, 4, {0, 0, 4, 4});
  BOOST_TEST(reaches(graph, {0, 0, 0}, cube_of) == "E1 S4");
  BOOST_TEST(reaches(graph, {0, 5, 0}, cube_of) == "E6 N1 S9 W4");
  BOOST_TEST(reaches(graph, {0, 15, 0}, cube_of) == "N11 W14");
  BOOST_TEST(edges(graph) == 48u);  // 24 seams, both ways
  BOOST_TEST(queue_pairs(graph).size() == 48u);
}

BOOST_AUTO_TEST_CASE(cube_mesh_of_a_rectangle_has_its_lanes_and_no_way_out) {
  const NeighbourGraph graph = graphs::cube_mesh(1, 4, {1, 2, 2, 2}, {0, 3});
  BOOST_TEST(reaches(graph, {1, 9, 3}, cube_of) == "E10 S13");
  BOOST_TEST(reaches(graph, {1, 14, 0}, cube_of) == "N10 W13");
  BOOST_TEST((graph.neighbours({1, 9, 3}).at("E") == PeId{1, 10, 3}));  // PE p talks to PE p
  BOOST_TEST(reaches(graph, {1, 9, 1}, cube_of) == "");
  BOOST_TEST(graphs::cube_mesh(0, 4, {2, 2, 1, 1}).empty());
  BOOST_CHECK_THROW(graphs::cube_mesh(0, 4, {3, 0, 2, 1}), UsageError);
}

BOOST_AUTO_TEST_CASE(intra_mesh_is_two_rows_of_pes) {
  const NeighbourGraph graph = graphs::intra_mesh(0, 2, 8);
  BOOST_TEST(reaches(graph, {0, 2, 0}, pe_of) == "intra_E1 intra_S4");
  BOOST_TEST(reaches(graph, {0, 2, 2}, pe_of) == "intra_E3 intra_S6 intra_W1");
  BOOST_TEST(reaches(graph, {0, 2, 7}, pe_of) == "intra_N3 intra_W6");
  BOOST_TEST(edges(graph) == 20u);  // 2 x 3 along the rows, 4 across, both ways
  BOOST_TEST(reaches(graphs::intra_mesh(0, 0, 2), {0, 0, 1}, pe_of) == "intra_N0");
  BOOST_CHECK_THROW(graphs::intra_mesh(0, 0, 7), UsageError);
}

BOOST_AUTO_TEST_CASE(rings_wrap) {
  const NeighbourGraph pes = graphs::intra_pe_ring(0, 3, 8);
  BOOST_TEST(reaches(pes, {0, 3, 0}, pe_of) == "E1 W7");
  BOOST_TEST(reaches(pes, {0, 3, 7}, pe_of) == "E0 W6");
  const NeighbourGraph cubes = graphs::cube_ring(1, {0, 4, 5, 1}, {0, 2});
  BOOST_TEST(reaches(cubes, {1, 1, 2}, cube_of) == "E0 W5");
  BOOST_TEST((cubes.neighbours({1, 0, 2}).at("E") == PeId{1, 4, 2}));
  BOOST_TEST(graphs::intra_pe_ring(0, 0, 1).empty());
}

BOOST_AUTO_TEST_CASE(sips_in_a_ring) {
  const NeighbourGraph graph = graphs::sip({"ring_1d", 6, 0, 0}, {{0, 0}, {10, 3}});
  BOOST_TEST(reaches(graph, {0, 0, 0}, sip_of) == "global_E1 global_W5");
  BOOST_TEST(reaches(graph, {5, 10, 3}, sip_of) == "global_E0 global_W4");
  BOOST_TEST((graph.neighbours({5, 10, 3}).at("global_E") == PeId{0, 10, 3}));
}

// SIP r is at (r mod 3, r div 3); the dimension of length 2 leads to the same peer both ways.
BOOST_AUTO_TEST_CASE(sips_in_a_torus) {
  const NeighbourGraph graph = graphs::sip({"torus_2d", 6, 3, 2}, {{0, 0}});
  BOOST_TEST(reaches(graph, {0, 0, 0}, sip_of) == "global_E1 global_N3 global_S3 global_W2");
  BOOST_TEST(reaches(graph, {5, 0, 0}, sip_of) == "global_E3 global_N2 global_S2 global_W4");
}

BOOST_AUTO_TEST_CASE(sips_in_a_mesh_without_wrap) {
  const NeighbourGraph graph = graphs::sip({"mesh_2d_no_wrap", 6, 3, 2}, {{0, 0}});
  BOOST_TEST(reaches(graph, {0, 0, 0}, sip_of) == "global_E1 global_S3");
  BOOST_TEST(reaches(graph, {4, 0, 0}, sip_of) == "global_E5 global_N1 global_W3");
}

BOOST_AUTO_TEST_CASE(
    a_dimension_of_length_one_has_no_neighbours_and_one_of_two_leads_to_the_same_peer) {
  BOOST_TEST(graphs::sip({"ring_1d", 1, 0, 0}, {{0, 0}}).empty());
  BOOST_TEST(reaches(graphs::sip({"ring_1d", 2, 0, 0}, {{0, 0}}), {1, 0, 0}, sip_of) ==
             "global_E0 global_W0");
  BOOST_TEST(reaches(graphs::sip({"torus_2d", 3, 3, 1}, {{0, 0}}), {0, 0, 0}, sip_of) ==
             "global_E1 global_W2");
  BOOST_TEST(reaches(graphs::sip({"torus_2d", 2, 1, 2}, {{0, 0}}), {0, 0, 0}, sip_of) ==
             "global_N1 global_S1");
}

BOOST_AUTO_TEST_CASE(a_grid_that_is_not_the_number_of_sips_is_an_error) {
  BOOST_CHECK_THROW(graphs::sip({"torus_2d", 6, 2, 2}, {{0, 0}}), UsageError);
  BOOST_CHECK_THROW(graphs::sip({"hypercube", 4, 2, 2}, {{0, 0}}), UsageError);
}

// The ring visits each SIP once, every step leads to a neighbour, and so does the last one; where
// there is none, the mesh has an odd number of SIPs or is a line.
BOOST_AUTO_TEST_CASE(ring_order_visits_every_sip_by_steps_between_neighbours) {
  for (const std::string topology : {"ring_1d", "torus_2d", "mesh_2d_no_wrap"}) {
    for (int w = 1; w <= 6; ++w) {
      for (int h = 1; h <= (topology == "ring_1d" ? 1 : 6); ++h) {
        const graphs::SipGrid grid{topology, w * h, w, h};
        const auto order = ring_order(grid);
        const std::string what = topology + " " + std::to_string(w) + " x " + std::to_string(h);
        const bool line = (w == 1 || h == 1) && w * h > 2;
        const bool closed =
            topology != "mesh_2d_no_wrap" || w * h <= 2 || (!line && w * h % 2 == 0);
        BOOST_TEST(order.has_value() == closed, what);
        if (!order) continue;
        std::vector<int> sorted = *order, all(static_cast<std::size_t>(w * h));
        std::sort(sorted.begin(), sorted.end());
        std::iota(all.begin(), all.end(), 0);
        BOOST_TEST(sorted == all, boost::test_tools::per_element());
        const NeighbourGraph neighbours = graphs::sip(grid, {{0, 0}});
        for (std::size_t i = 0; i < order->size() && order->size() > 1; ++i) {
          const PeId next{(*order)[(i + 1) % order->size()], 0, 0};
          const auto& around = neighbours.neighbours({(*order)[i], 0, 0});
          BOOST_TEST(std::any_of(around.begin(), around.end(),
                                 [&](const auto& entry) { return entry.second == next; }),
                     what << ": " << (*order)[i] << " -> " << next.sip);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
