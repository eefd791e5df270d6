// Links of the viewer and its form of runs (docs/viewer.md) in a real browser: rows, points and
// bars lead to the map and the timeline, by mouse and keys.
#include <boost/test/unit_test.hpp>

#include "tests/web/viewer_page.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(viewer_links_in_browser, *boost::unit_test::precondition(has_chromium))

namespace {

// Middle of the first element.
void click(Viewer& viewer, const std::string& selector) {
  viewer.browser().value("document.querySelector('" + selector + "').scrollIntoView()");
  viewer.press(selector);
}
void focus(Viewer& viewer, const std::string& selector) {
  viewer.browser().value("document.querySelector('" + selector + "').focus()");
}

constexpr const char* pes_of_kernel =
    "map().scopes.length > 1 && map().scopes.every((each) => "
    "/^sip0\\.cube0\\.pe\\d+$/.test(each))";

}  // namespace

BOOST_AUTO_TEST_CASE(a_point_of_the_roofline_leads_to_the_pes_of_its_kernel_and_its_time) {
  Viewer viewer({runs().several_pes()}, "#tab=roofline");
  Browser& browser = viewer.browser();
  browser.wait_until("document.querySelector('.roofline .point') !== null");
  click(viewer, ".roofline .point");
  browser.wait_until(pes_of_kernel);
  browser.wait_until(
      "text('#panel h2') === 'sip0.cube0' && text('#panel .target').includes('Timeline')");
  // By key, too.
  browser.key("Escape");
  browser.value("map().options.onSelect(null)");
  browser.wait_until("map().scopes.length === 0 && map().selected === null");
  focus(viewer, ".roofline .point");
  browser.key("Enter", "\r");
  browser.wait_until(pes_of_kernel);
  // Its time is in the chart.
  click(viewer, "#panel .target button");
  browser.wait_until("!document.querySelector('#view-timeline').hidden");
}

BOOST_AUTO_TEST_CASE(every_row_of_the_tables_is_a_link_for_mouse_and_keys) {
  Viewer viewer({runs().several_pes(), runs().slow_several_pes()}, "#run=0&other=1&tab=tables");
  Browser& browser = viewer.browser();
  browser.wait_until("document.querySelectorAll('.tables .tablist button').length > 4");
  const nlohmann::json names = viewer.value(
      "[...document.querySelectorAll('.tables .tablist button')].map((each) => each.dataset.name)");
  for (const std::string name : names) {
    const std::string tab = ".tables .tablist [data-name=\"" + name + "\"]";
    browser.value("document.querySelector('" + tab + "').click()");
    browser.wait_until("document.querySelector('" + tab +
                       "').getAttribute('aria-selected') === 'true' && "
                       "document.querySelectorAll('.tablebody tbody tr').length > 0");
    BOOST_TEST(
        viewer.value("[...document.querySelectorAll('.tablebody tbody tr')].every((row) => "
                     "row.matches('.follows') && row.querySelector('button.place'))") == true,
        name);
  }
  for (const char* tab : {"2", "6"}) {
    browser.key(tab, tab);
    browser.wait_until("document.querySelectorAll('.view:not([hidden]) tbody tr').length > 4");
    BOOST_TEST(viewer.value("[...document.querySelectorAll('.view:not([hidden]) .table tbody tr')]"
                            ".every((row) => row.matches('.follows'))") == true,
               tab);
  }
  // A click on another cell of a row; arrow keys and Enter.
  browser.key("2", "2");
  browser.wait_until("document.querySelectorAll('.summary .limits tbody tr').length > 1");
  click(viewer, ".summary .limits tbody tr td:last-child");
  browser.wait_until("map().selected !== null");
  focus(viewer, ".summary .limits tbody tr button.place");
  browser.key("ArrowDown");
  const std::string title = viewer.value("document.activeElement.title");
  BOOST_TEST(viewer.value("document.activeElement.closest('tr').rowIndex") == 2);
  browser.key("Enter", "\r");
  browser.wait_until("map().selected === '" + title + "'");
}

BOOST_AUTO_TEST_CASE(a_step_of_the_critical_path_and_a_bar_lead_to_their_place) {
  Viewer viewer({runs().several_pes()}, "#tab=path");
  Browser& browser = viewer.browser();
  browser.wait_until("document.querySelectorAll('.path tr.follows').length > 4");
  BOOST_TEST(viewer.value("document.querySelectorAll('.path tbody tr:not(.follows)').length") == 0);
  const std::string step = ".path .columns > :last-child tbody tr:nth-child(3)";
  const std::string node =
      viewer.value("document.querySelector('" + step + " button').textContent");
  click(viewer, step + " td:last-child");
  browser.wait_until("map().selected === '" + node + "' && text('#panel .target').includes('ns')");
  // The chart has the step in view; arrow keys go to a bar of a lane, Enter to its place.
  browser.key("1", "1");
  browser.wait_until("document.querySelector('canvas.gantt').height > 60");
  focus(viewer, "canvas.gantt");
  browser.key("ArrowDown");
  browser.wait_until("text('#status').includes('critical path')");
  browser.key("ArrowDown");
  browser.wait_until("text('#status').includes('launches on sip0')");
  browser.key("Enter", "\r");
  browser.wait_until("map().selected === 'sip0' && location.hash.includes('time=')");
}

BOOST_AUTO_TEST_CASE(fields_of_a_run_have_bounds_and_show_their_fault) {
  Viewer viewer({"--topology", "tiny"}, "");
  Browser& browser = viewer.browser();
  click(viewer, "#show-jobs");
  browser.wait_until("document.querySelectorAll('#jobs .bench option').length > 10");
  browser.value(
      "const bench = document.querySelector('#jobs .bench select');"
      "bench.value = 'gemm-single-pe'; bench.dispatchEvent(new Event('change'));");
  BOOST_TEST(viewer.value("['type', 'min', 'max', 'step'].map((name) => "
                          "document.querySelector('#parameter-M').getAttribute(name)).join()") ==
             "number,1,1048576,1");
  const std::string allowed = "found -1, allowed is an integer, 1 to 1048576";
  browser.value(
      "const field = document.querySelector('#parameter-M'); field.value = '-1';"
      "field.dispatchEvent(new Event('input'));");
  BOOST_TEST(viewer.value("text('#parameter-M-fault')") == allowed);
  focus(viewer, "#parameter-K");
  browser.key("Enter", "\r");  // submits
  browser.wait_until("document.activeElement.id === 'parameter-M'");
  BOOST_TEST(viewer.server().json("/api/jobs").empty());
}

BOOST_AUTO_TEST_CASE(keys_of_set_are_completed_with_value_unit_and_what_is_allowed) {
  Viewer viewer({"--topology", "tiny"}, "");
  Browser& browser = viewer.browser();
  click(viewer, "#show-jobs");
  browser.wait_until("document.querySelector('#set-0-input') !== null");
  browser.value(
      "const bench = document.querySelector('#jobs .bench select');"
      "bench.value = 'gemm-single-pe'; bench.dispatchEvent(new Event('change'));");
  focus(viewer, "#set-0-input");
  browser.type("flit_by");
  browser.wait_until("text('#set-0-list [role=option]').includes('system.flit_bytes')");
  BOOST_TEST(viewer.value("text('#set-0-list [role=option]').includes('an integer, 1 to 65536')") ==
             true);
  browser.key("Enter", "\r");
  BOOST_TEST(viewer.value("document.querySelector('#set-0-input').value") == "system.flit_bytes=");
  browser.wait_until("text('#set-0-hint').includes('now ') && text('#set-0-hint').includes(' B')");
  // A fault of the command line is at the line that it is about, and the next line is free.
  browser.type("0");
  focus(viewer, "#set-1-input");
  browser.type("system.channel_cl");
  browser.wait_until("text('#set-1-list [role=option]').includes('channel_classes')");
  browser.key("Enter", "\r");
  browser.wait_until(
      "document.querySelectorAll('#set-1-list [role=option]').length > 0 && "
      "text('#set-1-list').includes('=')");
  browser.key("Escape");
  browser.value("document.querySelector('#set-1-input').value = ''");
  browser.value("document.querySelector('#jobs form button[type=submit]').click()");
  browser.wait_until("text('.settings .line .fault').includes('found 0, allowed is an integer')");
  for (const nlohmann::json& fault : browser.take_faults())  // the refused request alone
    BOOST_TEST(fault.get<std::string>().find("400 (Bad Request)") != std::string::npos, fault);
}

BOOST_AUTO_TEST_SUITE_END()
