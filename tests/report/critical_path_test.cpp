// The critical path of a launch: steps without gaps that add up to its length, on logs made by hand
// with the derivation of every step.
#include "platform/report/critical_path.h"

#include <fmt/format.h>

#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "tests/report/hand_made_log.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(critical_path_test)

namespace {

using Reason = KernelWait::Reason;
using CommandKind = KernelWait::CommandKind;

CriticalPath path_of(const HandMadeLog& log, std::uint64_t launch,
                     const std::vector<TransferHops>* transfers = nullptr) {
  Played<PeLogs> played(log.write());
  played.report.close(played.log.launches());
  return critical_path(played.report, launch_of(played.log.launches(), launch, played.log.path()),
                       transfers);
}

// "120-130 pe_cpu kernel", waits with a '~' before the resource.
std::vector<std::string> steps_of(const HandMadeLog& log, std::uint64_t launch = 1,
                                  const std::vector<TransferHops>* transfers = nullptr) {
  const CriticalPath path = path_of(log, launch, transfers);
  std::vector<std::string> steps;
  Fs at = path.launch.issued;
  for (const PathStep& step : path.steps) {
    BOOST_TEST(step.start == at);
    BOOST_TEST(step.start < step.end);
    at = step.end;
    steps.push_back(fmt::format("{}-{} {}{}", step.start, step.end,
                                step.kind == PathStep::Kind::wait ? "~" : "", step.resource));
  }
  BOOST_TEST(at == path.launch.ended);
  return steps;
}

using Steps = std::vector<std::string>;
const std::string pe0 = "sip0.cube0.pe0", pe1 = "sip1.cube0.pe0";

// The kernel runs from 120 to 180 and waits for one load from 130 to 170, which is dispatched at
// 135 and gets its channel at 140.
void add_one_read(HandMadeLog& log) {
  log.launch("k", 100, 200, {pe0}, 120, 180);
  log.awaited_command(pe0, 1, 130, 135, 170);
  log.ops = {{pe0 + ".pe_dma", "dma_read", 140, 170, 1}};
}

// The read of add_one_read() is sent at 145.
TransferHops one_transfer() {
  return {pe0 + ".pe_dma",
          145,
          170,
          {{pe0 + ".pe_dma", "pe_dma", "pe_setup", false, 145, 146},
           {"sip0.cube0.pe0_pe_dma__to__r0c0", "pe_to_router", "contention", true, 146, 150},
           {"sip0.cube0.r0c0", "router", "noc", false, 150, 160},
           {"sip0.cube0.hbm_ctrl.pe0", "hbm_ctrl", "hbm", false, 160, 170}}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_command_is_what_its_kernel_waited_for) {
  HandMadeLog log;
  add_one_read(log);
  BOOST_TEST(steps_of(log) == (Steps{"100-120 launch dispatch", "120-130 pe_cpu kernel",
                                     "130-135 pe_scheduler dispatch", "135-140 ~start of dma_read",
                                     "140-170 pe_dma dma_read", "170-180 pe_cpu kernel",
                                     "180-200 launch answer"}),
             boost::test_tools::per_element());
}

// Two tiles; reads of 10, and each stage behind it of 2: the second read follows the first on its
// engine, the rest of the second tile follows that.
BOOST_AUTO_TEST_CASE(a_tile_follows_its_stages_or_the_tile_before_on_the_engine) {
  HandMadeLog log;
  log.launch("k", 0, 30, {pe0}, 0, 30);
  log.awaited_command(pe0, 1, 0, 0, 30);
  log.ops = {{pe0 + ".pe_dma", "tile/DMA_READ", 0, 10, 1, 0},
             {pe0 + ".pe_fetch_store", "tile/FETCH", 10, 12, 1, 0},
             {pe0 + ".pe_gemm", "tile/GEMM", 12, 14, 1, 0},
             {pe0 + ".pe_dma", "tile/DMA_READ", 10, 20, 1, 1},
             {pe0 + ".pe_fetch_store", "tile/FETCH", 20, 22, 1, 1},
             {pe0 + ".pe_gemm", "tile/GEMM", 22, 24, 1, 1},
             {pe0 + ".pe_fetch_store", "tile/STORE", 24, 26, 1, 1},
             {pe0 + ".pe_dma", "tile/DMA_WRITE", 26, 30, 1, 1},
             {pe0 + ".pe_scheduler", "composite_gemm", 0, 30, 1}};
  BOOST_TEST(steps_of(log) == (Steps{"0-10 pe_dma dma_read", "10-20 pe_dma dma_read",
                                     "20-22 pe_fetch_store fetch", "22-24 pe_gemm gemm",
                                     "24-26 pe_fetch_store store", "26-30 pe_dma dma_write"}),
             boost::test_tools::per_element());
  const CriticalPath path = path_of(log, 1);
  BOOST_TEST(path.steps[1].after == "its predecessor on the engine");
  BOOST_TEST(path.steps[2].after == "its previous stage");
  BOOST_TEST(path.steps[2].op.value() == 5U);
  const std::vector<PathResource> resources = path.resources();
  BOOST_TEST(resources.front().resource == "pe_dma dma_read");
  BOOST_TEST(resources.front().time == 20U);
  BOOST_TEST(resources.front().steps == 2U);
}

// The GEMM of tile 1 could begin at 6, when it was fetched; MATH has the compute slot until 9.
BOOST_AUTO_TEST_CASE(a_compute_stage_follows_what_had_the_compute_slot) {
  HandMadeLog log;
  log.launch("k", 0, 12, {pe0}, 0, 12);
  log.awaited_command(pe0, 1, 0, 0, 12);
  log.ops = {{pe0 + ".pe_fetch_store", "tile/FETCH", 0, 3, 1, 0},
             {pe0 + ".pe_math", "tile/MATH", 3, 9, 1, 0},
             {pe0 + ".pe_fetch_store", "tile/FETCH", 3, 6, 1, 1},
             {pe0 + ".pe_gemm", "tile/GEMM", 9, 12, 1, 1}};
  BOOST_TEST(
      steps_of(log) == (Steps{"0-3 pe_fetch_store fetch", "3-9 pe_math math", "9-12 pe_gemm gemm"}),
      boost::test_tools::per_element());
}

// The read of tile 1 waits for the tile buffer that the store of tile 0 gives back at 20.
BOOST_AUTO_TEST_CASE(an_operation_follows_what_gave_back_its_buffer) {
  HandMadeLog log;
  log.launch("k", 0, 30, {pe0}, 0, 30);
  log.awaited_command(pe0, 1, 0, 0, 30);
  log.ops = {{pe0 + ".pe_dma", "tile/DMA_READ", 0, 10, 1, 0},
             {pe0 + ".pe_dma", "tile/DMA_WRITE", 10, 20, 1, 0},
             {pe0 + ".pe_dma", "tile/DMA_READ", 20, 30, 1, 1}};
  BOOST_TEST(steps_of(log) ==
                 (Steps{"0-10 pe_dma dma_read", "10-20 pe_dma dma_write", "20-30 pe_dma dma_read"}),
             boost::test_tools::per_element());
}

// Command 2 was submitted at 1, but dispatched behind command 1, which took until 5 from 0.
BOOST_AUTO_TEST_CASE(a_dispatch_follows_the_one_before) {
  HandMadeLog log;
  log.launch("k", 0, 20, {pe0}, 0, 20);
  log.progress.commands.push_back({pe0, 1, 0, 5, 12});
  log.awaited_command(pe0, 2, 1, 10, 20);
  log.ops = {{pe0 + ".pe_gemm", "gemm_f16", 5, 6, 1}, {pe0 + ".pe_dma", "dma_read", 10, 20, 2}};
  BOOST_TEST(steps_of(log) == (Steps{"0-5 pe_scheduler dispatch", "5-10 pe_scheduler dispatch",
                                     "10-20 pe_dma dma_read"}),
             boost::test_tools::per_element());
}

// pe0 receives from 10 on. pe1 of the other SIP, whose launch was issued at 30, sends at 60; the
// message arrives at 75, is in its slot at 80, read until 84, and its credit is delivered at 90.
BOOST_AUTO_TEST_CASE(a_receive_follows_its_message_to_the_late_rank) {
  HandMadeLog log;
  log.launch("slow", 0, 25, {pe1}, 5, 22);
  log.launch("reduce", 0, 100, {pe0}, 8, 95);
  log.launch("reduce", 30, 110, {pe1}, 40, 100);
  log.progress.waits = {{pe0, Reason::receive, {}, 10, 90}, {pe1, Reason::send, {}, 58, 60}};
  log.progress.messages = {{1, 4096, 0, 4096, 64, pe1, pe0, 60, 75, 76, 80, 80, 84, 90}};
  const Steps expected{
      "0-25 ~late launch",          "25-30 ~host program",   "30-40 launch dispatch",
      "40-58 pe_cpu kernel",        "58-60 pe_ipcq send",    "60-75 message in flight",
      "75-76 ~start of slot write", "76-80 ring slot write", "80-84 ring slot read",
      "84-90 ipcq credit",          "90-95 pe_cpu kernel",   "95-100 launch answer"};
  BOOST_TEST(steps_of(log, 2) == expected, boost::test_tools::per_element());
  // Where the hops of the message are logged, it is a step for each of them until its arrival.
  const std::vector<TransferHops> transfers{
      {pe1 + ".pe_dma",
       60,
       80,
       {{pe1 + ".pe_dma", "pe_dma", "pe_setup", false, 60, 62},
        {"sip1.cube0.pe0_pe_dma__to__r0c0", "pe_to_router", "contention", true, 62, 65},
        {"sip1.cube0.r0c0", "router", "noc", false, 65, 75},
        {pe0 + ".pe_dma", "pe_dma", "noc", false, 75, 80}}}};
  Steps by_hop = expected;
  by_hop[5] = "60-62 pe_dma pe_setup";
  by_hop.insert(by_hop.begin() + 6, {"62-65 ~pe_to_router contention", "65-75 router noc"});
  BOOST_TEST(steps_of(log, 2, &transfers) == by_hop, boost::test_tools::per_element());
  BOOST_TEST(path_of(log, 2).devices_table().csv() ==
             "device,steps,time_ns,share\n"
             "sip1,4,0.00005,0.500000\n"
             "sip1 > sip0,1,0.000015,0.150000\n"
             "sip0,4,0.000014,0.140000\n"
             "host > sip1,1,0.00001,0.100000\n"
             "sip0 > sip1,1,0.000006,0.060000\n"
             "sip0 > host,1,0.000005,0.050000\n");
}

// The ring has one slot: message 2 waits from 20 on for the credit of message 1, which the
// receiver consumes at 50, when its kernel has come to its receive at 45.
BOOST_AUTO_TEST_CASE(a_send_follows_the_credit_to_the_receiver) {
  HandMadeLog log;
  log.launch("k", 0, 70, {pe0, pe1}, 0, 60);
  log.progress.waits = {{pe0, Reason::send, {}, 20, 56}, {pe1, Reason::receive, {}, 45, 55}};
  log.progress.messages = {{1, 4096, 0, 4096, 64, pe0, pe1, 10, 12, 12, 15, 45, 50, 55},
                           {2, 4096, 1, 4096, 64, pe0, pe1, 56, 57, 57, 58, 59, 60, 61}};
  // pe0 and pe1 answer at once; the path begins on the first by name.
  const Steps expected{"0-45 pe_cpu kernel",       "45-50 ring slot read", "50-55 ipcq credit",
                       "55-56 ~poll for a credit", "56-60 pe_cpu kernel",  "60-70 launch answer"};
  BOOST_TEST(steps_of(log) == expected, boost::test_tools::per_element());
}

// The second receive finds its message, which came at 12, at the instant at which the first one
// ends; the first one has waited for its own, sent at 5 by a kernel that began at 0.
BOOST_AUTO_TEST_CASE(receives_that_follow_at_once_have_their_own_messages) {
  HandMadeLog log;
  log.launch("k", 0, 30, {pe0, pe1}, 0, 26);
  log.progress.runs[1].end = log.progress.runs[1].returned = 20;
  log.progress.waits = {{pe0, Reason::receive, {}, 10, 20}, {pe0, Reason::receive, {}, 20, 25}};
  log.progress.messages = {{1, 4096, 0, 4096, 64, pe1, pe0, 5, 13, 13, 15, 15, 18, 20},
                           {2, 8192, 0, 8192, 64, pe1, pe0, 6, 10, 10, 12, 20, 22, 25}};
  const Steps expected{"0-5 pe_cpu kernel",    "5-13 message in flight", "13-15 ring slot write",
                       "15-18 ring slot read", "18-20 ipcq credit",      "20-22 ring slot read",
                       "22-25 ipcq credit",    "25-26 pe_cpu kernel",    "26-30 launch answer"};
  BOOST_TEST(steps_of(log) == expected, boost::test_tools::per_element());
}

// Launch 2 is issued at 10, while launch 1 has the PE until 50.
BOOST_AUTO_TEST_CASE(a_launch_waits_for_the_one_that_has_its_pes) {
  HandMadeLog log;
  log.launch("first", 0, 60, {pe0}, 5, 50);
  log.launch("second", 10, 100, {pe0}, 70, 90);
  BOOST_TEST(steps_of(log, 2) == (Steps{"10-50 ~earlier launch", "50-70 launch dispatch",
                                        "70-90 pe_cpu kernel", "90-100 launch answer"}),
             boost::test_tools::per_element());
}

// --- Kernels of two streams on one PE

// Stream 0 waits for products from 30 to 90 and from 110 to 155; concurrently stream 1, from 40 on,
// for a read from 100 to 150.
BOOST_AUTO_TEST_CASE(kernels_that_run_together_have_a_path_each) {
  HandMadeLog log;
  log.launch("products", 0, 200, {pe0}, 20, 180);
  log.launch("reduce", 10, 190, {pe0}, 40, 160, 1);
  log.awaited_command(pe0, 1, 30, 35, 90);
  log.awaited_command(pe0, 2, 100, 105, 150, 1);
  log.awaited_command(pe0, 3, 110, 115, 155);
  log.ops = {{pe0 + ".pe_gemm", "gemm_f16", 35, 90, 1},
             {pe0 + ".pe_dma", "dma_read", 105, 150, 2, -1, 0, 1},
             {pe0 + ".pe_gemm", "gemm_f16", 115, 155, 3}};
  BOOST_TEST(
      steps_of(log, 1) ==
          (Steps{"0-20 launch dispatch", "20-30 pe_cpu kernel", "30-35 pe_scheduler dispatch",
                 "35-90 pe_gemm gemm", "90-110 pe_cpu kernel", "110-115 pe_scheduler dispatch",
                 "115-155 pe_gemm gemm", "155-180 pe_cpu kernel", "180-200 launch answer"}),
      boost::test_tools::per_element());
  BOOST_TEST(steps_of(log, 2) == (Steps{"10-40 launch dispatch", "40-100 pe_cpu kernel",
                                        "100-105 pe_scheduler dispatch", "105-150 pe_dma dma_read",
                                        "150-160 pe_cpu kernel", "160-190 launch answer"}),
             boost::test_tools::per_element());
}

// The read of stream 1, asked for at 100, has its channel at 120, when that of stream 0 has ended,
// for which the kernel of that stream asked at 30.
BOOST_AUTO_TEST_CASE(an_engine_that_another_stream_holds_leads_to_its_kernel) {
  HandMadeLog log;
  log.launch("copies", 0, 200, {pe0}, 20, 180);
  log.launch("reduce", 10, 190, {pe0}, 40, 160, 1);
  log.awaited_command(pe0, 1, 30, 35, 120);
  log.awaited_command(pe0, 2, 100, 105, 150, 1);
  log.ops = {{pe0 + ".pe_dma", "dma_read", 35, 120, 1},
             {pe0 + ".pe_dma", "dma_read", 120, 150, 2, -1, 0, 1}};
  BOOST_TEST(steps_of(log, 2) == (Steps{"10-20 launch dispatch", "20-30 pe_cpu kernel",
                                        "30-35 pe_scheduler dispatch", "35-120 pe_dma dma_read",
                                        "120-150 pe_dma dma_read", "150-160 pe_cpu kernel",
                                        "160-190 launch answer"}),
             boost::test_tools::per_element());
}

// Behind the return at 160 the engines of stream 1 drain until 165; the command of stream 0 that
// completes at 168 is none of them.
BOOST_AUTO_TEST_CASE(a_kernel_drains_the_commands_of_its_stream) {
  HandMadeLog log;
  log.launch("copies", 0, 200, {pe0}, 20, 180);
  log.launch("reduce", 10, 190, {pe0}, 40, 160, 1);
  log.progress.runs[1].end = 170;
  log.awaited_command(pe0, 1, 30, 35, 168);
  log.progress.commands.push_back({pe0, 2, 150, 155, 165});
  log.ops = {{pe0 + ".pe_dma", "dma_read", 35, 168, 1},
             {pe0 + ".pe_dma", "dma_write", 155, 165, 2, -1, 0, 1}};
  BOOST_TEST(steps_of(log, 2) == (Steps{"10-40 launch dispatch", "40-150 pe_cpu kernel",
                                        "150-155 pe_scheduler dispatch", "155-165 pe_dma dma_write",
                                        "165-170 ~pe_cpu drain", "170-190 launch answer"}),
             boost::test_tools::per_element());
}

// Launch 2 of stream 1, issued at 10, follows launch 1 of stream 0, which ends on the PE at 50;
// launch 3 of stream 2 still runs then.
BOOST_AUTO_TEST_CASE(a_launch_may_follow_one_of_another_stream) {
  HandMadeLog log;
  log.launch("first", 0, 60, {pe0}, 5, 50);
  log.launch("second", 10, 100, {pe0}, 70, 90, 1);
  log.launch("third", 10, 120, {pe0}, 40, 110, 2);
  BOOST_TEST(steps_of(log, 2) == (Steps{"10-50 ~earlier launch", "50-70 launch dispatch",
                                        "70-90 pe_cpu kernel", "90-100 launch answer"}),
             boost::test_tools::per_element());
}

// pe0 receives from 30 on. On pe1 the kernel of stream 1 has sent at 60, without a wait; that of
// stream 0 has begun later.
BOOST_AUTO_TEST_CASE(a_message_leads_to_the_kernel_that_has_sent_it) {
  HandMadeLog log;
  log.launch("reduce", 0, 100, {pe0, pe1}, 20, 95, 1);
  log.progress.runs[1].end = log.progress.runs[1].returned = 80;
  log.launch("products", 0, 90, {pe1}, 50, 85);
  log.progress.waits = {{pe0, Reason::receive, {}, 30, 90, {}, 1},
                        {pe1, Reason::command, 1, 52, 58, CommandKind::gemm}};
  log.progress.messages = {{1, 4096, 0, 4096, 64, pe1, pe0, 60, 75, 75, 80, 80, 84, 90, 0, 1, 1}};
  BOOST_TEST(steps_of(log, 1) ==
                 (Steps{"0-20 launch dispatch", "20-60 pe_cpu kernel", "60-75 message in flight",
                        "75-80 ring slot write", "80-84 ring slot read", "84-90 ipcq credit",
                        "90-95 pe_cpu kernel", "95-100 launch answer"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_is_not_in_the_log_is_a_wait_and_the_sum_holds) {
  HandMadeLog log;
  log.launch("k", 0, 100, {pe0}, 10, 90);
  log.progress.waits = {{pe0, Reason::command, 7, 20, 80}};  // and no command 7
  BOOST_TEST(steps_of(log) ==
                 (Steps{"0-10 launch dispatch", "10-20 pe_cpu kernel", "20-80 ~not in the log",
                        "80-90 pe_cpu kernel", "90-100 launch answer"}),
             boost::test_tools::per_element());
  log.progress.runs.clear();
  BOOST_TEST(steps_of(log) == (Steps{"0-100 ~not in the log"}), boost::test_tools::per_element());
}

// Operations without duration that follow each other at one instant.
BOOST_AUTO_TEST_CASE(operations_without_duration_do_not_hold_the_walk) {
  HandMadeLog log;
  log.launch("k", 0, 10, {pe0}, 0, 10);
  log.awaited_command(pe0, 1, 0, 0, 5);
  for (int i = 0; i < 5; ++i) log.ops.push_back({pe0 + ".pe_gemm", "gemm_f16", 5, 5, 1});
  const Steps steps = steps_of(log);
  BOOST_TEST(steps.back() == "5-10 pe_cpu kernel");
}

// --- Hops of transfers

BOOST_AUTO_TEST_CASE(an_operation_of_the_dma_is_the_hops_of_its_transfer) {
  HandMadeLog log;
  add_one_read(log);
  const std::vector<TransferHops> transfers{one_transfer()};
  BOOST_TEST(steps_of(log, 1, &transfers) ==
                 (Steps{"100-120 launch dispatch", "120-130 pe_cpu kernel",
                        "130-135 pe_scheduler dispatch", "135-140 ~start of dma_read",
                        "140-145 pe_dma dma_read", "145-146 pe_dma pe_setup",
                        "146-150 ~pe_to_router contention", "150-160 router noc",
                        "160-170 hbm_ctrl hbm", "170-180 pe_cpu kernel", "180-200 launch answer"}),
             boost::test_tools::per_element());
  const PathStep stall = path_of(log, 1, &transfers).steps.at(6);
  BOOST_TEST(stall.where == "sip0.cube0.pe0_pe_dma__to__r0c0");
  BOOST_TEST(stall.what == "other transfers: dma_read of command 1");
  BOOST_TEST(stall.after == "its previous hop");
  BOOST_TEST(stall.op.value() == 1U);
}

// By another PE, with another end, or begun before the operation.
BOOST_AUTO_TEST_CASE(an_operation_without_its_transfer_is_one_step) {
  HandMadeLog log;
  add_one_read(log);
  std::vector<TransferHops> transfers(3, one_transfer());
  transfers[0].end = 169;
  transfers[1].start = 139;
  transfers[2].node = pe1 + ".pe_dma";
  BOOST_TEST(steps_of(log, 1, &transfers) == steps_of(log), boost::test_tools::per_element());
}

// Two end with the operation: the later one has one hop, from 160.
BOOST_AUTO_TEST_CASE(of_several_transfers_the_one_that_began_last_is_on_the_path) {
  HandMadeLog log;
  add_one_read(log);
  std::vector<TransferHops> transfers(2, one_transfer());
  transfers[0].start = 160;
  transfers[0].hops = {{"sip0.cube0.sram", "sram", "hbm", false, 160, 170}};
  const Steps steps = steps_of(log, 1, &transfers);
  BOOST_TEST_REQUIRE(steps.size() == 8U);
  BOOST_TEST(steps[4] == "140-160 pe_dma dma_read");
  BOOST_TEST(steps[5] == "160-170 sram hbm");
}

// The launch is issued at 155, when its kernel, by the log, already runs.
BOOST_AUTO_TEST_CASE(hops_before_the_issue_of_the_launch_are_left_out) {
  HandMadeLog log;
  add_one_read(log);
  log.launches.front().issued = 155;
  const std::vector<TransferHops> transfers{one_transfer()};
  BOOST_TEST(
      steps_of(log, 1, &transfers) == (Steps{"155-160 router noc", "160-170 hbm_ctrl hbm",
                                             "170-180 pe_cpu kernel", "180-200 launch answer"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_text_names_the_sum_and_what_remains_without_a_resource) {
  HandMadeLog log;
  add_one_read(log);
  const std::string text = path_of(log, 1).text(80);
  BOOST_TEST(text.find("launch 1 of 'k' on sip0: 0.0001 ns") == 0U, text);
  BOOST_TEST(text.find("sum of 7 steps: 0.0001 ns") != std::string::npos, text);
  BOOST_TEST(text.find("without it at least") != std::string::npos, text);
}

BOOST_AUTO_TEST_SUITE_END()
