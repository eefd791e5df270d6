// The catalogue follows the machine that is given (ADR-0049 D1).
#include "platform/probe/probe_case.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "platform/topology/machine_message.h"
#include "platform/topology/zero_load_latency.h"
#include "tests/probe/routed_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(probe_cases)

namespace {

// "name initiator op target" or "name: reason" per case.
std::vector<std::string> catalogue(const std::string& topology,
                                   const std::vector<Override>& overrides = {}) {
  RoutedMachine m(topology, overrides);
  std::vector<std::string> lines;
  for (const ProbeCase& probe : probe_catalogue(m.graph, m.machine, m.routes)) {
    lines.push_back(probe.available()
                        ? probe.name + " " + m.machine.name(probe.initiator) +
                              (probe.write ? " > " : " < ") + m.machine.name(probe.target)
                        : probe.name + ": " + probe.unavailable);
  }
  return lines;
}

void check_has(const std::vector<std::string>& lines, const std::string& line) {
  std::string all;
  for (const std::string& each : lines) all += "\n" + each;
  BOOST_TEST((std::find(lines.begin(), lines.end(), line) != lines.end()),
             line << " is not in" << all);
}

// The times of reads of 32 KiB by PE 0 of cube 0 from all partitions of the other cubes of its SIP,
// ascending.
std::vector<std::pair<Fs, std::string>> reads_of_other_cubes(RoutedMachine& m) {
  std::vector<std::pair<Fs, std::string>> reads;
  for (int cube = 1; cube < m.machine.cubes(); ++cube) {
    for (int pe = 0; pe < m.machine.pes; ++pe) {
      const std::string target =
          "sip0.cube" + std::to_string(cube) + ".hbm_ctrl.pe" + std::to_string(pe);
      const Path& path = m.path("sip0.cube0.pe0.pe_dma", target);
      reads.emplace_back(
          zero_load_latency(path, machine_message(m.graph, path, false, 0, probe_bytes)), target);
    }
  }
  std::stable_sort(reads.begin(), reads.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return reads;
}

// The first of the equal ones.
void check_extremes(const std::string& topology, const std::vector<Override>& overrides = {}) {
  RoutedMachine m(topology, overrides);
  const auto reads = reads_of_other_cubes(m);
  const auto worst = std::find_if(reads.begin(), reads.end(), [&](const auto& read) {
    return read.first == reads.back().first;
  });
  const std::vector<std::string> lines = catalogue(topology, overrides);
  check_has(lines, "pe-cross-cube-hbm-best sip0.cube0.pe0.pe_dma < " + reads.front().second);
  if (worst != reads.begin())
    check_has(lines, "pe-cross-cube-hbm-worst sip0.cube0.pe0.pe_dma < " + worst->second);
}

}  // namespace

BOOST_AUTO_TEST_CASE(best_and_worst_are_so_among_all_partitions_of_other_cubes) {
  check_extremes("topology.yaml");
  check_extremes("topology.yaml", mesh_of_cubes(1, 4));
  check_extremes("topology.yaml", mesh_of_cubes(3, 2, 'S', 2, 1));
  check_extremes("topology.yaml", mesh_of_cubes(2, 1));
}

// ADR-0049 D1: cubes 0, 4, 8, 12 for the host; PE 1 and PE 4 for PE 0 of cube 0.
BOOST_AUTO_TEST_CASE(the_default_machine_has_the_catalogue_of_the_record) {
  const std::string host = "sip0.io0.pcie_ep";
  const std::string pe = "sip0.cube0.pe0.pe_dma";
  const std::vector<std::string> expected{
      "h2d-1hop " + host + " > sip0.cube0.hbm_ctrl.pe0",
      "h2d-2hop " + host + " > sip0.cube4.hbm_ctrl.pe0",
      "h2d-3hop " + host + " > sip0.cube8.hbm_ctrl.pe0",
      "h2d-4hop " + host + " > sip0.cube12.hbm_ctrl.pe0",
      "d2h-1hop " + host + " < sip0.cube0.hbm_ctrl.pe0",
      "d2h-2hop " + host + " < sip0.cube4.hbm_ctrl.pe0",
      "d2h-3hop " + host + " < sip0.cube8.hbm_ctrl.pe0",
      "d2h-4hop " + host + " < sip0.cube12.hbm_ctrl.pe0",
      "pe-local-hbm " + pe + " < sip0.cube0.hbm_ctrl.pe0",
      "pe-same-half-hbm " + pe + " < sip0.cube0.hbm_ctrl.pe1",
      "pe-cross-half-hbm " + pe + " < sip0.cube0.hbm_ctrl.pe4",
      "pe-cross-cube-hbm-best " + pe + " < sip0.cube4.hbm_ctrl.pe0",
      "pe-cross-cube-hbm-worst " + pe + " < sip0.cube15.hbm_ctrl.pe7",
      "pe-cross-sip-hbm " + pe + " < sip1.cube0.hbm_ctrl.pe0"};
  const std::vector<std::string> found = catalogue("topology.yaml");
  BOOST_TEST(found == expected, boost::test_tools::per_element());
  BOOST_TEST(catalogue("topology.six_sip.yaml") == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_single_cube_lists_what_it_has_not_with_the_reason) {
  const std::vector<std::string> lines = catalogue("topology.tiny.yaml");
  BOOST_TEST(lines.size() == 14u);
  check_has(lines, "h2d-1hop sip0.io0.pcie_ep > sip0.cube0.hbm_ctrl.pe0");
  check_has(lines, "d2h-2hop: the mesh of cubes (1 x 1) has 1 row behind io0's side N");
  check_has(lines, "pe-cross-half-hbm sip0.cube0.pe0.pe_dma < sip0.cube0.hbm_ctrl.pe4");
  check_has(lines, "pe-cross-cube-hbm-best: a SIP has one cube");
  check_has(lines, "pe-cross-cube-hbm-worst: a SIP has one cube");
  check_has(lines, "pe-cross-sip-hbm: the machine has one SIP");
}

BOOST_AUTO_TEST_CASE(a_column_of_cubes_has_four_rows) {
  const std::vector<std::string> lines = catalogue("topology.yaml", mesh_of_cubes(1, 4));
  check_has(lines, "h2d-4hop sip0.io0.pcie_ep > sip0.cube3.hbm_ctrl.pe0");
}

BOOST_AUTO_TEST_CASE(a_mesh_of_3_x_2_has_two_rows) {
  const std::vector<std::string> lines = catalogue("topology.yaml", mesh_of_cubes(3, 2, 'N', 1, 0));
  check_has(
      lines,
      "h2d-1hop sip0.io0.pcie_ep > sip0.cube1.hbm_ctrl.pe0");  // below the port, in its column
  check_has(lines, "h2d-2hop sip0.io0.pcie_ep > sip0.cube4.hbm_ctrl.pe0");
  check_has(lines, "h2d-3hop: the mesh of cubes (3 x 2) has 2 rows behind io0's side N");
}

// Rows are counted away from the chiplet, wherever it is placed.
BOOST_AUTO_TEST_CASE(hops_follow_the_side_of_the_io_chiplet) {
  std::vector<std::string> lines = catalogue("topology.yaml", mesh_of_cubes(3, 2, 'S', 2, 1));
  check_has(lines, "h2d-1hop sip0.io0.pcie_ep > sip0.cube5.hbm_ctrl.pe0");
  check_has(lines, "h2d-2hop sip0.io0.pcie_ep > sip0.cube2.hbm_ctrl.pe0");
  lines = catalogue("topology.yaml", mesh_of_cubes(3, 2, 'W', 0, 1));
  check_has(lines, "h2d-1hop sip0.io0.pcie_ep > sip0.cube3.hbm_ctrl.pe0");
  check_has(lines, "h2d-3hop sip0.io0.pcie_ep > sip0.cube5.hbm_ctrl.pe0");
  check_has(lines, "h2d-4hop: the mesh of cubes (3 x 2) has 3 rows behind io0's side W");
  lines = catalogue("topology.yaml", mesh_of_cubes(3, 2, 'E', 2, 0));
  check_has(lines, "h2d-3hop sip0.io0.pcie_ep > sip0.cube0.hbm_ctrl.pe0");
}

BOOST_AUTO_TEST_CASE(a_single_partition_elsewhere_has_no_separate_worst_case) {
  std::vector<Override> overrides = mesh_of_cubes(2, 1);
  for (const Override& one : std::vector<Override>{{"cube.pe_layout.corners", "[NW]"},
                                                   {"cube.pe_layout.pe_per_corner", "1"},
                                                   {"cube.memory_map.hbm_slices_per_cube", "1"},
                                                   {"cube.memory_map.hbm_pseudo_channels", "8"}})
    overrides.push_back(one);
  const std::vector<std::string> lines = catalogue("topology.yaml", overrides);
  check_has(lines, "pe-cross-cube-hbm-best sip0.cube0.pe0.pe_dma < sip0.cube1.hbm_ctrl.pe0");
  check_has(lines, "pe-cross-cube-hbm-worst: all partitions of other cubes are as far as the best");
}

BOOST_AUTO_TEST_CASE(halves_follow_the_corners) {
  const std::vector<Override> corners{{"cube.pe_layout.corners", "[SE, NW]"},
                                      {"cube.memory_map.hbm_slices_per_cube", "4"},
                                      {"cube.memory_map.hbm_pseudo_channels", "32"}};
  std::vector<std::string> lines = catalogue("topology.tiny.yaml", corners);
  check_has(lines, "pe-same-half-hbm sip0.cube0.pe0.pe_dma < sip0.cube0.hbm_ctrl.pe1");
  check_has(lines, "pe-cross-half-hbm sip0.cube0.pe0.pe_dma < sip0.cube0.hbm_ctrl.pe2");
  lines = catalogue("topology.tiny.yaml", {{"cube.pe_layout.corners", "[NW]"},
                                           {"cube.pe_layout.pe_per_corner", "1"},
                                           {"cube.memory_map.hbm_slices_per_cube", "1"},
                                           {"cube.memory_map.hbm_pseudo_channels", "8"}});
  check_has(lines, "pe-same-half-hbm: PE 0 is alone in its half of the cube");
  check_has(lines, "pe-cross-half-hbm: all PEs of a cube are in one half");
}

BOOST_AUTO_TEST_CASE(named_cases_come_in_the_order_of_the_catalogue) {
  RoutedMachine m("topology.tiny.yaml");
  const std::vector<ProbeCase> all = probe_catalogue(m.graph, m.machine, m.routes);
  const std::vector<ProbeCase> two = select_cases(all, {"pe-local-hbm", "h2d-1hop"});
  BOOST_TEST_REQUIRE(two.size() == 2u);
  BOOST_TEST(two[0].name == "h2d-1hop");
  BOOST_TEST(two[1].name == "pe-local-hbm");
  BOOST_TEST(select_cases(all, {}).size() == 14u);
  BOOST_TEST(select_cases(all, {"all"}).size() == 14u);
}

BOOST_AUTO_TEST_CASE(an_unknown_case_is_refused_with_the_names) {
  RoutedMachine m("topology.tiny.yaml");
  const auto lists_names = [](const UsageError& error) {
    const std::string text = error.what();
    return text.find("'pe-locl-hbm'") != text.npos &&
           text.find("did you mean 'pe-local-hbm'?") != text.npos &&
           text.find("h2d-1hop, h2d-2hop") != text.npos;
  };
  BOOST_CHECK_EXCEPTION(
      select_cases(probe_catalogue(m.graph, m.machine, m.routes), {"pe-locl-hbm"}), UsageError,
      lists_names);
}

BOOST_AUTO_TEST_SUITE_END()
