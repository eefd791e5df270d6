// `--log COMPONENT=LEVEL` of `run` and `traffic` (spec 10, 11.2).
#include <boost/test/unit_test.hpp>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(log_option)

namespace {

// Lines of standard error of a run that completes.
Words log_of(const Words& words, const Words& more) {
  return lines_of(completed(joined(words, more)).err);
}

const Words gemm = bench_on_tiny("gemm-single-pe", {"--json"});
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
  const ProgramResult result = completed(joined(words, {"--log", "*.pe_dma=debug"}));
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
  BOOST_TEST(count_lines(lines, "kernbench: debug:") == 4U);
  BOOST_TEST(kernbench_program(words).out == result.out);  // logging changes no time
  BOOST_TEST(count_lines(log_of(words, {}), "kernbench: debug:") == 0U);
}

BOOST_AUTO_TEST_CASE(a_launch_is_followed_from_the_host_to_the_kernel) {
  const Words lines = log_of(gemm, {"--log", "*=info", "--log", "*.pe_scheduler=debug"});
  BOOST_TEST(count_lines(lines, "kernbench: info: host at 0 ns: torch.") > 0U);
  BOOST_TEST(count_lines(lines, "host at ") > 0U);
  BOOST_TEST(count_lines(lines, ": KernelLaunch '") >= 3U);  // submitted, passed on, ended
  BOOST_TEST(count_lines(lines, "sip0.cube0.pe0.pe_cpu at ") == 2U);
  BOOST_TEST(count_lines(lines, "' starts") == 1U);
  BOOST_TEST(count_lines(lines, "' has returned after ") == 1U);
  const std::size_t commands = count_lines(lines, " accepted");
  BOOST_TEST(commands > 0U);
  BOOST_TEST(count_lines(lines, " after its dispatch") == commands);
  BOOST_TEST(count_lines(lines, "sip0.cube0.pe0.pe_dma") == 0U);  // says nothing at info
  BOOST_TEST(log_of(gemm, {"--log", "*=info"}) == log_of(gemm, {"--log", "*"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(requests_of_the_host_name_their_sip_at_both_ends) {
  const Words lines = log_of(all_reduce, {"--log", "host"});
  for (const std::string sip : {" to sip0", " to sip5"}) {
    const std::size_t submitted = count_lines(lines, sip + " submitted");
    BOOST_TEST(submitted > 0U);
    BOOST_TEST(count_lines(lines, sip + " ended after ") == submitted);
  }
}

BOOST_AUTO_TEST_CASE(later_requests_go_before_earlier_ones) {
  BOOST_TEST(
      log_of(gemm, {"--log", "*=debug", "--log", "sip0=error", "--log", "host=error"}).empty());
}

// At length where it happens and at the host, whose text is also that of the program's error; those
// in between name it.
BOOST_AUTO_TEST_CASE(a_failure_is_logged_where_it_happens_and_at_the_host) {
  const ProgramResult result = kernbench_program(joined(
      gemm, {"--param", "compute=dot", "--set",
             "cube.pe_template.components.pe_cpu.attrs.scratch_bytes=1", "--log", "*=warning"}));
  BOOST_TEST(result.status == 1);
  const Words lines = lines_of(result.err);
  BOOST_TEST(count_lines(lines, "kernbench: warning: ") == 4U, result.err);
  BOOST_TEST(count_lines(lines, "no room for f16") == 3U, result.err);
  BOOST_TEST(count_lines(lines, " ns: allocation_error: kernel 'gemm': tl.load: no room for") ==
             1U);
  BOOST_TEST(count_lines(lines, "m_cpu at ") == 1U);
  BOOST_TEST(count_lines(lines, " ns: KernelLaunch 'gemm' has failed: allocation_error") == 2U);
}

// One line for each, as many as the statistics count. Between the SIPs the root cubes of the
// partial sums exchange, cube 2 of 4 x 1.
BOOST_AUTO_TEST_CASE(ccl_tells_rank_time_direction_and_bytes_of_every_message) {
  const TemporaryFolder folder;
  const Words lines = log_of(all_reduce, {"--log", "ccl", "--stats", folder.file("stats.json")});
  std::size_t sends = 0, receives = 0;
  const Json stats = Json::parse(folder.read("stats.json"));
  for (const auto& component : stats["components"]) {
    if (component["kind"] != "pe_ipcq") continue;
    sends += component["stats"]["sends"].get<std::size_t>();
    receives += component["stats"]["receives"].get<std::size_t>();
  }
  BOOST_TEST(sends > 0U);
  BOOST_TEST(count_lines(lines, ": send of ") == sends);
  BOOST_TEST(count_lines(lines, ": recv of ") == receives);
  BOOST_TEST(count_lines(lines, "info: ccl rank 2 (sip2.cube0.pe0) at ") > 0U);
  BOOST_TEST(count_lines(lines, " in direction 'ring_E' to sip3.cube2.pe0 ended, asked for at ") >
             0U);
  for (int rank = 0; rank < 6; ++rank)
    BOOST_TEST(count_lines(lines, "ns: rank " + std::to_string(rank) + ": all_reduce") == 1U);
  BOOST_TEST(count_lines(lines, "credit") == 0U);
  const Words more = log_of(all_reduce, {"--log", "ccl=debug"});
  BOOST_TEST(count_lines(more, ": credit delivered to ") == receives);
  BOOST_TEST(more == log_of(all_reduce, {"--log", "ccl=debug"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(with_rank_unit_pe_ranks_are_pes) {
  const Words ranks = bench_on_tiny(
      "collectives", {"--set", "ccl:defaults.rank_unit=pe", "--set", "ccl:defaults.world_size=5"});
  BOOST_TEST(count_lines(log_of(ranks, {"--log", "ccl"}), "info: ccl rank 4 (sip0.cube0.pe4) at ") >
             0U);
}

BOOST_AUTO_TEST_CASE(trace_shows_flits_and_tile_stages) {
  const TemporaryFolder folder;
  const std::string file = folder.write("two.csv", two_reads);
  const Words lines =
      log_of({"traffic", "--topology", "tiny", file, "--csv"}, {"--log", "sip0.cube0.r0c0=trace"});
  // A command each way there, 1 and 16 flits on the way back.
  BOOST_TEST(count_lines(lines, "kernbench: trace: sip0.cube0.r0c0 at ") == 2 + 1 + 16U);
  BOOST_TEST(count_lines(lines,
                         "flit 16 of 16 of the answer to read of 4096 B by "
                         "sip0.cube0.pe0.pe_dma served since ") == 1U);
  BOOST_TEST(count_lines(log_of(gemm, {"--log", "*.pe_gemm=trace"}), ": engine_start GEMM") > 0U);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_logged_is_named_with_the_nearest) {
  const auto refused = [](const Words& requests, const std::string& text) {
    check_refused(joined(joined(gemm, {"--log"}), requests), {text});
  };
  const TemporaryFolder folder;
  refused({"nothing", "--stats", folder.file("s.json")}, "--log 'nothing'");
  BOOST_TEST(!folder.has("s.json"));
  refused({"sip0.cube0.pe8.pe_dma=debug"},
          "--log 'sip0.cube0.pe8.pe_dma' matches no component of this machine; did you mean "
          "'sip0.cube0.pe0.pe_dma'?");
  refused({"sip0.cube0.pe9"}, "did you mean 'sip0.cube0.pe0'?");  // a scope
  refused({"cll"}, "did you mean 'ccl'?");
  for (const std::string glob : {"everything", "*.pe_fft"})
    refused({glob}, "matches no component of this machine; they are listed");
  refused({"host=loud"},
          "--log 'host=loud': 'loud' is not a level; allowed are error, warning, info, debug and "
          "trace");
  check_refused({"traffic", "--generate", "stream", "--topology", "tiny", "--log", "ccl"},
                {"--log ccl requires --bench"});
}

BOOST_AUTO_TEST_SUITE_END()
