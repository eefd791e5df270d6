// Page of a sweep (spec 10.8) as a document: well-formed, self-contained, safe for any text.
#include "platform/page/sweep_page.h"

#include <boost/test/unit_test.hpp>
#include <set>

#include "models/base/errors.h"
#include "platform/page/html.h"
#include "platform/page/page.h"
#include "tests/page/sweep_pages.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(sweep_page)

namespace {

// First element that is not closed in order; "": none.
std::string fault_of_nesting(const std::string& html) {
  const std::set<std::string> without_end{"!DOCTYPE", "meta", "wbr"};
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = html.find('<', at)) != std::string::npos;) {
    const bool ends = html[at + 1] == '/';
    const std::size_t begin = at + (ends ? 2 : 1), end = html.find_first_of(" >\n", begin);
    const std::string name = html.substr(begin, end - begin);
    at = html.find('>', begin);
    if (at == std::string::npos) return name;
    if (ends) {
      if (open.empty() || open.back() != name) return "/" + name;
      open.pop_back();
    } else if (without_end.count(name) == 0) {
      open.push_back(name);
      if (name == "script" || name == "style") at = html.find("</" + name, at);
    }
  }
  return open.empty() ? "" : open.back();
}

// Text between the parts, which must be there.
std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from);
  BOOST_TEST_REQUIRE(begin != std::string::npos, from);
  return text.substr(begin, text.find(to, begin) - begin);
}

}  // namespace

BOOST_AUTO_TEST_CASE(elements_nest_and_nothing_is_loaded) {
  const std::string html = page_of(three_points());
  BOOST_TEST(fault_of_nesting(html) == "");
  for (const char* part : {"src=", "http:", "https:", "url(", "@import", "<link"})
    BOOST_TEST(html.find(part) == std::string::npos, part);
  check_contains(html, {"default-src 'none'", "<title>Title A question.</title>"});
}

BOOST_AUTO_TEST_CASE(what_is_missing_is_said) {
  SweepPage page;
  page.title = "t";
  page.results_csv = "results.csv";
  page.left_out = {"derived.x: no such column: y"};
  page.absent = 2;
  SweepResults results = three_points();
  results.columns[1].texts[2] = "until";
  check_contains(sweep_page_html(page, results),
                 {"3 points: 1 ok, 1 stopped by until, 1 failed; 2 points of the plan are not in",
                  "Column left out: derived.x: no such column: y"});
}

BOOST_AUTO_TEST_CASE(texts_of_plans_and_messages_stay_texts) {
  const std::string hostile =
      "</script><script>alert(1)</script><img src=x onerror=\"a\">&amp;\x01'";
  const std::string html = page_of(three_points(hostile, hostile), hostile);
  BOOST_TEST(fault_of_nesting(html) == "");
  BOOST_TEST(html.find("<img") == std::string::npos);
  // Scripts: data of two tables, and that of the page.
  BOOST_TEST(count(html, "<script") == 3u);
  check_contains(html, {"&lt;img src=x onerror=&quot;a&quot;&gt;&amp;amp;\\x01&#39;"});
}

BOOST_AUTO_TEST_CASE(the_table_has_axes_times_and_derived_columns_first) {
  const std::string html = page_of(three_points());
  const std::string head = between(html, "<thead>", "</thead>");
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = head.find("<th scope=\"col\"", at)) != std::string::npos; ++at) {
    std::string name = between(head.substr(head.find('>', at) + 1), "", "</th>");
    for (std::size_t tag = 0; (tag = name.find("<wbr>")) != std::string::npos;) name.erase(tag, 5);
    names.push_back(name.substr(0, name.find('<')));
  }
  const std::vector<std::string> expected{"point",         "status", "M",
                                          "simulated_ns ", "rate",   "message"};
  BOOST_TEST(names == expected, boost::test_tools::per_element());
  check_contains(html, {"\"name\":\"links.pcie.bytes\",\"unit\":\"B\",\"kind\":\"number\","
                        "\"further\":true,\"cells\":[\"64\",\"\",\"128\"]",
                        "1 column with equal values at all points", "<td>pa</td>",
                        "<td class=\"mark failed\">failed</td>"});
}

BOOST_AUTO_TEST_CASE(columns_of_figures_are_shown) {
  SweepPage page;
  page.title = "t";
  page.figure_columns = {"links.pcie.bytes"};
  page.figures = {{"A picture", "Caption.", "<?xml?><svg id=\"x\"><use href='#x'/></svg>", ""},
                  {"Another", "", "", "gnuplot is not installed"}};
  const std::string html = sweep_page_html(page, three_points());
  check_contains(html, {"\"name\":\"links.pcie.bytes\",\"unit\":\"B\",\"kind\":\"number\","
                        "\"further\":false",
                        "<svg id=\"f1-x\"><use href='#f1-x'/></svg>", "Figure 1: A picture",
                        "<p>Caption.</p>", "No picture: gnuplot is not installed"});
  BOOST_TEST(html.find("<?xml") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_state_counts_points_that_failed_and_did_not_run) {
  SweepResults results = three_points();
  check_contains(page_of(results), {"class=\"state incomplete\">3 points: 2 ok, 1 failed<"});
  results.requested = 5;
  check_contains(page_of(results),
                 {"3 of 5 points: 2 ok, 1 failed, 2 not run: the sweep is not complete"});
  SweepResults empty;
  empty.requested = 4;
  check_contains(page_of(empty), {"0 of 4 points: 0 ok, 4 not run", "No point has finished."});
}

BOOST_AUTO_TEST_CASE(points_have_their_commands_and_what_differs_from_the_base) {
  const std::string html = page_of(three_points());
  check_contains(html, {"<code>run --param M=32</code>", "<td class=\"lines\">M=8\ntext</td>",
                        "Base configuration, with every default (3 points)",
                        "<pre>system:\n  text: text\n</pre>", "kernbench sweep p.yaml --out d"});
}

BOOST_AUTO_TEST_SUITE_END()
