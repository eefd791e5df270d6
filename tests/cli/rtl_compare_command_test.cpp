// `kernbench rtl-compare` as users call it.
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"
#include "tests/support/environment_variable.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(rtl_compare_command)

namespace {

ProgramResult compare(const Words& more, const char* program = KERNBENCH_PROGRAM) {
  return kernbench_program(joined({"rtl-compare"}, more), {}, nullptr, program);
}
const Words systolic{"--impl",      "builtin.pe_gemm", "--attribute", "timing=systolic",
                     "--attribute", "rows=8",          "--attribute", "columns=8"};

// With one blank for each run of them.
std::string squeezed(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' || result.empty() || result.back() != ' ') result += c;
  }
  return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(rtl_compare_has_help_with_examples) {
  const ProgramResult result = compare({"--help"});
  BOOST_TEST(result.status == 0);
  check_contains(result.out, {"Examples:\n  kernbench rtl-compare --impl rtl.pe_gemm"});
}

// 8 x 8 cells: 64 + 2 * 8 + 8 - 2 = 86 cycles and 1 of the task; 64 * 64 / 64 = 64 of the macs.
BOOST_AUTO_TEST_CASE(rtl_compare_prints_a_row_per_tile_and_the_distribution) {
  const ProgramResult result = compare(joined(
      systolic, {"--attribute", "task_cycles=1", "--shapes", "8x64x8,9x64x8", "--dtype", "f16"}));
  BOOST_TEST(result.status == 0, result.err);
  check_contains(squeezed(result.out),
                 {"tile MxKxN cycles", "8x64x8 87 ", "9x64x8 173 ", "systolic full tiles 1 1.0000",
                  "systolic edge tiles 1 1.0000", "p95", "equal", "f32"});
  BOOST_TEST(result.out.find("differs") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_default_tiles_and_drawn_ones_are_the_same_in_every_run) {
  for (const Words& more : {Words{}, Words{"--random", "5", "--seed", "3"}}) {
    const ProgramResult result = compare(joined(systolic, more));
    BOOST_TEST(result.status == 0, result.err);
    BOOST_TEST(compare(joined(systolic, more)).out == result.out);
  }
  BOOST_TEST(compare(joined(systolic, {"--random", "5", "--seed", "4"})).out !=
             compare(joined(systolic, {"--random", "5", "--seed", "3"})).out);
}

BOOST_AUTO_TEST_CASE(json_goes_to_a_file_or_to_standard_output) {
  const TemporaryFolder folder;
  const Words small = joined(systolic, {"--shapes", "3x4x5"});
  const ProgramResult printed = compare(joined(small, {"--json"}));
  BOOST_TEST(printed.status == 0, printed.err);
  const auto json = nlohmann::json::parse(printed.out);
  BOOST_TEST(json["implementation"] == "builtin.pe_gemm");
  const auto& work = json["works"][0];
  BOOST_TEST(work["m"] == 3);
  BOOST_TEST(work["k"] == 4);
  BOOST_TEST(work["n"] == 5);
  BOOST_TEST(work["models"][1]["ratio"] == 1.0);
  BOOST_TEST(json["data_equal"] == true);
  const std::string file = folder.file("c.json"), figure = folder.file("c.svg");
  const ProgramResult written = compare(joined(small, {"--json", file, "--figure", figure}));
  BOOST_TEST(written.status == 0, written.err);
  check_contains(written.out, {"3x4x5", "systolic"});
  BOOST_TEST(folder.read("c.json") == printed.out);
  check_contains(folder.read("c.json.config.yaml"), {"rtl-compare", "timing: systolic"});
  check_contains(folder.read("c.svg"), {"<svg", ">3x4x5</text>", ">macs</text>"});
}

BOOST_AUTO_TEST_CASE(values_that_differ_make_status_1_and_are_named) {
  const EnvironmentVariable fault("KERNBENCH_FAULTY_OP", "2");
  const ProgramResult result =
      compare(joined(systolic, {"--shapes", "3x4x5,2x4x3"}), KERNBENCH_FAULTY_PROGRAM);
  BOOST_TEST(result.status == 1, result.err);
  check_contains(result.out,
                 {"equal", "differs", "2x4x3: 1 of 6 elements differ; first at {0, 0}"});
}

BOOST_AUTO_TEST_CASE(routers_and_srams_are_compared_by_messages_and_accesses) {
  const ProgramResult router =
      compare({"--impl", "builtin.forwarding", "--attribute", "overhead_ns=4", "--sizes", "256"});
  BOOST_TEST(router.status == 0, router.err);
  check_contains(router.out, {"read 256 B, pe0 > hbm_ctrl.pe7, alone", "all-to-all",
                              "builtin.forwarding  all-to-all    128"});
  const ProgramResult sram = compare({"--impl", "builtin.sram", "--sizes", "64,4096"});
  BOOST_TEST(sram.status == 0, sram.err);
  check_contains(sram.out, {"write 4096 B, pe0 > sram, alone", "builtin.sram  all PEs"});
}

BOOST_AUTO_TEST_CASE(what_cannot_be_compared_is_refused) {
  check_refusal(compare({}), {"--impl is required"});
  check_refusal(compare({"--impl", "builtin.pe_gem"}), {"did you mean 'builtin.pe_gemm'?"});
  check_refusal(compare({"--impl", "builtin.pe_math"}), {"none of pe_gemm, router and sram"});
  check_refusal(compare(joined(systolic, {"--attribute", "row=3"})), {"did you mean 'rows'?"});
  check_refusal(compare(joined(systolic, {"--attribute", "rows=0"})),
                {"--attribute 'rows=0'", "1 to 65536"});
  check_refusal(compare(joined(systolic, {"--shapes", "8x8"})), {"'8x8' is not MxKxN"});
  check_refusal(compare(joined(systolic, {"--shapes", "8x8x8", "--random", "3"})),
                {"exclude each other"});
  check_refusal(compare(joined(systolic, {"--random", "0"})),
                {"--random: found 0, allowed is 1 to 10000"});
  check_refusal(compare(joined(systolic, {"--random", "10001"})),
                {"--random: found 10001", "1 to 10000"});
  // Of 32 x 32 cells some 200 MiB.
  check_refusal(compare({"--impl", "builtin.pe_gemm", "--random", "10000", "--max-memory", "100M"}),
                {"--random: operands and products of 10000 tiles take 2", "--max-memory is 100"});
  check_refusal(compare(joined(systolic, {"--sizes", "64"})), {"--sizes has no effect"});
  check_refusal(compare(joined(systolic, {"--dtype", "f32"})), {"--dtype", "f32"});
  check_refusal(compare(joined(systolic, {"--figure", "f.jpg"})), {".svg, .png or .pdf"});
  check_refusal(compare({"--impl", "builtin.forwarding", "--dtype", "i8"}),
                {"--dtype has no effect"});
  check_refusal(compare({"--impl", "builtin.sram", "--sizes", "0"}), {"found 0"});
  check_refusal(compare({"--impl", "builtin.sram", "--sizes", "64,8388608"}),
                {"--sizes: found 8388608, allowed is 1 to 4194304", "sip0.cube0.sram"});
  check_refusal(
      compare({"--impl", "builtin.sram", "--attribute", "size_mb=1", "--sizes", "262144"}),
      {"--sizes: found 262144, allowed is 1 to 131072"});
}

// 2 MiB of A, 16 KiB of B, 32 KiB of the product, in a scratch of 1 MiB.
BOOST_AUTO_TEST_CASE(a_tile_that_the_tcm_does_not_hold_is_refused_by_name) {
  check_refusal(compare(joined(systolic, {"--shapes", "8x8x8,1024x2048x8"})),
                {"--shapes: found 1024x2048x8", "2146304 bytes", "at most 1048576"});
  check_refusal(
      compare(joined(systolic, {"--shapes", "1024x2048x8", "--figure", "/nowhere/f.svg"})),
      {"--shapes: found 1024x2048x8"});  // before any file is opened
}

BOOST_AUTO_TEST_CASE(the_default_tiles_of_a_large_array_are_cut_to_the_tcm) {
  const Words large{"--impl",      "builtin.pe_gemm", "--attribute", "timing=systolic",
                    "--attribute", "rows=500",        "--attribute", "columns=300"};
  for (const Words& more : {Words{}, Words{"--random", "5"}}) {
    const ProgramResult result = compare(joined(large, more));
    BOOST_TEST(result.status == 0, result.err);
    check_contains(squeezed(result.out), {"systolic all ", "equal"});
  }
}

BOOST_AUTO_TEST_SUITE_END()
