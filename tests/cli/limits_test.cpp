// What is larger than the host: refused with an estimate, or ended with a message, and never killed
// by the system.
#include <sys/resource.h>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(limits)

namespace {

Words with_settings(Words words, const Words& settings) {
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  return words;
}

// A link and a router for each of 4096 channels of 2048 PEs.
const Words largest_machine{"system.sips.count=16", "cube.memory_map.hbm_mapping_mode=one_to_one",
                            "cube.memory_map.hbm_channels_per_pe=4096",
                            "cube.memory_map.hbm_pseudo_channels=32768",
                            "cube.memory_map.hbm_channel_bw_gbs=0.0625"};

// The sanitizers map and keep far more.
#ifdef __SANITIZE_ADDRESS__
constexpr bool memory_can_be_limited = false;
#else
constexpr bool memory_can_be_limited = true;
#endif

}  // namespace

BOOST_AUTO_TEST_CASE(every_command_refuses_a_machine_that_is_too_large_with_an_estimate) {
  for (const Words& command :
       {Words{"run", "--bench", "gemm-single-pe"}, Words{"traffic", "--generate", "stream"},
        Words{"topology"}, Words{"route", "sip0.cube0.sram", "sip0.cube0.m_cpu"}, Words{"probe"}}) {
    const ProgramResult result =
        kernbench_program(with_settings(joined(command, {"--max-memory", "16G"}), largest_machine));
    BOOST_TEST(result.status == 2, command.front() << ": " << result.status << ": " << result.err);
    BOOST_TEST(contains(result.err, "this machine needs about 2"), result.err);
    BOOST_TEST(contains(result.err, " GiB of memory: "), result.err);
    BOOST_TEST(contains(result.err,
                        "8388608 pseudo-channels; --max-memory is 16.0 GiB, and the host has "),
               result.err);
    BOOST_TEST(result.cpu_s < 10);
  }
}

BOOST_AUTO_TEST_CASE(the_default_machine_needs_less_than_the_estimate_and_not_much_less) {
  if (!memory_can_be_limited) return;
  // Without the monitors, which the estimate leaves out.
  BOOST_TEST(kernbench_program({"run", "--bench", "gemm-single-pe", "--max-memory", "160M",
                                "--check-protocol=false"})
                 .status == 0);
  const ProgramResult refused =
      kernbench_program({"run", "--bench", "gemm-single-pe", "--max-memory", "64M"});
  BOOST_TEST(refused.status == 2, refused.err);
  BOOST_TEST(contains(refused.err, "4335 nodes, 7548 links and 2048 pseudo-channels"), refused.err);
}

BOOST_AUTO_TEST_CASE(requests_that_are_all_in_flight_at_once_are_refused_with_an_estimate) {
  const ProgramResult result = kernbench_program(
      {"traffic", "--topology", "tiny", "--generate", "stream", "--requests", "100000000",
       "--initiators", "sip0.cube0.pe0.pe_dma", "--max-memory", "1G"});
  BOOST_TEST(result.status == 2, result.status << ": " << result.err);
  BOOST_TEST(contains(result.err,
                      "--requests: 100000000 requests in flight at once need about 6103 MiB of "
                      "memory, all of them at least "
                      "3.2e+09 events; --max-memory is 1024 MiB"),  // 10^8 x 4096 B / 256 B x 2
             result.err);
}

// Every request waits behind the first: offered far faster than the memory is, memory grows until
// the limit.
BOOST_AUTO_TEST_CASE(a_run_that_reaches_its_limit_ends_with_a_message) {
  if (!memory_can_be_limited) return;
  const ProgramResult result = kernbench_program(
      {"traffic", "--topology", "tiny", "--generate", "stream", "--requests", "100000000", "--rate",
       "100000", "--size", "64", "--initiators", "sip0.cube0.pe0.pe_dma", "--max-memory", "200M"});
  BOOST_TEST(result.status == 1, result.status << ": " << result.err);
  BOOST_TEST(contains(result.err, "out of memory: the run has reached --max-memory, 200.0 MiB"),
             result.err);
}

// A kernel that never comes back is not asked to stop: the process ends, with one message.
BOOST_AUTO_TEST_CASE(a_kernel_that_takes_all_memory_is_ended_by_the_limit) {
  if (!memory_can_be_limited) return;
  const ProgramResult result =
      kernbench_program({"run", "--bench", "unruly", "--topology", "tiny", "--param",
                         "kernel=endless_growth", "--max-memory", "300M"},
                        {}, nullptr, KERNBENCH_UNRULY_PROGRAM);
  BOOST_TEST(result.status == 1, result.status << ": " << result.err);
  BOOST_TEST(contains(result.err, "--max-memory is 0.3 GiB; the run is ended at once\n"),
             result.err);
  BOOST_TEST(!contains(result.err, "_exit"), result.err);
}

BOOST_AUTO_TEST_CASE(memory_for_data_is_reported_where_it_is_limited) {
  const Words run{"run", "--bench", "layernorm", "--topology", "tiny", "--verify-data"};
  const ProgramResult silent = kernbench_program(run),
                      told = kernbench_program(joined(run, {"--data-memory", "1M"})),
                      json = kernbench_program(joined(run, {"--data-memory", "1M", "--json"}));
  BOOST_TEST(silent.status == 0, silent.err);
  BOOST_TEST(!contains(silent.out, "data memory "), silent.out);
  BOOST_TEST(contains(told.out, "data memory        at most "), told.out);
  BOOST_TEST(contains(told.out, " of 1.0 MiB, "), told.out);
  const auto memory = nlohmann::json::parse(json.out).at("host").at("data_memory");
  BOOST_TEST(memory.at("limit_bytes") == 1 << 20);
  BOOST_TEST(memory.at("peak_bytes") > 0);
  BOOST_TEST(memory.at("peak_values") > 0);
  for (const char* bad : {"12", "-1M", "1.5X", "2000T"}) {
    const ProgramResult result = kernbench_program(joined(run, {"--data-memory", bad}));
    BOOST_TEST(result.status == 2, bad << ": " << result.err);
    BOOST_TEST(contains(result.err, "is not a size from 1M to 1024T"), result.err);
  }
  const ProgramResult without = kernbench_program(
      {"run", "--bench", "layernorm", "--topology", "tiny", "--data-memory", "1M"});
  BOOST_TEST(without.status == 2, without.status);
  BOOST_TEST(contains(without.err, "--data-memory requires --data deferred or eager"), without.err);
}

BOOST_AUTO_TEST_CASE(an_allocation_that_the_host_refuses_is_an_error_and_no_crash) {
  if (!memory_can_be_limited) return;
  for (const unsigned long mebibytes : {150UL, 500UL}) {
    const ProgramResult result = kernbench_program_limited(
        {"run", "--bench", "matmul-composite", "--param", "variant=ref_ref", "--param", "M=8192",
         "--param", "K=8192", "--param", "N=8192", "--topology", "tiny", "--verify-data"},
        RLIMIT_AS, mebibytes << 20);
    BOOST_TEST(result.status == 1, mebibytes << " MiB: " << result.status << ": " << result.err);
    BOOST_TEST(contains(result.err, "out of memory"), result.err);
  }
}

BOOST_AUTO_TEST_CASE(a_stack_that_cannot_be_mapped_is_named) {
  if (!memory_can_be_limited) return;
  const Words words =
      with_settings({"run", "--bench", "layernorm", "--topology", "tiny"},
                    {"cube.pe_template.components.pe_cpu.attrs.kernel_stack_bytes=1073741824"});
  BOOST_TEST(kernbench_program(words).status == 0);  // mapped, and touched where it is used
  const ProgramResult result = kernbench_program_limited(words, RLIMIT_AS, 4UL << 30);
  BOOST_TEST(result.status == 1, result.status << ": " << result.err);
  BOOST_TEST(
      contains(result.err, "the host refuses a stack of 1073741824 bytes (kernel_stack_bytes)"),
      result.err);
}

BOOST_AUTO_TEST_CASE(phase_2_goes_on_where_threads_are_refused) {
  for (const char* data : {"deferred", "eager"}) {
    const Words words{"run",    "--bench", "layernorm", "--topology", "tiny", "--verify-data=ops",
                      "--data", data,      "--json"};
    const ProgramResult alone = kernbench_program_without_threads(words);
    BOOST_TEST_REQUIRE(alone.status == 0, alone.err);
    const auto one = nlohmann::json::parse(alone.out),
               many = nlohmann::json::parse(kernbench_program(words).out);
    BOOST_TEST(one.at("verdicts") == many.at("verdicts"));
    BOOST_TEST(one.at("operations") == many.at("operations"));
    BOOST_TEST(one.at("host").at("phase2_threads") == 1);
  }
}

BOOST_AUTO_TEST_SUITE_END()
