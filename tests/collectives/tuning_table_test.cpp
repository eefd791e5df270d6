// The choice of an algorithm by a tuning table (spec 8.2): which row covers a call, what holds
// where none does, and the rows that follow from measured times.
#include "sw/collectives/tuning_table.h"

#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "tests/support/error_text.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(tuning_table)

namespace {

// all_reduce of so many bytes, cut over PE 0 of as many cubes, among 4 ranks.
CollectiveCall call_of(std::int64_t bytes, int cubes = 1) {
  tl::TensorInfo tensor = *tl::TensorInfo::whole("x", 0x1000, {bytes / 2}, DType::f16);
  tensor.blocks.clear();
  for (int cube = 0; cube < cubes; ++cube) {
    tl::Block block;
    block.where = {0, cube, 0};
    block.shape = {bytes / 2 / cubes};
    block.offset = static_cast<std::uint64_t>(cube) * static_cast<std::uint64_t>(bytes / cubes);
    tensor.blocks.push_back(block);
  }
  CollectiveCall call;
  call.inputs.push_back(std::make_shared<const tl::TensorInfo>(tensor));
  call.layout = ShardLayout::of(tensor);
  call.group.size = 4;
  call.group.grid = {"ring_1d", 4, 4, 1};
  call.group.cube_mesh_w = cubes;
  return call;
}

TuningRow row(const std::string& algorithm, std::uint64_t min_bytes = 0,
              std::optional<std::uint64_t> max_bytes = {}) {
  TuningRow row;
  row.algorithm = algorithm;
  row.min_bytes = min_bytes;
  row.max_bytes = max_bytes;
  return row;
}

std::string chosen(const CollectiveCall& call, std::vector<TuningRow> rows) {
  CclFile file;
  file.tuning = std::make_shared<const TuningTable>(TuningTable{std::move(rows)});
  const AlgorithmRegistry algorithms = shipped_algorithms();
  return choose_algorithm(file, algorithms, call).algorithm->name;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_row_covers_the_calls_that_agree_in_all_that_it_says) {
  const CollectiveCall call = call_of(1024);
  BOOST_TEST(row("any").covers(call));
  BOOST_TEST(row("any", 1024, 1024).covers(call));
  BOOST_TEST(!row("any", 1025).covers(call));
  BOOST_TEST(!row("any", 0, 1023).covers(call));
  const auto with = [&](auto change) {
    TuningRow changed = row("any");
    change(changed);
    return changed.covers(call);
  };
  BOOST_TEST(with([](TuningRow& r) { r.sip_topology = "ring_1d"; }));
  BOOST_TEST(!with([](TuningRow& r) { r.sip_topology = "torus_2d"; }));
  BOOST_TEST(with([](TuningRow& r) { r.ranks = 4; }));
  BOOST_TEST(!with([](TuningRow& r) { r.ranks = 5; }));
  BOOST_TEST(with([](TuningRow& r) { r.rank_unit = RankUnit::sip; }));
  BOOST_TEST(!with([](TuningRow& r) { r.rank_unit = RankUnit::pe; }));
  BOOST_TEST(!with([](TuningRow& r) { r.op = CollectiveOp::broadcast; }));
}

// As nccl-tests count it: a list with a part for each of the 4 ranks is as large as all of them.
BOOST_AUTO_TEST_CASE(the_size_of_a_call_is_that_of_all_parts) {
  CollectiveCall call = call_of(1024);
  BOOST_TEST(call.nbytes() == 1024U);
  for (const CollectiveOp op :
       {CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_to_all,
        CollectiveOp::gather, CollectiveOp::scatter}) {
    call.op = op;
    BOOST_TEST(call.nbytes() == 4096U);
  }
}

BOOST_AUTO_TEST_CASE(the_first_row_that_covers_a_call_chooses) {
  const std::vector<TuningRow> rows{row("tree_allreduce", 0, 4095), row("ring_allreduce", 4096),
                                    row("tree_allreduce", 4096)};
  BOOST_TEST(chosen(call_of(1024), rows) == "tree_allreduce");
  BOOST_TEST(chosen(call_of(4096), rows) == "ring_allreduce");
}

BOOST_AUTO_TEST_CASE(without_a_row_it_is_the_shipped_default) {
  BOOST_TEST(chosen(call_of(1024), {}) == "lrab_hierarchical_allreduce");
  BOOST_TEST(chosen(call_of(1024), {row("tree_allreduce", 2048)}) == "lrab_hierarchical_allreduce");
}

// A ring needs a way round, which a mesh of 3 x 3 without wrap does not have.
BOOST_AUTO_TEST_CASE(an_algorithm_that_does_not_accept_the_call_is_passed_over) {
  CollectiveCall call = call_of(1024);
  call.group.size = 9;
  call.group.grid = {"mesh_2d_no_wrap", 9, 3, 3};
  BOOST_TEST(chosen(call, {row("ring_allreduce"), row("tree_allreduce")}) == "tree_allreduce");
}

BOOST_AUTO_TEST_CASE(shards_on_several_cubes_are_reduced_by_any_algorithm) {
  for (const char* each : {"lrab_hierarchical_allreduce", "hierarchical_allreduce"})
    BOOST_TEST(chosen(call_of(1024, 2), {row(each)}) == each);
}

BOOST_AUTO_TEST_CASE(the_chosen_algorithm_has_its_own_settings) {
  CclFile file;
  file.algorithms["lrab_hierarchical_allreduce"].set("root_cube", std::int64_t{0});
  const AlgorithmRegistry algorithms = shipped_algorithms();
  const AlgorithmChoice choice = choose_algorithm(file, algorithms, call_of(64));
  BOOST_TEST(choice.algorithm->name == "lrab_hierarchical_allreduce");
  BOOST_TEST(choice.own.integer("root_cube") == 0);
}

BOOST_AUTO_TEST_CASE(a_choice_needs_a_table) {
  CclFile file;
  file.algorithm = automatic;
  BOOST_CHECK_EXCEPTION(resolve(file, shipped_algorithms()), UsageError,
                        with_text("algorithm 'auto' chooses by a tuning table, and ccl.yaml names "
                                  "none: its key is tuning_table"));
  file.tuning = std::make_shared<const TuningTable>();
  BOOST_TEST(resolve(file, shipped_algorithms()).chooses());
  BOOST_TEST(!resolve(file, shipped_algorithms(), {{"algorithm", "ring_allreduce"}}).chooses());
  BOOST_CHECK_EXCEPTION(resolve(file, shipped_algorithms(), {{"root_cube", "0"}}), UsageError,
                        with_text("algorithm 'auto' knows no key 'root_cube'"));
}

// Ranges without gaps: from a measured size to the next, the smallest down to 0, the largest open.
BOOST_AUTO_TEST_CASE(rows_follow_from_the_fastest_of_each_size) {
  TuningRow calls;
  calls.ranks = 4;
  const auto rows = rows_of_the_fastest(calls, {{256, "ring", 20},
                                                {256, "tree", 10},
                                                {1024, "ring", 30},
                                                {1024, "tree", 15},
                                                {4096, "ring", 40},
                                                {4096, "tree", 41},
                                                {16384, "ring", 90},
                                                {16384, "tree", 160}});
  BOOST_REQUIRE(rows.size() == 2U);
  BOOST_TEST(rows[0].algorithm == "tree");
  BOOST_TEST(rows[0].ranks.value() == 4);
  BOOST_TEST(rows[0].min_bytes == 0U);
  BOOST_TEST(rows[0].max_bytes.value() == 4095U);
  BOOST_TEST(rows[1].algorithm == "ring");
  BOOST_TEST(rows[1].min_bytes == 4096U);
  BOOST_TEST(!rows[1].max_bytes.has_value());
}

BOOST_AUTO_TEST_CASE(of_equal_times_the_first_by_name_is_taken) {
  for (const std::vector<TuningSample>& samples :
       {std::vector<TuningSample>{{256, "b", 10}, {256, "a", 10}},
        std::vector<TuningSample>{{256, "a", 10}, {256, "b", 10}}})
    BOOST_TEST(rows_of_the_fastest({}, samples).at(0).algorithm == "a");
  BOOST_TEST(rows_of_the_fastest({}, {}).empty());
}

BOOST_AUTO_TEST_SUITE_END()
