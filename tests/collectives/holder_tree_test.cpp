// Reductions between ranks of which several PEs hold the same part of a tensor: copies or partial
// sums of it, over the PEs of a cube, over cubes, or both.
#include "sw/collectives/holder_tree.h"

#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>

#include "sw/collectives/mesh_schedules.h"
#include "sw/collectives/rank_graphs.h"
#include "sw/collectives/ring_schedules.h"
#include "tests/collectives/schedule_interpreter.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(holder_tree)

namespace {

enum class Between { ring, sips, binary_tree, folded_ring };

constexpr Holding every_holding[] = {Holding::parts, Holding::copies, Holding::partial_sums};

// The first `cubes` of w x h, the first `pes` of each.
ShardLayout layout_of(int cubes, int pes, Holding over_cubes, Holding over_pes,
                      std::int64_t elements) {
  ShardLayout layout;
  const auto of = [](Holding which, Holding holding, int index) {
    return which == holding ? index : 0;
  };
  for (int cube = 0; cube < cubes; ++cube) {
    for (int pe = 0; pe < pes; ++pe) {
      const int part =
          of(Holding::parts, over_cubes, cube) * pes + of(Holding::parts, over_pes, pe);
      const int summand = of(Holding::partial_sums, over_cubes, cube) * pes +
                          of(Holding::partial_sums, over_pes, pe);
      layout.members.push_back({cube, pe, elements, static_cast<std::uint64_t>(part), summand});
    }
  }
  return layout;
}

struct Case {
  CollectiveCall call;
  Between between = Between::ring;

  int ranks() const { return call.group.size; }
  int blocks() const { return between == Between::ring ? ranks() : 1; }
  HolderTree tree() const {
    return {call,
            between == Between::folded_ring ? HolderTree::Form::rings : HolderTree::Form::mesh};
  }
  NeighbourGraph graph() const {
    const CollectiveCall roots = tree().between_roots(call);
    NeighbourGraph graph = tree().graph();
    if (between == Between::binary_tree) return graph.add(rank_tree(roots));
    if (between != Between::sips) return graph.add(rank_ring(roots));
    std::vector<graphs::CubePe> members;
    for (const ShardLayout::Member& root : roots.layout.members)
      members.push_back({root.cube, root.pe});
    return graph.add(graphs::sip(call.group.grid, members));
  }
  Schedule schedule(PeId pe) const {
    const int rank = pe.sip;
    switch (between) {
      case Between::ring:
        return tree().around(pe, schedules::ring_all_reduce(rank, ranks()), blocks());
      case Between::sips:
        return tree().around(pe, schedules::sip_exchange(call.group.grid, rank));
      case Between::binary_tree:
        return tree().through(pe, schedules::binary_tree(rank, ranks()));
      case Between::folded_ring:
        break;
    }
    return tree().through(
        pe, schedules::folded_ring(rank, ranks(), schedules::ring_next, schedules::ring_previous));
  }
};

Case any_case() {
  Case c;
  c.between =
      *rc::gen::element(Between::ring, Between::sips, Between::binary_tree, Between::folded_ring);
  graphs::SipGrid& grid = c.call.group.grid;
  if (c.between == Between::sips)
    grid.topology = *rc::gen::element<std::string>("ring_1d", "torus_2d", "mesh_2d_no_wrap");
  grid.w = *rc::gen::inRange(1, 5);
  grid.h = grid.topology == "ring_1d" ? 1 : *rc::gen::inRange(1, 4);
  grid.sips = grid.w * grid.h;
  c.call.group.size = grid.sips;
  c.call.group.cube_mesh_w = *rc::gen::inRange(1, 4);
  c.call.group.cube_mesh_h = *rc::gen::inRange(1, 4);
  c.call.group.pes = 4;
  c.call.layout =
      layout_of(*rc::gen::inRange(1, c.call.group.cubes() + 1), *rc::gen::inRange(1, 5),
                every_holding[*rc::gen::inRange(0, 3)], every_holding[*rc::gen::inRange(0, 3)],
                *rc::gen::inRange<std::int64_t>(1, 30));
  return c;
}

// Of a summand of a part on a rank; equal for copies.
double value(int rank, const ShardLayout::Member& of, std::int64_t element) {
  const auto mixed = rank * 31 + static_cast<std::int64_t>(of.part) * 17 + of.summand * 5 + element;
  return static_cast<double>(mixed % 23 - 11);
}

// The largest over the ranks of the sums of all summands.
double expected(const Case& c, std::uint64_t part, std::int64_t element) {
  double most = -1e9;
  for (int rank = 0; rank < c.ranks(); ++rank) {
    std::map<int, double> summands;
    for (const ShardLayout::Member& member : c.call.layout.members) {
      if (member.part == part) summands[member.summand] = value(rank, member, element);
    }
    double sum = 0;
    for (const auto& entry : summands) sum += entry.second;
    most = std::max(most, sum);
  }
  return most;
}

std::vector<TestBlock> blocks_of(const Case& c, int rank, const ShardLayout::Member& member) {
  std::vector<TestBlock> blocks;
  for (int i = 0; i < c.blocks(); ++i) {
    const ElementRange range = part_of({0, member.elements}, i, c.blocks());
    Values values;
    for (std::int64_t e = range.begin; e < range.end; ++e) values.push_back(value(rank, member, e));
    blocks.push_back({range.elements(), values});
  }
  return blocks;
}

bool holds_the_result(const Case& c, const ShardLayout::Member& member, const TestPe& pe) {
  std::int64_t element = 0;
  for (const TestBlock& block : pe.blocks) {
    for (const double got : *block.values) {
      if (got != expected(c, member.part, element++)) return false;
    }
  }
  return element == member.elements;
}

}  // namespace

// Sums of summands, maxima of ranks: the two are not mixed up.
RC_BOOST_PROP(every_holder_gets_the_reduction_over_the_ranks_of_the_sums_of_its_part, ()) {
  const Case c = any_case();
  TestCut cut;
  cut.slot_elements = *rc::gen::inRange<std::uint64_t>(1, 9);
  cut.section_elements = *rc::gen::inRange<std::uint64_t>(1, 100);
  cut.n_slots = *rc::gen::inRange(1, 6);
  cut.pipelined = *rc::gen::arbitrary<bool>();
  cut.depth = *rc::gen::inRange(1, cut.n_slots + 1);
  cut.span = *rc::gen::inRange(1, 5);
  std::map<PeId, TestPe> pes;
  for (int rank = 0; rank < c.ranks(); ++rank) {
    for (const ShardLayout::Member& member : c.call.layout.members) {
      const PeId pe{rank, member.cube, member.pe};
      pes[pe] = {c.schedule(pe), blocks_of(c, rank, member)};
    }
  }
  const auto most = [](double a, double b) { return std::max(a, b); };
  const auto after = ScheduleInterpreter(pes, c.graph(), cut, most).run();
  for (int rank = 0; rank < c.ranks(); ++rank) {
    for (const ShardLayout::Member& member : c.call.layout.members)
      RC_ASSERT(holds_the_result(c, member, after.at({rank, member.cube, member.pe})));
  }
}

// What no two PEs share goes between the ranks and nowhere else; of copies one goes.
BOOST_AUTO_TEST_CASE(one_holder_of_each_part_exchanges_with_other_ranks) {
  Case c;
  c.call.group.size = c.call.group.grid.sips = c.call.group.grid.w = 3;
  c.call.group.cube_mesh_w = c.call.group.cube_mesh_h = 2;
  const auto roots = [&](Holding over_cubes, Holding over_pes) {
    c.call.layout = layout_of(4, 2, over_cubes, over_pes, 8);
    return c.tree().between_roots(c.call).layout.members.size();
  };
  BOOST_TEST(roots(Holding::parts, Holding::parts) == 8U);
  BOOST_TEST(c.tree().graph().empty());
  BOOST_TEST(roots(Holding::parts, Holding::copies) == 4U);
  BOOST_TEST(roots(Holding::partial_sums, Holding::parts) == 2U);
  BOOST_TEST(roots(Holding::copies, Holding::partial_sums) == 1U);
}

// A rank alone with copies has them already.
BOOST_AUTO_TEST_CASE(copies_of_one_rank_move_nothing_and_partial_sums_do) {
  Case c;
  c.call.layout = layout_of(1, 4, Holding::parts, Holding::copies, 8);
  BOOST_TEST(c.tree().graph().empty());
  c.call.layout = layout_of(1, 4, Holding::parts, Holding::partial_sums, 8);
  BOOST_TEST(c.tree().graph().pes().size() == 4U);
}

BOOST_AUTO_TEST_CASE(layouts_say_what_is_held_several_times) {
  const auto text = [](Holding over_cubes, Holding over_pes) {
    return layout_of(2, 2, over_cubes, over_pes, 8).str();
  };
  const std::string all = "4 shards of 8 elements on pe 0 1 of cubes 0 1";
  BOOST_TEST(text(Holding::parts, Holding::parts) == all);
  BOOST_TEST(text(Holding::copies, Holding::parts) == all + ", copies over cubes");
  BOOST_TEST(text(Holding::partial_sums, Holding::copies) ==
             all + ", partial sums over cubes, copies over PEs");
  BOOST_TEST(layout_of(1, 2, Holding::partial_sums, Holding::partial_sums, 8).str() ==
             "2 shards of 8 elements on pe 0 1 of cube 0, partial sums over PEs");
}

BOOST_AUTO_TEST_SUITE_END()
