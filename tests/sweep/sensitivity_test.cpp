// Variations of keys around a base point, and the table of their effects (spec 10.6).
#include "platform/sweep/sensitivity.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "models/base/errors.h"
#include "platform/sweep/sensitivity_table.h"
#include "tests/sweep/plans.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(sensitivity)

namespace {

// "30.4 step, 33.6 step".
std::string variations_at(
    const std::vector<KeyValue>& keys,
    const ValueFaults& faults = [](const auto& /*values*/) { return ""; }) {
  std::string text, fault;
  for (const Variation& each : variations_of(keys, 0.05, faults, fault)) {
    if (!text.empty()) text += ", ";
    if (each.side == Variation::Side::high && text.empty()) text = "-, ";
    for (const std::string& value : each.values) text += value + ' ';
    text += each.is_step ? "step" : "value";
  }
  return text;
}
std::string variations_at(const Parameter& parameter, const ParameterValue& base) {
  return variations_at({{parameter, base}});
}

Parameter integer() { return Parameter::integer("n", "", "", "test"); }
Parameter decimal() { return Parameter::decimal("x", "", "", "test"); }

VariedKey numeric_key(const std::string& name, const std::string& low, const std::string& base,
                      const std::string& high) {
  return {{{PlanKeyKind::setting, name, base, {}}},
          "",
          {{Variation::Side::low, {low}, true}, {Variation::Side::high, {high}, true}},
          ""};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_number_takes_a_step_and_otherwise_neighbouring_values) {
  BOOST_TEST(variations_at(decimal(), Rational(32)) == "30.4 step, 33.6 step");
  BOOST_TEST(variations_at(decimal(), Rational::parse("0.1")) == "0.095 step, 0.105 step");
  BOOST_TEST(variations_at(decimal().range("0", "33"), Rational(32)) == "30.4 step");
  BOOST_TEST(variations_at(decimal(), Rational(0)) == "-, 1 value");
  // 5 % of 100 are 5, of 4 they are less than one.
  BOOST_TEST(variations_at(integer(), Rational(100)) == "95 step, 105 step");
  BOOST_TEST(variations_at(integer(), Rational(4)) == "3 value, 5 value");
  BOOST_TEST(variations_at(integer().range("1", "9"), Rational(1)) == "-, 2 value");
  BOOST_TEST(variations_at(integer().power_of_two(), Rational(64)) == "32 value, 128 value");
  const ValueFaults by_three = [](const std::vector<std::string>& values) {
    return std::stoi(values[0]) % 3 == 0 ? "" : "allowed is a multiple of 3";
  };
  BOOST_TEST(variations_at({{integer(), Rational(6)}}, by_three) == "3 value, 9 value");
}

BOOST_AUTO_TEST_CASE(a_choice_takes_each_other_choice) {
  BOOST_TEST(variations_at(Parameter::boolean("b", "", "test"), true) == "false value");
  const Parameter choice = Parameter::choice("c", "", {"a", "b", "c"}, "test");
  BOOST_TEST(variations_at(choice, std::string("b")) == "a value, c value");
  BOOST_TEST(variations_at(Parameter::text("t", "", "test"), std::string("b")) == "");
}

BOOST_AUTO_TEST_CASE(keys_together_change_by_the_same_ratio) {
  const std::vector<KeyValue> keys{{decimal(), Rational(32)}, {decimal(), Rational(256)}};
  const ValueFaults eight_times = [](const std::vector<std::string>& values) {
    return std::stod(values[0]) * 8 == std::stod(values[1]) ? "" : "allowed is 8 times the first";
  };
  BOOST_TEST(variations_at(keys, eight_times) == "30.4 243.2 step, 33.6 268.8 step");
  // Integers of which 5 % are no whole numbers.
  BOOST_TEST(variations_at({{integer(), Rational(4)}, {integer(), Rational(20)}}) ==
             "2 10 value, 8 40 value");
  std::string fault;
  BOOST_TEST(variations_of(
                 {keys[0]}, 0.05, [](const auto& /*values*/) { return "no"; }, fault)
                 .empty());
  BOOST_TEST(fault == "no");
}

BOOST_AUTO_TEST_CASE(the_plan_has_the_base_point_and_one_point_per_variation) {
  const SweepPlan plan =
      plan_of("params: {K: 64}\naxes: {size: {sets: [M, N], values: [5, 6]}}\nwhere: size > 5\n");
  const VariedKey link = numeric_key("cube.links.x", "0.95", "1", "1.05");
  VariedKey m = numeric_key("M", "5", "6", "7");
  m.keys[0].kind = PlanKeyKind::parameter;
  const SweepPlan varied = sensitivity_plan(plan, {"6"}, {link, m});
  const std::vector<std::string> points{"6,base", "6,cube.links.x=0.95", "6,cube.links.x=1.05",
                                        "6,M=5", "6,M=7"};
  BOOST_TEST(points_of(varied) == points, boost::test_tools::per_element());
  const auto settings = [&](const std::string& label) {
    std::string text;
    for (const PlanValue& each : varied.settings_of({"6", label}))
      text += each.key + '=' + each.value + ' ';
    return text;
  };
  BOOST_TEST(settings("base") == "bench=b K=64 M=6 N=6 ");
  BOOST_TEST(settings("cube.links.x=1.05") == "bench=b K=64 M=6 N=6 cube.links.x=1.05 ");
  BOOST_TEST(settings("M=7") == "bench=b K=64 M=7 N=6 ");
}

// Times of 100 ns * (base / value) ^ e, so that e is the elasticity with the opposite sign.
BOOST_AUTO_TEST_CASE(the_largest_effect_is_first_with_its_elasticity) {
  const VariedKey weak = numeric_key("weak", "9", "10", "11");
  const VariedKey bound = numeric_key("bound", "30.4", "32", "33.6");
  const VariedKey broken = numeric_key("broken", "1", "2", "3");
  VariedKey choice = numeric_key("choice", "b", "a", "c");
  for (Variation& each : choice.variations) each.side = Variation::Side::choice;
  const std::map<std::string, VariationResult> results{
      {"base", {100, ""}},
      {"weak=9", {100 * std::pow(10. / 9, 0.25), ""}},
      {"weak=11", {100 * std::pow(10. / 11, 0.25), ""}},
      {"bound=30.4", {100 / 0.95, ""}},
      {"bound=33.6", {100 / 1.05, ""}},
      {"broken=1", {std::nullopt, "too small"}},
      {"choice=b", {120, ""}},
      {"choice=c", {100, ""}}};
  const auto json =
      sensitivity_table({weak, bound, broken, choice}, "simulated_ns", results).json();
  BOOST_TEST_REQUIRE(json.size() == 5u);
  std::vector<std::string> order;
  for (const auto& row : json) order.push_back(row["key"]);
  const std::vector<std::string> expected{"choice", "bound", "weak", "broken", "choice"};
  BOOST_TEST(order == expected, boost::test_tools::per_element());
  BOOST_TEST(json[1]["elasticity"].get<double>() == -1, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(json[2]["elasticity"].get<double>() == -0.25, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(json[1]["change_at_high"].get<double>() == 1 / 1.05 - 1,
             boost::test_tools::tolerance(1e-12));
  BOOST_TEST(json[0]["change_at_high"] == 0.2);
  BOOST_TEST(json[0]["elasticity"].is_null());
  BOOST_TEST(json[3]["message_at_low"] == "too small");
  BOOST_TEST(json[3]["message_at_high"] == "not run");
  BOOST_TEST(json[1]["monotone"] == "yes");
  const auto turning = sensitivity_table(
      {weak}, "simulated_ns", {{"base", {100, ""}}, {"weak=9", {90, ""}}, {"weak=11", {95, ""}}});
  BOOST_TEST(turning.json()[0]["monotone"] == "no");
  check_contains(turning.text(), {"not monotone"});
  BOOST_CHECK_THROW(sensitivity_table({weak}, "simulated_ns", {}), Error);
}

BOOST_AUTO_TEST_SUITE_END()
