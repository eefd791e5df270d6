// tp-mlp and tp-embedding on 1, 2, 4 and 6 SIPs (spec 10.3).
#include "tests/benches/verified_runs.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(tensor_parallel_benches)

namespace {

// SIPs of one cube with 8 PEs.
BenchRunOptions sips(int count) {
  BenchRunOptions options;
  options.overrides = {{"system.sips.count", std::to_string(count)},
                       {"system.sips.topology", "ring_1d"}};
  return options;
}

}  // namespace

// Each rank has the whole result, over its PEs.
BOOST_AUTO_TEST_CASE(tp_mlp_is_right_on_any_number_of_sips_that_divides_its_extents) {
  for (const int count : {1, 2, 4, 6})
    expect_right("tp-mlp", {{"d_in", "40"}, {"hidden", "192"}, {"d_out", "36"}, {"B", "3"}},
                 static_cast<std::uint64_t>(count) * 3 * 36, sips(count));
  expect_right("tp-mlp", {}, 2 * 512, sips(2));
}

BOOST_AUTO_TEST_CASE(tp_mlp_is_right_with_all_options) {
  const Parameters all{{"d_in", "40"}, {"hidden", "192"}, {"d_out", "36"},
                       {"B", "12"},    {"gelu", "true"},  {"bias", "true"}};
  const auto with = [&](const Parameters& more) {
    Parameters parameters = all;
    parameters.insert(parameters.end(), more.begin(), more.end());
    return parameters;
  };
  for (const char* dtype : {"f16", "bf16", "f32"})
    expect_right("tp-mlp", with({{"dtype", dtype}}), 2 * 12 * 36, sips(2));
  // Each rank has a part of the rows.
  expect_right("tp-mlp", with({{"sequence_parallel", "true"}}), 12 * 36, sips(4));
  // Every PE has a copy of the sum.
  for (const int count : {1, 2})
    expect_right("tp-mlp", with({{"fc2_weight", "row_wise"}}),
                 static_cast<std::uint64_t>(count) * 8 * 12 * 36, sips(count));
}

BOOST_AUTO_TEST_CASE(tp_mlp_names_the_extent_that_the_sips_do_not_divide) {
  check_contains(failure_of("tp-mlp", {{"hidden", "100"}}, sips(6)),
                 {"usage", "tp-mlp: hidden is 100: expected a multiple of the 6 ranks, at least 48",
                  "set hidden, for example to 96"});
  check_contains(failure_of("tp-mlp", {{"sequence_parallel", "true"}}, sips(2)),
                 {"tp-mlp: B is 1: expected a multiple of the 2"});
  check_contains(
      failure_of("tp-mlp", {{"sequence_parallel", "true"}, {"B", "2"}, {"fc2_weight", "row_wise"}},
                 sips(2)),
      {"usage", "tp-mlp: fc2_weight is row_wise with sequence_parallel, allowed: column_wise"});
}

BOOST_AUTO_TEST_CASE(an_extent_without_a_part_for_each_pe_is_refused_by_its_parameter) {
  check_contains(failure_of("tp-mlp", {{"hidden", "8"}}, sips(2)),
                 {"usage", "tp-mlp: hidden is 8", "at least 16", "for example to 16"});
  check_contains(failure_of("tp-mlp", {{"d_out", "7"}}, sips(2)),
                 {"usage", "tp-mlp: d_out is 7", "at least 8"});
  check_contains(failure_of("tp-embedding", {{"d_model", "7"}}, sips(2)),
                 {"usage", "tp-embedding: d_model is 7", "at least 8"});
  // Of 5 to a rank there have to be two times as many: 11 ids are padded to 20.
  check_contains(failure_of("tp-embedding", {{"vocabulary", "10"}, {"divisible_by", "5"}}, sips(2)),
                 {"usage", "vocabulary is 10 with divisible_by 5, expected at least 11"});
  expect_right("tp-embedding", {{"vocabulary", "11"}, {"divisible_by", "5"}, {"d_model", "8"}},
               2 * 8 * (8 + 1), sips(2));
}

// Rows of the embedding over the PEs of each rank, and a loss for each token.
BOOST_AUTO_TEST_CASE(tp_embedding_is_right_with_any_padding) {
  for (const int count : {1, 2, 4, 6})
    expect_right("tp-embedding",
                 {{"tokens", "5"}, {"d_model", "24"}, {"vocabulary", "101"}, {"divisible_by", "8"}},
                 static_cast<std::uint64_t>(count) * 5 * (24 + 1), sips(count));
}

BOOST_AUTO_TEST_SUITE_END()
