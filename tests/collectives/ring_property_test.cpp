// The schedules of all PEs of rings together compute what the collective says, for any number of
// ranks, size, slot and depth of the rings, and end: carried out on plain numbers by
// ScheduleInterpreter.
#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>

#include "sw/collectives/ring_schedules.h"
#include "tests/collectives/random_schedules.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(ring_property)

RC_BOOST_PROP(ring_all_reduce_gives_every_rank_the_sum_of_all, ()) {
  const int count = any_count();
  const std::int64_t elements = any_elements();
  const auto pes = carried_out(
      count, ring_of(count), [&](int p) { return schedules::ring_all_reduce(p, count); },
      [&](int p) { return cut_into(marks(static_cast<std::size_t>(p), elements), count); });
  for (const auto& entry : pes)
    RC_ASSERT(joined(entry.second.blocks) ==
              sum_of_marks(static_cast<std::size_t>(count), elements));
}

RC_BOOST_PROP(ring_reduce_scatter_completes_the_block_of_each_position, ()) {
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
}

RC_BOOST_PROP(ring_all_gather_gives_every_rank_all_blocks, ()) {
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
}

RC_BOOST_PROP(ring_broadcast_and_reduce_have_any_root, ()) {
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
      count, ring_of(count), [&](int p) { return schedules::ring_reduce(p, count, root); }, start);
  RC_ASSERT(*reduced.at(on_rank(root)).blocks[0].values ==
            sum_of_marks(static_cast<std::size_t>(count), elements));
}

RC_BOOST_PROP(ring_gather_and_scatter_have_any_root, ()) {
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

RC_BOOST_PROP(ring_all_to_all_brings_every_block_to_its_rank, ()) {
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
    // Two blocks, the sends that run ahead, and two loads of 4 chunks.
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

BOOST_AUTO_TEST_SUITE_END()
