// `kernbench run` with engines in RTL among transaction-level ones.
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"
#include "tests/support/temporary_folder.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(rtl_test)

namespace {

ProgramResult run(Words words) {
  words.insert(words.begin(), "run");
  return kernbench_program(words);
}

const Words one_pe{"--set", "sip0.cube0.pe0.pe_gemm.impl=rtl.pe_gemm"};

Words with_one_pe(Words words) {
  words.insert(words.end(), one_pe.begin(), one_pe.end());
  return words;
}

}  // namespace

// One PE of the default machine; its products are what is verified, and the report says why data
// are eager.
BOOST_AUTO_TEST_CASE(one_engine_of_the_default_machine_in_rtl_gives_the_values_that_are_verified) {
  const ProgramResult result =
      run(with_one_pe({"--bench", "matmul-composite", "--verify-data=ops"}));
  BOOST_TEST(result.status == 0, result.err);
  BOOST_TEST(contains(result.out, "eager, for sip0.cube0.pe0.pe_gemm\n"), result.out);
  BOOST_TEST(contains(result.out, "verdict: PASS"), result.out);
}

BOOST_AUTO_TEST_CASE(a_wrong_size_and_a_wrong_dtype_are_reported) {
  const ProgramResult size = run(with_one_pe(
      {"--bench", "matmul-composite", "--set", "sip0.cube0.pe0.pe_gemm.attrs.rows=16"}));
  BOOST_TEST(size.status == 2);
  BOOST_TEST(contains(size.err, "built are 8x8, 32x32"), size.err);
  const ProgramResult dtype =
      run(with_one_pe({"--bench", "matmul-composite", "--param", "dtype=bf16", "--verify-data"}));
  BOOST_TEST(dtype.status == 1);
  BOOST_TEST(contains(dtype.err,
                      "sip0.cube0.pe0.pe_gemm: a product of bf16 x bf16; allowed are i8 x "
                      "i8 and f16 x f16"),
             dtype.err);
}

BOOST_AUTO_TEST_CASE(a_comparison_of_a_size_that_is_not_built_names_its_attribute) {
  const ProgramResult size =
      kernbench_program({"rtl-compare", "--impl", "rtl.pe_gemm", "--attribute", "rows=16"});
  BOOST_TEST(size.status == 2);
  BOOST_TEST(contains(size.err,
                      "--attribute rows of rtl.pe_gemm: found an array of 16x8 (rows x "
                      "columns); built are 8x8, 32x32"),
             size.err);
}

// The waveform has the pins and the signals of transaction-level engines.
BOOST_AUTO_TEST_CASE(pins_and_other_signals_stand_in_one_waveform) {
  const TemporaryFolder folder;
  const ProgramResult result = run(with_one_pe(
      {"--bench", "matmul-composite", "--topology", "tiny", "--trace", folder.file("run.vcd")}));
  BOOST_TEST(result.status == 0, result.err);
  const std::string wave = folder.read("run.vcd");
  for (const char* signal : {" a_valid ", " a_data_0 ", " result_last ", " clk ", " gemm_state "})
    BOOST_TEST(contains(wave, signal), signal);
}

// Unobserved edges are evaluated ahead of time (docs/decisions/rtl-blocks.md): who looks at
// the pins sees the same run.
BOOST_AUTO_TEST_CASE(a_run_whose_pins_are_observed_is_the_same_as_one_whose_pins_are_not) {
  const TemporaryFolder folder;
  const auto statistics = [&](const std::string& name, Words more) {
    Words words =
        with_one_pe({"--bench", "matmul-composite", "--topology", "tiny", "--param", "M=40",
                     "--param", "K=72", "--param", "N=24", "--stats", folder.file(name + ".json")});
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run(words);
    BOOST_TEST(result.status == 0, result.err);
    return folder.read(name + ".json");
  };
  const std::string unseen = statistics("unseen", {});
  const std::string scope = "sip0.cube0.pe0.pe_gemm";
  const std::string seen =
      statistics("seen", {"--trace", folder.file("run.vcd"), "--trace-scope", scope});
  BOOST_TEST(contains(unseen, "rtl_cycles"));
  BOOST_TEST((seen == unseen));
}

// At 900 ns the engine is in the middle of a tile, and its edges are all that is left to happen.
BOOST_AUTO_TEST_CASE(a_run_that_is_cut_counts_the_edges_up_to_the_cut) {
  const TemporaryFolder folder;
  const auto statistics = [&](const std::string& name, const char* end, Words more) {
    Words words = with_one_pe({"--bench", "gemm-single-pe", "--topology", "tiny", "--param", "M=48",
                               "--param", "K=96", "--param", "N=40", "--until", end, "--stats",
                               folder.file(name + ".json")});
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run(words);
    BOOST_TEST(result.status == 0, result.err);
    return folder.read(name + ".json");
  };
  for (const char* end : {"900", "900.4", "901"}) {
    const std::string unseen = statistics("unseen", end, {});
    const std::string seen =
        statistics("seen", end,
                   {"--trace", folder.file("run.vcd"), "--trace-scope", "sip0.cube0.pe0.pe_gemm"});
    BOOST_TEST((seen == unseen));
  }
  BOOST_TEST(contains(statistics("cut", "900", {}), "\"rtl_cycles\":310,"));
  BOOST_TEST(contains(statistics("cut", "901", {}), "\"rtl_cycles\":311,"));
}

BOOST_AUTO_TEST_SUITE_END()
