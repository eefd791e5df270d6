// Signals and --max-wall in phase 2: exit status 1, a message that says how far it came, files that
// can be read.
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(phase_2_stop)

namespace {

// Large tiles: phase 2 takes several times as long as the simulation, most of it in the reference
// GEMM or in --verify-data=ops.
Words long_phase_2(const std::string& verify, const Words& more) {
  Words words{"run",
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
              "cube.pe_template.components.pe_fetch_store.attrs.register_file_bytes=1048576",
              "--set",
              "cube.pe_template.components.pe_scheduler.attrs={tile_m: 256, tile_k: 256, "
              "tile_n: 256}"};
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
  const auto check = [](int signal, const char* verify) {
    const TemporaryFolder folder;
    const ProgramResult result = kernbench_program(
        long_phase_2(verify, {"--stats", folder.file("s.json")}), {signal, folder.file("s.json")});
    check_stopped(result, "interrupted", folder);
  };
  check(SIGINT, "--verify-data");
  check(SIGTERM, "--verify-data=ops");
}

BOOST_AUTO_TEST_CASE(max_wall_holds_in_phase_2) {
  const TemporaryFolder folder;
  // The simulation alone takes less: what is left over goes to phase 2.
  const ProgramResult alone =
      kernbench_program(long_phase_2("--data=deferred", {"--stats", folder.file("alone.json")}));
  BOOST_TEST_REQUIRE(alone.status == 0, alone.err);
  // A limit that ends the simulation, on a machine that has become busier, is raised; one that the
  // whole run keeps, on a quicker one, is lowered.
  double limit = alone.wall_s * 2.5;
  for (int attempt = 0; attempt < 20; ++attempt) {
    const ProgramResult result = kernbench_program(long_phase_2(
        "--verify-data", {"--max-wall", std::to_string(limit), "--stats", folder.file("s.json")}));
    const bool in_simulation = contains(result.err, "of simulated time, by --max-wall");
    if (!in_simulation && result.status != 0)
      return check_stopped(result, "stopped by --max-wall", folder);
    limit *= in_simulation ? 2 : 0.7;
  }
  BOOST_ERROR("no limit of 20 ended phase 2");
}

BOOST_AUTO_TEST_SUITE_END()
