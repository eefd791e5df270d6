// flash-attention and gqa-decode: right for odd extents and large scores in both forms, and how
// much time the forms of blocks save.
#include "tests/benches/timed_forms.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(attention_benches_test)

namespace {

const std::vector<const char*> floats{"f16", "bf16", "f32"}, forms{"blocks", "detour"};

Parameters with(Parameters parameters, const char* name, const char* value) {
  parameters.push_back({name, value});
  return parameters;
}

// Blocks take no more time than the detour, and the guide has both times in the rows of `shape`.
void expect_faster(const std::string& bench, const std::string& shape,
                   const Parameters& parameters) {
  const Fs blocks = time_of(bench, with(parameters, "form", "blocks")),
           detour = time_of(bench, with(parameters, "form", "detour"));
  BOOST_TEST(blocks > 0U);
  BOOST_TEST(blocks <= detour);
  const std::string row = "| `" + bench + "` | blocks | " + shape + " | ";
  expect_in_guide(blocks, row, row + "{} ns |");
  expect_in_guide(detour, row, "| | detour | the same | {} ns |");
}

}  // namespace

BOOST_AUTO_TEST_CASE(flash_attention_is_right_in_both_forms) {
  for (const char* form : forms) {
    const Parameters of_form{{"form", form}};
    expect_right("flash-attention", of_form, 256 * 4 * 64);
    expect_right("flash-attention", with(of_form, "causal", "false"), 256 * 4 * 64);
    for (const char* dtype : floats) {
      Parameters small = with(of_form, "dtype", dtype);
      for (const char* name : {"tokens", "heads", "d_head"}) small = with(small, name, "1");
      expect_right("flash-attention", small, 1);
    }
  }
}

// Queries and keys end inside a block, blocks of both are cut differently, heads start at odd
// columns.
BOOST_AUTO_TEST_CASE(flash_attention_is_right_for_odd_extents) {
  for (const char* form : forms) {
    for (const char* causal : {"true", "false"}) {
      for (const char* dtype : floats) {
        expect_right("flash-attention",
                     {{"form", form},
                      {"causal", causal},
                      {"dtype", dtype},
                      {"tokens", "101"},
                      {"heads", "3"},
                      {"d_head", "17"},
                      {"block_m", "32"},
                      {"block_n", "19"},
                      {"pes", "5"}},
                     101 * 3 * 17);
      }
    }
  }
}

// exp(scores) is infinite in f32 from 89 on; these reach 500.
BOOST_AUTO_TEST_CASE(attention_is_right_with_large_scores) {
  for (const char* form : forms) {
    for (const char* dtype : floats) {
      const Parameters large{{"form", form}, {"dtype", dtype}, {"magnitude", "8"}};
      expect_right("flash-attention", with(large, "tokens", "130"), 130 * 4 * 64);
      expect_right("gqa-decode", with(large, "tokens", "130"), 4 * 8 * 64);
    }
  }
}

BOOST_AUTO_TEST_CASE(gqa_decode_is_right_in_both_forms_with_both_merges) {
  for (const char* form : forms) {
    for (const char* merge : {"messages", "pass"}) {
      const Parameters chosen{{"form", form}, {"merge", merge}};
      expect_right("gqa-decode", chosen, 4 * 8 * 64);
      for (const char* dtype : floats) {
        Parameters odd = with(chosen, "dtype", dtype), one = odd;
        for (const auto& [name, value] : Parameters{{"sequences", "3"},
                                                    {"tokens", "211"},
                                                    {"query_heads", "15"},
                                                    {"kv_heads", "5"},
                                                    {"d_head", "11"},
                                                    {"block_n", "13"},
                                                    {"pes", "7"}})
          odd.push_back({name, value});
        expect_right("gqa-decode", odd, 3 * 15 * 11);
        for (const char* name : {"sequences", "tokens", "query_heads", "kv_heads", "d_head"})
          one = with(one, name, "1");
        expect_right("gqa-decode", one, 1);
      }
    }
  }
}

// Rings are those of the device that the bench runs on.
BOOST_AUTO_TEST_CASE(gqa_decode_merges_on_any_device) {
  BenchRunOptions options;
  options.topology = "topology.yaml";
  options.devices = {1};
  expect_right("gqa-decode", {{"tokens", "97"}}, 4 * 8 * 64, options);
}

// Blocks are as long as the scratch allows.
BOOST_AUTO_TEST_CASE(gqa_decode_is_right_with_a_wide_cache) {
  for (const char* form : forms)
    expect_right("gqa-decode", {{"d_head", "512"}, {"tokens", "600"}, {"form", form}}, 4 * 8 * 512);
}

BOOST_AUTO_TEST_CASE(query_heads_that_do_not_share_evenly_are_wrong_usage) {
  check_contains(failure_of("gqa-decode", {{"query_heads", "8"}, {"kv_heads", "3"}}),
                 {"usage: gqa-decode: 8 query heads do not share 3 heads of keys evenly"});
}

BOOST_AUTO_TEST_CASE(blocks_take_less_time_than_the_detour) {
  const std::string decode = "4 sequences, 8 heads of 64 on 2, 1024 tokens f16, 8 PEs";
  expect_faster("flash-attention", "q{256, 4 * 64} f16, causal, 8 PEs", {});
  expect_faster("flash-attention", "q{512, 4 * 64} f16, causal, 8 PEs", {{"tokens", "512"}});
  expect_faster("gqa-decode", decode, {});
  expect_faster("gqa-decode", "the same, `merge=pass`", {{"merge", "pass"}});
  expect_faster("gqa-decode", "the same, 4096 tokens", {{"tokens", "4096"}});
}

BOOST_AUTO_TEST_SUITE_END()
