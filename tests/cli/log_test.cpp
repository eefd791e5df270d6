// `--log COMPONENT=LEVEL` of `run` and `traffic` (spec 10, 11.2).
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(log_option)

namespace {

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::size_t count(const Words& lines, const std::string& part) {
  return static_cast<std::size_t>(std::count_if(
      lines.begin(), lines.end(), [&](const std::string& line) { return contains(line, part); }));
}

const Words gemm{"run", "--bench", "gemm-single-pe", "--topology", "tiny", "--json"};
const Words all_reduce = joined(
    {"run", "--bench", "ccl-allreduce", "--json", "--set", "ccl:defaults.algorithm=ring_allreduce"},
    six_small_sips);

const std::string two_reads =
    "at_ns,initiator,op,target,offset,bytes\n"
    "0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,256\n"
    "0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,4096\n";

}  // namespace

// 15 ns + 4 fs and 30 ns + 4 fs alone (tests/traffic); the second waits for the channel.
BOOST_AUTO_TEST_CASE(a_dma_tells_of_its_requests_when_they_are_granted_and_end) {
  const TemporaryFolder folder;
  const std::string file = folder.write("two.csv", two_reads);
  const Words words{"traffic", "--topology", "tiny", file, "--csv"};
  const ProgramResult result = kernbench_program(joined(words, {"--log", "*.pe_dma=debug"}));
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  const Words lines = lines_of(result.err);
  BOOST_REQUIRE(lines.size() > 4U);
  const std::string who = "kernbench: debug: sip0.cube0.pe0.pe_dma at ";
  const auto check = [&](std::size_t line, const std::string& at, const std::string& end) {
    BOOST_TEST(lines[line].find(who + at) == 0U, lines[line]);
    BOOST_TEST(lines[line].size() >= end.size());
    BOOST_TEST(lines[line].substr(lines[line].size() - end.size()) == end);
  };
  check(0, "0 ns: read of 256 B at 0x", " granted");
  check(1, "15.000004 ns: read of 256 B at 0x", " ended, 15.000004 ns after its grant");
  check(2, "15.000004 ns: read of 4096 B at 0x", " granted");
  check(3, "45.000008 ns: read of 4096 B at 0x", " ended, 30.000004 ns after its grant");
  BOOST_TEST(count(lines, "kernbench: debug:") == 4U);
  BOOST_TEST(kernbench_program(words).out == result.out);  // logging changes no time
  BOOST_TEST(count(lines_of(kernbench_program(words).err), "kernbench: debug:") == 0U);
}

BOOST_AUTO_TEST_CASE(a_launch_is_followed_from_the_host_to_the_kernel) {
  const ProgramResult result =
      kernbench_program(joined(gemm, {"--log", "*=info", "--log", "*.pe_scheduler=debug"}));
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  const Words lines = lines_of(result.err);
  BOOST_TEST(count(lines, "kernbench: info: host at 0 ns: torch.") > 0U);
  BOOST_TEST(count(lines, "host at ") > 0U);
  BOOST_TEST(count(lines, ": KernelLaunch '") >= 3U);  // submitted, passed on, ended
  BOOST_TEST(count(lines, "sip0.cube0.pe0.pe_cpu at ") == 2U);
  BOOST_TEST(count(lines, "' starts") == 1U);
  BOOST_TEST(count(lines, "' has returned after ") == 1U);
  const std::size_t commands = count(lines, " accepted");
  BOOST_TEST(commands > 0U);
  BOOST_TEST(count(lines, " after its dispatch") == commands);
  BOOST_TEST(count(lines, "sip0.cube0.pe0.pe_dma") == 0U);  // says nothing at info
  BOOST_TEST(kernbench_program(joined(gemm, {"--log", "*=info"})).err ==
             kernbench_program(joined(gemm, {"--log", "*"})).err);
}

BOOST_AUTO_TEST_CASE(requests_of_the_host_name_their_sip_at_both_ends) {
  const ProgramResult result = kernbench_program(joined(all_reduce, {"--log", "host"}));
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  const Words lines = lines_of(result.err);
  for (const std::string sip : {" to sip0", " to sip5"}) {
    const std::size_t submitted = count(lines, sip + " submitted");
    BOOST_TEST(submitted > 0U);
    BOOST_TEST(count(lines, sip + " ended after ") == submitted);
  }
}

BOOST_AUTO_TEST_CASE(later_requests_go_before_earlier_ones) {
  const ProgramResult result = kernbench_program(
      joined(gemm, {"--log", "*=debug", "--log", "sip0=error", "--log", "host=error"}));
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  BOOST_TEST(result.err == "");
}

// At length where it happens and at the host, whose text is also that of the program's error; those
// in between name it.
BOOST_AUTO_TEST_CASE(a_failure_is_told_where_it_happens_and_at_the_host) {
  const ProgramResult result = kernbench_program(joined(
      gemm, {"--param", "compute=dot", "--set",
             "cube.pe_template.components.pe_cpu.attrs.scratch_bytes=1", "--log", "*=warning"}));
  BOOST_TEST(result.status == 1);
  const Words lines = lines_of(result.err);
  BOOST_TEST(count(lines, "kernbench: warning: ") == 4U, result.err);
  BOOST_TEST(count(lines, "no room for f16") == 3U, result.err);
  BOOST_TEST(count(lines, " ns: allocation_error: kernel 'gemm': tl.load: no room for") == 1U);
  BOOST_TEST(count(lines, "m_cpu at ") == 1U);
  BOOST_TEST(count(lines, " ns: KernelLaunch 'gemm' has failed: allocation_error") == 2U);
}

// One line for each, as many as the statistics count. Between the SIPs the root cubes of the
// partial sums exchange, cube 2 of 4 x 1.
BOOST_AUTO_TEST_CASE(ccl_tells_rank_time_direction_and_bytes_of_every_message) {
  const TemporaryFolder folder;
  const ProgramResult result =
      kernbench_program(joined(all_reduce, {"--log", "ccl", "--stats", folder.file("stats.json")}));
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  const Words lines = lines_of(result.err);
  std::size_t sends = 0, receives = 0;
  const auto stats = nlohmann::json::parse(folder.read("stats.json"));
  for (const auto& component : stats["components"]) {
    if (component["kind"] != "pe_ipcq") continue;
    sends += component["stats"]["sends"].get<std::size_t>();
    receives += component["stats"]["receives"].get<std::size_t>();
  }
  BOOST_TEST(sends > 0U);
  BOOST_TEST(count(lines, ": send of ") == sends);
  BOOST_TEST(count(lines, ": recv of ") == receives);
  BOOST_TEST(count(lines, "info: ccl rank 2 (sip2.cube0.pe0) at ") > 0U);
  BOOST_TEST(count(lines, " in direction 'ring_E' to sip3.cube2.pe0 ended, asked for at ") > 0U);
  for (int rank = 0; rank < 6; ++rank)
    BOOST_TEST(count(lines, "ns: rank " + std::to_string(rank) + ": all_reduce") == 1U);
  BOOST_TEST(count(lines, "credit") == 0U);
  const ProgramResult more = kernbench_program(joined(all_reduce, {"--log", "ccl=debug"}));
  BOOST_TEST(count(lines_of(more.err), ": credit delivered to ") == receives);
  BOOST_TEST(more.err == kernbench_program(joined(all_reduce, {"--log", "ccl=debug"})).err);
}

BOOST_AUTO_TEST_CASE(with_rank_unit_pe_ranks_are_pes) {
  const ProgramResult result = kernbench_program(
      {"run", "--bench", "collectives", "--topology", "tiny", "--set", "ccl:defaults.rank_unit=pe",
       "--set", "ccl:defaults.world_size=5", "--log", "ccl"});
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  BOOST_TEST(count(lines_of(result.err), "info: ccl rank 4 (sip0.cube0.pe4) at ") > 0U);
}

BOOST_AUTO_TEST_CASE(trace_shows_flits_and_tile_stages) {
  const TemporaryFolder folder;
  const std::string file = folder.write("two.csv", two_reads);
  const ProgramResult result = kernbench_program(
      {"traffic", "--topology", "tiny", file, "--csv", "--log", "sip0.cube0.r0c0=trace"});
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  const Words lines = lines_of(result.err);
  // A command each way there, 1 and 16 flits on the way back.
  BOOST_TEST(count(lines, "kernbench: trace: sip0.cube0.r0c0 at ") == 2 + 1 + 16U);
  BOOST_TEST(count(lines,
                   "flit 16 of 16 of the answer to read of 4096 B by "
                   "sip0.cube0.pe0.pe_dma served since ") == 1U);
  const ProgramResult tiles = kernbench_program(joined(gemm, {"--log", "*.pe_gemm=trace"}));
  BOOST_TEST(count(lines_of(tiles.err), ": engine_start GEMM") > 0U);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_logged_is_named_with_the_nearest) {
  const auto refused = [](const Words& words, const std::string& text) {
    check_refused(words, {text});
  };
  const TemporaryFolder folder;
  refused(joined(gemm, {"--log", "nothing", "--stats", folder.file("s.json")}), "--log 'nothing'");
  BOOST_TEST(!folder.has("s.json"));
  refused(joined(gemm, {"--log", "sip0.cube0.pe8.pe_dma=debug"}),
          "--log 'sip0.cube0.pe8.pe_dma' matches no component of this machine; did you mean "
          "'sip0.cube0.pe0.pe_dma'?");
  refused(joined(gemm, {"--log", "sip0.cube0.pe9"}), "did you mean 'sip0.cube0.pe0'?");  // a scope
  refused(joined(gemm, {"--log", "cll"}), "did you mean 'ccl'?");
  refused(joined(gemm, {"--log", "everything"}),
          "matches no component of this machine; they are listed");
  refused(joined(gemm, {"--log", "*.pe_fft"}),
          "matches no component of this machine; they are listed");
  refused(
      joined(gemm, {"--log", "host=loud"}),
      "--log 'host=loud': 'loud' is no level; allowed are error, warning, info, debug and trace");
  refused({"traffic", "--generate", "stream", "--topology", "tiny", "--log", "ccl"},
          "--log ccl goes with --bench");
}

BOOST_AUTO_TEST_SUITE_END()
