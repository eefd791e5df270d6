// Signals and --max-wall in phase 2: exit status 1 soon, a message that says how far it came, files
// that can be read.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(phase_2_stop)

namespace {

// Seconds of simulation; the reference of the product takes as many, the check of operations more.
Words long_phase_2(const std::string& verify, const Words& more) {
  Words words{
      "run",
      "--bench",
      "matmul-composite",
      "--topology",
      "tiny",
      "--param",
      "variant=ref_ref",
      "--param",
      "M=2048",
      "--param",
      "K=2048",
      "--param",
      "N=8192",
      verify,
      "--set",
      "cube.pe_template.components.pe_scheduler.attrs={tile_m: 64, tile_k: 64, tile_n: 64}"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void check_stopped(const ProgramResult& result, const std::string& how,
                   const TemporaryFolder& folder) {
  BOOST_TEST(result.status == 1, result.status << ": " << result.err);
  BOOST_TEST(contains(result.err, "kernbench: " + how + " in phase 2: "), result.err);
  BOOST_TEST(contains(result.err, "; nothing is verified"), result.err);
  BOOST_TEST(!contains(result.out, "verdict"), result.out);
  BOOST_TEST(nlohmann::json::parse(folder.read("s.json")).at("components").size() > 50U);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_signal_ends_phase_2) {
  for (const int signal : {SIGINT, SIGTERM}) {
    for (const char* verify : {"--verify-data", "--verify-data=ops"}) {
      const TemporaryFolder folder;
      const ProgramResult result =
          kernbench_program(long_phase_2(verify, {"--stats", folder.file("s.json")}),
                            {signal, folder.file("s.json")});
      check_stopped(result, "interrupted", folder);
    }
  }
}

BOOST_AUTO_TEST_CASE(max_wall_holds_in_phase_2) {
  const TemporaryFolder folder;
  // The simulation alone takes less: what is left over goes to phase 2.
  const ProgramResult alone =
      kernbench_program(long_phase_2("--data=deferred", {"--stats", folder.file("alone.json")}));
  BOOST_TEST_REQUIRE(alone.status == 0, alone.err);
  const double busy = std::max(alone.wall_s / alone.cpu_s, 1.0);  // how slow the machine is now
  // Phase 2 takes about as long as the simulation. A limit that ends the simulation, on a machine
  // that has become busier, is raised; one that the whole run keeps, on a quicker one, is lowered.
  double below = 0, above = 0, limit = alone.wall_s * 1.3;
  for (int attempt = 0; attempt < 8; ++attempt) {
    const ProgramResult result = kernbench_program(long_phase_2(
        "--verify-data", {"--max-wall", std::to_string(limit), "--stats", folder.file("s.json")}));
    const bool in_simulation = contains(result.err, "of simulated time, by --max-wall");
    if (!in_simulation && result.status != 0) {
      check_stopped(result, "stopped by --max-wall", folder);
      BOOST_TEST(result.wall_s < limit + 10 * busy, result.wall_s << " s");
      return;
    }
    (in_simulation ? below : above) = limit;
    limit = above == 0 ? below * 1.4 : (below + above) / 2;
  }
  BOOST_ERROR("no limit of 8 ended phase 2");
}

BOOST_AUTO_TEST_SUITE_END()
