// Operators of launches made by hand (docs/models.md).
#include "platform/report/operator_times.h"

#include <boost/test/unit_test.hpp>

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(operator_times)

namespace {

constexpr Fs ns = fs_per_ns;

LaunchWorkRow row(const std::string& name, Fs begin_ns, Fs end_ns, bool communicates = false,
                  const std::string& sip = "sip0") {
  LaunchWorkRow row;
  row.name = name;
  row.is_communication = communicates;
  row.device = sip;
  row.begin = begin_ns * ns;
  row.end = end_ns * ns;
  row.peak_macs_per_ns = 100;
  row.peak_hbm_gbs = 10;
  return row;
}

const OperatorTimes& of(const OperatorSummary& sum, const std::string& name) {
  for (const OperatorTimes& each : sum.operators) {
    if (each.name == name) return each;
  }
  BOOST_FAIL("no operator " << name);
  return sum.operators.front();
}

double shares(const OperatorSummary& sum) {
  double all = sum.idle_share;
  for (const OperatorTimes& each : sum.operators) all += each.share;
  return all;
}

const auto close = boost::test_tools::tolerance(1e-12);

}  // namespace

// qkv 10 to 30, nothing until 40, mlp 40 to 50: shares of the window of 40 ns.
BOOST_AUTO_TEST_CASE(operators_and_the_time_without_a_launch_share_the_window) {
  const OperatorSummary sum = operators_of({row("mlp", 40, 50), row("qkv", 10, 30)});
  BOOST_TEST(sum.window() == 40 * ns);
  BOOST_TEST(sum.operators.at(0).name == "qkv");
  BOOST_TEST(of(sum, "qkv").share == 0.5, close);
  BOOST_TEST(of(sum, "mlp").share == 0.25, close);
  BOOST_TEST(sum.idle_share == 0.25, close);
  BOOST_TEST(sum.communication == 0U);
}

// all_reduce 10 to 30, computed at 0 to 15 and 25 to 40: hidden 10 to 15 and 25 to 30, exposed for
// 10 ns, which are its share of 40.
BOOST_AUTO_TEST_CASE(communication_is_hidden_while_its_sip_computes) {
  const OperatorSummary sum =
      operators_of({row("a", 0, 15), row("all_reduce", 10, 30, true), row("b", 25, 40)});
  const OperatorTimes& reduce = of(sum, "all_reduce");
  BOOST_TEST(reduce.time == 20 * ns);
  BOOST_TEST(reduce.hidden == 10 * ns);
  BOOST_TEST(reduce.exposed == 10 * ns);
  BOOST_TEST(reduce.share == 0.25, close);
  BOOST_TEST(of(sum, "a").share == 15.0 / 40, close);
  BOOST_TEST(shares(sum) == 1.0, close);
}

// The other SIP computes at that time: not hidden. Of 2 * 20 ns of two SIPs a quarter is idle.
BOOST_AUTO_TEST_CASE(the_compute_of_another_sip_hides_nothing) {
  const OperatorSummary sum =
      operators_of({row("all_reduce", 0, 20, true, "sip0"), row("mlp", 0, 10, false, "sip1")});
  BOOST_TEST(sum.sips == 2U);
  BOOST_TEST(of(sum, "all_reduce").hidden == 0U);
  BOOST_TEST(of(sum, "all_reduce").exposed == 20 * ns);
  BOOST_TEST(of(sum, "all_reduce").share == 0.5, close);
  BOOST_TEST(sum.idle_share == 0.25, close);
  BOOST_TEST(shares(sum) == 1.0, close);
}

// Two operators from 0 to 10, one of them from two launches; one until 20. Two collectives, 20 to
// 30 and 25 to 35, are 15 ns of communication, exposed.
BOOST_AUTO_TEST_CASE(concurrent_launches_share_an_instant_in_equal_parts) {
  const OperatorSummary sum = operators_of({row("a", 0, 10), row("a", 0, 10), row("b", 0, 20),
                                            row("x", 20, 30, true), row("y", 25, 35, true)});
  BOOST_TEST(of(sum, "a").time == 10 * ns);
  BOOST_TEST(of(sum, "a").launches == 2U);
  BOOST_TEST(of(sum, "a").share == 5.0 / 35, close);
  BOOST_TEST(of(sum, "b").share == 15.0 / 35, close);
  BOOST_TEST(of(sum, "x").share == 7.5 / 35, close);
  BOOST_TEST(sum.communication == 15 * ns);
  BOOST_TEST(sum.exposed == 15 * ns);
  BOOST_TEST(shares(sum) == 1.0, close);
}

// 1000 multiply-accumulates in 40 ns of one SIP with 100 per ns; 100 B of at most 10 B/ns; 8 tokens
// in 40 ns. A second SIP halves the shares.
BOOST_AUTO_TEST_CASE(utilisation_is_that_of_the_sips_in_use) {
  LaunchWorkRow work = row("mlp", 0, 40);
  work.macs = 1000;
  work.hbm_bytes = 100;
  work.tokens = 8;
  const OperatorSummary one = operators_of({work});
  BOOST_TEST(of(one, "mlp").flops() == 2000U);
  BOOST_TEST(one.mfu() == 0.25, close);
  BOOST_TEST(one.hbm_utilisation() == 0.25, close);
  BOOST_TEST(one.tokens_per_s() == 8 / 40e-9, close);
  const OperatorSummary two = operators_of({work, row("mlp", 0, 40, false, "sip1")});
  BOOST_TEST(two.mfu() == 0.125, close);
  LaunchWorkRow unknown = row("mlp", 0, 40, false, "sip1");
  unknown.peak_macs_per_ns = 0;
  BOOST_TEST(operators_of({work, unknown}).peak_macs_per_ns == 0);
}

// The nearest roof is a bound from half of the time on.
BOOST_AUTO_TEST_CASE(bounds_are_the_nearest_roof_or_latency) {
  const auto bound = [](double compute, double hbm, double link, bool communicates = false) {
    LaunchWorkRow work = row("op", 0, 10, communicates);
    work.compute_ns = compute;
    work.hbm_ns = hbm;
    work.link_ns = link;
    return operators_of({work}).operators.at(0).bound();
  };
  BOOST_TEST(bound(5, 4, 3) == "compute");
  BOOST_TEST(bound(5, 6, 3) == "HBM");
  BOOST_TEST(bound(5, 6, 7) == "link");
  BOOST_TEST(bound(1, 2, 7, true) == "communication");
  BOOST_TEST(bound(1, 8, 7, true) == "HBM");
  BOOST_TEST(bound(4.9, 4, 3) == "latency");
}

BOOST_AUTO_TEST_CASE(no_launches_are_no_operators) {
  const OperatorSummary sum = operators_of({});
  BOOST_TEST(sum.operators.empty());
  BOOST_TEST(sum.window() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
