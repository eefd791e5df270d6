// Cases simulated on fresh machines, and what is reported of them.
#include "platform/probe/probe_run.h"

#include <boost/test/unit_test.hpp>
#include <sstream>

#include "models/base/errors.h"
#include "platform/probe/probe_figure.h"
#include "platform/probe/probe_report.h"
#include "tests/probe/routed_machine.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(probe_run)

namespace {

constexpr Fs ns = fs_per_ns;

// In a forked child: elaborated here, run in grandchildren only.
struct ProbedMachine : WholeMachine {
  explicit ProbedMachine(const std::string& topology, const std::vector<Override>& overrides = {})
      : WholeMachine(topology, overrides, options()) {}
  std::vector<ProbeOutcome> run(const std::vector<std::string>& names = {}) {
    std::vector<ProbeOutcome> outcomes;
    for (const ProbeCase& probe : select_cases(
             probe_catalogue(platform->graph(), platform->machine(), platform->machine_routes()),
             names)) {
      outcomes.push_back(run_probe(platform->graph(), platform->machine_routes(), probe,
                                   simulate_in_children(*platform)));
    }
    return outcomes;
  }

 private:
  static MachineOptions options() {
    MachineOptions options(MachineOptions::Engines::builtin);
    options.data = false;
    options.tear_down = false;
    return options;
  }
};

void check_sound(const std::vector<ProbeOutcome>& outcomes) {
  for (const ProbeCheck& check : check_probes(outcomes))
    BOOST_TEST((check.verdict != Verdict::fail), check.rule << ": " << check.detail);
  for (const ProbeOutcome& outcome : outcomes) {
    for (const ProbePoint& point : outcome.points)
      BOOST_TEST(point.unexplained() == 0, outcome.probe.name << " at " << point.bytes);
  }
}

// Every simulation takes 200 ns.
std::vector<Fs> constant(const std::vector<TrafficRequest>& requests) {
  return std::vector<Fs>(requests.size(), 200 * ns);
}

}  // namespace

// Grant + 1 ns, command 2 ns + 2 fs, burst 8 ns, data (1 + 1 fs + 2) + 128 + 1 fs: 142 ns + 4 fs.
// See a_local_read in formula_test.
KERNBENCH_SYSTEMC_TEST(a_local_read_is_simulated_and_broken_down) {
  ProbedMachine m("topology.tiny.yaml");
  const ProbeOutcome outcome = m.run({"pe-local-hbm"}).at(0);
  const ProbePoint& point = outcome.at(probe_bytes);
  BOOST_TEST(point.actual == 142 * ns + 4);
  BOOST_TEST(point.bound.total() == point.actual);
  BOOST_TEST(point.flits == 0u);
  BOOST_TEST(point.bursts == 0u);
  BOOST_TEST(outcome.overhead == 5 * ns);  // pe_dma 1, router 2 + 2
  BOOST_TEST(outcome.link == 4u);
  BOOST_TEST(point.drain == 128 * ns);
  BOOST_TEST(outcome.bottleneck->bw_gbs.str() == "256");
  BOOST_TEST(outcome.points.size() == 6u);
  BOOST_TEST(outcome.at(4096).actual == 30 * ns + 4);
  BOOST_CHECK_THROW(outcome.at(1), std::out_of_range);
}

KERNBENCH_SYSTEMC_TEST(every_measurement_has_a_fresh_machine) {
  ProbedMachine m("topology.tiny.yaml");
  const std::vector<ProbeOutcome> first = m.run({"h2d-1hop"});
  const std::vector<ProbeOutcome> second = m.run({"d2h-1hop", "h2d-1hop"});
  BOOST_TEST(sc_core::sc_time_stamp().value() == 0u);  // nothing has run here
  for (std::size_t i = 0; i < first[0].points.size(); ++i)
    BOOST_TEST(first[0].points[i].actual == second[0].points[i].actual);
}

KERNBENCH_SYSTEMC_TEST(a_single_cube_runs_what_it_has) {
  ProbedMachine m("topology.tiny.yaml");
  const std::vector<ProbeOutcome> outcomes = m.run();
  check_sound(outcomes);
  const std::string text = probe_text(m.platform->graph(), outcomes, check_probes(outcomes));
  BOOST_TEST(count(text, ": not available: ") == 9u, text);
  BOOST_TEST(count(text, "[v] PASS") == 4u, text);  // D2H >= H2D, local, same half, formula
  BOOST_TEST(count(text, "[-] SKIP") == 5u, text);
  BOOST_TEST(count(text, "<-- bottleneck") == 9u, text);  // h2d one leg; d2h and three of a PE two
}

// A line for the case that the machine has, with its bytes over time at each size, and a dashed one
// at 256 GB/s. 1 MiB takes 1024 * 4 + 14 ns: 99.7 % of the bottleneck.
KERNBENCH_SYSTEMC_TEST(the_figure_has_a_line_per_case_and_the_bandwidth_of_its_bottleneck) {
  ProbedMachine m("topology.tiny.yaml");
  const Figure figure = probe_figure(m.run({"pe-local-hbm", "pe-cross-sip-hbm"}));
  BOOST_TEST((figure.kind == FigureKind::lines));
  BOOST_TEST((figure.x.logarithmic && figure.y.logarithmic));
  BOOST_REQUIRE(figure.series.size() == 2u);
  const FigureSeries& local = figure.series[0];
  BOOST_TEST(local.name == "pe-local-hbm, 100 % of 256 GB/s");
  BOOST_REQUIRE(local.x.size() == 6u);
  BOOST_TEST(local.x.front() == 4096);
  BOOST_TEST(local.y.front() == 4096 / 30.0, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(local.y.back() == 1048576 / 4110.0, boost::test_tools::tolerance(1e-6));
  const FigureSeries& bottleneck = figure.series[1];
  BOOST_TEST(bottleneck.theory);
  BOOST_TEST((bottleneck.y == std::vector<double>{256, 256}));
}

KERNBENCH_SYSTEMC_TEST(the_invariants_hold_on_a_column_of_cubes) {
  std::vector<Override> overrides = mesh_of_cubes(1, 4);
  overrides.push_back({"system.sips.count", "1"});
  check_sound(ProbedMachine("topology.yaml", overrides)
                  .run({"h2d-1hop", "h2d-4hop", "d2h-1hop", "d2h-4hop", "pe-cross-half-hbm",
                        "pe-cross-cube-hbm-best", "pe-cross-cube-hbm-worst"}));
}

KERNBENCH_SYSTEMC_TEST(the_invariants_hold_on_a_mesh_of_3_x_2_with_the_io_chiplet_in_the_east) {
  check_sound(
      ProbedMachine("topology.yaml", mesh_of_cubes(3, 2, 'E', 2, 0))
          .run({"h2d-1hop", "h2d-3hop", "d2h-3hop", "pe-cross-cube-hbm-best", "pe-cross-sip-hbm"}));
}

// Half the rate: bursts of 16 ns. Of 16 flits the second 8 are out 32 ns after the booking; on the
// links 8 and the last one's 1 more:
// 41. The formula has 16 and a leg of (1 + 2) + 16: 35.
KERNBENCH_SYSTEMC_TEST(what_lies_beyond_the_formula_is_explained_by_bursts) {
  ProbedMachine m("topology.tiny.yaml", {{"cube.components.hbm_ctrl.attrs.efficiency", "0.5"}});
  const std::vector<ProbeOutcome> outcomes = m.run({"pe-local-hbm"});
  check_sound(outcomes);
  BOOST_TEST(outcomes[0].at(4096).beyond_formula() == static_cast<std::int64_t>(6 * ns));
  BOOST_TEST(outcomes[0].at(4096).bursts == 6 * ns);
  const std::string text = probe_text(m.platform->graph(), outcomes, check_probes(outcomes));
  BOOST_TEST(text.find("those of the last flits wait for their pseudo-channel") != text.npos, text);
}

// 128 GB/s: 32 KiB drain in 256 ns. The first burst waits at least 14 ns for its row, which the
// formula, with a row hit, does not have.
KERNBENCH_SYSTEMC_TEST(time_of_banks_beyond_the_formula_is_named) {
  ProbedMachine m("topology.tiny.yaml", {{"cube.components.hbm_ctrl.impl", "builtin.hbm_banked"}});
  const std::vector<ProbeOutcome> outcomes = m.run({"pe-local-hbm"});
  const ProbePoint& point = outcomes[0].at(probe_bytes);
  BOOST_TEST(outcomes[0].bottleneck->bw_gbs.str() == "128");
  BOOST_TEST(point.drain == 256 * ns);
  BOOST_TEST(outcomes[0].utilisation(point) < 1.0);
  BOOST_TEST(point.banks >= static_cast<std::int64_t>(14 * ns));
  BOOST_TEST(point.unexplained() == 0);
  const std::string text = probe_text(m.platform->graph(), outcomes, check_probes(outcomes));
  BOOST_TEST(text.find("banks ns") != text.npos, text);
}

// What a simulation throws leaves the run as it is.
BOOST_AUTO_TEST_CASE(a_simulation_that_fails_fails_the_probe) {
  RoutedMachine m("topology.tiny.yaml");
  const Simulate fails = [](const std::vector<TrafficRequest>&) -> std::vector<Fs> {
    throw ModelError("a rule is broken");
  };
  BOOST_CHECK_THROW(
      run_probe(m.graph, m.routes, probe_catalogue(m.graph, m.machine, m.routes).at(0), fails),
      ModelError);
}

// A machine faster than its bound and one slower than the formula: both are reported.
BOOST_AUTO_TEST_CASE(times_that_arithmetic_does_not_explain_are_shown) {
  RoutedMachine m("topology.tiny.yaml");
  const std::vector<ProbeOutcome> outcomes{
      run_probe(m.graph, m.routes,
                select_cases(probe_catalogue(m.graph, m.machine, m.routes), {"pe-local-hbm"}).at(0),
                constant)};
  BOOST_TEST(outcomes[0].at(probe_bytes).unexplained() == static_cast<std::int64_t>(58 * ns) - 4);
  const std::vector<ProbeCheck> checks = check_probes(outcomes);
  BOOST_TEST((checks.back().verdict == Verdict::fail));  // 1 MiB takes longer
  BOOST_TEST(
      checks.back().detail.find(
          "pe-local-hbm at 65536 bytes: 200.000000 ns, formula 270.000004 ns") != std::string::npos,
      checks.back().detail);
  BOOST_TEST(probe_text(m.graph, outcomes, checks).find("unexplained ns") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(json_and_csv_have_every_size_with_units_in_the_keys) {
  RoutedMachine m("topology.tiny.yaml");
  std::vector<ProbeOutcome> outcomes;
  for (const ProbeCase& probe : probe_catalogue(m.graph, m.machine, m.routes))
    outcomes.push_back(run_probe(m.graph, m.routes, probe, constant));
  const nlohmann::ordered_json json = probe_json(m.graph, outcomes, check_probes(outcomes));
  BOOST_TEST(json.at("cases").size() == 14u);
  BOOST_TEST(json.at("invariants").size() == 9u);
  const auto& local = json.at("cases").at(8);
  BOOST_TEST(local.at("name") == "pe-local-hbm");
  BOOST_TEST(local.at("available") == true);
  BOOST_TEST(local.at("points").size() == 6u);
  const auto& point = local.at("points").at(2);
  BOOST_TEST(point.at("bytes") == 32768);
  BOOST_TEST(point.at("actual_ns") == 200.0);
  BOOST_TEST(point.at("formula_ns") == 142.000004);
  BOOST_TEST(point.at("effective_gbs") == 163.84);
  BOOST_TEST(point.at("utilisation") == 0.64);
  BOOST_TEST(local.at("bottleneck_gbs") == 256.0);
  BOOST_TEST(local.at("route").size() == 2u);  // command, data
  BOOST_TEST(local.at("route").at(1).at("hops").at(2).at("first_flit_at_ns") ==
             15.000004);  // 11.000002 + 1 + 1 fs + 2 + 1 + 1 fs
  BOOST_TEST(json.at("cases").at(1).at("reason") ==
             "the mesh of cubes (1 x 1) has 1 row behind io0's side N");

  std::istringstream csv(probe_csv(m.graph, outcomes));
  std::vector<std::string> lines;
  for (std::string line; std::getline(csv, line);) lines.push_back(line);
  BOOST_TEST(lines.size() ==
             1u + 5u * 6u + 9u);  // header; five cases at six sizes; nine that are not there
  for (const std::string& line : lines) {
    if (line.find('"') == line.npos) BOOST_TEST(count(line, ",") == 21u, line);
  }
}

BOOST_AUTO_TEST_SUITE_END()
