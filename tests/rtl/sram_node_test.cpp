// rtl.sram in the fabric: times, order, data, faults. Clock of 10 fs, data of 8 bytes, flits of 16
// B; links unlimited with 1 fs of propagation.
//
// Of an access whose first edge is at E and that has n beats in one burst: the address is offered
// at E and taken at E + 1; a read's beats at E + 3 to E + 2 + n (READ_LATENCY is 2), a write's at
// E + 2 to E + 1 + n, its answer at E + 2 + n.
#include "models/rtl/verilated_sram.h"
// The runtime of Verilator comes first.
#include <Vfaulty_sram.h>

#include <boost/test/unit_test.hpp>

#include "models/base/atomic_op.h"
#include "models/base/plugin.h"
#include "models/rtl/rtl_sram.h"
#include "models/tlm/external_modules.h"
#include "sw/collectives/algorithm_registry.h"
#include "tests/support/bench_runner.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"

using namespace kernbench;
using namespace kernbench::test;

extern "C" const kernbench::PluginEntry kernbench_plugin_entry;

BOOST_AUTO_TEST_SUITE(sram_node_test)

namespace {

// The address of an access, its offset in the memory, selects the fault (sv/faulty_sram.sv).
class FaultySram final : public RtlSram {
 public:
  explicit FaultySram(const ComponentInit& init)
      : RtlSram(init, &VerilatedSram<Vfaulty_sram, 64>::make) {}
};

using Settings = std::map<std::string, std::string>;
Settings with(Settings settings) {
  settings.insert({{"data_bits", "64"}, {"size_mb", "1"}, {"clock_period_ns", "0.00001"}});
  return settings;
}

template <class Memory>
struct Scratchpad {
  explicit Scratchpad(const Settings& settings = {}) : s(machine.add<Memory>("s", with(settings))) {
    machine.connect("a", "s", {});
    machine.connect("b", "s", {});
    machine.elaborate();
  }
  std::uint64_t statistic(const std::string& name) const {
    return WholeMachine::statistic(s, name);
  }
  MiniMachine machine{{"a", "b", "s"}, 16};
  StubNode& a{machine.stub("a")};
  StubNode& b{machine.stub("b")};
  Memory& s;
};

// The bench sram-swap (tests/plugins/rtl_examples/sram_swap.cpp).
Bench sram_swap() {
  ComponentRegistry components;
  ExternalModules modules;
  BenchRegistry benches;
  AlgorithmRegistry algorithms;
  PluginRegistries to{components, modules, benches, algorithms};
  kernbench_plugin_entry.add_all(to);
  return benches.find("sram-swap");
}

// The bench sram-swap on a cube whose SRAM is `impl`, with data.
struct Swap {
  explicit Swap(const std::string& impl, bool eager, std::int64_t offset = 0,
                const std::vector<Override>& more = {})
      : machine("topology.tiny.yaml", settings(impl, more), options()), executor(machine.data, 2) {
    if (eager) executor.start_eager();
    const Bench bench = sram_swap();
    BenchProgram program(
        bench, {resolve_parameters(bench, {{"offset", std::to_string(offset)}}), {0}, 1, {}});
    result = machine.platform->run(program);
    executor.run();
    judge_all(program.expectations(), executor, outcome);
  }
  static std::vector<Override> settings(const std::string& impl,
                                        const std::vector<Override>& more) {
    std::vector<Override> all{{"cube.components.sram.impl", impl},
                              {"cube.components.sram.attrs.size_mb", "1"},
                              {"cube.components.sram.attrs.data_bits", "64"}};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  static MachineOptions options() {
    MachineOptions options(MachineOptions::Engines::builtin);
    options.components = [](ComponentRegistry& registry) {
      registry.add(implementation_of<FaultySram>("test.faulty_sram"));
    };
    return options;
  }
  std::uint64_t statistic(const std::string& name) const {
    return machine.statistic("sip0.cube0.sram", name);
  }
  WholeMachine machine;
  DataExecutor executor;
  RunResult result;
  BenchOutcome outcome;
};

std::string fault_of(std::uint64_t fault, bool write, const Settings& settings = {}) {
  Scratchpad<FaultySram> t(settings);
  const std::uint64_t offset = fault << 27;
  t.a.send_at(write ? t.machine.write("a", "s", offset, 64) : t.machine.read("a", "s", offset, 64),
              100);
  return error_of([&] { t.machine.run(); });
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(a_read_is_answered_at_the_edge_of_its_last_beat) {
  Scratchpad<RtlSram> t;
  t.a.send_at(t.machine.read("a", "s", 0, 64), 92);  // there at 93: E = 100, 8 beats
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(0) == 100U + (2 + 8) * 10 + 1);
  BOOST_TEST(t.statistic("read_bursts") == 1U);
  BOOST_TEST(t.statistic("bytes_read") == 64U);
}

KERNBENCH_SYSTEMC_TEST(a_write_is_acknowledged_at_the_edge_of_its_answer) {
  Scratchpad<RtlSram> t;
  t.a.send_at(t.machine.write("a", "s", 4, 64), 92);  // unaligned: 9 beats
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(0) == 100U + (2 + 9) * 10 + 1);
}

KERNBENCH_SYSTEMC_TEST(a_posted_write_completes_there_and_the_overhead_comes_first) {
  Scratchpad<RtlSram> t(Settings{{"overhead_ns", "0.00002"}});
  t.a.send_at(t.machine.posted_write("a", "s", 0, 8), 92);  // 93 + 20: E = 120
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(0) == 120U + 3 * 10);
}

// 4100 bytes from 4: 512 beats to the boundary in two bursts of 256 beats, and one beat behind it.
KERNBENCH_SYSTEMC_TEST(a_message_is_cut_into_bursts_that_follow_without_a_gap) {
  Scratchpad<RtlSram> t;
  t.a.send_at(t.machine.read("a", "s", 4, 4096 + 4), 92);
  t.machine.run();
  BOOST_TEST(t.statistic("read_bursts") == 3U);
  BOOST_TEST(t.machine.completed_at(0) == 100U + (2 + 513) * 10 + 1);
}

// Two reads and a write: the reads beat by beat, the write concurrently with them.
KERNBENCH_SYSTEMC_TEST(accesses_share_the_channels_and_writes_and_reads_go_side_by_side) {
  Scratchpad<RtlSram> t;
  t.a.send_at(t.machine.read("a", "s", 0, 64), 92);
  t.a.send_at(t.machine.read("a", "s", 4096, 64), 92);
  t.b.send_at(t.machine.write("b", "s", 8192, 64), 92);
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(0) == 100U + (2 + 8) * 10 + 1);
  BOOST_TEST(t.machine.completed_at(1) == 100U + (2 + 16) * 10 + 1);
  BOOST_TEST(t.machine.completed_at(2) == 100U + (2 + 8) * 10 + 1);
}

// The write ends at the edge at 200; the read is offered in the same instant.
KERNBENCH_SYSTEMC_TEST(what_overlaps_a_write_in_flight_waits_for_its_end) {
  Scratchpad<RtlSram> t;
  t.a.send_at(t.machine.write("a", "s", 0, 64), 92);
  t.b.send_at(t.machine.read("b", "s", 56, 64), 95);
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(0) == 200U + 1);
  BOOST_TEST(t.machine.completed_at(1) == 200U + (2 + 8) * 10 + 1);
}

KERNBENCH_SYSTEMC_TEST(max_in_flight_bounds_the_accesses_side_by_side) {
  Scratchpad<RtlSram> t(Settings{{"max_in_flight", "1"}});
  t.a.send_at(t.machine.read("a", "s", 0, 64), 92);
  t.a.send_at(t.machine.read("a", "s", 4096, 64), 92);
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(1) == 200U + (2 + 8) * 10 + 1);
}

// Two reads and two writes, all outstanding together: 4 x 8 beats, 2 + 16 responses on R and B.
BOOST_AUTO_TEST_CASE(responses_that_are_refused_come_later_and_in_the_same_order) {
  const auto ends = [](const std::string& gaps, const std::string& seed) {
    return forked_value([&] {
      Scratchpad<RtlSram> t(Settings{{"response_gaps", gaps}, {"gap_seed", seed}});
      for (const std::uint64_t offset : {0, 4096}) {
        t.a.send_at(t.machine.read("a", "s", offset, 64), 92);
        t.b.send_at(t.machine.write("b", "s", 8192 + offset, 64), 92);
      }
      t.machine.run();
      std::vector<Fs> times;
      for (std::uint64_t tag = 0; tag < 4; ++tag) times.push_back(t.machine.completed_at(tag));
      return times;
    });
  };
  const std::vector<Fs> free = ends("0", "1"), half = ends("50", "1");
  BOOST_TEST(free == (std::vector<Fs>{201, 201, 281, 281}), boost::test_tools::per_element());
  BOOST_TEST(half[2] > free[2] + 8 * 10 / 2);  // about as many gaps as beats
  BOOST_TEST(half[3] >= free[3]);
  for (const int first : {0, 1}) BOOST_TEST(half[first] < half[first + 2]);
  for (const Fs time : half) BOOST_TEST((time - 1) % 10 == 0U);
  BOOST_TEST(ends("50", "1") == half, boost::test_tools::per_element());
  BOOST_TEST((ends("50", "2") != half));
}

KERNBENCH_SYSTEMC_TEST(there_are_no_edges_without_work) {
  Scratchpad<RtlSram> t;
  t.a.send_at(t.machine.read("a", "s", 0, 8), 92);
  t.a.send_at(t.machine.read("a", "s", 0, 8), 9'000'092);
  t.machine.run();
  // Edges at E to E + 3, twice.
  BOOST_TEST(t.statistic("rtl_cycles") == 2U * 4);
}

BOOST_AUTO_TEST_CASE(faults_of_the_memory_end_the_run_by_name) {
  struct Case {
    std::uint64_t fault;
    bool write;
    Settings settings;
    std::string message;
  };
  const Settings gaps{{"response_gaps", "90"}};
  const std::string rule = "s: the block breaks the rule ";
  const std::vector<Case> cases{
      {3, false, {}, rule + "last_at_end_of_burst at rlast, cycle "},
      {4, true, {}, rule + "response_after_last_write_beat at bvalid, cycle "},
      {6, false, {}, rule + "no_read_data_without_request at rvalid, cycle "},
      {8, false, {{"check_unknown", "true"}}, "s: output rdata is unknown"},
      {9, false, {{"watchdog_cycles", "30"}}, "s: no handshake for 30 cycles: it waits for "},
      {2, false, gaps, rule + "data_is_stable_while_waiting at rdata, cycle "},
      {1, false, gaps, rule + "valid_holds_until_ready at rvalid, cycle "},
      {11, true, gaps, rule + "valid_holds_until_ready at bvalid, cycle "},
      {13, true, gaps, rule + "data_is_stable_while_waiting at bresp, cycle "},
      {10, false, {}, "s: rresp is 2 for a read at offset 0x50000000: an error, cycle "}};
  for (const Case& each : cases) {
    const std::string fault =
        forked_value([&] { return fault_of(each.fault, each.write, each.settings); });
    BOOST_TEST_CONTEXT("fault " << each.fault) { check_contains(fault, {each.message}); }
  }
  for (const bool write : {false, true})
    BOOST_TEST(forked_value([&] {
                 return fault_of(0, write, {{"check_unknown", "true"}, {"response_gaps", "50"}});
               }) == "");
}

BOOST_AUTO_TEST_CASE(a_size_that_is_not_verilated_is_an_error_that_lists_those_that_are) {
  Attributes attributes = defaults_of(schema_of<RtlSram::Parameters>());
  attributes.set("flit_bytes", Rational(256));
  attributes.set("size_mb", Rational(3));
  const auto fault = RtlSram::check(RtlSram::Parameters(attributes));
  BOOST_REQUIRE(fault.has_value());
  BOOST_TEST(fault->parameter == "size_mb");
  BOOST_TEST((fault->message.find("512 bits x 32 MiB") != std::string::npos));
}

// An access of PE 0 to the first bytes of its cube's SRAM; the error that it is answered with.
std::string answer_to(const std::function<DmaCommand(std::uint64_t sram)>& access) {
  WholeMachine machine("topology.tiny.yaml", Swap::settings("rtl.sram", {}), Swap::options());
  const DmaCommand dma = access(machine.address(MemoryArea::cube_sram, {0, 0, 0}, 0));
  const std::string error =
      run_kernel(machine, [&](KernelContext& context) { issue_dma(context, dma); }).error_message;
  BOOST_TEST(machine.statistic("sip0.cube0.sram", "rtl_cycles") == 0U);  // the block sees nothing
  return error;
}

KERNBENCH_SYSTEMC_TEST(it_refuses_an_atomic_access) {
  check_contains(answer_to([](std::uint64_t sram) {
                   return DmaCommand{
                       true, sram, 4, nullptr,
                       std::make_shared<const AtomicAccess>(AtomicAccess{AtomicOp::add})};
                 }),
                 {"sip0.cube0.sram answered TLM_COMMAND_ERROR_RESPONSE: ",
                  "atomic_add is not served there; built-in HBM and SRAM serve it, RTL blocks and "
                  "plain TLM-2.0 targets do not"});
}

KERNBENCH_SYSTEMC_TEST(it_refuses_accesses_of_several_runs_of_bytes) {
  check_contains(answer_to([](std::uint64_t sram) {
                   const AddressRuns runs{{sram, 64}, {sram + 256, 64}};
                   return DmaCommand{false, sram, 128, std::make_shared<const AddressRuns>(runs)};
                 }),
                 {"sip0.cube0.sram answered TLM_BURST_ERROR_RESPONSE: ",
                  "sram serves contiguous accesses only, and this one has 2 runs"});
}

// 8 blocks of 16 rows of 128 B, written once and read once.
KERNBENCH_SYSTEMC_TEST(bytes_go_over_the_pins_and_come_back_as_the_memory_store_has_them) {
  Swap t("rtl.sram", true);
  BOOST_TEST(t.result.error == "");
  BOOST_TEST(t.outcome.failures == "");
  BOOST_TEST(t.outcome.verified == 8U * 16 * 64);
  BOOST_TEST(t.statistic("bytes_written") == 8U * 2048);
  BOOST_TEST(t.statistic("bytes_checked") == 8U * 2048);
  BOOST_TEST(t.statistic("bytes_stale") == 0U);
}

BOOST_AUTO_TEST_CASE(bytes_are_the_same_where_responses_are_refused) {
  const auto cycles = [](const std::string& gaps) {
    return forked_value([&] {
      Swap t("rtl.sram", true, 0, {{"cube.components.sram.attrs.response_gaps", gaps}});
      if (!t.result.error.empty()) return t.result.error;
      if (!t.outcome.failures.empty()) return t.outcome.failures;
      if (t.statistic("bytes_checked") != 8U * 2048) return std::string("bytes are not compared");
      return std::to_string(t.statistic("rtl_cycles"));
    });
  };
  BOOST_TEST(std::stoul(cycles("60")) > std::stoul(cycles("0")) * 3 / 2);
}

// Computed values are not known until phase 2: zeros on the pins, nothing to compare.
KERNBENCH_SYSTEMC_TEST(bytes_that_are_not_known_yet_are_not_compared) {
  Swap t("rtl.sram", false);
  BOOST_TEST(t.result.error == "");
  BOOST_TEST(t.outcome.failures == "");
  BOOST_TEST(t.statistic("bytes_written") == 8U * 2048);
  BOOST_TEST(t.statistic("bytes_checked") == 0U);
}

// sv/faulty_sram.sv, fault 7: bit 12 of each word is wrong.
KERNBENCH_SYSTEMC_TEST(a_wrong_byte_ends_the_run_with_its_place_both_values_and_the_cycle) {
  Swap t("test.faulty_sram", true, 7 << 16);
  check_contains(t.result.error, {"rdata differs from the bytes written: byte 1 of a read of ",
                                  ", the memory store has 0x", ", cycle "});
}

BOOST_AUTO_TEST_SUITE_END()
