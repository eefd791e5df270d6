// Placements that cut any axis of tensors of any rank, against a reference of its own: the owner of
// every element by one division per axis, as numpy.array_split cuts.
#include <rapidcheck.h>

#include <numeric>

#include "tests/runtime/stub_host.h"

using namespace kernbench;
using namespace kernbench::test;

namespace {

constexpr auto replicate = Placement::replicate;

// [begin, end) of part `index`: sizes as numpy.array_split, extent // parts + 1 for the first
// extent % parts, extent // parts for the others.
std::pair<std::int64_t, std::int64_t> array_split(std::int64_t extent, int parts, int index) {
  std::int64_t begin = 0;
  for (int i = 0; i < index; ++i) begin += extent / parts + (i < extent % parts ? 1 : 0);
  return {begin, begin + extent / parts + (index < extent % parts ? 1 : 0)};
}

struct Box {
  std::vector<std::int64_t> begin, end;
};

Box whole(const Shape& shape) {
  return {std::vector<std::int64_t>(shape.rank(), 0), shape.extents()};
}

// One level of a policy: `axes` are cut into `counts`; none: copies.
struct Level {
  Placement placement = replicate;
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
Level random_level(int rank, int parts) {
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

struct Case {
  Shape shape;
  Level cubes, pes;
  DPPolicy policy() const { return {cubes.placement, pes.placement, cubes.parts, pes.parts}; }
  Box box(int cube, int pe) const { return pes.part(cubes.part(whole(shape), cube), pe); }
};

// Extents are drawn first from what the parts need.
Case random_case(int max_cubes, int max_pes, int rank) {
  Case made;
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

bool agrees(const Case& made, const std::vector<tl::Block>& blocks) {
  std::size_t i = 0;
  for (int cube = 0; cube < made.cubes.parts; ++cube) {
    for (int pe = 0; pe < made.pes.parts; ++pe, ++i) {
      const Box box = made.box(cube, pe);
      const tl::Block& block = blocks.at(i);
      if (!(block.where == PeId{0, cube, pe}) || block.start != box.begin) return false;
      for (std::size_t axis = 0; axis < box.begin.size(); ++axis) {
        if (block.shape[axis] != box.end[axis] - box.begin[axis]) return false;
      }
      if (block.nbytes != static_cast<std::uint64_t>(block.shape.elements()) * 4) return false;
    }
  }
  return i == blocks.size();
}

// Element by element: the shard, dense and row-major, has the values of its box.
bool holds_its_box(FunctionalModel& model, const tl::Block& block, const HostArray& all) {
  const auto bytes = model.memory().read_bytes(block.pa, block.nbytes);
  const Shape& shape = all.shape();
  for (std::int64_t local = 0; local < block.shape.elements(); ++local) {
    std::int64_t rest = local, at = 0, stride = 1;
    for (std::size_t axis = shape.rank(); axis-- > 0;) {
      at += (block.start[axis] + rest % block.shape[axis]) * stride;
      rest /= block.shape[axis];
      stride *= shape[axis];
    }
    for (std::int64_t byte = 0; byte < 4; ++byte) {
      if (std::to_integer<std::uint8_t>(bytes[static_cast<std::size_t>(local * 4 + byte)]) !=
          all.bytes()[static_cast<std::size_t>(at * 4 + byte)])
        return false;
    }
  }
  return true;
}

HostArray counted(const Shape& shape) {
  std::vector<double> values(static_cast<std::size_t>(shape.elements()));
  std::iota(values.begin(), values.end(), 0);
  return {shape, i32, values};
}

std::string text_of_error(const Shape& shape, const Placement& pe, int pes) {
  try {
    place("t", shape, DType::f16, {replicate, pe, 1, pes}, 0, 1, 8);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(any_axis_of_any_rank_is_cut_as_array_split_cuts_it) {
  BOOST_TEST(rc::check([] {
    const Case made = random_case(4, 8, *rc::gen::inRange(1, 6));
    RC_ASSERT(agrees(made, place("t", made.shape, DType::f32, made.policy(), 0, 4, 8)));
  }));
}

// Shards with distinct offsets lie one behind the other and are the tensor; copies share theirs.
BOOST_AUTO_TEST_CASE(shards_cover_the_range_of_the_tensor_once) {
  BOOST_TEST(rc::check([] {
    const Case made = random_case(3, 6, *rc::gen::inRange(1, 6));
    std::map<std::uint64_t, std::uint64_t> by_offset;
    for (const tl::Block& block : place("t", made.shape, DType::f32, made.policy(), 0, 3, 6)) {
      const auto [known, is_new] = by_offset.emplace(block.offset, block.nbytes);
      RC_ASSERT(is_new || known->second == block.nbytes);
    }
    std::uint64_t end = 0;
    for (const auto& [offset, nbytes] : by_offset) {
      RC_ASSERT(offset == end);
      end += nbytes;
    }
    RC_ASSERT(end == static_cast<std::uint64_t>(made.shape.elements()) * 4);
  }));
}

// To the device, back, to another placement, and box by box.
BOOST_AUTO_TEST_CASE(values_of_any_rank_reach_their_shards_and_come_back_by_every_way) {
  BOOST_TEST(rc::check([] {
    const int rank = *rc::gen::inRange(1, 6);
    const Case made = random_case(3, 4, rank), other = random_case(3, 4, rank);
    Case target = other;  // the shape of the first where that has enough elements for the parts
    std::vector<std::int64_t> extents = made.shape.extents();
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
      extents[axis] = std::max(extents[axis], other.shape[axis]);
    const Shape shape(extents);
    const auto pick = *rc::gen::inRange(0, 1000);
    const bool same = forked_value([&] {
      bool ok = true;
      StubHost host;
      run_on(host, [&](Torch& torch, Runtime&) {
        const HostArray values = counted(shape);
        const Tensor t = torch.from_host(values, made.policy(), "t");
        for (const tl::Block& block : t.info()->blocks)
          ok = ok && holds_its_box(host.functional_model, block, values);
        ok = ok && t.to_host().bytes() == values.bytes();
        Tensor moved = torch.empty(shape, i32, target.policy(), "moved");
        moved.copy_(t);  // a reshard
        for (const tl::Block& block : moved.info()->blocks)
          ok = ok && holds_its_box(host.functional_model, block, values);
        const auto& blocks = moved.info()->blocks;
        const tl::Block& block = blocks[static_cast<std::size_t>(pick) % blocks.size()];
        std::vector<AxisRange> ranges;
        for (std::size_t axis = 0; axis < shape.rank(); ++axis)
          ranges.emplace_back(block.start[axis], block.start[axis] + block.shape[axis]);
        TensorSlice slice(moved, ranges);
        const HostArray part = slice.to_host();
        ok = ok && (part.shape() == block.shape) &&
             holds_its_box(host.functional_model, block, values);
        slice.fill_(-1);
        const std::vector<double> now = moved.to_host().values();
        ok = ok && std::count(now.begin(), now.end(), -1.0) == block.shape.elements();
      });
      return ok;
    });
    RC_ASSERT(same);
  }));
}

BOOST_AUTO_TEST_CASE(rows_and_columns_are_the_first_and_the_last_axis) {
  BOOST_TEST((Placement::cut(0) == Placement::row_wise));
  BOOST_TEST((Placement::cut(-1) == Placement::column_wise));
  BOOST_TEST((Placement::tiled_by_rows(0, -1) == Placement::tiled_row_major));
  BOOST_TEST((Placement::tiled_by_columns(0, -1) == Placement::tiled_column_major));
  BOOST_TEST((Placement::cut(1) != Placement::row_wise));
}

BOOST_AUTO_TEST_CASE(placements_have_texts_that_are_read_again) {
  for (const char* text : {"replicate", "row_wise", "column_wise", "tiled_column_major",
                           "tiled_row_major", "cut(1)", "cut(-3)"})
    BOOST_TEST(parse_placement(text).str() == text);
  BOOST_TEST(parse_placement("tiled_by_rows(1,2)").str() == "tiled_by_rows(1, 2)");
  BOOST_TEST(parse_placement("tiled_by_columns(-2, 1)").str() == "tiled_by_columns(-2, 1)");
  BOOST_TEST((parse_placement("cut(0)") == Placement::row_wise));
  for (const char* text : {"", "rows", "cut()", "cut(1", "cut(1))", "cut(x)", "tiled_by_rows(1)"}) {
    BOOST_CHECK_EXCEPTION(parse_placement(text), UsageError,
                          with_text<UsageError>({"allowed: replicate, row_wise"}));
  }
  BOOST_TEST((DPPolicy{replicate, Placement::cut(1), {}, 8}).str() ==
             "DPPolicy{replicate, cut(1), all, 8}");
}

BOOST_AUTO_TEST_CASE(an_axis_that_is_not_there_or_too_short_is_an_error_that_names_it) {
  BOOST_TEST(text_of_error({4, 6, 8}, Placement::cut(3), 2) ==
             "tensor 't' {4, 6, 8}: cut(3): axis 3, allowed: -3 to 2");
  BOOST_TEST(text_of_error({4, 6, 8}, Placement::cut(-4), 2) ==
             "tensor 't' {4, 6, 8}: cut(-4): axis -4, allowed: -3 to 2");
  BOOST_TEST(text_of_error({4, 6, 8}, Placement::cut(1), 8) ==
             "tensor 't' {4, 6, 8}: cut(1) over 8 PEs cuts axis 1 into 8 parts, but its extent "
             "there is 6");
  BOOST_TEST(text_of_error({4, 6, 8}, Placement::tiled_by_rows(1, -2), 4) ==
             "tensor 't' {4, 6, 8}: tiled_by_rows(1, -2) needs two axes");
  BOOST_TEST(text_of_error({}, Placement::cut(1), 1) ==
             "tensor 't' {}: cut(1) of a tensor without axes");
}
