// Plans of a sweep: what they say, and the faults that are reported (spec 10.6).
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "tests/support/error_text.h"
#include "tests/sweep/plans.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(sweep_plan)

namespace {

using Texts = std::vector<std::string>;

std::string faults_of(const std::string& text) {
  return error_of<ConfigError>([&] { plan_of(text); });
}

// Values of the axis x.
Texts values_of(const std::string& axis) {
  const SweepPlan plan = plan_of("axes: {x: " + axis + "}");
  Texts texts;
  for (std::uint64_t i = 0; i < plan.axes[0].values.size(); ++i)
    texts.push_back(plan.axes[0].values.at(i));
  return texts;
}

void check_values(const std::string& axis, const Texts& expected) {
  const Texts found = values_of(axis);
  BOOST_TEST(found == expected, boost::test_tools::per_element());
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_axis_has_listed_values_or_a_range) {
  check_values("[1, abc, '2']", {"1", "abc", "2"});
  check_values("{values: [1, 2]}", {"1", "2"});
  check_values("[[0, 1], {a: 1, b: 2}]", {"[0, 1]", "{a: 1, b: 2}"});
  check_values("{from: 1, to: 4}", {"1", "2", "3", "4"});
  check_values("{from: 1, to: 2, step: 0.4}", {"1", "1.4", "1.8"});
  // 0.1 is no double: ten steps of it still end at 1, not before.
  BOOST_TEST(values_of("{from: 0, to: 1, step: 0.1}").size() == 11u);
  BOOST_TEST(values_of("{from: 0, to: 1, step: 0.1}").at(3) == "0.3");
  check_values("{from: 16, to: 64, count: 4}", {"16", "32", "48", "64"});
  check_values("{from: -1, to: 1, count: 3}", {"-1", "0", "1"});
}

BOOST_AUTO_TEST_CASE(a_logarithmic_range_has_equal_ratios) {
  check_values("{from: 16, to: 100, factor: 2}", {"16", "32", "64"});
  check_values("{from: 1, to: 1000, count: 4, scale: log}", {"1", "10", "100", "1000"});
  // 10^(1/2) and 10^(3/2), to six significant digits.
  check_values("{from: 1, to: 100, count: 5, scale: log}",
               {"1", "3.16228", "10", "31.6228", "100"});
}

BOOST_AUTO_TEST_CASE(multiple_of_rounds_and_leaves_repeated_values_out) {
  check_values("{from: 1, to: 8, count: 7, scale: log, multiple_of: 2}", {"2", "4", "6", "8"});
  check_values("{from: 1000000, to: 3000000, step: 1000000}", {"1000000", "2000000", "3000000"});
}

BOOST_AUTO_TEST_CASE(an_axis_sets_the_key_of_its_name_or_those_of_sets) {
  const SweepPlan plan = plan_of(
      "params: {M: 1, K: 9}\nset: {a.b: 1}\n"
      "axes:\n  size: {sets: [M, N], values: [5, 6]}\n  a.b: [7, 8]\n  seed: [3, 4]\n");
  std::string text;
  for (const PlanValue& each : plan.settings_of({"6", "8", "4"}))
    text += each.key + '=' + each.value + ' ';
  BOOST_TEST(text == "bench=b M=6 K=9 a.b=8 N=6 seed=4 ");
  const std::vector<PlanValue> settings = plan.settings_of({"6", "8", "4"});
  BOOST_TEST((settings[3].kind == PlanKeyKind::setting &&
              settings[4].kind == PlanKeyKind::parameter &&
              settings[5].kind == PlanKeyKind::option));
}

BOOST_AUTO_TEST_CASE(faults_of_a_plan_name_the_line_and_what_is_allowed) {
  const std::vector<std::pair<std::string, Texts>> faulty{
      {"axis: {x: [1]}", {"plan.yaml:2", "axis: unknown key; did you mean 'axes'?"}},
      {"axes: {}", {"axes: found no axis"}},
      {"axes: {x: []}", {"axes.x: the axis is empty"}},
      {"axes: {x: 3}", {"axes.x: found '3', allowed is a list of values"}},
      {"axes: {x: {from: 3, to: 1}}", {"the axis is empty: a range rises, found from 3 to 1"}},
      {"axes: {x: {from: 3}}", {"axes.x.to: the key is missing"}},
      {"axes: {x: {from: 1, to: 9, stp: 2}}", {"axes.x.stp: unknown key; did you mean 'step'?"}},
      {"axes: {x: {from: 1, to: 9, step: 2, count: 3}}", {"one of step, factor and count"}},
      {"axes: {x: {from: 1, to: 9, step: 0}}", {"axes.x.step: found 0, allowed is"}},
      {"axes: {x: {from: 1, to: 9, factor: 1}}",
       {"axes.x.factor: found 1, allowed is a number above 1"}},
      {"axes: {x: {from: 0, to: 9, factor: 2}}", {"axes.x.from: found 0"}},
      {"axes: {x: {from: 1, to: 9, count: 1}}",
       {"axes.x.count: found '1', allowed is an integer, at least 2"}},
      {"axes: {x: {from: 1, to: 9, scale: lag}}",
       {"axes.x.scale: found 'lag'", "did you mean 'log'?"}},
      {"axes: {x: {from: 1, to: 9, scale: log}}", {"scale: log needs count"}},
      {"axes: {x: {values: [1], to: 9}}", {"a list of values has no range"}},
      {"axes: {x: {sets: [], values: [1]}}", {"axes.x.sets: found a list"}},
      {"axes: {x: [1], y: {sets: x, values: [1]}}", {"sets 'x', which the axis 'x' sets too"}},
      {"axes: {x: [1, 2], y: [1, 2, 3]}\nzip: [[x, y]]",
       {"plan.yaml:3", "zip.0: zipped axes need as many values each: x has 2, y has 3"}},
      {"axes: {xx: [1, 2], y: [1, 2]}\nzip: [[xy, y]]",
       {"there is no axis 'xy'; did you mean 'xx'?"}},
      {"axes: {x: [1], y: [1]}\nzip: [[x, y], [x, y]]", {"the axis 'x' is zipped twice"}},
      {"axes: {x: [1]}\nsample: {kind: random}", {"sample.points: the key is missing"}},
      {"axes: {x: [1]}\nsample: {points: 3, kind: sobol}", {"sample.kind: found 'sobol'"}},
      {"axes: {x: {from: 1, to: 2}, y: [1]}\nsample: {points: 3}\nzip: [[x, y]]",
       {"the axis 'x' is drawn"}},
      {"options: {sed: 3}\naxes: {x: [1]}", {"options.sed", "did you mean 'seed'?"}},
      {"options: {topology: tiny}\naxes: {x: [1]}", {"is a key of the plan itself"}},
      {"axes: {x: [1]}\nderived: {y: [1]}", {"derived.y: found a list"}},
      {"axes: {x: [1]}\nkeys: {y: {z: a.b}}", {"keys.y: found a section"}},
      {"axes: {x: [1]}\nkeys: {x: a.b}",
       {"plan.yaml:3", "keys.x and the key 'x', which the plan sets, are one column"}},
      {"axes: {x: [1]}\nkeys: {status: a.b}", {"keys.status: every sweep has a column 'status'"}},
  };
  for (const auto& [text, parts] : faulty) check_contains(faults_of(text), parts);
  const TemporaryFile without_bench("plan.yaml", "axes: {x: [1]}\n");
  BOOST_CHECK_EXCEPTION(load_plan(without_bench.path(), {}), ConfigError,
                        with_text<ConfigError>("bench: the key is missing"));
}

// SQL compares names without case.
BOOST_AUTO_TEST_CASE(names_of_columns_are_different_in_more_than_case) {
  const std::vector<std::pair<std::string, Texts>> faulty{
      {"axes: {m: [1], M: [2]}", {"axes.M: 'M' and 'm' are one column"}},
      {"params: {M: 4}\naxes: {m: [1]}", {"plan.yaml:3", "axes.m: 'm' and 'M' are one column"}},
      {"axes: {m: {sets: k, values: [1]}, M: {sets: n, values: [2]}}",
       {"the axis 'M' and the axis 'm' are one column"}},
      {"axes: {x: [1]}\nderived: {X: 2}", {"derived.X and the key 'x'", "are one column"}},
      {"axes: {x: [1]}\nderived: {y: 2, Y: 3}", {"derived.Y and derived.y are one column"}},
      {"axes: {x: [1]}\nkeys: {y: a.b}\nderived: {Y: 3}", {"derived.Y and keys.y"}},
      {"axes: {x: [1]}\nkeys: {Host.y: a.b}", {"keys.Host.y", "host.*"}},
      {"axes: {x: [1]}\nkeys: {Device: a.b}", {"the column 'device' of every sweep"}},
  };
  for (const auto& [text, parts] : faulty) check_contains(faults_of(text), parts);
  // An axis may have the name of a key that it sets.
  BOOST_TEST(points_of("axes: {m: {sets: M, values: [1, 2]}}").size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_topology_next_to_the_plan_is_found_from_any_folder) {
  const TemporaryFolder folder;
  const std::string topology = folder.write("t.yaml", "include: tiny\n");
  const std::string path =
      folder.write("plan.yaml", "bench: b\ntopology: t.yaml\naxes: {x: [1]}\n");
  const SweepPlan plan = load_plan(path, {"bench", "topology"});
  BOOST_TEST(plan.settings_of({"1"}).at(1).value == std::filesystem::canonical(topology).string());
  BOOST_TEST(plan_of("topology: tiny\naxes: {x: [1]}").settings_of({"1"}).at(1).value == "tiny");
}

BOOST_AUTO_TEST_CASE(include_uses_another_plan_as_base) {
  const TemporaryFolder folder;
  folder.write("base.yaml", "bench: b\nparams: {K: 1}\naxes: {x: [1, 2]}\n");
  const std::string path =
      folder.write("plan.yaml", "include: base.yaml\nparams: {K: 2}\naxes: {y: [3]}\n");
  const SweepPlan plan = load_plan(path, {"bench"});
  BOOST_TEST(plan.axes.size() == 2u);
  BOOST_TEST(plan.settings_of({"1", "3"}).at(1).value == "2");
}

BOOST_AUTO_TEST_SUITE_END()
