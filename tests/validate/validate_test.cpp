// The references hold, and a machine that does not keep to them is found out.
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/base/errors.h"
#include "platform/assembly/builtin_components.h"
#include "platform/validate/case_machines.h"
#include "platform/validate/validation_run.h"
#include "sc_main/reference_bench.h"
#include "tests/support/every_case.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(validate)

namespace {

std::string shipped(const std::string& topology) {
  return std::string(KERNBENCH_SOURCE_DIR) + "/configs/topology." +
         (topology.empty() ? "" : topology + ".") + "yaml";
}

std::vector<ValidationOutcome> run(const std::vector<ValidationCase>& cases) {
  ComponentRegistry registry;
  register_builtin_components(registry);
  return run_validation(cases, registry, shipped);
}

// All of them, but of the seven all-reduces of six SIPs, which take three seconds each, only one in
// messages of slots and one in whole messages; of the meshes of routers only one; no rings that are
// references of another group as well. --all runs these as well.
std::vector<ValidationCase> references() {
  std::vector<ValidationCase> cases = all_references(run_reference_bench);
  const bool every = every_or({false}, {true}).front();
  const auto left_out = [every](const ValidationCase& each) {
    const auto begins = [&each](const char* part) { return each.name.rfind(part, 0) == 0; };
    if (every || each.name == "all-reduce-64k-hbm" ||
        each.name == "all-reduce-in-slots-96k-corner" || each.name == "booksim-transpose")
      return false;
    return begins("all-reduce-") || begins("booksim-") || begins("nccl-");
  };
  cases.erase(std::remove_if(cases.begin(), cases.end(), left_out), cases.end());
  return cases;
}

ValidationCase find(const std::string& name) {
  for (ValidationCase& each : all_references(run_reference_bench)) {
    if (each.name == name) return each;
  }
  throw std::logic_error("no reference " + name);
}

void check_fails(ValidationCase reference, const Override& change) {
  reference.overrides.push_back(change);
  const auto outcomes = run({reference});
  BOOST_TEST(!outcomes.at(0).passed(),
             reference.name << " with " << change.key << "=" << change.value);
  BOOST_TEST(outcomes.at(0).failure == "");
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_reference_holds_and_says_what_it_is_and_where_it_comes_from) {
  std::set<std::string> names;
  for (const ValidationOutcome& outcome : run(references())) {
    const ValidationCase& each = outcome.reference;
    BOOST_TEST(outcome.failure == "", each.name << ": " << outcome.failure);
    BOOST_TEST(outcome.passed(), validation_text({outcome}));
    BOOST_TEST(!each.statement.empty(), each.name);
    BOOST_TEST(each.source.size() > 20U, each.name);
    BOOST_TEST(names.insert(each.name).second, each.name << " twice");
    for (const ValidationCheck& check : outcome.checks) {
      BOOST_TEST(check.allowance.empty() == (check.tolerance == 0),
                 check.quantity << ": a tolerance has a reason");
      const bool differs = check.published && !check.as_published();
      BOOST_TEST(check.remark.empty() == (check.relation == Relation::equal && !differs),
                 check.quantity << ": a bound, or another figure, says what its deviation means");
      const bool other_simulator = each.group == "correlation";
      BOOST_TEST((!check.published || each.group == "source" || other_simulator), check.quantity);
      BOOST_TEST((check.relation == Relation::equal || check.tolerance == 0),
                 check.quantity << ": a bound has no tolerance");
      // Published figures have two digits at least. Another simulator: the goal, or a difference
      // with a reason.
      const auto is_goal = [&check](const char* goal) {
        return check.allowance.rfind(goal, 0) == 0;
      };
      const double most = other_simulator        ? (is_goal("the goal, 5 %")    ? 0.05 + 1e-9
                                                    : is_goal("the goal, 10 %") ? 0.1 + 1e-9
                                                                                : 0.15 + 1e-9)
                          : check.as_published() ? 7e-3
                                                 : 3e-4;
      BOOST_TEST(check.tolerance <= check.expected * most, check.quantity);
    }
  }
}

// Machines that are slower or faster than the reference says.
BOOST_AUTO_TEST_CASE(a_machine_that_differs_does_not_hold) {
  const std::string pcie_ep = "sip.io_chiplets.io0.components.pcie_ep.attrs.",
                    hbm = "cube.components.hbm_ctrl.attrs.",
                    dma = "cube.pe_template.components.pe_dma.attrs.",
                    gemm = "cube.pe_template.components.pe_gemm.attrs.";
  const std::pair<const char*, Override> changes[] = {
      {"wormhole-chain", {"cube.components.router.attrs.overhead_ns", "3.001"}},
      {"wormhole-chain", {"system.flit_bytes", "512"}},
      {"store-and-forward-chain", {"system.flit_bytes", "32768"}},
      {"ring-step", {"system.links.io_ep_to_switch.bw_gbs", "65"}},
      {"ring-all-gather", {pcie_ep + "overhead_ns", "0.1"}},
      {"ring-step-cut-through", {pcie_ep + "cut_through", "false"}},
      {"ring-step-store-and-forward", {"system.flit_bytes", "32768"}},
      {"ring-all-reduce", {"system.links.io_ep_to_switch.distance_mm", "499"}},
      {"hbm-peak-rate", {hbm + "efficiency", "0.49"}},
      {"hbm-channel-collision", {hbm + "num_pcs", "16"}},
      {"hbm-alternation", {hbm + "switch_penalty_ns", "5"}},
      {"hbm-one-direction", {hbm + "efficiency", "0.9"}},
      {"hbm-bank-conflict", {hbm + "burst_bytes", "64"}},
      {"hbm2-stack", {hbm + "efficiency", "0.99"}},
      {"hbm3-stack", {"cube.links.pe_to_router_bw_gbs", "102"}},
      {"hbm4-stack", {hbm + "efficiency", "0.99"}},
      {"ucie-link", {"sip.links.ucie_seam.bw_gbs", "260"}},
      {"array-tile", {gemm + "macs_per_cycle", "1024"}},
      {"array-small-tile", {gemm + "clock_ghz", "0.07"}},
      {"array-folds", {gemm + "macs_per_cycle", "1024"}},
      {"array-drained", {gemm + "task_cycles", "2"}},
      {"array-drained", {gemm + "rows", "63"}},
      {"array-long-pass", {gemm + "macs_per_cycle", "255"}},
      {"array-long-pass", {gemm + "macs_per_cycle", "300"}},
      {"local-transfers", {dma + "overhead_ns", "1"}},
      {"hot-partition", {"cube.components.router.attrs.overhead_ns", "3"}},
      {"host-writes", {"cube.ucie.port.attrs.overhead_ns", "7"}},
      {"eastbound", {"cube.ucie.lane_select", "first"}},
      {"eastbound-first", {"cube.ucie.lane_select", "spread"}},
      {"hot-sip", {"cube.ucie.lane_select", "first"}},
      {"hot-sip-first", {"cube.ucie.lane_select", "spread"}},
      {"remote-cube-first", {"cube.ucie.lane_select", "spread"}},
      {"product", {dma + "overhead_ns", "2"}},
      {"product-fine-grained", {"system.flit_bytes", "16"}},
      {"all-reduce-64k-tcm", {pcie_ep + "cut_through", "true"}},
      {"all-reduce-64k-sram", {dma + "sram_slot_bw_gbs", "511"}},
      {"bound-of-ring_allreduce", {"system.links.io_ep_to_switch.bw_gbs", "0"}},
      {"ramulator-hbm2", {hbm + "t_rcd_rd_ns", "18"}},
      {"ramulator-hbm2", {hbm + "pcs_per_bus", "0"}},
      {"ramulator-hbm2-refresh", {hbm + "refresh", "per_bank"}},
      {"ramulator-hbm3", {hbm + "t_faw_ns", "17"}},
      {"ramulator-hbm3-refresh", {hbm + "t_rfc_ns", "600"}},
      {"dramsys-hbm2", {hbm + "t_cl_ns", "20"}},
      {"dramsys-hbm2-refresh", {hbm + "t_rc_ns", "48"}},
      {"booksim-transpose", {"cube.components.router.attrs.pipeline_cycles", "3"}},
      {"booksim-transpose", {"cube.components.router.attrs.virtual_channels", "2"}},
      {"astra-sim-ring-all-gather", {"system.links.io_ep_to_switch.bw_gbs", "80"}},
      {"astra-sim-ring-all-reduce", {"system.links.io_ep_to_switch.distance_mm", "900"}},
      {"nccl-rings", {"system.links.io_ep_to_switch.bw_gbs", "48"}},
      {"bounds-of-collectives", {"system.links.io_ep_to_switch.bw_gbs", "0"}}};
  for (const auto& [name, change] : changes) check_fails(find(name), change);
}

// The machine of a reference does not rest on the numbers of the file that it starts from.
BOOST_AUTO_TEST_CASE(every_reference_holds_on_an_edited_topology) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("kernbench_validate_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const auto edited = [&folder](const std::string& topology) {
    const std::string path = folder / (topology + ".yaml");
    std::ofstream(path) << "include: " << shipped(topology) << R"(
system: {ns_per_mm: 0.3, flit_bytes: 128, switch: {attrs: {overhead_ns: 9}}}
cube:
  pe_layout: {corners: [NW, SE], pe_per_corner: 2}
  memory_map: {hbm_pseudo_channels: 16, hbm_channels_per_pe: 4, hbm_channel_bw_gbs: 20, hbm_slices_per_cube: 4, hbm_total_gb_per_cube: 24}
  components:
    router: {attrs: {overhead_ns: 4}}
    sram: {attrs: {overhead_ns: 7}}
    hbm_ctrl: {attrs: {overhead_ns: 1, burst_bytes: 512, switch_penalty_ns: 3, efficiency: 0.8}}
  links: {router_link_bw_gbs: 100, pe_to_router_bw_gbs: 90, hbm_to_router_bw_gbs: 80, sram_to_router_bw_gbs: 70}
  pe_template: {components: {pe_dma: {attrs: {overhead_ns: 5}}}}
)";
    return path;
  };
  ComponentRegistry registry;
  register_builtin_components(registry);
  for (const ValidationOutcome& outcome : run_validation(references(), registry, edited)) {
    BOOST_TEST(outcome.failure == "", outcome.reference.name << ": " << outcome.failure);
    BOOST_TEST(outcome.passed(), validation_text({outcome}));
  }
  std::filesystem::remove_all(folder);
}

BOOST_AUTO_TEST_CASE(a_run_that_fails_is_reported_and_the_others_go_on) {
  ValidationCase broken = find("ring-step");
  broken.name = "broken";
  broken.run = [](Platform&) -> std::vector<ValidationCheck> {
    throw ModelError("a rule is broken");
  };
  ValidationCase impossible = find("ring-step");
  impossible.name = "impossible";
  impossible.overrides.push_back({"system.sips.count", "0"});
  const auto outcomes = run({broken, impossible, find("hbm-peak-rate")});
  BOOST_TEST(outcomes.at(0).failure == "a rule is broken");
  BOOST_TEST(outcomes.at(1).failure.find("system.sips.count") != std::string::npos,
             outcomes.at(1).failure);
  BOOST_TEST(outcomes.at(2).passed());
  const std::string text = validation_text(outcomes);
  for (const char* part : {"[x] FAIL  network/broken", "failed: a rule is broken",
                           "[v] PASS  hbm/hbm-peak-rate", "1 of 3 references hold"}) {
    BOOST_TEST(text.find(part) != text.npos, text);
  }
  const auto json = validation_json(outcomes);
  BOOST_TEST(json.at("references").at(0).at("verdict") == "fail");
  BOOST_TEST(json.at("references").at(0).at("failure") == "a rule is broken");
}

BOOST_AUTO_TEST_CASE(groups_are_chosen_by_name) {
  BOOST_TEST(select_group(all_references(run_reference_bench), "").size() ==
             all_references(run_reference_bench).size());
  for (const char* group :
       {"network", "hbm", "figures", "systolic", "collectives", "source", "correlation"}) {
    for (const ValidationCase& each : select_group(all_references(run_reference_bench), group))
      BOOST_TEST(each.group == group);
  }
  BOOST_CHECK_EXCEPTION(select_group(all_references(run_reference_bench), "hmb"), UsageError,
                        [](const UsageError& error) {
                          return std::string(error.what()) ==
                                 "there is no group 'hmb' of references; allowed is 'network', "
                                 "'hbm', 'figures', 'systolic', 'collectives', 'source', "
                                 "'correlation'";
                        });
}

BOOST_AUTO_TEST_CASE(a_check_passes_within_its_tolerance_on_both_sides) {
  ValidationCheck check;
  check.expected = 100;
  check.tolerance = 1;
  for (const double simulated : {99.0, 100.0, 101.0})
    BOOST_TEST((check.simulated = simulated, check.passed()));
  for (const double simulated : {98.9, 101.1})
    BOOST_TEST((check.simulated = simulated, !check.passed()));
}

BOOST_AUTO_TEST_CASE(a_bound_holds_on_one_side_only) {
  ValidationCheck check;
  check.expected = 100;
  check.relation = Relation::at_least;
  for (const double simulated : {100.0, 1000.0})
    BOOST_TEST((check.simulated = simulated, check.passed()));
  BOOST_TEST((check.simulated = 99.9, !check.passed()));
  check.relation = Relation::at_most;
  for (const double simulated : {100.0, 1.0})
    BOOST_TEST((check.simulated = simulated, check.passed()));
  BOOST_TEST((check.simulated = 100.1, !check.passed()));
  for (const Relation relation : {Relation::equal, Relation::at_least, Relation::at_most})
    BOOST_TEST((parse_relation(name_of(relation)) == relation));
  BOOST_CHECK_THROW(parse_relation("about"), ModelError);
}

// The deviation is reported unrounded, in text and JSON.
BOOST_AUTO_TEST_CASE(an_unmodelled_effect_is_reported_as_the_deviation_from_a_bound) {
  const auto outcomes = run({find("array-tile")});
  const std::string text = validation_text(outcomes);
  for (const char* part :
       {"<=       254.000000  64.000000  -190.000000", "the model counts MACs alone"})
    BOOST_TEST(text.find(part) != text.npos, "'" << part << "' is not in: " << text);
  const auto check = validation_json(outcomes).at("references").at(0).at("checks").at(0);
  BOOST_TEST(check.at("relation") == "at_most");
  BOOST_TEST(check.at("deviation") == -190);
  BOOST_TEST(check.at("verdict") == "pass");
}

// The published figure, and the simulated one in brackets where it is known to differ.
BOOST_AUTO_TEST_CASE(published_figures_are_reported_next_to_simulated_ones) {
  const auto outcomes = run({find("local-transfers"), find("host-writes")});
  const std::string text = validation_text(outcomes);
  for (const char* part : {"published (here)  must be", " 77  = ", "65.5 (69.5)  = "})
    BOOST_TEST(text.find(part) != text.npos, "'" << part << "' is not in: " << text);
  const auto json = validation_json(outcomes).at("references");
  BOOST_TEST(json.at(0).at("checks").at(0).at("published") == 77);
  BOOST_TEST(json.at(1).at("checks").at(0).at("published") == 65.5);
  BOOST_TEST(json.at(1).at("checks").at(0).at("remark") != "");
  const auto others = run({find("ring-step")});
  BOOST_TEST(validation_text(others).find("published") == std::string::npos);
  BOOST_TEST(validation_json(others).at("references").at(0).at("checks").at(0).at("published") ==
             nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
