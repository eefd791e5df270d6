// Plain TLM-2.0 modules that misbehave (spec 2.1, 4.2): whatever they do wrong ends in a message
// that names the module and keeps its words, with status 1, or 3 for a deadlock.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <nlohmann/json.hpp>
#include <utility>

#include "tests/cli/module_runs.h"

using namespace kernbench::test;
using namespace kernbench::test::module_runs;

BOOST_AUTO_TEST_SUITE(module_faults)

// --- Faults

BOOST_AUTO_TEST_CASE(a_fault_of_a_module_has_its_process_and_its_words) {
  const std::vector<Case> cases{
      {"error", {module + "12 ns: error of 'acme/dma': the FIFO has overrun\n"}},
      {"fatal", {module + "0 ns: fatal error of 'acme/dma': the FIFO is lost\n"}},
      {"throw", {module + "0 ns: uncaught exception: no channel is left\n"}},
      {"throw_42", {module + "0 ns: uncaught exception: it is not a std::exception\n"}},
      {"stop", {module + "0 ns: it has called sc_stop()\n"}},
      {"method_fatal", {module + "0 ns: fatal error of 'acme/dma': the FIFO is lost\n"}},
      {"method_throw", {module + "0 ns: uncaught exception: no channel is left\n"}},
      {"method_throw_42", {module + "0 ns: uncaught exception: it is not a std::exception\n"}},
      {"method_stop", {module + "0 ns: it has called sc_stop()\n"}}};
  for (const Case& each : cases) {
    BOOST_TEST_CONTEXT(each.module) { check(play(each.module), 1, each.parts); }
  }
}

// On a thread and a method of a module, and on a thread outside the simulation.
BOOST_AUTO_TEST_CASE(a_fault_that_ends_the_process_is_reported_with_its_place) {
  const std::string terminates = "has ended in std::terminate(), by ";
  std::vector<Case> faults{
      {"exit", {"has called exit(0)"}},
      {"_exit", {"has called _exit(-1)"}},
      {"quick_exit", {"has called quick_exit(0)"}},
      {"abort", {"has called abort() (SIGABRT)"}},
      {"terminate", {"has called std::terminate(), without an exception"}},
      {"noexcept", {terminates + "the exception 'no channel is left'"}},
      {"noexcept_42", {terminates + "an exception that is not a std::exception"}},
      {"illegal", {"has run into an illegal instruction (SIGILL)"}}};
#ifndef __SANITIZE_ADDRESS__
  faults.push_back({"null", {"has accessed the invalid address 0x0 (SIGSEGV)"}});
  faults.push_back({"divides", {"has divided an integer by zero (SIGFPE)"}});
#endif
  const std::string in_process = "kernbench: error: " + module + "0 ns: it ";
  const std::string outside = "kernbench: error: a thread outside the simulation ";
  for (const Case& fault : faults) {
    for (const auto& [where, place] : {std::pair("", in_process), std::pair("method_", in_process),
                                       std::pair("foreign_", outside)}) {
      BOOST_TEST_CONTEXT(where << fault.module) {
        const TemporaryFolder folder;
        const ProgramResult result = play(where + fault.module, {"--stats", folder.file("s.json"),
                                                                 "--trace", folder.file("w.vcd")});
        check(result, 1, {place + fault.parts.front()});
        BOOST_TEST(std::count(result.err.begin(), result.err.end(), '\n') == 1, result.err);
        BOOST_TEST(result.out == "");
        for (const char* file : {"s.json", "w.vcd"}) {
          BOOST_TEST(folder.has(file), file);
          BOOST_TEST(folder.read(file) == "", file);
        }
      }
    }
  }
}

#ifndef __SANITIZE_ADDRESS__
// Status 1 and a message, and soon; whatever the heap looks like. What has been overwritten, by
// 'A', may be the name of the process: the message leaves room for the fault after it.
BOOST_AUTO_TEST_CASE(a_module_that_damages_the_heap_ends_the_process_with_a_message) {
  for (const char* name :
       {"heap_16_400", "heap_2000_400", "heap_16_200k", "heap_2000_200k", "free_twice"}) {
    for (const std::string& how : {std::string(name), "method_" + std::string(name)}) {
      BOOST_TEST_CONTEXT(how) {
        const TemporaryFolder folder;
        const ProgramResult result = play(how, {"--trace-requests", folder.file("r.jsonl")});
        BOOST_TEST(result.cpu_s < 15);
        check(result, 1, {"kernbench: error: "});
        BOOST_TEST((contains(result.err, bridge + ".module") ||
                    (contains(result.err, "AAAA") && contains(result.err, " ns: it ")) ||
                    contains(result.err, "memory has been overwritten")),
                   result.err);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_block_that_is_freed_twice_leaves_the_requests_before_it) {
  const TemporaryFolder folder;
  const ProgramResult result = play("free_twice", {"--trace-requests", folder.file("r.jsonl")});
  check(result, 1, {module, "was aborted (SIGABRT) by a check of the C library"});
  BOOST_CHECK_NO_THROW(nlohmann::json::parse(folder.read("r.jsonl")));
}

BOOST_AUTO_TEST_CASE(a_stack_overflow_is_called_so) {
  for (const char* name : {"recursion", "method_recursion"})
    check(play(name), 1, {module, " ns: it has overrun its stack (stack overflow)\n"});
}
#endif

BOOST_AUTO_TEST_CASE(a_fault_outside_of_any_process_names_the_module) {
  const std::string built = "kernbench: error: 'sip0.cube0.ext0': the module 'test.constructor_";
  std::vector<Case> cases{
      {"elaborated_exit", {bridge + ".module at 0 ns: it has called exit(0)\n"}},
      {"started_exit", {bridge + ".module at 0 ns: it has called exit(0)\n"}},
      {"constructor_exit", {built + "exit' cannot be built: it has called exit(0)\n"}},
      {"constructor_abort", {built + "abort' cannot be built: it has called abort() (SIGABRT)\n"}}};
#ifndef __SANITIZE_ADDRESS__
  const std::string null = "it has accessed the invalid address 0x0 (SIGSEGV)\n";
  cases.push_back({"elaborated_null", {bridge + ".module at 0 ns: " + null}});
  cases.push_back({"stopped_null", {bridge + ".module at ", null}});
  cases.push_back({"constructor_null", {built + "null' cannot be built: " + null}});
  cases.push_back(
      {"constructor_recursion",
       {built + "recursion' cannot be built: it has overrun its stack (stack overflow)\n"}});
#endif
  for (const Case& each : cases) {
    BOOST_TEST_CONTEXT(each.module) { check(play(each.module), 1, each.parts); }
  }
}

BOOST_AUTO_TEST_CASE(a_service_that_misbehaves_is_named_not_its_caller) {
  const std::string mmu = "kernbench: error: sip0.cube0.pe0.pe_mmu at ";
  const std::vector<Case> cases{
      {"throws", {mmu, " ns: no licence\n"}},
      {"throws_42", {mmu, " ns: an exception that is not a std::exception"}},
      {"stops", {mmu, " ns: it has called sc_stop()\n"}},
      {"exits", {mmu, " ns: it has called exit(0)\n"}},
      {"reports", {mmu, " ns: error of 'acme/mmu': no licence\n"}}};
  for (const Case& each : cases) {
    BOOST_TEST_CONTEXT(each.module)
    check(kernbench_program({"run", "--bench", "gemm-single-pe", "--topology", "tiny", "--set",
                             "cube.pe_template.components.pe_mmu={impl: test.mmu_" + each.module +
                                 ", attrs: {}}"},
                            {}, nullptr, KERNBENCH_MODULES_PROGRAM),
          1, each.parts);
  }
}

BOOST_AUTO_TEST_CASE(faults_end_a_bench_too) {
  check(play("error", {"--bench", "gemm-single-pe"}), 1,
        {module + "12 ns: error of 'acme/dma': the FIFO has overrun\n"});
}

// --- Base protocol

BOOST_AUTO_TEST_CASE(a_module_breaks_the_base_protocol) {
  const std::vector<Case> cases{
      {"end_req", {"a target's phase on the forward path"}},
      {"end_resp", {"END_RESP without a BEGIN_RESP"}},
      {"no_phase", {"nb_transport_fw with a phase that is not set"}},
      {"two_requests", {"BEGIN_REQ before the END_REQ of the previous request"}},
      {"twice", {"BEGIN_REQ with a payload that is in flight"}},
      {"no_memory_manager", {"BEGIN_REQ with a payload that has no memory manager"}},
      {"method_b_transport", {"b_transport in the SC_METHOD 'sip0.cube0.ext0.module.run'"}},
      {"end_resp_and_completed",
       {"END_RESP twice: by nb_transport_fw, and as the answer to BEGIN_RESP"}},
      {"end_resp_twice", {"END_RESP without a BEGIN_RESP"}},
      {"wrong_answer", {"BEGIN_RESP is answered by TLM_UPDATED with another phase than END_RESP"}}};
  for (const Case& each : cases) {
    BOOST_TEST_CONTEXT(each.module)
    check(play(each.module), 1, {bridge + " at ", protocol + each.parts[0]});
  }
  check(play("throws_backward"), 1,
        {bridge + " at ",
         "the module behind the bridge has thrown in nb_transport_bw: no room for the response"});
  check(play("late"), 1, {module + "1 ns: uncaught exception: simulated time would pass"});
}

BOOST_AUTO_TEST_CASE(a_target_breaks_the_base_protocol) {
  const std::vector<Case> cases{
      {"updates_wrongly", {"BEGIN_REQ is answered by TLM_UPDATED with a phase of the initiator"}},
      {"answers_twice", {"a request is answered twice"}},
      {"end_req_twice", {"END_REQ twice"}},
      {"initiators_phase", {"an initiator's phase on the backward path"}},
      {"changes_pointer", {"the data pointer of a payload has been changed"}},
      {"stale", {"a phase of a payload that is not in flight"}}};
  for (const Case& each : cases) {
    BOOST_TEST_CONTEXT(each.module)
    check(play("sram_read", with_target(each.module)), 1,
          {"sip0.cube0.sram at ", protocol + each.parts[0]});
  }
  const std::string behind = "the module behind the bridge has ";
  for (const Case& each : std::vector<Case>{
           {"throws_forward", {"thrown in nb_transport_fw: no row is open"}},
           {"throws_42_forward",
            {"thrown in nb_transport_fw: an exception that is not a std::exception"}},
           {"reports_forward", {"thrown in nb_transport_fw: acme/dram: no row is open"}},
           {"deletes", {"deleted a payload, which belongs to its initiator"}},
           {"releases", {"released a payload more often than it has acquired it"}}}) {
    BOOST_TEST_CONTEXT(each.module)
    check(play("sram_read", with_target(each.module)), 1,
          {"sip0.cube0.sram at ", behind + each.parts[0]});
  }
  check(play("sram_read", with_target("keeps")), 1,
        {"the module behind sip0.cube0.sram keeps 1 payload(s)"});
}

// SystemC would let them come at once.
BOOST_AUTO_TEST_CASE(answers_of_a_target_beyond_the_end_of_time_end_the_run) {
  const std::string end_of_time = "simulated time would pass the 18446 s";
  for (const char* target : {"waits_for_ever", "waits_for_ever_later"})
    check(play("sram_read", with_target(target)), 1,
          {"sip0.cube0.sram at ",
           "the module behind the bridge waits for too long in sip0.cube0.sram.", end_of_time});
  check(play("sram_read", with_target("begin_resp_after_the_end")), 1,
        {"sip0.cube0.sram at ", end_of_time});
}

BOOST_AUTO_TEST_CASE(who_never_answers_is_named_by_the_deadlock) {
  check(
      play("sram_read", with_target("never_answers")), 3,
      {"deadlock at ", "\n  sip0.cube0.ext0 waits for the end of the read of 64 bytes",
       "\n  sip0.cube0.sram waits for its module to answer the read of 64 bytes at offset 0x40 by "
       "BEGIN_RESP since ",
       ": END_REQ has not come either\n"});
  check(play("sram_read", with_target("only_end_req")), 3,
        {"deadlock at ", " by BEGIN_RESP since ", ": END_REQ has come\n"});
  check(play("no_end_resp"), 3,
        {"deadlock at ", "\n  sip0.cube0.ext0 waits for the end of ",
         ": its module has not answered BEGIN_RESP of ", " ns by END_RESP\n"});
}

// --- What does not come back

BOOST_AUTO_TEST_CASE(delta_cycles_of_an_instant_are_bounded_and_their_processes_named) {
  const std::string by = " delta cycles at 7 ns, by sip0.cube0.ext0.module.run";
  check(play("delta_loop", {"--max-deltas", "1000"}), 1, {"more than 1000" + by + "\n"});
  check(play("ping_pong", {"--max-deltas", "1000"}), 1,
        {"more than 1000" + by + ", sip0.cube0.ext0.module.run_too\n"});
  check(play("delta_loop"), 1, {"more than 10000000" + by + "\n"});  // the default
}

BOOST_AUTO_TEST_CASE(a_process_that_never_yields_ends_at_the_wall_limit_and_by_a_signal) {
  const std::string stuck = module + "0 ns: it lets no simulated time pass\n";
  for (const std::string name : {"never_yields", "method_never_yields"}) {
    for (double max_wall_s = 0.5;; max_wall_s *= 4) {
      const ProgramResult result =
          play(name, {"--max-wall", std::to_string(max_wall_s)}, {0, {}, 1, "never yields"});
      if (!reached_in_time(result, max_wall_s)) continue;
      check(result, 1, {"kernbench: error: stopped by --max-wall: " + stuck});
      break;
    }
    check(play(name, {}, {SIGTERM, {}, 1, "never yields"}), 1,
          {"kernbench: error: interrupted: " + stuck});
  }
  check(play("waits"), 0, {});  // it is done
}

// --- Modules that cannot be built

BOOST_AUTO_TEST_CASE(a_module_that_cannot_be_built_or_bound_is_named) {
  check(play("constructor"), 1,
        {"'sip0.cube0.ext0': the module 'test.constructor' cannot be built: no licence"});
  check(play("constructor_fatal"), 1,
        {"'sip0.cube0.ext0': the module 'test.constructor_fatal' cannot be built: elaboration: "
         "fatal error of 'acme/dma': no licence"});
  check(play("unbound"), 1, {"elaboration: complete binding failed", "sip0.cube0.ext0."});
}

BOOST_AUTO_TEST_SUITE_END()
