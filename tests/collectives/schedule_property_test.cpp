// The schedules of all PEs together compute what the collective says, for any number of ranks,
// size, slot and depth of the rings, and end: carried out on plain numbers by ScheduleInterpreter.
#include <rapidcheck.h>

#include <boost/test/unit_test.hpp>
#include <numeric>

#include "sw/collectives/holder_tree.h"
#include "sw/collectives/mesh_schedules.h"
#include "sw/collectives/ring_schedules.h"
#include "sw/collectives/shipped_graphs.h"
#include "sw/collectives/tree_schedules.h"
#include "tests/collectives/schedule_interpreter.h"

using namespace kernbench;
using namespace kernbench::test;

namespace {

double sum(double a, double b) { return a + b; }

// Powers of two per contributor, so that a sum tells who is in it and how often.
double mark(std::size_t contributor, std::int64_t element) {
  return std::ldexp(1.0, static_cast<int>(contributor)) + static_cast<double>(element) * 0x1p-20;
}

Values marks(std::size_t contributor, std::int64_t elements) {
  Values values;
  for (std::int64_t i = 0; i < elements; ++i) values.push_back(mark(contributor, i));
  return values;
}

Values sum_of_marks(std::size_t contributors, std::int64_t elements) {
  Values values(static_cast<std::size_t>(elements));
  for (std::size_t c = 0; c < contributors; ++c) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] += mark(c, static_cast<std::int64_t>(i));
  }
  return values;
}

TestCut any_cut() {
  TestCut cut;
  cut.slot_elements = *rc::gen::inRange<std::uint64_t>(1, 9);
  cut.section_elements = *rc::gen::inRange<std::uint64_t>(1, 200);
  cut.n_slots = *rc::gen::inRange(1, 6);
  cut.pipelined = *rc::gen::arbitrary<bool>();
  cut.depth = *rc::gen::inRange(1, cut.n_slots + 1);
  cut.span = *rc::gen::inRange(1, 5);
  return cut;
}

PeId on_rank(int rank) { return {rank, 0, 0}; }

NeighbourGraph ring_of(int count) {
  NeighbourGraph graph;
  for (int rank = 0; count > 1 && rank < count; ++rank) {
    graph.connect(on_rank(rank), schedules::ring_next, on_rank((rank + 1) % count));
    graph.connect(on_rank(rank), schedules::ring_previous, on_rank((rank + count - 1) % count));
  }
  return graph;
}

NeighbourGraph tree_of(int count) {
  NeighbourGraph graph;
  for (int rank = 1; rank < count; ++rank) {
    graph.connect(on_rank(rank), "parent", on_rank((rank - 1) / 2));
    graph.connect(on_rank((rank - 1) / 2), rank % 2 == 1 ? "child0" : "child1", on_rank(rank));
  }
  return graph;
}

// Of each position, the blocks that it starts with.
using Start = std::function<std::vector<TestBlock>(int position)>;
using ScheduleOf = std::function<Schedule(int position)>;

std::map<PeId, TestPe> carried_out(int count, const NeighbourGraph& graph,
                                   const ScheduleOf& schedule, const Start& start) {
  std::map<PeId, TestPe> pes;
  for (int position = 0; position < count; ++position)
    pes[on_rank(position)] = {schedule(position), start(position)};
  return ScheduleInterpreter(pes, graph, any_cut(), sum).run();
}

// One vector per position, cut into `parts`.
std::vector<TestBlock> cut_into(const Values& values, int parts) {
  std::vector<TestBlock> blocks;
  for (int part = 0; part < parts; ++part) {
    const ElementRange range = part_of({0, static_cast<std::int64_t>(values.size())}, part, parts);
    blocks.push_back(
        {range.elements(), Values(values.begin() + range.begin, values.begin() + range.end)});
  }
  return blocks;
}

Values joined(const std::vector<TestBlock>& blocks) {
  Values values;
  for (const TestBlock& block : blocks)
    values.insert(values.end(), block.values->begin(), block.values->end());
  return values;
}

int any_count() { return *rc::gen::inRange(1, 10); }
std::int64_t any_elements() { return *rc::gen::inRange<std::int64_t>(1, 120); }

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

BOOST_AUTO_TEST_SUITE(schedule_property)

BOOST_AUTO_TEST_CASE(ring_all_reduce_gives_every_rank_the_sum_of_all) {
  const bool ok = rc::check("ring all-reduce", [] {
    const int count = any_count();
    const std::int64_t elements = any_elements();
    const auto pes = carried_out(
        count, ring_of(count), [&](int p) { return schedules::ring_all_reduce(p, count); },
        [&](int p) { return cut_into(marks(static_cast<std::size_t>(p), elements), count); });
    for (const auto& entry : pes)
      RC_ASSERT(joined(entry.second.blocks) ==
                sum_of_marks(static_cast<std::size_t>(count), elements));
  });
  BOOST_TEST(ok);
}

BOOST_AUTO_TEST_CASE(ring_reduce_scatter_completes_the_block_of_each_position) {
  const bool ok = rc::check("ring reduce-scatter", [] {
    const int count = any_count();
    const std::int64_t elements = any_elements();
    const auto pes = carried_out(
        count, ring_of(count), [&](int p) { return schedules::ring_reduce_scatter(p, count); },
        [&](int p) {
          return std::vector<TestBlock>(static_cast<std::size_t>(count),
                                        {elements, marks(static_cast<std::size_t>(p), elements)});
        });
    for (int p = 0; p < count; ++p)
      RC_ASSERT(*pes.at(on_rank(p)).blocks[static_cast<std::size_t>(p)].values ==
                sum_of_marks(static_cast<std::size_t>(count), elements));
  });
  BOOST_TEST(ok);
}

BOOST_AUTO_TEST_CASE(ring_all_gather_gives_every_rank_all_blocks) {
  const bool ok = rc::check("ring all-gather", [] {
    const int count = any_count();
    const std::int64_t elements = any_elements();
    const auto pes = carried_out(
        count, ring_of(count), [&](int p) { return schedules::ring_all_gather(p, count); },
        [&](int p) {
          std::vector<TestBlock> blocks(static_cast<std::size_t>(count), {elements, {}});
          blocks[static_cast<std::size_t>(p)].values = marks(static_cast<std::size_t>(p), elements);
          return blocks;
        });
    for (const auto& entry : pes) {
      for (std::size_t block = 0; block < entry.second.blocks.size(); ++block)
        RC_ASSERT(*entry.second.blocks[block].values == marks(block, elements));
    }
  });
  BOOST_TEST(ok);
}

BOOST_AUTO_TEST_CASE(ring_broadcast_and_reduce_have_any_root) {
  const bool ok = rc::check("ring broadcast, reduce", [] {
    const int count = any_count(), root = *rc::gen::inRange(0, count);
    const std::int64_t elements = any_elements();
    const auto start = [&](int p) {
      return std::vector<TestBlock>{{elements, marks(static_cast<std::size_t>(p), elements)}};
    };
    const auto sent = carried_out(
        count, ring_of(count), [&](int p) { return schedules::ring_broadcast(p, count, root); },
        start);
    for (const auto& entry : sent)
      RC_ASSERT(*entry.second.blocks[0].values == marks(static_cast<std::size_t>(root), elements));
    const auto reduced = carried_out(
        count, ring_of(count), [&](int p) { return schedules::ring_reduce(p, count, root); },
        start);
    RC_ASSERT(*reduced.at(on_rank(root)).blocks[0].values ==
              sum_of_marks(static_cast<std::size_t>(count), elements));
  });
  BOOST_TEST(ok);
}

BOOST_AUTO_TEST_CASE(ring_gather_and_scatter_have_any_root) {
  const bool ok = rc::check("ring gather, scatter", [] {
    const int count = any_count(), root = *rc::gen::inRange(0, count);
    const std::int64_t elements = any_elements();
    const auto nothing = [&] {
      return std::vector<TestBlock>(static_cast<std::size_t>(count), {elements, {}});
    };
    const auto gathered = carried_out(
        count, ring_of(count), [&](int p) { return schedules::ring_gather(p, count, root); },
        [&](int p) {
          std::vector<TestBlock> blocks = nothing();
          blocks[static_cast<std::size_t>(p)].values = marks(static_cast<std::size_t>(p), elements);
          return blocks;
        });
    const auto scattered = carried_out(
        count, ring_of(count), [&](int p) { return schedules::ring_scatter(p, count, root); },
        [&](int p) {
          std::vector<TestBlock> blocks = nothing();
          for (std::size_t block = 0; p == root && block < blocks.size(); ++block)
            blocks[block].values = marks(block, elements);
          return blocks;
        });
    for (int p = 0; p < count; ++p) {
      const auto block = static_cast<std::size_t>(p);
      RC_ASSERT(*gathered.at(on_rank(root)).blocks[block].values == marks(block, elements));
      RC_ASSERT(*scattered.at(on_rank(p)).blocks[block].values == marks(block, elements));
    }
  });
  BOOST_TEST(ok);
}

// What crosses each link is what has to: of n ranks n - 1 messages to or from the root, n - 2 on
// the link before, ..., 1.
BOOST_AUTO_TEST_CASE(ring_gather_and_scatter_send_every_block_once_over_each_link_of_its_way) {
  for (int count = 1; count <= 9; ++count) {
    const auto sent = [&](const ScheduleOf& schedule, bool all_at_root) {
      std::map<PeId, TestPe> pes;
      for (int p = 0; p < count; ++p) {
        std::vector<TestBlock> blocks(static_cast<std::size_t>(count), {1, {}});
        for (int block = 0; block < count; ++block) {
          if (all_at_root ? p == 0 : p == block)
            blocks[static_cast<std::size_t>(block)].values = Values{1};
        }
        pes[on_rank(p)] = {schedule(p), blocks};
      }
      ScheduleInterpreter interpreter(pes, ring_of(count), {}, sum);
      interpreter.run();
      return interpreter.messages();
    };
    const auto expected = static_cast<std::uint64_t>(count * (count - 1) / 2);
    BOOST_TEST(sent([&](int p) { return schedules::ring_gather(p, count, 0); }, false) == expected);
    BOOST_TEST(sent([&](int p) { return schedules::ring_scatter(p, count, 0); }, true) == expected);
  }
}

BOOST_AUTO_TEST_CASE(ring_all_to_all_brings_every_block_to_its_rank) {
  const bool ok = rc::check("ring all-to-all", [] {
    const int count = any_count();
    const std::int64_t elements = *rc::gen::inRange<std::int64_t>(1, 30);
    const auto contributor = [&](int source, int target) {
      return static_cast<std::size_t>(source + count * target);
    };
    const auto pes = carried_out(
        count, ring_of(count), [&](int p) { return schedules::ring_all_to_all(p, count); },
        [&](int p) {
          std::vector<TestBlock> blocks(static_cast<std::size_t>(count * count), {elements, {}});
          for (int target = 0; target < count; ++target)
            blocks[static_cast<std::size_t>(p * count + target)].values =
                marks(contributor(p, target), elements);
          return blocks;
        });
    for (int p = 0; p < count; ++p) {
      for (int source = 0; source < count; ++source)
        RC_ASSERT(*pes.at(on_rank(p)).blocks[static_cast<std::size_t>(source * count + p)].values ==
                  marks(contributor(source, p), elements));
    }
  });
  BOOST_TEST(ok);
}

// What ScheduleOptions::blocks_at_once says of the rings that ship: so many blocks, and what is
// loaded or has arrived ahead.
BOOST_AUTO_TEST_CASE(rings_have_values_of_few_blocks_at_a_time) {
  constexpr int chunks = 12, n_slots = 4;
  const auto most_values = [](int count, int blocks, const ScheduleOf& schedule,
                              const std::function<bool(int p, int block)>& has) {
    TestCut cut{1, 1'000'000, n_slots, true, n_slots, 4};
    std::map<PeId, TestPe> pes;
    for (int p = 0; p < count; ++p) {
      std::vector<TestBlock> mine(static_cast<std::size_t>(blocks), {chunks, {}});
      for (int block = 0; block < blocks; ++block) {
        if (has(p, block)) mine[static_cast<std::size_t>(block)].values = Values(chunks);
      }
      pes[on_rank(p)] = {schedule(p), mine};
    }
    ScheduleInterpreter interpreter(pes, ring_of(count), cut, sum);
    interpreter.run();
    return interpreter.most_values();
  };
  for (int n = 2; n <= 9; ++n) {
    const auto all = [](int, int) { return true; };
    const auto own = [](int p, int block) { return p == block; };
    const std::size_t of_a_stream = 2 * chunks + 2 * n_slots + 8;
    const auto of_ring = [n](Schedule (*schedule)(int, int)) {
      return [n, schedule](int p) { return schedule(p, n); };
    };
    BOOST_TEST(most_values(n, n, of_ring(schedules::ring_all_reduce), all) <= of_a_stream);
    BOOST_TEST(most_values(n, n, of_ring(schedules::ring_reduce_scatter), all) <= of_a_stream);
    BOOST_TEST(most_values(n, n, of_ring(schedules::ring_all_gather), own) <= of_a_stream);
    BOOST_TEST(most_values(
                   n, n, [n](int p) { return schedules::ring_gather(p, n, 0); }, own) <=
               of_a_stream);
    BOOST_TEST(most_values(
                   n, n, [n](int p) { return schedules::ring_scatter(p, n, 0); },
                   [](int p, int) { return p == 0; }) <= of_a_stream);
    BOOST_TEST(most_values(n, n * n, of_ring(schedules::ring_all_to_all), [n](int p, int block) {
                 return block / n == p;
               }) <= static_cast<std::size_t>(n * chunks + 2 * n_slots + 8));
  }
}

BOOST_AUTO_TEST_CASE(tree_all_reduce_gives_every_rank_the_sum_of_all) {
  const bool ok = rc::check("tree all-reduce", [] {
    const int count = any_count();
    const std::int64_t elements = any_elements();
    const auto pes = carried_out(
        count, tree_of(count),
        [&](int p) { return schedules::tree_all_reduce(schedules::binary_tree(p, count)); },
        [&](int p) { return cut_into(marks(static_cast<std::size_t>(p), elements), 1); });
    for (const auto& entry : pes)
      RC_ASSERT(joined(entry.second.blocks) ==
                sum_of_marks(static_cast<std::size_t>(count), elements));
  });
  BOOST_TEST(ok);
}

// Any rectangle of cubes, any root in it, any arrangement of SIPs: every cube has the sum over all
// cubes of all SIPs.
BOOST_AUTO_TEST_CASE(lrab_gives_every_cube_the_sum_of_all_cubes_of_all_sips) {
  const bool ok = rc::check("lrab", [] {
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
      RC_ASSERT(*entry.second.blocks[0].values ==
                Values(static_cast<std::size_t>(elements), total));
  });
  BOOST_TEST(ok);
}

// Three levels, each a folded ring, as hierarchical_allreduce has them.
BOOST_AUTO_TEST_CASE(levels_of_folded_rings_reduce_to_their_common_root_and_back) {
  const bool ok = rc::check("levels", [] {
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
  });
  BOOST_TEST(ok);
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
