// One layer of a published model at full size over 16 SIPs, with data off (spec 10.3): it
// completes, and the figures of its plan and what it costs the host are printed (sw/README.md has
// them).
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <string>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(full_size_layer)

namespace {

// Report of a run of a layer of Llama 3 70B on 16 SIPs in a ring.
Json layer_of_70b(const std::string& what, const Words& more) {
  const ProgramResult result = kernbench_program(
      joined({"run", "--bench", "llama-layer", "--set", "system.sips.count=16", "--set",
              "system.sips.topology=ring_1d", "--data", "off", "--operators", "--json", "--param",
              "model=llama3-70b", "--param", "size=preset"},
             more));
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  Json report = Json::parse(result.out);
  const Json& operators = report.at("operators");
  BOOST_TEST_MESSAGE(what << ": " << result.cpu_s << " s of processor time, "
                          << report.at("host").at("events") << " events, "
                          << operators.at("window_ns") << " ns simulated, communication "
                          << operators.at("exposed_ns") << " of "
                          << operators.at("communication_ns") << " ns exposed");
  return report;
}

double flops_of(const Json& report, const std::string& name) {
  for (const Json& row : report.at("operators").at("operators")) {
    if (row.at("operator") == name) return row.at("flops").get<double>();
  }
  return 0;
}

}  // namespace

// 16 SIPs of 128 PEs. 16 tokens, 2 * 16 * 8192 * 28672 FLOP for each of gate, up and down, which
// the SIPs share.
BOOST_AUTO_TEST_CASE(decode_of_16_sequences_of_4096_tokens) {
  const Json report =
      layer_of_70b("decode", {"--param", "sequences=16", "--param", "context=4096"});
  BOOST_TEST(flops_of(report, "up") == 2 * 2.0 * 16 * 8192 * 28672);
  BOOST_TEST(flops_of(report, "down") == 2.0 * 16 * 8192 * 28672);
  BOOST_TEST(report.at("operators").at("tokens") == 16);
}

// SIPs of one cube, of which the products of a layer take longer than its reductions.
BOOST_AUTO_TEST_CASE(prefill_of_512_tokens_hides_more_than_half_of_the_reductions) {
  const Json report = layer_of_70b(
      "prefill", {"--topology", "tiny", "--param", "layers=1", "--param", "phase=prefill",
                  "--param", "sequences=1", "--param", "context=512", "--param", "chunks=4"});
  const Json& operators = report.at("operators");
  BOOST_TEST(flops_of(report, "up") == 2 * 2.0 * 512 * 8192 * 28672);
  BOOST_TEST(operators.at("hidden_ns").get<double>() >
             operators.at("communication_ns").get<double>() / 2);
}

BOOST_AUTO_TEST_SUITE_END()
