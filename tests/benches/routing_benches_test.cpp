// top-k and moe-routing: right for odd extents in every form and dtype, and no slower than their
// detours.
#include <fmt/format.h>

#include "tests/benches/verified_runs.h"
#include "tests/support/temporary_folder.h"

using namespace kernbench;
using kernbench::test::BenchRunOptions;
using kernbench::test::contains;
using kernbench::test::expect_right;
using kernbench::test::failure_of;
using kernbench::test::Parameters;
using kernbench::test::run_bench;
using kernbench::test::source_text;

namespace {

const std::vector<const char*> floats{"f16", "bf16", "f32"}, forms{"blocks", "detour"},
    moe_forms{"blocks", "detour", "dense"};

Parameters with(Parameters parameters, const Parameters& more) {
  parameters.insert(parameters.end(), more.begin(), more.end());
  return parameters;
}

BenchRunOptions eager(const char* topology = "topology.tiny.yaml") {
  BenchRunOptions options;
  options.topology = topology;
  options.data = DataMode::eager;
  return options;
}

// pe_exec of the longest launch.
Fs time_of(const char* bench, const Parameters& parameters, const char* form) {
  return kernbench::test::forked_value([&] {
    const auto outcome = run_bench(bench, with(parameters, {{"form", form}}), eager());
    BOOST_TEST(outcome.status == "completed", outcome.error);
    return outcome.longest_launch;
  });
}

// How many times longer another form takes.
double gain(const char* bench, const Parameters& parameters, const char* other = "detour") {
  const Fs blocks = time_of(bench, parameters, "blocks"),
           detour = time_of(bench, parameters, other);
  const double ratio = static_cast<double>(detour) / static_cast<double>(blocks);
  std::string given;
  for (const auto& [name, value] : parameters) given += " " + name + "=" + value;
  BOOST_TEST_MESSAGE(fmt::format("{}{}: blocks {} ns, {} {} ns, {:.2f} times", bench, given,
                                 blocks / fs_per_ns, other, detour / fs_per_ns, ratio));
  return ratio;
}

// `row` is one of the guide's table, with the time of the form's longest launch for "{}".
void expect_in_guide(const char* bench, const char* form, const std::string& row) {
  const Fs time = time_of(bench, {}, form);
  const std::string text = fmt::format(fmt::runtime(row), (time + fs_per_ns / 2) / fs_per_ns);
  BOOST_TEST(contains(source_text("sw/README.md"), text), text << " is not in the guide");
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
  const std::string failure = failure_of("top-k", {{"columns", "7"}});
  BOOST_TEST(contains(failure, "usage: top-k: the 8 largest of 7 columns"), failure);
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
  const std::string failure = failure_of("moe-routing", {{"experts", "1"}}, eager());
  BOOST_TEST(contains(failure, "usage: moe-routing: 2 of 1 experts for each token"), failure);
}

BOOST_AUTO_TEST_CASE(moe_routing_takes_less_time_than_its_detour) {
  BOOST_TEST(gain("moe-routing", {}) > 5);
  BOOST_TEST(gain("moe-routing", {{"experts", "32"}}) > 3);
  BOOST_TEST(gain("moe-routing", {{"tokens", "13"}, {"width", "64"}, {"experts", "3"}}) >= 1);
}

// Two experts of eight, and of 32.
BOOST_AUTO_TEST_CASE(moe_routing_takes_less_time_than_with_every_expert_for_every_token) {
  BOOST_TEST(gain("moe-routing", {}, "dense") > 2);
  BOOST_TEST(gain("moe-routing", {{"experts", "32"}}, "dense") > 3);
}

BOOST_AUTO_TEST_CASE(the_guide_has_the_times_of_top_k_and_moe_routing) {
  expect_in_guide("top-k", "blocks",
                  "| `top-k` | blocks | 8 of x{{64, 4096}} f16, 8 PEs | {} ns |");
  expect_in_guide("top-k", "detour", "| | detour | the same | {} ns | compute 95 % | whole rows");
  expect_in_guide("moe-routing", "blocks",
                  "| `moe-routing` | blocks | 128 tokens, {{128, 128}} f16, 2 of 8 experts, 8 PEs "
                  "| 104 + {} + 214 ns |");
  expect_in_guide("moe-routing", "detour", "| | detour | the same | 172 + {} + 214 ns |");
  expect_in_guide("moe-routing", "dense", "| | dense | the same | 104 + {} + 935 ns |");
}
