// Values and blocks for schedules that are carried out on plain numbers, of random sizes.
#pragma once

#include <rapidcheck.h>

#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "sw/collectives/ring_schedules.h"
#include "tests/collectives/schedule_interpreter.h"

namespace kernbench::test {

inline double sum(double a, double b) { return a + b; }

// Powers of two per contributor, so that a sum tells who is in it and how often.
inline double mark(std::size_t contributor, std::int64_t element) {
  return std::ldexp(1.0, static_cast<int>(contributor)) + static_cast<double>(element) * 0x1p-20;
}

inline Values marks(std::size_t contributor, std::int64_t elements) {
  Values values;
  for (std::int64_t i = 0; i < elements; ++i) values.push_back(mark(contributor, i));
  return values;
}

inline Values sum_of_marks(std::size_t contributors, std::int64_t elements) {
  Values values(static_cast<std::size_t>(elements));
  for (std::size_t c = 0; c < contributors; ++c) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] += mark(c, static_cast<std::int64_t>(i));
  }
  return values;
}

inline TestCut any_cut() {
  TestCut cut;
  cut.slot_elements = *rc::gen::inRange<std::uint64_t>(1, 9);
  cut.section_elements = *rc::gen::inRange<std::uint64_t>(1, 200);
  cut.n_slots = *rc::gen::inRange(1, 6);
  cut.pipelined = *rc::gen::arbitrary<bool>();
  cut.depth = *rc::gen::inRange(1, cut.n_slots + 1);
  cut.span = *rc::gen::inRange(1, 5);
  return cut;
}

inline PeId on_rank(int rank) { return {rank, 0, 0}; }

inline NeighbourGraph ring_of(int count) {
  NeighbourGraph graph;
  for (int rank = 0; count > 1 && rank < count; ++rank) {
    graph.connect(on_rank(rank), schedules::ring_next, on_rank((rank + 1) % count));
    graph.connect(on_rank(rank), schedules::ring_previous, on_rank((rank + count - 1) % count));
  }
  return graph;
}

// Of each position, the blocks that it starts with.
using Start = std::function<std::vector<TestBlock>(int position)>;
using ScheduleOf = std::function<Schedule(int position)>;

inline std::map<PeId, TestPe> carried_out(int count, const NeighbourGraph& graph,
                                          const ScheduleOf& schedule, const Start& start) {
  std::map<PeId, TestPe> pes;
  for (int position = 0; position < count; ++position)
    pes[on_rank(position)] = {schedule(position), start(position)};
  return ScheduleInterpreter(pes, graph, any_cut(), sum).run();
}

// One vector per position, cut into `parts`.
inline std::vector<TestBlock> cut_into(const Values& values, int parts) {
  std::vector<TestBlock> blocks;
  for (int part = 0; part < parts; ++part) {
    const ElementRange range = part_of({0, static_cast<std::int64_t>(values.size())}, part, parts);
    blocks.push_back(
        {range.elements(), Values(values.begin() + range.begin, values.begin() + range.end)});
  }
  return blocks;
}

inline Values joined(const std::vector<TestBlock>& blocks) {
  Values values;
  for (const TestBlock& block : blocks)
    values.insert(values.end(), block.values->begin(), block.values->end());
  return values;
}

inline int any_count() { return *rc::gen::inRange(1, 10); }
inline std::int64_t any_elements() { return *rc::gen::inRange<std::int64_t>(1, 120); }

}  // namespace kernbench::test
