// A wrong configuration never reaches elaboration: every command that reads a machine refuses it
// with file, key, what was found and what is allowed, and exit status 2 (spec 1.3). Options that
// are no numbers of their kind are refused too.
#include <boost/test/unit_test.hpp>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(wrong_configuration)

namespace {

const Words run_a_bench{"run", "--bench", "gemm-single-pe", "--topology", "topology.tiny.yaml"};

}  // namespace

BOOST_AUTO_TEST_CASE(every_command_refuses_it_in_the_same_way) {
  const std::vector<Words> commands{
      run_a_bench,
      {"topology", "--topology", "tiny"},
      {"probe", "--topology", "tiny"},
      {"traffic", "--generate", "stream", "--topology", "tiny"},
      {"route", "sip0.io0.pcie_ep", "sip0.cube0.hbm_ctrl.pe0", "--topology", "tiny"}};
  const std::vector<std::pair<std::string, std::string>> faults{
      {"cube.components.sram.attrs.size_mb=64", "found 64, allowed is an integer, 1 to 32"},
      {"cube.pe_template.components.pe_tcm.attrs.size_mb=4",
       "found 4, allowed is an integer, 1 to 2"},
      {"cube.components.router.attrs.overhead_ns=1e18",
       "found 1e18, allowed is a number, 0 to 1000000000"},
      {"cube.links.router_link_bw_gbs=0.0004",
       "found 0.0004, allowed is 0 (unlimited) or a number, 0.001 to 1000000"}};
  for (const Words& command : commands) {
    for (const auto& [setting, message] : faults)
      check_refused(joined(command, {"--set", setting}),
                    {"--set " + setting, setting.substr(0, setting.find('=')) + ": " + message});
  }
}

// What was found by trying: each of these once ran, crashed, or failed with a bare text.
BOOST_AUTO_TEST_CASE(values_that_cannot_be_simulated_are_refused) {
  const auto set = [](const std::string& setting, const Words& parts) {
    check_refused(joined(run_a_bench, {"--set", setting}), parts);
  };
  set("cube.components.router.attrs.overhead_ns=1e13",
      {"overhead_ns: found 1e13", "0 to 1000000000"});
  set("cube.components.hbm_ctrl.attrs.efficiency=1e-18", {"efficiency: found 1e-18", "0.001 to 1"});
  set("cube.pe_template.components.pe_gemm.attrs.macs_per_cycle=99e17",
      {"macs_per_cycle: found 99e17", "1 to 1000000000"});
  set("cube.pe_template.components.pe_cpu.attrs.clock_ghz=1e-17",
      {"clock_ghz: found 1e-17", "0.001 to 1000"});
  set("cube.pe_template.components.pe_tcm.attrs.reserved_kb=4096",
      {"reserved_kb: found 4096", "0 to 2048"});
  set("cube.pe_template.components.pe_tcm.attrs.reserved_kb=2048",
      {"reserved_kb: found 2048", "2097152 + 1048576 of 2097152 B"});
  set("cube.pe_template.components.pe_cpu.attrs.scratch_bytes=8388608",
      {"scratch_bytes: found 8388608", "0 to 2097152"});
  set("cube.pe_template.links.pe_gemm_to_pe_math.distance_mm=3",
      {"pe_gemm_to_pe_math.distance_mm: found 3", "allowed is 0"});
  set("sip.cube_mesh={w: 8, h: 8}", {"sip.cube_mesh: found 8 x 8 = 64 cubes", "at most 16"});
  set("cube=&a [*a]", {"nested more than 32 levels deep"});
  set("cube.components.router={impl: builtin.noc, impl: builtin.ucie}",
      {"cube.components.router.impl: the key is given twice"});
  for (const std::string key : {"latency_ns", "occupancy_ns", "flit_occupancy_ns"})
    set("cube.ucie.port.attrs." + key + "=0.5",
        {key + ": found 0.5 ns next to overhead_ns of 8 ns", "allowed is 0, or overhead_ns 0"});
  set("sip.io_chiplets.io0.components.pcie_ep.attrs.servers=port",
      {"servers: found port, allowed without cut_through is node"});
  set("system.switch.attrs.serial_per=port",
      {"unknown attribute of builtin.switch; its name is now 'servers'; it knows"});
}

// The time of the other key is the preset's, which no file line has.
BOOST_AUTO_TEST_CASE(a_contradiction_is_reported_at_the_key_that_was_given) {
  const std::string hbm = "cube.components.hbm_ctrl.", attrs = hbm + "attrs.";
  const auto refused = [&](const std::string& setting, const Words& parts) {
    check_refused(joined(run_a_bench, {"--set", hbm + "impl=builtin.hbm_banked", "--set", setting}),
                  parts);
  };
  refused(attrs + "t_rfc_ns=4000",
          {"error: --set " + attrs + "t_rfc_ns=4000: " + attrs + "t_refi_ns: found 3900 ns",
           "not given are those of preset HBM2"});
  refused(attrs + "t_rc_ns=3900", {"error: --set " + attrs + "t_rc_ns=3900: ", "t_refi_ns"});
  refused(attrs + "mapping=", {"mapping: found nothing, allowed is a text (bits of a burst's",
                               "R row, B bank, G bank group, C column, P pseudo-channel"});
}

BOOST_AUTO_TEST_CASE(implementations_are_refused_where_they_cannot_stand) {
  const auto set = [](const std::string& key, const std::string& impl, const std::string& allowed) {
    check_refused(joined(run_a_bench, {"--set", key + "={impl: " + impl + "}"}),
                  {key + ".impl: found '" + impl + "', which is not made for this place", allowed});
  };
  set("cube.components.router", "builtin.pe_dma",
      "builtin.forwarding, builtin.noc, builtin.switch, builtin.ucie, builtin.vc_router");
  set("cube.components.m_cpu", "builtin.sram", "the role m_cpu: builtin.m_cpu");
  set("cube.components.hbm_ctrl", "builtin.pe_mmu",
      "builtin.hbm_ctrl, builtin.sram, builtin.tlm_target_bridge");
  set("cube.pe_template.components.pe_gemm", "builtin.pe_math",
      "the role pe_gemm: builtin.pe_gemm");
}

// --- Options

BOOST_AUTO_TEST_CASE(options_that_are_no_numbers_of_their_kind_are_refused) {
  const Words traffic{"traffic", "--generate", "stream", "--topology", "tiny"};
  for (const char* seconds : {"nan", "-1", "inf", "soon", "1e400"}) {
    check_refused(joined(run_a_bench, {"--max-wall", seconds}),
                  {std::string("--max-wall '") + seconds + "' is not a time in seconds"});
    check_refused(joined(traffic, {"--max-wall", seconds}),
                  {std::string("--max-wall '") + seconds + "' is not a time in seconds"});
  }
  const std::string range = "found '-1', allowed is an integer, 0 to 18446744073709551615";
  check_refused(joined(run_a_bench, {"--seed", "-1"}), {"--seed: " + range});
  for (const char* option : {"--requests", "--size", "--stride", "--seed", "--max-outstanding"})
    check_refused(joined(traffic, {option, "-1"}), {option + (": " + range)});
  check_refused(joined(traffic, {"--requests", "0"}), {"--requests is 0"});
}

BOOST_AUTO_TEST_CASE(traffic_that_would_last_too_long_is_refused_before_it_starts) {
  const Words traffic{"traffic", "--generate", "stream", "--topology", "tiny", "--rate"};
  check_refused(joined(traffic, {"1e-30"}),
                {"--rate '1e-30' is not a decimal number of at most 18 digits and decimals"});
  // The last of 64 requests of 4096 B: 63 * 4096 / 0.0000001 ns = 2.6 * 10^12 ns.
  check_refused(
      joined(traffic, {"1e-7"}),
      {"--rate is 0.0000001", "the last of 64 requests of 4096 B would be issued after 1e12 ns"});
}

BOOST_AUTO_TEST_CASE(a_command_that_reads_no_topology_takes_no_options_for_it) {
  check_refused({"list", "components", "--topology", "nonsense"},
                {"there is no option '--topology'"});
  check_refused(
      {"list", "components", "--set", "a.b=c"},
      {"--set 'a.b=c': this command reads no 'topology' file; the prefix is components:"});
  check_refused({"list", "components", "--set", "topology:a.b=c"},
                {"this command reads no 'topology' file"});
  const ProgramResult result = kernbench_program(
      {"list", "components", "--set", "components:components.my.noc=builtin.noc"});
  BOOST_TEST(result.status == 0, result.err);
  BOOST_TEST(result.out.find("my.noc: ") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
