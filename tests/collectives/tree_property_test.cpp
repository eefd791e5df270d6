// The schedules of trees and of levels of rings, as ring_property_test.cpp has those of rings.
#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>

#include "sw/collectives/holder_tree.h"
#include "sw/collectives/mesh_schedules.h"
#include "sw/collectives/shipped_graphs.h"
#include "sw/collectives/tree_schedules.h"
#include "tests/collectives/random_schedules.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(tree_property)

namespace {

NeighbourGraph tree_of(int count) {
  NeighbourGraph graph;
  for (int rank = 1; rank < count; ++rank) {
    graph.connect(on_rank(rank), "parent", on_rank((rank - 1) / 2));
    graph.connect(on_rank((rank - 1) / 2), rank % 2 == 1 ? "child0" : "child1", on_rank(rank));
  }
  return graph;
}

graphs::SipGrid any_grid() {
  graphs::SipGrid grid;
  grid.topology =
      *rc::gen::elementOf(std::vector<std::string>{"ring_1d", "torus_2d", "mesh_2d_no_wrap"});
  grid.w = *rc::gen::inRange(1, 5);
  grid.h = grid.topology == "ring_1d" ? 1 : *rc::gen::inRange(1, 5);
  grid.sips = grid.w * grid.h;
  return grid;
}

}  // namespace

RC_BOOST_PROP(tree_all_reduce_gives_every_rank_the_sum_of_all, ()) {
  const int count = any_count();
  const std::int64_t elements = any_elements();
  const auto pes = carried_out(
      count, tree_of(count),
      [&](int p) { return schedules::tree_all_reduce(schedules::binary_tree(p, count)); },
      [&](int p) { return cut_into(marks(static_cast<std::size_t>(p), elements), 1); });
  for (const auto& entry : pes)
    RC_ASSERT(joined(entry.second.blocks) ==
              sum_of_marks(static_cast<std::size_t>(count), elements));
}

// Any rectangle of cubes, any root in it, any arrangement of SIPs: every cube has the sum over all
// cubes of all SIPs.
RC_BOOST_PROP(lrab_gives_every_cube_the_sum_of_all_cubes_of_all_sips, ()) {
  const graphs::SipGrid grid = any_grid();
  const int w = *rc::gen::inRange(1, 5), h = *rc::gen::inRange(1, 4);
  const int root = *rc::gen::inRange(0, w * h);
  const std::int64_t elements = *rc::gen::inRange<std::int64_t>(1, 30);
  CollectiveCall call;
  call.group.size = grid.sips;
  call.group.cube_mesh_w = w;
  call.group.cube_mesh_h = h;
  for (int cube = 0; cube < w * h; ++cube)
    call.layout.members.push_back({cube, 0, elements, 0, cube});
  const HolderTree tree(call, HolderTree::Form::mesh, root);
  const NeighbourGraph graph = tree.graph().add(graphs::sip(grid, {{root, 0}}));
  std::map<PeId, TestPe> pes;
  double total = 0;
  for (int sip = 0; sip < grid.sips; ++sip) {
    for (int cube = 0; cube < w * h; ++cube) {
      const double value = sip * 100 + cube + 1;
      total += value;
      pes[{sip, cube, 0}] = {tree.around({sip, cube, 0}, schedules::sip_exchange(grid, sip)),
                             {{elements, Values(static_cast<std::size_t>(elements), value)}}};
    }
  }
  for (const auto& entry : ScheduleInterpreter(pes, graph, any_cut(), sum).run())
    RC_ASSERT(*entry.second.blocks[0].values == Values(static_cast<std::size_t>(elements), total));
}

// Three levels, each a folded ring, as hierarchical_allreduce has them.
RC_BOOST_PROP(levels_of_folded_rings_reduce_to_their_common_root_and_back, ()) {
  const int pes = *rc::gen::inRange(1, 6), cubes = *rc::gen::inRange(1, 6), sips = any_count();
  NeighbourGraph graph;
  const auto ring = [&](int count, const char* next, const char* previous,
                        const std::function<PeId(int)>& at) {
    for (int i = 0; count > 1 && i < count; ++i)
      graph.connect(at(i), next, at((i + 1) % count))
          .connect(at(i), previous, at((i + count - 1) % count));
  };
  std::map<PeId, TestPe> all;
  double total = 0;
  for (int sip = 0; sip < sips; ++sip) {
    for (int cube = 0; cube < cubes; ++cube) {
      ring(pes, "E", "W", [&](int pe) { return PeId{sip, cube, pe}; });
      for (int pe = 0; pe < pes; ++pe) {
        std::vector<schedules::TreePosition> places{schedules::folded_ring(pe, pes, "E", "W")};
        if (pe == 0) places.push_back(schedules::folded_ring(cube, cubes, "S", "N"));
        if (pe == 0 && cube == 0)
          places.push_back(schedules::folded_ring(sip, sips, "ring_E", "ring_W"));
        const double value = sip * 100 + cube * 10 + pe + 1;
        total += value;
        all[{sip, cube, pe}] = {schedules::tree_all_reduce(schedules::levels(places)),
                                {{3, Values(3, value)}}};
      }
    }
    ring(cubes, "S", "N", [&](int cube) { return PeId{sip, cube, 0}; });
  }
  ring(sips, "ring_E", "ring_W", [](int sip) { return PeId{sip, 0, 0}; });
  for (const auto& entry : ScheduleInterpreter(all, graph, any_cut(), sum).run())
    RC_ASSERT(*entry.second.blocks[0].values == Values(3, total));
}

BOOST_AUTO_TEST_CASE(a_folded_ring_has_half_of_the_hops) {
  for (int count = 1; count <= 9; ++count) {
    int longest = 0;
    for (int position = 0; position < count; ++position) {
      int hops = 0;
      for (int at = position; at != 0; ++hops)
        at = schedules::folded_ring(at, count, "E", "W").up == "E" ? (at + 1) % count : at - 1;
      longest = std::max(longest, hops);
    }
    BOOST_TEST(longest == count / 2);  // ceil((count - 1) / 2)
  }
}

BOOST_AUTO_TEST_SUITE_END()
