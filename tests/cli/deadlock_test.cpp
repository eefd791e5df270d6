// No silent end on the command line: deadlocks end with status 3 and the list of who waits, and
// leave files that can be read (spec 4.2).
#include <boost/test/unit_test.hpp>

#include "tests/cli/program.h"
#include "tests/support/vcd_reader.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(deadlock)

namespace {

ProgramResult check_silent(const Words& words, const Ending& ending) {
  return check_run(words, ending, KERNBENCH_SILENT_PROGRAM);
}

const std::string silent =
    "cube.components.hbm_ctrl={impl: test.silent_memory, attrs: {takes_posted_writes: true}}";
const std::string polling =
    "cube.components.hbm_ctrl={impl: test.silent_memory, attrs: {takes_posted_writes: true, "
    "poll_ns: 1000}}";
const std::string rows =
    "at_ns,initiator,op,target,offset,bytes\n0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.sram,0,256\n"
    "1,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,256\n2,sip0.cube0.pe0.pe_dma,read,sip0."
    "cube0.sram,0,256\n";

}  // namespace

// The SRAM answers at 26.400004 ns (tests/traffic); the read of the HBM has the channel from then
// on.
BOOST_AUTO_TEST_CASE(traffic_that_is_swallowed_is_listed_with_status_3) {
  const TemporaryFolder folder;
  const Words words{"traffic", folder.write("rows.csv", rows), "--topology", "tiny", "--csv",
                    "--out",   folder.file("out.csv"),         "--set"};
  for (const auto& [memory, error] :
       {std::pair(silent, "kernbench: error: deadlock at "),
        {polling,
         "kernbench: error: livelock at 2000000 ns: nothing but polling and clocks for "
         "1000000 ns, and"}}) {
    check_silent(
        joined(words, {memory}),
        {3,
         {},
         {error,
          "traffic waits for the end of its requests since 0 ns: 2 of 3 have not ended: 1, 2\n",
          "2 requests have not ended:",
          "request 1: read by sip0.cube0.pe0.pe_dma at sip0.cube0.hbm_ctrl.pe0, issued at 1 ns, "
          "granted at 26.400004 ns",
          "request 2: read by sip0.cube0.pe0.pe_dma at sip0.cube0.sram, issued at 2 ns, waits for "
          "its channel"}});
    check_contains(folder.read("out.csv"), {"0,0.000000,0.000000,26.400004,26.400004,256,"});
  }
  check_silent(joined(words, {polling, "--deadlock-after", "5000"}),
               {3, {}, {"livelock at 10000 ns: nothing but polling and clocks for 5000 ns"}});
  check_silent(
      joined(words, {polling, "--deadlock-after", "0", "--until", "9000000"}),
      {0, {}, {"until_reached at 9000000 ns of simulated time: 3 requests issued, 1 ended"}});
}

// --- Who holds what

namespace {

const Words checked{"--check-protocol"}, unchecked{"--check-protocol=false"};
const std::string one_read =
    "at_ns,initiator,op,target,offset,bytes\n0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.sram,0,256\n";

ProgramResult check_router(const std::string& attrs, const Words& more, const Ending& ending,
                           const std::string& requests = one_read,
                           const std::string& impl = "test.faulty_router") {
  const TemporaryFolder folder;
  return check_silent(
      joined({"traffic", folder.write("rows.csv", requests), "--topology", "tiny", "--set",
              "overrides=[{match: sip0.cube0.r0c0, impl: " + impl + ", attrs: " + attrs + "}]"},
             more),
      ending);
}

ProgramResult check_part_of_pe(const std::string& part, const std::string& attrs, const Words& more,
                               const Ending& ending) {
  return check_silent(
      bench_on_tiny("gemm-single-pe", joined({"--set", "overrides=[{match: sip0.cube0.pe0." + part +
                                                           ", impl: test.faulty_" + part.substr(3) +
                                                           ", attrs: " + attrs + "}]"},
                                             more)),
      ending);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_message_that_a_router_loses_is_listed_with_the_router) {
  check_router("{}", unchecked,
               {3,
                {},
                {"\n  the read of 256 bytes of sip0.cube0.pe0.pe_dma at sip0.cube0.sram, "
                 "issued at 0 ns, is in flight",
                 "\n  --check-protocol shows which component holds each request"}});
  check_router("{}", checked,
               {3,
                {},
                {"\n  sip0.cube0.r0c0 holds the read of 256 bytes of "
                 "sip0.cube0.pe0.pe_dma at sip0.cube0.sram since 1.000001 ns\n",
                 "\n  sip0.cube0.pe0.pe_dma holds the request 'transfers' of traffic "
                 "since 0 ns: BEGIN_RESP is missing\n"}});
}

// The target counts the flits of a message, without --check-protocol too.
BOOST_AUTO_TEST_CASE(a_router_that_loses_or_repeats_flits_ends_the_run) {
  const std::string write =
      "at_ns,initiator,op,target,offset,bytes\n0,sip0.cube0.pe0.pe_dma,write,sip0.cube0.sram,0,"
      "4096\n";
  for (const auto& [attrs, what] :
       {std::pair("{nth: 3}", "flit 4 of a write has arrived instead of flit 3 of 16"),
        std::pair("{nth: 3, twice: true}",
                  "flit 3 of a write has arrived instead of flit 4 of 16")})
    check_router(attrs, unchecked,
                 {1,
                  {},
                  {"sip0.cube0.sram", what, "sip0.cube0.pe0.pe_dma > sip0.cube0.r0c0 > sip0.",
                   "--check-protocol finds the node"}},
                 write);
}

BOOST_AUTO_TEST_CASE(parts_of_a_pe_that_never_answer_are_listed) {
  check_part_of_pe("pe_tcm", "{}", checked,
                   {3,
                    {},
                    {"\n  sip0.cube0.pe0.pe_tcm holds the request 'access' of "
                     "sip0.cube0.pe0.pe_fetch_store since ",
                     " ns: END_REQ is missing\n"}});
  const Words map{"\n  sip0.cube0.m_cpu waits for answers to MmuMap",
                  "\n    no answer of sip0.cube0.pe0.pe_mmu\n",
                  "the MmuMap of sip0.cube0.m_cpu to sip0.cube0.pe0.pe_mmu"};
  check_part_of_pe("pe_mmu", "{}", unchecked, {3, {}, map});
  check_part_of_pe("pe_mmu", "{}", checked,
                   {3, {}, joined(map, {"\n  sip0.cube0.pe0.pe_mmu holds the MmuMap of "})});
}

// --- Broken protocols

BOOST_AUTO_TEST_CASE(components_that_repeat_messages_or_leave_phases_out_are_named) {
  const Words again{": protocol violation towards ", ": a control message that has passed already"};
  check_router("{twice: true}", checked, {1, {}, joined({"sip0.cube0.r0c0.to_"}, again)});
  check_part_of_pe("pe_mmu", "{answers: sends}", checked,
                   {1, {}, joined({"sip0.cube0.pe0.pe_mmu.to_"}, again)});
  check_part_of_pe(
      "pe_mmu", "{answers: responses}", unchecked,
      {1,
       {},
       {"sip0.cube0.pe0.pe_mmu at ", " ns: it answers a message that has been answered already"}});
  check_part_of_pe("pe_tcm", "{early: true}", checked,
                   {1,
                    {},
                    {"sip0.cube0.pe0.pe_fetch_store.to_pe_tcm_access at ",
                     "protocol violation towards sip0.cube0.pe0.pe_tcm.from_pe_fetch_store_access: "
                     "TLM_COMPLETED to BEGIN_REQ, but END_REQ is pending"}});
}

// Runs of flits (spec 2.11) are checked where they are announced; --check-protocol takes them, too.
BOOST_AUTO_TEST_CASE(a_router_that_misuses_runs_of_flits_is_named) {
  const std::string write =
      "at_ns,initiator,op,target,offset,bytes\n0,sip0.cube0.pe0.pe_dma,write,sip0.cube0.hbm_ctrl."
      "pe1,0,4096\n";
  const auto check = [](const char* fault, const Words& more, const Ending& ending,
                        const std::string& requests) {
    check_router(std::string("{fault: ") + fault + "}", more, ending, requests, "test.faulty_runs");
  };
  for (const auto& [fault, what] :
       {std::pair("past",
                  "sip0.cube0.r0c0 at 2.000001 ns: the hand-over of a run of flits is 1.000001 ns, "
                  "in the past: allowed is the current time or later, 2.000001 ns"),
        std::pair("spacing",
                  "sip0.cube0.r0c0 at 2.000001 ns: 16 flits are handed over with a "
                  "spacing of "),
        std::pair("too_many",
                  "sip0.cube0.r0c0 at 2.000001 ns: it hands over 17 flits of a write "
                  "from flit 0 on: allowed is 1 to 16"),
        std::pair("withdraws",
                  "sip0.cube0.r0c0__to__r0c1 at 2.000001 ns: flit 0 of a write is "
                  "withdrawn: allowed are flits that have been announced for "
                  "2.000001 ns or later")})
    check(fault, unchecked, {1, {}, {what}}, write);
  check("withdraws", checked,
        {1, {}, {"sip0.cube0.r0c0__to__r0c1 at 2.000001 ns: flit 0 of a write is withdrawn"}},
        write);
  check("part", checked,
        {3, {}, {"sip0.cube0.r0c0 holds the write of 4096 bytes of sip0.cube0.pe0.pe_dma at "}},
        write);
  check("none", unchecked, {0, {}, {}}, write);
  // Two streams to one output: a flit would pass others, which have been announced.
  const std::string two =
      "at_ns,initiator,op,target,offset,bytes\n0,sip0.cube0.pe0.pe_dma,write,sip0.cube0.hbm_ctrl."
      "pe0,0,4096\n1,sip0.cube0.pe1.pe_dma,write,sip0.cube0.hbm_ctrl.pe0,8192,4096\n";
  check("none", unchecked,
        {1,
         {},
         {"sip0.cube0.r0c0__to__hbm_ctrl_pe0 at 6.250001 ns: flit 0 of a write is handed over for "
          "6.250001 ns, before the last of the flits that have been announced: allowed is its "
          "instant, 17.000001 ns, or later"}},
        two);
  check(
      "none", checked,
      {1,
       {},
       {"sip0.cube0.r0c0.to_hbm_ctrl_pe0 at 6.250001 ns: protocol violation towards "
        "sip0.cube0.r0c0__to__hbm_ctrl_pe0: an arrival at 6.250001 ns after one at 17.000001 ns"}},
      two);
}

// --- Kernels and messages

// The host's tensors are written; the kernel's first read never comes back.
BOOST_AUTO_TEST_CASE(
    a_kernel_that_waits_for_ever_is_listed_with_status_3_and_the_files_can_be_read) {
  const TemporaryFolder folder;
  for (const auto& [memory, error] : {std::pair(silent, "kernbench: error: deadlock at "),
                                      {polling, "kernbench: error: livelock at "}}) {
    check_silent(bench_on_tiny("gemm-single-pe",
                               {"--set", memory, "--stats", folder.file("stats.json"), "--trace",
                                folder.file("wave.vcd"), "--op-log", folder.file("ops.csv")}),
                 {3,
                  {},
                  {error, "\n  host.", " waits for the end of KernelLaunch",
                   "\n  sip0.cube0.m_cpu waits for answers to KernelLaunch",
                   "\n  sip0.cube0.pe0.pe_cpu waits for ", " since "}});
    BOOST_TEST(Json::parse(folder.read("stats.json")).at("components").size() > 50u);
    BOOST_TEST(read_vcd(folder.read("wave.vcd")).timestamps > 1U);
    check_contains(folder.read("ops.csv"), {"\n"});
  }
}

// The last rank waits for its data for ever, the others for its messages: with the state of all
// queues of who waits.
BOOST_AUTO_TEST_CASE(
    messages_that_never_come_are_listed_with_status_3_and_the_queues_of_who_waits) {
  check_silent(
      bench_on_tiny("collectives", {"--param", "op=broadcast", "--param", "root=2", "--set",
                                    "system.sips.count=3", "--set", silent}),
      {3,
       {},
       {"kernbench: error: deadlock at ",
        "\n  host.rank0 waits for the end of KernelLaunch 'ring_broadcast'",
        "\n  sip0.cube0.pe0.pe_cpu waits for tl.recv in direction 'ring_W' of kernel "
        "'ring_broadcast' since ",
        "\n  sip0.cube0.pe0.pe_ipcq waits for a message in direction 'ring_W' of sip2.cube0.pe0 "
        "since ",
        "\n    ring_W <-> sip2.cube0.pe0 ring_E: sent head 0, tail 0, credits 6 of 6; received "
        "head "
        "0, tail 0",
        "\n  sip1.cube0.pe0.pe_ipcq waits for a message in direction 'ring_W' of sip0.cube0.pe0 "
        "since ",
        "\n  sip2.cube0.pe0.pe_cpu waits for command 1 of kernel 'ring_broadcast' since "}});
}

// Work is pending, however long a delay takes and however short the patience is.
BOOST_AUTO_TEST_CASE(a_delay_beyond_the_patience_is_no_deadlock) {
  for (const Words& more :
       {Words{"--deadlock-after", "0.001"}, Words{"--deadlock-after", "1"},
        Words{"--deadlock-after", "50", "--set",
              "cube.components.hbm_ctrl.attrs.overhead_ns=1000000"},
        Words{"--deadlock-after", "1", "--set",
              "cube.pe_template.components.pe_cpu.attrs.overhead_ns=1000000"}}) {
    completed(bench_on_tiny("matmul-composite", more));
  }
  completed({"traffic", "--generate", "random", "--topology", "tiny", "--requests", "20", "--rate",
             "0.01", "--deadlock-after", "1"});
  check_refused(bench_on_tiny("gemm-single-pe", {"--deadlock-after", "long"}),
                {"--deadlock-after 'long' is not a time in ns"});
}

BOOST_AUTO_TEST_SUITE_END()
