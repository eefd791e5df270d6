// Page of a sweep (spec 10.8) in a real browser.
#include <boost/test/unit_test.hpp>

#include "tests/cli/program.h"
#include "tests/page/browser.h"
#include "tests/page/sweep_pages.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(page_in_browser, *boost::unit_test::precondition(has_chromium))

namespace {

// Helpers in the page: columns of a table by their titles, order and filter of its rows.
constexpr const char* helpers = R"js(
const titles = (table) => [...document.querySelectorAll(table + " thead th")].map((th) => th.firstChild.textContent);
const column = (table, name) => [...document.querySelectorAll(table + " tbody tr")]
  .map((row) => row.cells[titles(table).indexOf(name)].textContent);
const press = (table, name) => document.querySelectorAll(table + " thead button")[titles(table).indexOf(name)].click();
const filter = (table, text) => {
  const input = document.querySelector(table + " input[type=search]");
  input.value = text;
  input.dispatchEvent(new Event("input"));
};
const rows = (table) => document.querySelector(table + " .rows").textContent;
)js";

// Page opened from a file.
class OpenPage {
 public:
  explicit OpenPage(const std::string& html) {
    browser_.open("file://" + folder_.write("page.html", html));
  }
  nlohmann::json value(const std::string& actions) { return browser_.value(helpers + actions); }
  nlohmann::json faults() { return browser_.take_faults(); }
  nlohmann::json requests() {
    return browser_.value(
        "return performance.getEntriesByType('resource').map((each) => each.name);");
  }

 private:
  TemporaryFolder folder_;
  Browser browser_;
};

// Value of the actions; the page has no fault and requests nothing.
nlohmann::json value_of(const std::string& html, const std::string& actions) {
  OpenPage page(html);
  nlohmann::json value = page.value(actions);
  BOOST_TEST(page.requests().dump() == "[]");
  BOOST_TEST(page.faults().dump() == "[]");
  return value;
}

SweepResults many_points(std::size_t count) {
  SweepResults results;
  results.requested = count;
  std::vector<double> point, size, time;
  for (std::size_t i = 0; i < count; ++i) {
    point.push_back(static_cast<double>(i + 1));
    size.push_back(static_cast<double>((i * 7919) % count));
    time.push_back(static_cast<double>((i * 104729) % 1000) + 0.5);
  }
  results.columns = {
      numbers("point", "point", point),
      texts("status", "point", std::vector<std::string>(count, "ok")), numbers("M", "axis", size),
      numbers("simulated_ns", "summary", time),
      texts("command", "point",
            std::vector<std::string>(count, "kernbench run --bench gemm-single-pe"))};
  return results;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_browser_of_these_tests_sees_scripts_that_fail_and_requests) {
  OpenPage page(
      "<html><head></head><body><img src=\"http://kernbench.test/a.png\"><script>"
      "console.log('said'); Promise.reject(new Error('rejected')); throw new Error('thrown');"
      "</script></body></html>");
  BOOST_TEST(page.requests().dump() == R"(["http://kernbench.test/a.png"])");
  const std::string faults = page.faults().dump();
  for (const char* part : {"said", "rejected", "thrown", "kernbench.test/a.png"})
    BOOST_TEST(faults.find(part) != std::string::npos, faults);
}

BOOST_AUTO_TEST_CASE(the_page_of_a_sweep_shows_its_points_and_sorts_and_filters_them) {
  const TemporaryFolder folder;
  folder.write("p.yaml",
               "title: Sizes & <shapes>\ntext: Which one?\nbench: gemm-single-pe\ntopology: tiny\n"
               "params: {K: 64}\naxes: {M: [64, 0, 128, 32]}\nderived: {rate: M / simulated_ns}\n");
  check_run({"sweep", folder.file("p.yaml"), "--out", folder.file("d")},
            {1, {"points             4: 3 ok, 1 failed", "d/index.html"}});
  const nlohmann::json value = value_of(folder.read("d/index.html"), R"js(
    const result = { heading: document.querySelector("h1").textContent,
                     titles: titles("#results"), points: column("#results", "point"),
                     failed: document.querySelectorAll("#results td.failed").length,
                     buttons: document.querySelectorAll("#points button.copy").length,
                     command: column("#points", "command")[3] };
    press("#results", "M");
    result.down = column("#results", "M");
    press("#results", "M");
    result.up = column("#results", "M");
    press("#results", "simulated_ns");
    press("#results", "simulated_ns");
    result.times = column("#results", "M");
    filter("#results", "M>=64 ok");
    result.filtered = column("#results", "M");
    result.rows = rows("#results");
    filter("#results", "");
    document.querySelector("#results input[type=checkbox]").click();
    result.all = titles("#results");
    return result;)js");
  BOOST_TEST(value["heading"] == "Sizes & <shapes>");
  BOOST_TEST(value["titles"].dump() == R"(["point","status","M","simulated_ns","rate","message"])");
  BOOST_TEST(value["points"].dump() == R"(["1","2","3","4"])");
  BOOST_TEST(value["failed"] == 1);
  BOOST_TEST(value["buttons"] == 4);
  BOOST_TEST(value["command"].get<std::string>().rfind("kernbench run --bench gemm-single-pe", 0) ==
             0u);
  BOOST_TEST(value["down"].dump() == R"(["128","64","32","0"])");  // numbers: the largest first
  BOOST_TEST(value["up"].dump() == R"(["0","32","64","128"])");
  BOOST_TEST(value["times"].dump() == R"(["32","64","128","0"])");  // without a time: last
  BOOST_TEST(value["filtered"].dump() == R"(["64","128"])");
  BOOST_TEST(value["rows"] == "2 of 4 points");
  BOOST_TEST(value["all"].size() > 50u);
}

BOOST_AUTO_TEST_CASE(tables_of_many_points_show_a_part_at_a_time_and_sort_all) {
  const nlohmann::json value = value_of(page_of(many_points(10000)), R"js(
    const result = { rows: rows("#results"), count: column("#results", "M").length };
    press("#results", "M");
    press("#results", "M");
    result.first = column("#results", "M").slice(0, 3);
    press("#results", "M");
    result.last = column("#results", "M")[0];
    [...document.querySelectorAll("#results button")].find((each) => each.textContent === "next").click();
    result.second = [rows("#results"), column("#results", "M")[0]];
    return result;)js");
  BOOST_TEST(value["rows"] == "1 to 500 of 10000 points");
  BOOST_TEST(value["count"] == 500);
  BOOST_TEST(value["first"].dump() == R"(["0","1","2"])");
  BOOST_TEST(value["last"] == "9999");
  BOOST_TEST(value["second"].dump() == R"(["501 to 1000 of 10000 points","9499"])");
}

BOOST_AUTO_TEST_CASE(texts_of_plans_run_nothing) {
  const std::string hostile = "</script><script>alert(1)</script><img src=x onerror='alert(2)'>";
  const nlohmann::json value = value_of(page_of(three_points(hostile, hostile), hostile), R"js(
    press("#results", titles("#results")[2]);
    return { scripts: document.querySelectorAll("main script:not([type])").length,
             images: document.images.length, title: document.title };)js");
  BOOST_TEST(value["scripts"] == 0);
  BOOST_TEST(value["images"] == 0);
  BOOST_TEST(value["title"] == "Title " + hostile);
}

BOOST_AUTO_TEST_SUITE_END()
