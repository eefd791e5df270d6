// A study of configs/sweeps from plan to picture: its numbers follow the closed forms of its plan.
#include <boost/test/unit_test.hpp>

#include "tests/cli/program.h"
#include "tests/cli/sweep_rows.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(studies)

namespace {

std::vector<Row> results_of(const std::string& plan) {
  const TemporaryFolder folder;
  const std::string results = folder.file("r.sqlite");
  check_run({"sweep", folder.write("p.yaml", plan), "--results", results}, {0, {" 0 failed"}});
  return rows_of(results, "SELECT * FROM results ORDER BY pes");
}

double number(const Row& row, const std::string& column) {
  const auto found = row.find(column);
  BOOST_TEST_REQUIRE((found != row.end()), "no column " << column);
  return std::stod(found->second);
}

}  // namespace

// Loads, PE_MATH and stores of a PE follow each other, so the closed form of the plan is a lower
// bound; latencies add at most 2 %.
BOOST_AUTO_TEST_CASE(softmax_over_pes_follows_the_closed_form_of_its_study) {
  const std::vector<Row> rows =
      results_of("include: pe-scaling-softmax\nwhere: topology = 'tiny'\n");
  BOOST_TEST_REQUIRE(rows.size() == 5u);
  double last = 1e9;
  for (const Row& row : rows) {
    const double time = number(row, "time_us"), form = number(row, "closed_form_us");
    BOOST_TEST(time > form);
    BOOST_TEST(time < 1.02 * form, row.at("pes"));
    BOOST_TEST(time < last);
    last = time;
  }
}

BOOST_AUTO_TEST_SUITE_END()
