// Ratios of times and their distribution.
#include "platform/rtl_compare/time_comparison.h"

#include <boost/test/unit_test.hpp>

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(time_comparison)

namespace {

ComparedWork work(const std::string& name, const std::string& group, Fs time, Fs model) {
  ComparedWork work;
  work.name = name;
  work.group = group;
  work.time = time * fs_per_ns;
  work.models = {model * fs_per_ns};
  return work;
}

TimeComparison comparison() {
  return {"rtl.pe_gemm",
          "tile",
          {"systolic"},
          "",
          {work("a", "full", 10, 10), work("b", "edge", 30, 20), work("c", "full", 20, 20),
           work("d", "edge", 21, 20)}};
}

}  // namespace

// Nearest rank: of 20 values the 10th and the 19th.
BOOST_AUTO_TEST_CASE(a_distribution_names_values_that_there_are) {
  std::vector<double> values;
  for (int i = 20; i > 0; --i) values.push_back(i);
  const Distribution all = distribution_of(values);
  BOOST_TEST(all.min == 1);
  BOOST_TEST(all.p50 == 10);
  BOOST_TEST(all.p95 == 19);
  BOOST_TEST(all.max == 20);
  BOOST_TEST(all.mean == 10.5);
  BOOST_TEST(all.count == 20U);
  const Distribution one = distribution_of({3});
  BOOST_TEST((one.min == 3 && one.p50 == 3 && one.p95 == 3 && one.max == 3 && one.mean == 3));
}

BOOST_AUTO_TEST_CASE(ratios_are_those_of_all_works_or_of_a_group) {
  const TimeComparison all = comparison();
  BOOST_TEST(all.groups() == (std::vector<std::string>{"full", "edge"}),
             boost::test_tools::per_element());
  BOOST_TEST(all.ratios(0).max == 1.5);
  BOOST_TEST(all.ratios(0).p50 == 1);
  BOOST_TEST(all.ratios(0, "full").max == 1);
  BOOST_TEST(all.ratios(0, "edge").min == 1.05);
  BOOST_TEST(all.ratios(0, "edge").count == 2U);
}

BOOST_AUTO_TEST_CASE(the_report_names_what_differs) {
  TimeComparison one = comparison();
  BOOST_TEST(comparison_text(one).find("data") == std::string::npos);
  BOOST_TEST(comparison_json(one)["data_equal"].is_null());
  one.values = "products";
  one.works[1].cycles = 17;
  BOOST_TEST(one.data_equal());
  one.works[1].difference = "1 of 4 elements differ";
  BOOST_TEST(!one.data_equal());
  const std::string text = comparison_text(one);
  BOOST_TEST(text.find("data: products\n  b: 1 of 4 elements differ\n") != std::string::npos, text);
  BOOST_TEST(text.find("1.5000  differs") != std::string::npos, text);
  const auto json = comparison_json(one);
  BOOST_TEST(json["data_equal"] == false);
  BOOST_TEST(json["works"][1]["cycles"] == 17);
  BOOST_TEST(json["works"][1]["models"][0]["ratio"] == 1.5);
  BOOST_TEST(json["works"][0]["difference"].is_null());
  BOOST_TEST(json["distributions"].size() == 3U);  // all, full, edge
}

BOOST_AUTO_TEST_SUITE_END()
