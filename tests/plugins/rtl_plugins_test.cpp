// Blocks in RTL as plug-ins of the installed program: a third-party multiplier-accumulator with
// verified data, and what is wrong in faulty ones, by name (rtl_examples/).
#include <boost/test/unit_test.hpp>

#include "tests/plugins/examples.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(rtl_plugins)

namespace {

std::string plugin(const std::string& name) {
  return std::string(KERNBENCH_EXAMPLES) + "/" + name + ".so";
}

// A product of i8 on PE 0 whose PE_GEMM is the block.
Words gemm_on(const std::string& block, const Words& attributes = {}) {
  const std::string engine = "sip0.cube0.pe0.pe_gemm";
  Words words{"run",         "--topology",     "tiny",
              "--bench",     "gemm-single-pe", "--verify-data",
              "--param",     "dtype=i8",       "--param",
              "M=5",         "--param",        "K=12",
              "--param",     "N=11",           "--plugin",
              plugin(block), "--set",          engine + ".impl=acme." + block};
  for (const std::string& attribute : attributes)
    words = words + Words{"--set", engine + ".attrs." + attribute};
  return words;
}

// Standard error of a run that ends with status 1.
std::string fault_of(const std::string& block, const Words& attributes = {}) {
  const ProgramResult result = kernbench_program(gemm_on(block, attributes));
  BOOST_TEST(result.status == 1, block << ": " << result.out << result.err);
  return result.out + result.err;
}

}  // namespace

// With gaps in operands and results, too.
BOOST_AUTO_TEST_CASE(a_third_party_block_multiplies_and_its_result_is_verified) {
  for (const Words& gaps : {Words{}, Words{"operand_gaps=40", "result_gaps=60"}}) {
    const Words checks{"check_result=true", "check_unknown=true"};
    const std::string out = output_of(gemm_on("my_mac", gaps + checks));
    check_contains(out, {"55 elements"});
  }
}

// Its first beats are taken with the task, its widths inside are not looked at (LINT_OFF).
BOOST_AUTO_TEST_CASE(a_block_may_take_its_first_beats_at_the_edge_that_takes_the_task) {
  const Words checks{"check_result=true", "check_unknown=true"};
  for (const Words& gaps : {Words{}, Words{"operand_gaps=40", "result_gaps=60"}})
    check_contains(output_of(gemm_on("hasty_mac", gaps + checks)), {"55 elements"});
}

BOOST_AUTO_TEST_CASE(handshake_bugs_are_caught_by_rule_pin_and_cycle) {
  check_contains(fault_of("drops_valid", {"result_gaps=60"}),
                 {"sip0.cube0.pe0.pe_gemm", "valid_holds_until_ready at result_valid, cycle "});
  check_contains(fault_of("changes_data", {"result_gaps=60"}),
                 {"sip0.cube0.pe0.pe_gemm", "data_is_stable_while_waiting at result_data, cycle "});
}

BOOST_AUTO_TEST_CASE(a_block_that_never_answers_is_named_with_the_pin_that_is_waited_for) {
  check_contains(fault_of("never_answers", {"watchdog_cycles=200"}),
                 {"sip0.cube0.pe0.pe_gemm", "no handshake for 200 cycles: it waits for ",
                  "(watchdog_cycles), cycle "});
}

BOOST_AUTO_TEST_CASE(a_wrong_result_is_named_with_element_tile_and_cycle) {
  check_contains(fault_of("wrong_sum", {"check_result=true"}),
                 {"sip0.cube0.pe0.pe_gemm", "a wrong result of command ", ", tile ", ": element (",
                  ", 3) of the output is ", ", expected ", ", cycle "});
  check_contains(fault_of("wrong_sum"), {"FAIL", "elements differ"});  // by the verification
}

// The block that gives no result is named with its tile.
BOOST_AUTO_TEST_CASE(a_comparison_names_the_tile_of_a_wrong_and_of_a_missing_result) {
  const auto compared = [](const std::string& block) {
    const ProgramResult result =
        kernbench_program({"rtl-compare", "--impl", "acme." + block, "--plugin", plugin(block),
                           "--shapes", "1x8x8,3x4x20"});
    BOOST_TEST(result.status == (block == "my_mac" ? 0 : 1), block << ": " << result.err);
    return result.out + result.err;
  };
  check_contains(compared("my_mac"), {"equal"});
  check_contains(compared("wrong_sum"),
                 {"differs", "3x4x20: ", " elements differ; first at {0, 3}: got "});
  check_contains(compared("never_answers"),
                 {"tile 1x8x8: sip0.cube0.pe0.pe_gemm at ", "it waits for result_valid"});
}

BOOST_AUTO_TEST_CASE(an_unknown_output_is_named) {
  check_contains(fault_of("unknown_sum", {"check_unknown=true"}),
                 {"sip0.cube0.pe0.pe_gemm", "output result_data is unknown", ", cycle "});
}

// Accesses through the pins of the memory: as much as the bench reads, and all of it compared.
BOOST_AUTO_TEST_CASE(a_cube_with_its_sram_in_rtl_passes_what_its_pes_hand_on) {
  const TemporaryFile stats("stats.json");
  output_of({"run", "--topology", "tiny", "--bench", "sram-swap", "--verify-data", "--data",
             "eager", "--plugin", example("sram_swap"), "--set", "sip0.cube0.sram.impl=rtl.sram",
             "--stats", stats.path()});
  const nlohmann::json sram = nlohmann::json::parse(stats.text())["totals"]["sram"];
  BOOST_TEST(sram["bytes_read"].get<int>() == 16384);
  BOOST_TEST(sram["bytes_checked"].get<int>() == 16384);
  BOOST_TEST(sram["bytes_stale"].get<int>() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
