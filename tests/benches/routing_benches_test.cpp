// top-k and moe-routing: right for odd extents in every form and dtype, and no slower than their
// detours.
#include "tests/benches/timed_forms.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(routing_benches_test)

namespace {

const std::vector<const char*> floats{"f16", "bf16", "f32"}, forms{"blocks", "detour"},
    moe_forms{"blocks", "detour", "dense"};

BenchRunOptions eager(const char* topology = "topology.tiny.yaml") {
  BenchRunOptions options;
  options.topology = topology;
  options.data = DataMode::eager;
  return options;
}

}  // namespace

// --- top-k

BOOST_AUTO_TEST_CASE(top_k_is_right_for_odd_extents_in_both_forms) {
  for (const char* form : forms) {
    expect_right("top-k", {{"form", form}}, 2 * 64 * 8);
    for (const char* dtype : floats) {
      const Parameters chosen{{"form", form}, {"dtype", dtype}};
      expect_right("top-k", with(chosen, {{"rows", "1"}, {"columns", "1"}, {"k", "1"}}), 2);
      expect_right(
          "top-k",
          with(chosen, {{"rows", "13"}, {"columns", "1009"}, {"k", "5"}, {"block", "250"}}),
          2 * 13 * 5);
    }
    // All of a row, and more than a block has.
    expect_right("top-k",
                 {{"form", form}, {"rows", "3"}, {"columns", "37"}, {"k", "37"}, {"block", "16"}},
                 2 * 3 * 37);
  }
}

BOOST_AUTO_TEST_CASE(top_k_takes_rows_in_blocks) {
  // 1000 columns of 4 B: 16 rows in a block, the last of 5. With blocks of 100 columns 163 rows.
  for (const char* form : forms) {
    expect_right("top-k", {{"form", form}, {"rows", "37"}, {"columns", "1000"}, {"pes", "1"}},
                 2 * 37 * 8);
    expect_right("top-k",
                 {{"form", form},
                  {"rows", "170"},
                  {"columns", "1000"},
                  {"pes", "1"},
                  {"block", "100"},
                  {"k", "3"}},
                 2 * 170 * 3);
  }
}

BOOST_AUTO_TEST_CASE(top_k_of_more_than_there_are_is_wrong_usage) {
  check_contains(failure_of("top-k", {{"columns", "7"}}),
                 {"usage: top-k: the 8 largest of 7 columns"});
}

BOOST_AUTO_TEST_CASE(top_k_takes_less_time_than_its_detour) {
  BOOST_TEST(gain("top-k", {}) > 2.5);
  for (const char* k : {"1", "2", "64"}) BOOST_TEST(gain("top-k", {{"k", k}}) >= 1);
  BOOST_TEST(gain("top-k", {{"rows", "13"}, {"columns", "1009"}, {"k", "5"}}) >= 1);
}

// --- moe-routing: the chosen experts, their weights and the result

BOOST_AUTO_TEST_CASE(moe_routing_is_right_for_odd_extents_in_both_forms) {
  for (const char* form : moe_forms) {
    expect_right("moe-routing", {{"form", form}}, 2 * 128 * 2 + 128 * 128, eager());
    for (const char* dtype : floats) {
      const Parameters chosen{{"form", form}, {"dtype", dtype}};
      expect_right("moe-routing",
                   with(chosen, {{"tokens", "1"},
                                 {"width", "1"},
                                 {"out_width", "1"},
                                 {"experts", "1"},
                                 {"top", "1"}}),
                   3, eager());
      expect_right("moe-routing",
                   with(chosen, {{"tokens", "53"},
                                 {"width", "37"},
                                 {"out_width", "41"},
                                 {"experts", "11"},
                                 {"top", "3"},
                                 {"pes", "5"}}),
                   2 * 53 * 3 + 53 * 41, eager());
    }
  }
}

// Every kernel goes through several blocks, the last of them smaller; matrices in two panels.
BOOST_AUTO_TEST_CASE(moe_routing_takes_tokens_and_matrices_in_blocks) {
  for (const char* form : moe_forms) {
    expect_right("moe-routing",
                 {{"form", form},
                  {"tokens", "101"},
                  {"width", "300"},
                  {"out_width", "500"},
                  {"experts", "3"},
                  {"pes", "1"}},
                 2 * 101 * 2 + 101 * 500, eager());
  }
}

// More experts than tokens that want them.
BOOST_AUTO_TEST_CASE(moe_routing_leaves_experts_without_tokens) {
  for (const char* form : moe_forms) {
    expect_right("moe-routing", {{"form", form}, {"tokens", "3"}, {"experts", "64"}},
                 2 * 3 * 2 + 3 * 128, eager());
  }
}

BOOST_AUTO_TEST_CASE(moe_routing_is_right_on_the_default_machine) {
  expect_right("moe-routing", {}, 2 * 128 * 2 + 128 * 128, eager("topology.yaml"));
}

BOOST_AUTO_TEST_CASE(moe_routing_to_more_experts_than_there_are_is_wrong_usage) {
  check_contains(failure_of("moe-routing", {{"experts", "1"}}, eager()),
                 {"usage: moe-routing: 2 of 1 experts for each token"});
}

BOOST_AUTO_TEST_CASE(moe_routing_takes_less_time_than_its_detour) {
  BOOST_TEST(gain("moe-routing", {}) > 5);
  BOOST_TEST(gain("moe-routing", {{"experts", "32"}}) > 3);
  BOOST_TEST(gain("moe-routing", {{"tokens", "13"}, {"width", "64"}, {"experts", "3"}}) >= 1);
}

// Two experts of eight, and of 32.
BOOST_AUTO_TEST_CASE(moe_routing_takes_less_time_than_with_every_expert_for_every_token) {
  BOOST_TEST(gain("moe-routing", {}, "blocks", "dense") > 2);
  BOOST_TEST(gain("moe-routing", {{"experts", "32"}}, "blocks", "dense") > 3);
}

BOOST_AUTO_TEST_CASE(the_guide_has_the_times_of_top_k_and_moe_routing) {
  const auto expect = [](const char* bench, const char* form, const std::string& heading,
                         const std::string& row) {
    expect_in_guide(time_of(bench, {{"form", form}}), heading, row);
  };
  const std::string top_k = "| `top-k` | blocks | 8 of x{64, 4096} f16, 8 PEs | ",
                    moe =
                        "| `moe-routing` | blocks | 128 tokens, {128, 128} f16, 2 of 8 experts, "
                        "8 PEs | ";
  expect("top-k", "blocks", top_k, top_k + "{} ns |");
  expect("top-k", "detour", top_k, "| | detour | the same | {} ns | compute 95 % | whole rows");
  expect("moe-routing", "blocks", moe, moe + "104 + {} + 214 ns |");
  expect("moe-routing", "detour", moe, "| | detour | the same | 172 + {} + 214 ns |");
  expect("moe-routing", "dense", moe, "| | dense | the same | 104 + {} + 935 ns |");
}

BOOST_AUTO_TEST_SUITE_END()
