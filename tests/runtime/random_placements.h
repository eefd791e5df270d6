// Random policies for tensors of any rank, and which box of the tensor each PE has by them: a
// reference of its own, by one division per axis, as numpy.array_split cuts.
#pragma once

#include <rapidcheck.h>

#include <map>
#include <utility>
#include <vector>

#include "sw/runtime/dp_policy.h"

namespace kernbench::test {

// [begin, end) of part `index`: sizes as numpy.array_split, extent // parts + 1 for the first
// extent % parts, extent // parts for the others.
inline std::pair<std::int64_t, std::int64_t> array_split(std::int64_t extent, int parts,
                                                         int index) {
  std::int64_t begin = 0;
  for (int i = 0; i < index; ++i) begin += extent / parts + (i < extent % parts ? 1 : 0);
  return {begin, begin + extent / parts + (index < extent % parts ? 1 : 0)};
}

struct Box {
  std::vector<std::int64_t> begin, end;
};

inline Box whole(const Shape& shape) {
  return {std::vector<std::int64_t>(shape.rank(), 0), shape.extents()};
}

// One level of a policy: `axes` are cut into `counts`; none: copies.
struct Level {
  Placement placement = Placement::replicate;
  std::vector<std::size_t> axes;
  std::vector<int> counts;
  bool down_columns = false;
  int parts = 1;

  Box part(Box box, int i) const {
    for (std::size_t n = 0; n < axes.size(); ++n) {
      int index = i;
      if (axes.size() == 2) {
        const bool first = n == 0;
        index = down_columns ? (first ? i % counts[0] : i / counts[0])
                             : (first ? i / counts[1] : i % counts[1]);
      }
      const auto [begin, end] =
          array_split(box.end[axes[n]] - box.begin[axes[n]], counts[n], index);
      box.end[axes[n]] = box.begin[axes[n]] + end;
      box.begin[axes[n]] += begin;
    }
    return box;
  }
};

// A random way to make `parts` parts of a tensor of `rank` axes.
inline Level random_level(int rank, int parts) {
  Level level;
  level.parts = parts;
  const auto axis = [&] { return *rc::gen::inRange(0, rank); };
  // As a policy names it: from the front or from the end.
  const auto named = [&](int which) { return *rc::gen::arbitrary<bool>() ? which : which - rank; };
  const int kind = *rc::gen::inRange(0, rank > 1 ? 4 : 2);
  if (kind == 0) return level;
  const int first = axis();
  if (kind == 1) {
    level.placement = Placement::cut(named(first));
    level.axes = {static_cast<std::size_t>(first)};
    level.counts = {parts};
    return level;
  }
  const int second = (first + *rc::gen::inRange(1, rank)) % rank;
  level.down_columns = kind == 2;
  level.placement = level.down_columns ? Placement::tiled_by_columns(named(first), named(second))
                                       : Placement::tiled_by_rows(named(first), named(second));
  level.axes = {static_cast<std::size_t>(first), static_cast<std::size_t>(second)};
  const std::map<int, std::vector<int>> nearly_square{{1, {1, 1}}, {2, {1, 2}}, {3, {1, 3}},
                                                      {4, {2, 2}}, {5, {1, 5}}, {6, {2, 3}},
                                                      {7, {1, 7}}, {8, {2, 4}}};
  level.counts = nearly_square.at(parts);
  return level;
}

struct PlacementCase {
  Shape shape;
  Level cubes, pes;
  DPPolicy policy() const { return {cubes.placement, pes.placement, cubes.parts, pes.parts}; }
  Box box(int cube, int pe) const { return pes.part(cubes.part(whole(shape), cube), pe); }
};

// Extents are drawn first from what the parts need.
inline PlacementCase random_case(int max_cubes, int max_pes, int rank) {
  PlacementCase made;
  made.cubes = random_level(rank, *rc::gen::inRange(1, max_cubes + 1));
  made.pes = random_level(rank, *rc::gen::inRange(1, max_pes + 1));
  std::vector<std::int64_t> extents(static_cast<std::size_t>(rank), 1);
  for (const Level* level : {&made.cubes, &made.pes}) {
    for (std::size_t n = 0; n < level->axes.size(); ++n)
      extents[level->axes[n]] *= level->counts[n];
  }
  for (std::int64_t& extent : extents) extent += *rc::gen::inRange(0, 4);
  made.shape = Shape(extents);
  return made;
}

}  // namespace kernbench::test
