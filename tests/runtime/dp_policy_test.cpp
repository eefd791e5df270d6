// Placement of tensors within one SIP (spec 7).
#include "sw/runtime/dp_policy.h"

#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "sw/runtime/block_runs.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(dp_policy_test)

namespace {

// "cube.pe offset rows x columns @ row, column" of each block
std::vector<std::string> describe_blocks(const DPPolicy& policy, const Shape& shape, int cubes = 2,
                                         int pes = 4) {
  std::vector<std::string> lines;
  for (const tl::Block& block : place("t", shape, DType::f16, policy, 0, cubes, pes)) {
    std::string line = std::to_string(block.where.cube) + "." + std::to_string(block.where.pe) +
                       " " + std::to_string(block.offset) + " " + block.shape.str() + "@";
    for (const std::int64_t start : block.start) line += std::to_string(start) + ",";
    lines.push_back(line);
  }
  return lines;
}

bool names_axis_parts_extent(const UsageError& error) {
  const std::string text = error.what();
  return text.find("tensor 't' {6, 3}") != std::string::npos &&
         text.find("cuts axis 1 into 4 parts, but its extent there is 3") != std::string::npos;
}

constexpr auto replicate = Placement::replicate, column_wise = Placement::column_wise,
               row_wise = Placement::row_wise;

}  // namespace

BOOST_AUTO_TEST_CASE(one_pe_holds_the_whole_tensor) {
  BOOST_TEST(describe_blocks(DPPolicy::on_one_pe(), {6, 8}) ==
             (std::vector<std::string>{"0.0 0 {6, 8}@0,0,"}));
}

// A column shard of b[K, N] begins at col_start * K * itemsize: blocks are dense, one behind the
// other. 6 * 2 * 2 bytes each.
BOOST_AUTO_TEST_CASE(column_shards_are_contiguous_in_pe_order) {
  BOOST_TEST(describe_blocks({replicate, column_wise, 1, 4}, {6, 8}) ==
             (std::vector<std::string>{"0.0 0 {6, 2}@0,0,", "0.1 24 {6, 2}@0,2,",
                                       "0.2 48 {6, 2}@0,4,", "0.3 72 {6, 2}@0,6,"}));
}

BOOST_AUTO_TEST_CASE(shards_lie_in_cube_then_pe_order) {
  BOOST_TEST(describe_blocks({row_wise, column_wise, 2, 2}, {6, 8}) ==
             (std::vector<std::string>{"0.0 0 {3, 4}@0,0,", "0.1 24 {3, 4}@0,4,",
                                       "1.0 48 {3, 4}@3,0,", "1.1 72 {3, 4}@3,4,"}));
}

BOOST_AUTO_TEST_CASE(replicas_share_one_offset) {
  BOOST_TEST(describe_blocks({replicate, row_wise, 2, 2}, {6, 8}) ==
             (std::vector<std::string>{"0.0 0 {3, 8}@0,0,", "0.1 48 {3, 8}@3,0,",
                                       "1.0 0 {3, 8}@0,0,", "1.1 48 {3, 8}@3,0,"}));
  BOOST_TEST(describe_blocks({row_wise, replicate, 2, 2}, {6, 8}) ==
             (std::vector<std::string>{"0.0 0 {3, 8}@0,0,", "0.1 0 {3, 8}@0,0,",
                                       "1.0 48 {3, 8}@3,0,", "1.1 48 {3, 8}@3,0,"}));
}

BOOST_AUTO_TEST_CASE(a_policy_without_numbers_uses_the_whole_sip) {
  BOOST_TEST(describe_blocks({row_wise, column_wise, {}, {}}, {6, 8}).size() == 8);
}

// 7 rows over 4 PEs: 2, 2, 2, 1
BOOST_AUTO_TEST_CASE(the_last_parts_of_an_uneven_split_are_smaller) {
  BOOST_TEST(describe_blocks({replicate, row_wise, 1, 4}, {7, 1}) ==
             (std::vector<std::string>{"0.0 0 {2, 1}@0,0,", "0.1 4 {2, 1}@2,0,",
                                       "0.2 8 {2, 1}@4,0,", "0.3 12 {1, 1}@6,0,"}));
  BOOST_TEST(describe_blocks({replicate, row_wise, 1, 4}, {5, 1}).back() == "0.3 8 {1, 1}@4,0,");
}

BOOST_AUTO_TEST_CASE(too_many_parts_are_an_error_that_names_axis_parts_and_extent) {
  BOOST_CHECK_EXCEPTION(describe_blocks({replicate, column_wise, 1, 4}, {6, 3}), UsageError,
                        names_axis_parts_extent);
}

BOOST_AUTO_TEST_CASE(more_cubes_or_pes_than_there_are_is_an_error) {
  BOOST_CHECK_THROW(describe_blocks({replicate, replicate, 3, 1}, {6, 3}), UsageError);
  BOOST_CHECK_THROW(describe_blocks({replicate, replicate, 1, 0}, {6, 3}), UsageError);
}

// 4 PEs form 2 x 2, 8 form 2 x 4
BOOST_AUTO_TEST_CASE(tiles_are_numbered_down_columns_or_along_rows_of_a_nearly_square_grid) {
  const auto down = describe_blocks({replicate, Placement::tiled_column_major, 1, 4}, {4, 4}),
             along = describe_blocks({replicate, Placement::tiled_row_major, 1, 4}, {4, 4});
  BOOST_TEST(down == (std::vector<std::string>{"0.0 0 {2, 2}@0,0,", "0.1 8 {2, 2}@2,0,",
                                               "0.2 16 {2, 2}@0,2,", "0.3 24 {2, 2}@2,2,"}));
  BOOST_TEST(along == (std::vector<std::string>{"0.0 0 {2, 2}@0,0,", "0.1 8 {2, 2}@0,2,",
                                                "0.2 16 {2, 2}@2,0,", "0.3 24 {2, 2}@2,2,"}));
  BOOST_TEST(describe_blocks({replicate, Placement::tiled_row_major, 1, 8}, {4, 4}, 1, 8).at(5) ==
             "0.5 20 {2, 1}@2,1,");
  BOOST_CHECK_THROW(describe_blocks({replicate, Placement::tiled_row_major, 1, 4}, {16}),
                    UsageError);
}

BOOST_AUTO_TEST_CASE(one_axis_is_cut_by_either_policy) {
  BOOST_TEST(describe_blocks({replicate, row_wise, 1, 2}, {5}) ==
             describe_blocks({replicate, column_wise, 1, 2}, {5}));
}

BOOST_AUTO_TEST_CASE(runs_of_a_block_cover_it_in_order) {
  tl::Block block;
  block.shape = Shape{2, 2, 2};
  block.start = {1, 0, 1};
  std::vector<std::int64_t> runs;
  for_each_run(Shape{3, 2, 4}, block,
               [&](std::int64_t whole, std::int64_t local, std::int64_t count) {
                 runs.insert(runs.end(), {whole, local, count});
               });
  // elements (1,0,1) (1,1,1) (2,0,1) (2,1,1) of {3,2,4}, two each
  BOOST_TEST(runs == (std::vector<std::int64_t>{9, 0, 2, 13, 2, 2, 17, 4, 2, 21, 6, 2}));
}

BOOST_AUTO_TEST_SUITE_END()
