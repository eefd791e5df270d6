// Placements that cut any axis of tensors of any rank, against a reference of its own: the owner of
// every element by one division per axis, as numpy.array_split cuts.
#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>

#include "tests/runtime/random_placements.h"
#include "tests/support/error_text.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(placement_test)

namespace {

constexpr auto replicate = Placement::replicate;

bool agrees(const PlacementCase& made, const std::vector<tl::Block>& blocks) {
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

std::string text_of_error(const Shape& shape, const Placement& pe, int pes) {
  return error_of<UsageError>([&] {
    place("t", shape, DType::f16, {replicate, pe, 1, pes}, 0, 1, 8);
  });
}

}  // namespace

RC_BOOST_PROP(any_axis_of_any_rank_is_cut_as_array_split_cuts_it, ()) {
  const PlacementCase made = random_case(4, 8, *rc::gen::inRange(1, 6));
  RC_ASSERT(agrees(made, place("t", made.shape, DType::f32, made.policy(), 0, 4, 8)));
}

// Shards with distinct offsets lie one behind the other and are the tensor; copies share theirs.
RC_BOOST_PROP(shards_cover_the_range_of_the_tensor_once, ()) {
  const PlacementCase made = random_case(3, 6, *rc::gen::inRange(1, 6));
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
}

BOOST_AUTO_TEST_CASE(rows_and_columns_are_the_first_and_the_last_axis) {
  BOOST_TEST((Placement::cut(0) == Placement::row_wise));
  BOOST_TEST((Placement::cut(-1) == Placement::column_wise));
  BOOST_TEST((Placement::tiled_by_rows(0, -1) == Placement::tiled_row_major));
  BOOST_TEST((Placement::tiled_by_columns(0, -1) == Placement::tiled_column_major));
  BOOST_TEST((Placement::cut(1) != Placement::row_wise));
}

BOOST_AUTO_TEST_CASE(placements_have_texts_that_are_read_again) {
  for (const char* text : {"replicate", "partial", "row_wise", "column_wise", "tiled_column_major",
                           "tiled_row_major", "cut(1)", "cut(-3)"})
    BOOST_TEST(parse_placement(text).str() == text);
  BOOST_TEST(parse_placement("tiled_by_rows(1,2)").str() == "tiled_by_rows(1, 2)");
  BOOST_TEST(parse_placement("tiled_by_columns(-2, 1)").str() == "tiled_by_columns(-2, 1)");
  BOOST_TEST((parse_placement("cut(0)") == Placement::row_wise));
  for (const char* text : {"", "rows", "cut()", "cut(1", "cut(1))", "cut(x)", "tiled_by_rows(1)"}) {
    BOOST_CHECK_EXCEPTION(parse_placement(text), UsageError,
                          with_text<UsageError>({"allowed: replicate, partial, row_wise"}));
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

BOOST_AUTO_TEST_SUITE_END()
