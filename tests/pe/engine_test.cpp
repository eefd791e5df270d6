// PE_GEMM, PE_MATH, accel_slot, queues (spec 5). Times are ns; the scheduler pays 1 ns per command
// unless it says 0.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "models/pe/command_context.h"
#include "tests/pe/pe_testbench.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(engine_test)

namespace {

constexpr Fs ns = fs_per_ns;

}  // namespace

// 32*64*32 / 4096 = 16 cycles at 1 GHz, after the scheduler's 1 ns; no FETCH, no STORE.
KERNBENCH_SYSTEMC_TEST(a_dot_pays_pe_gemm_time_only) {
  PeTestbench pe;
  pe.at(0, [&] { pe.submit(DotCommand{32, 64, 32, DType::f16}); });
  pe.run();
  BOOST_TEST(pe.op("gemm_f16").start == 1 * ns);
  BOOST_TEST(pe.op("gemm_f16").end == 17 * ns);
  BOOST_TEST(pe.done_at(1) == 17 * ns);
  BOOST_TEST(pe.ops().size() == 1u);
  BOOST_TEST(pe.statistic("pe_gemm", "gemm_busy") == 16 * ns);
  BOOST_TEST(pe.statistic("pe_tcm", "bytes_read") == 0u);
}

KERNBENCH_SYSTEMC_TEST(the_clock_and_the_overhead_of_pe_gemm_count) {
  PeTestbench pe(
      {{"pe_gemm", {{"clock_ghz", "0.5"}, {"overhead_ns", "3"}, {"macs_per_cycle", "1024"}}}});
  pe.at(0, [&] { pe.submit(DotCommand{32, 64, 32, DType::i8}); });
  pe.run();
  // 64 cycles of 2 ns.
  BOOST_TEST(pe.op("gemm_i8").end == (1 + 3 + 128) * ns);
}

// One fold of 32 x 32: 64 + 2 * 32 + 32 - 2 = 158 cycles of 1 ns, and 3 of the task; no stage is
// longer for fewer rows, and the output of 33 rows takes two folds.
KERNBENCH_SYSTEMC_TEST(a_systolic_array_is_filled_streamed_and_drained) {
  PeTestbench pe({{"pe_gemm", {{"timing", "systolic"}, {"task_cycles", "3"}}}});
  pe.at(0, [&] { pe.submit(DotCommand{32, 64, 32, DType::i8}); });
  pe.at(1000 * ns, [&] { pe.submit(DotCommand{1, 64, 1, DType::i8}); });
  pe.at(2000 * ns, [&] { pe.submit(DotCommand{33, 64, 32, DType::i8}); });
  pe.run();
  const auto ops = pe.ops("gemm_i8");
  BOOST_TEST(ops.at(0).end - ops.at(0).start == (3 + 158) * ns);
  BOOST_TEST(ops.at(1).end - ops.at(1).start == (3 + 158) * ns);
  BOOST_TEST(ops.at(2).end - ops.at(2).start == (3 + 2 * 158) * ns);
}

// 33 * 5 * 7 = 1155 products are 2 cycles of 1024; three of them share none: 6 cycles, not the 4 of
// 3 * 1155. The overhead is paid once, for the command.
KERNBENCH_SYSTEMC_TEST(a_batch_takes_the_cycles_of_its_products_one_by_one) {
  PeTestbench pe({{"pe_gemm", {{"macs_per_cycle", "1024"}, {"overhead_ns", "5"}}}});
  pe.at(0, [&] { pe.submit(DotCommand{33, 5, 7, DType::f16, {}, 3}); });
  pe.run();
  BOOST_TEST(pe.ops().size() == 1u);
  BOOST_TEST(pe.op("gemm_f16").end - pe.op("gemm_f16").start == (5 + 3 * 2) * ns);
}

// Each product of a batch is a task of the array: 3 cycles and two folds of 158.
KERNBENCH_SYSTEMC_TEST(a_systolic_array_takes_the_products_of_a_batch_as_tasks) {
  PeTestbench pe({{"pe_gemm", {{"timing", "systolic"}, {"task_cycles", "3"}}}});
  pe.at(0, [&] { pe.submit(DotCommand{33, 64, 32, DType::i8, {}, 4}); });
  pe.run();
  BOOST_TEST(pe.op("gemm_i8").end - pe.op("gemm_i8").start == 4 * (3 + 2 * 158) * ns);
}

// Granted at 1 ns, ready at 1.5 ns; edges of 0.25 GHz at 0, 4, 8, ... ns. 5 + 2 * 8 + 4 - 2 = 23.
KERNBENCH_SYSTEMC_TEST(a_systolic_array_begins_at_the_next_edge_of_its_clock) {
  PeTestbench pe({{"pe_gemm",
                   {{"timing", "systolic"},
                    {"rows", "8"},
                    {"columns", "4"},
                    {"task_cycles", "0"},
                    {"overhead_ns", "0.5"},
                    {"clock_ghz", "0.25"}}}});
  pe.at(0, [&] { pe.submit(DotCommand{8, 5, 4, DType::i8}); });
  pe.run();
  BOOST_TEST(pe.op("gemm_i8").start == 1 * ns);
  BOOST_TEST(pe.op("gemm_i8").end == (4 + 23 * 4) * ns);
}

// Attributes of one timing have no meaning for the other.
KERNBENCH_SYSTEMC_TEST(the_default_timing_does_not_look_at_the_array) {
  PeTestbench pe({{"pe_gemm", {{"rows", "1"}, {"columns", "1"}, {"task_cycles", "500"}}}});
  pe.at(fs_per_ns / 3, [&] { pe.submit(DotCommand{32, 64, 32, DType::f16}); });
  pe.run();
  BOOST_TEST(pe.op("gemm_f16").end - pe.op("gemm_f16").start == 16 * ns);
}

// 1024 elements / 128 lanes = 8 cycles; exp 4 cycles each.
KERNBENCH_SYSTEMC_TEST(an_element_wise_op_pays_math_time_or_the_overhead_if_that_is_longer) {
  PeTestbench pe({{"pe_math", {{"overhead_ns", "20"}}}});
  pe.at(0, [&] { pe.submit(MathCommand{MathOp::add, 1024}); });
  pe.at(100 * ns, [&] { pe.submit(MathCommand{MathOp::exp, 1024}); });
  pe.run();
  BOOST_TEST(pe.op("add").end == (1 + 20) * ns);
  BOOST_TEST(pe.op("exp").end == (100 + 1 + 32) * ns);
}

KERNBENCH_SYSTEMC_TEST(cycles_per_op_come_from_attributes) {
  PeTestbench pe({{"pe_math", {{"cycles_tanh", "6"}, {"lanes", "64"}}}});
  pe.at(0, [&] { pe.submit(MathCommand{MathOp::tanh, 65}); });
  pe.run();
  BOOST_TEST(pe.op("tanh").end == (1 + 2 * 6) * ns);
}

// Alone in its PE a command starts in the offer and has the slot at once, concurrently with a read
// of 200 ns it goes through the queue and asks for the slot: begun 1 ns after its submission both
// times, with the same service (16 cycles of PE_GEMM, 8 rows of PE_MATH), statistics, and no wait.
KERNBENCH_SYSTEMC_TEST(a_command_alone_in_its_pe_takes_the_time_of_one_concurrent_with_another) {
  PeTestbench pe({}, 200 * ns);
  for (const Fs at : {0 * ns, 1010 * ns})
    pe.at(at, [&] { pe.submit(DotCommand{32, 64, 32, DType::f16}); });
  for (const Fs at : {100 * ns, 1110 * ns})
    pe.at(at, [&] { pe.submit(MathCommand{MathOp::add, 1024}); });
  pe.at(1000 * ns, [&] { pe.submit(DmaCommand{false, 0x1000, 64}); });
  pe.run();
  const auto dots = pe.ops("gemm_f16"), ops = pe.ops("add");
  BOOST_TEST(dots.at(0).start == 1 * ns);
  BOOST_TEST(dots.at(0).end == (1 + 16) * ns);
  BOOST_TEST(dots.at(1).start == (1010 + 1) * ns);
  BOOST_TEST(dots.at(1).end == (1010 + 1 + 16) * ns);
  BOOST_TEST(ops.at(0).start == (100 + 1) * ns);
  BOOST_TEST(ops.at(0).end == (100 + 1 + 8) * ns);
  BOOST_TEST(ops.at(1).start == (1110 + 1) * ns);
  BOOST_TEST(ops.at(1).end == (1110 + 1 + 8) * ns);
  BOOST_TEST(pe.op("dma_read").end > ops.at(1).end);
  BOOST_TEST(pe.statistic("pe_math", "math_queue_high_water") == 1u);
  BOOST_TEST(pe.statistic("pe_scheduler", "math_slot_waits") == 0u);
  BOOST_TEST(pe.statistic("pe_scheduler", "accel_slot_held") == 2 * (16 + 8) * ns);
}

// The dot runs 1..17; the op is dispatched at 2 and runs 17..25.
KERNBENCH_SYSTEMC_TEST(gemm_and_math_share_one_accel_slot) {
  PeTestbench pe;
  pe.at(0, [&] {
    pe.submit(DotCommand{32, 64, 32, DType::f16});
    pe.submit(MathCommand{MathOp::add, 1024});
  });
  pe.run();
  BOOST_TEST(pe.op("add").start == 17 * ns);
  BOOST_TEST(pe.op("add").end == 25 * ns);
  BOOST_TEST(pe.statistic("pe_scheduler", "math_slot_waits") == 1u);
  BOOST_TEST(pe.statistic("pe_scheduler", "math_slot_waiting") == 15 * ns);
  BOOST_TEST(pe.statistic("pe_scheduler", "gemm_slot_waits") == 0u);
  BOOST_TEST(pe.commands().usage().compute == (16 + 8) * ns);
  BOOST_TEST(pe.kernel().usage.compute == (16 + 8) * ns);
}

KERNBENCH_SYSTEMC_TEST(slot_requests_of_one_instant_are_granted_by_command) {
  PeTestbench pe({{"pe_scheduler", {{"overhead_ns", "0"}}}});
  pe.at(0, [&] {  // the later command comes first
    pe.submit_as(2, MathCommand{MathOp::add, 1024});
    pe.submit_as(1, DotCommand{32, 64, 32, DType::f16});
  });
  pe.at(100 * ns, [&] {
    pe.submit_as(4, DotCommand{32, 64, 32, DType::f16});
    pe.submit_as(3, MathCommand{MathOp::sub, 1024});
  });
  pe.run();
  BOOST_TEST(pe.op("gemm_f16", -1, 1).start == 0u);
  BOOST_TEST(pe.op("add").start == 16 * ns);
  BOOST_TEST(pe.op("sub").start == 100 * ns);
  BOOST_TEST(pe.op("gemm_f16", -1, 4).start == 108 * ns);
  BOOST_TEST(pe.statistic("pe_scheduler", "math_slot_waiting") == 16 * ns);
  BOOST_TEST(pe.statistic("pe_scheduler", "gemm_slot_waiting") == 8 * ns);
}

// Command 1 asks some deltas after command 2, at the same instant.
KERNBENCH_SYSTEMC_TEST(
    requests_of_one_instant_are_granted_by_command_however_many_deltas_lie_between_them) {
  PeTestbench pe({{"pe_scheduler", {{"overhead_ns", "0"}}}});
  pe.at(50 * ns, [&] {
    pe.submit_as(2, MathCommand{MathOp::add, 1024});
    for (int delta = 0; delta < 20; ++delta) sc_core::wait(sc_core::SC_ZERO_TIME);
    pe.submit_as(1, DotCommand{32, 64, 32, DType::f16});
  });
  pe.run();
  BOOST_TEST(pe.op("gemm_f16").start == 50 * ns);
  BOOST_TEST(pe.op("add").start == 66 * ns);
}

// Before the tie rule: first come, first served. The second dot is behind the first, of its own
// engine, until 16 ns, and then behind the op.
KERNBENCH_SYSTEMC_TEST(an_earlier_request_for_the_slot_goes_first) {
  PeTestbench pe({{"pe_scheduler", {{"overhead_ns", "0"}}}});
  pe.at(0, [&] { pe.submit_as(9, DotCommand{32, 64, 32, DType::f16}); });
  pe.at(1 * ns, [&] { pe.submit_as(8, MathCommand{MathOp::add, 1024}); });
  pe.at(2 * ns, [&] { pe.submit_as(1, DotCommand{32, 64, 32, DType::f16}); });
  pe.run();
  BOOST_TEST(pe.op("add").start == 16 * ns);
  BOOST_TEST(pe.op("gemm_f16", -1, 1).start == 24 * ns);
  BOOST_TEST(pe.statistic("pe_scheduler", "gemm_slot_waits") == 1u);
  BOOST_TEST(pe.statistic("pe_scheduler", "gemm_slot_waiting") == 8 * ns);
  BOOST_TEST(pe.statistic("pe_scheduler", "math_slot_waiting") == 15 * ns);
}

// One dot in service, one in the queue, the third at the door, the fourth with the scheduler. The
// math op is dispatched all the same and is the second to have asked for the slot.
KERNBENCH_SYSTEMC_TEST(a_full_queue_keeps_the_task_with_its_sender_and_blocks_no_other_engine) {
  PeTestbench pe({{"pe_scheduler", {{"overhead_ns", "0"}}}, {"pe_gemm", {{"queue_depth", "1"}}}});
  pe.at(0, [&] {
    for (int i = 0; i < 4; ++i) pe.submit(DotCommand{32, 64, 32, DType::f16});
    pe.submit(MathCommand{MathOp::add, 1024});
  });
  pe.run();
  BOOST_TEST(pe.statistic("pe_gemm", "gemm_queue_high_water") == 1u);
  BOOST_TEST(pe.op("add").start == 16 * ns);
  const auto dots = pe.ops("gemm_f16");
  BOOST_REQUIRE(dots.size() == 4u);
  for (std::size_t i = 0; i < 4; ++i) BOOST_TEST(dots[i].command == i + 1);
  BOOST_TEST(dots[1].start == 24 * ns);
  BOOST_TEST(dots[3].end == 24 * ns + 3 * 16 * ns);
}

KERNBENCH_SYSTEMC_TEST(the_queue_holds_queue_depth_tasks_in_addition_to_the_one_in_service) {
  PeTestbench pe;
  pe.at(0, [&] {
    for (int i = 0; i < 30; ++i) pe.submit(DotCommand{64, 64, 64, DType::f16});
  });
  pe.run();
  BOOST_TEST(pe.statistic("pe_gemm", "gemm_queue_high_water") == 8u);
  BOOST_TEST(pe.done_at(30) == (1 + 30 * 64) * ns);
}

// GEMM of 32x64x32 takes 16 ns, MATH of 4096 elements 32 ns.
KERNBENCH_SYSTEMC_TEST(gemm_and_math_run_side_by_side_with_slots_of_their_own) {
  PeTestbench pe({{"pe_scheduler", {{"shared_accel_slot", "false"}}}});
  pe.at(0, [&] {
    pe.submit(DotCommand{32, 64, 32, DType::f16});
    pe.submit(MathCommand{MathOp::add, 4096});
  });
  pe.run();
  BOOST_TEST(pe.op("gemm_f16").end == 17 * ns);
  BOOST_TEST(pe.op("add").start == 2 * ns);
  BOOST_TEST(pe.op("add").end == (2 + 32) * ns);
  BOOST_TEST(pe.commands().usage().compute == (16 + 32) * ns);
  BOOST_TEST(pe.statistic("pe_scheduler", "accel_slot_held") == (16 + 32) * ns);
  BOOST_TEST(pe.statistic("pe_scheduler", "gemm_slot_waits") == 0u);
  BOOST_TEST(pe.statistic("pe_scheduler", "math_slot_waits") == 0u);
}

KERNBENCH_SYSTEMC_TEST(a_tile_that_completes_twice_is_an_internal_error) {
  struct Listener final : CommandListener {
    void stage_ended(CommandContext&, TileTask&) override {}
    void tile_completed(CommandContext&, TileTask&) override { ++completed; }
    int completed = 0;
  } listener;
  CommandRequest request;
  request.state = std::make_shared<CommandState>(1);
  CommandContext context(listener);
  context.begin(request, nullptr, {}, {});
  TileTask task;
  context.feed(task.tile);
  context.complete_tile(task);
  BOOST_TEST(listener.completed == 1);
  BOOST_TEST(context.complete());
  BOOST_CHECK_EXCEPTION(context.complete_tile(task), ModelError, [](const ModelError& error) {
    return std::string(error.what()) == "tile 0 of command 1 has been completed twice";
  });
}

KERNBENCH_SYSTEMC_TEST(trace_events_come_in_the_order_of_spec_5_4) {
  PeTestbench pe;
  pe.at(0, [&] { pe.submit(DotCommand{32, 64, 32, DType::f16}); });
  pe.run();
  const std::vector<std::pair<TraceKind, Fs>> expected{
      {TraceKind::command_submitted, 0}, {TraceKind::sub_command_dispatched, 1 * ns},
      {TraceKind::engine_start, 1 * ns}, {TraceKind::engine_complete, 17 * ns},
      {TraceKind::tile_ready, 17 * ns},  {TraceKind::command_complete, 17 * ns}};
  BOOST_REQUIRE(pe.trace().size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    BOOST_CHECK(pe.trace()[i].kind == expected[i].first);
    BOOST_TEST(pe.trace()[i].time == expected[i].second);
    BOOST_TEST(pe.trace()[i].command_id == 1u);
  }
}

KERNBENCH_SYSTEMC_TEST(signals_tell_state_queue_and_what_is_in_service) {
  PeTestbench pe({{"pe_scheduler", {{"overhead_ns", "0"}}}});
  std::vector<std::string> seen;
  pe.at(0, [&] {
    for (int i = 0; i < 3; ++i) pe.submit(DotCommand{32, 64, 48, DType::f16});
  });
  pe.at(1 * ns, [&] {
    for (const TraceSignal& signal : pe.engine("pe_gemm").signals())
      seen.push_back(signal.name() + "=" + (signal.known() ? std::to_string(signal.value()) : "x"));
  });
  pe.run();
  const std::vector<std::string> expected{
      "gemm_queue=2", "gemm_state=3", "gemm_busy=1", "gemm_command=1", "gemm_tile=x",
      "gemm_stage=3", "gemm_m=32",    "gemm_n=48",   "gemm_k=64",      "gemm_address=x"};
  BOOST_TEST(seen == expected, boost::test_tools::per_element());
  for (const TraceSignal& signal : pe.engine("pe_gemm").signals()) BOOST_TEST(signal.value() == 0u);
}

// 1.5 ns: the first dot was dispatched at 1 ns and runs until 17 ns; the scheduler takes up the
// second at 2 ns. The read, in a run of its own, was granted at 1 ns and is issued at 2 ns.
KERNBENCH_SYSTEMC_TEST(signals_asked_for_in_the_course_of_a_run_begin_with_the_values_of_now) {
  const auto signals_of = [](const std::string& engine, const auto& what, int count) {
    return forked_value([&] {
      PeTestbench pe;
      std::vector<std::string> seen;
      pe.at(0, [&] {
        for (int i = 0; i < count; ++i) pe.submit(what);
      });
      pe.at(ns + ns / 2, [&] {
        for (const TraceSignal& signal : pe.engine(engine).signals())
          seen.push_back(signal.name() + "=" +
                         (signal.known() ? std::to_string(signal.value()) : "x"));
      });
      pe.run();
      for (const TraceSignal& signal : pe.engine(engine).signals())
        BOOST_TEST(signal.value() == 0u, signal.name());
      return seen;
    });
  };
  const std::vector<std::string> commands{"inbox=2", "commands=3", "feeding=x", "accel_slot=1",
                                          "tile_buffer_bytes=0"};
  BOOST_TEST(signals_of("pe_scheduler", DotCommand{32, 64, 32, DType::f16}, 3) == commands,
             boost::test_tools::per_element());
  const std::vector<std::string> read = signals_of("pe_dma", DmaCommand{false, 0, 4096}, 1);
  for (const char* each : {"read_channel=1", "read_bytes_in_flight=0", "write_channel=0",
                           "write_bytes_in_flight=0", "comm_waiting=0"})
    BOOST_TEST(std::count(read.begin(), read.end(), each) == 1, each);
}

BOOST_AUTO_TEST_SUITE_END()
