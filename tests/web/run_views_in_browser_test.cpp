// Views of runs of `kernbench web` (docs/viewer.md) in a browser.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <sstream>
#include <vector>

#include "tests/web/viewer_page.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(run_views_in_browser, *boost::unit_test::precondition(has_chromium))

namespace {

// Box of an element in the window: left, top, width, height.
struct Box {
  double x = 0, y = 0, w = 0, h = 0;
};
Box box_of(Viewer& viewer, const std::string& selector) {
  const nlohmann::json box =
      viewer.browser().value("const { x, y, width, height } = document.querySelector('" + selector +
                             "').getBoundingClientRect(); return [x, y, width, height];");
  return {box[0], box[1], box[2], box[3]};
}

void wait_for_bars(Viewer& viewer) {
  viewer.browser().wait_until("timeline().lanes.length > 0 && !timeline().isPartial");
}

// The part of the overview from `from` to `to`, as shares of the run.
void drag_on_overview(Viewer& viewer, double from, double to) {
  const Box box = box_of(viewer, ".overview");
  const double left = box.x + 190, width = box.w - 190 - 8, y = box.y + 20;  // as timeline.js
  viewer.browser().drag(left + from * width, y, left + to * width, y);
}

// Presses Enter on a tab or a button and waits until its state is shown.
void show_tab(Viewer& viewer, const std::string& key, const std::string& name) {
  viewer.browser().key(key, key);
  viewer.browser().wait_until("document.querySelector('#tab-" + name +
                              "').getAttribute('aria-selected') === 'true'");
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_colours_the_map_over_the_interval_of_the_slider) {
  Viewer viewer({runs().all_reduce()});
  Browser& browser = viewer.browser();
  browser.wait_until("map().uses?.shown.get('') !== undefined && timeline().end > 0");
  const std::string whole = viewer.value("map().uses.shown.get('').blocks").dump();
  // In the first tenth nothing has begun: all blocks are idle.
  drag_on_overview(viewer, 0.01, 0.1);
  browser.wait_until("location.hash.includes('time=')");
  browser.wait_until("map().uses.shown.get('').blocks.every((share) => !(share > 0))");
  // Dragged inside, the interval moves and keeps its length.
  const std::string length =
      "(timeline().store.state.interval.to - timeline().store.state.interval.from)";
  const double before = viewer.value(length);
  drag_on_overview(viewer, 0.05, 0.55);
  browser.wait_until("timeline().store.state.interval.from > 0.4 * timeline().end");
  BOOST_TEST(std::abs(viewer.value(length).get<double>() - before) < 0.001 * before);
  browser.wait_until("map().uses.shown.get('').blocks.some((share) => share > 0)");
  // Keys on the ends; "whole run" leads back to its colours.
  browser.value("document.querySelector('.handle[aria-label^=Begin]').focus();");
  browser.key("Home");
  browser.wait_until("timeline().store.state.interval.from === 0");
  browser.value("document.querySelector('.handle[aria-label^=End]').focus();");
  browser.key("End");
  browser.wait_until("timeline().store.state.interval.to === timeline().end");
  browser.key("ArrowLeft");
  browser.wait_until("timeline().store.state.interval.to < timeline().end");
  viewer.picture("-interval");
  viewer.press(".bar button[title=\"Show the whole run\"]");
  browser.wait_until("!location.hash.includes('time=')");
  browser.wait_until("JSON.stringify(map().uses.shown.get('').blocks) === '" + whole + "'");
}

BOOST_AUTO_TEST_CASE(space_starts_and_pauses_a_replay) {
  Viewer viewer({runs().all_reduce()});
  Browser& browser = viewer.browser();
  browser.wait_until("map().uses?.shown.get('') !== undefined && timeline().end > 0");
  browser.value("timeline().pace.value = 60;");  // seconds: longer than a busy host takes
  browser.key(" ", " ");
  browser.wait_until("timeline().store.state.interval !== null");
  // Later intervals follow, each with its own colours.
  browser.wait_until("timeline().store.state.interval.from > 0.02 * timeline().end");
  browser.wait_until(
      "[...map().uses.answers.keys()].filter((key) => !key.startsWith('|')).length > 2");
  browser.key(" ", " ");
  BOOST_TEST(viewer.value("timeline().playing") == 0);
  const nlohmann::json paused = viewer.value("timeline().store.state.interval");
  browser.value("for (let i = 0; i < 20; ++i) await new Promise(requestAnimationFrame);");
  BOOST_TEST(viewer.value("timeline().store.state.interval") == paused);
  // It continues from there.
  browser.key(" ", " ");
  browser.wait_until("timeline().store.state.interval.from > " + paused["from"].dump());
  browser.key(" ", " ");
}

BOOST_AUTO_TEST_CASE(the_chart_zooms_moves_selects_and_sets_the_interval) {
  Viewer viewer({runs().all_reduce()});
  Browser& browser = viewer.browser();
  wait_for_bars(viewer);
  const Box box = box_of(viewer, ".gantt");
  const double x = box.x + 190 + (box.w - 198) / 2, y = box.y + 60;
  browser.wheel(x, y, -500, Browser::ctrl);
  browser.wait_until("timeline().view.to - timeline().view.from < 0.6 * timeline().end");
  const double from = viewer.value("timeline().view.from");
  browser.drag(x, y, x - 100, y);
  browser.wait_until("timeline().view.from > " + std::to_string(from));
  browser.drag(x, y, x + 100, y, Browser::shift);
  browser.wait_until("location.hash.includes('time=')");
  // The interval is what was dragged over.
  BOOST_TEST(viewer.value("Math.abs(timeline().gx(timeline().store.state.interval.to) - "
                          "timeline().gx(timeline().store.state.interval.from) - 100) < 1") ==
             true);
  browser.key("0", "0");
  browser.value("timeline().gantt.focus();");
  browser.key("0", "0");
  browser.wait_until("timeline().view.to - timeline().view.from === timeline().end");
  browser.key("w", "w");
  browser.wait_until("timeline().view.to - timeline().view.from < timeline().end");
  // Lanes of the scope that the map shows: engines of a PE, whose name leads to its place.
  viewer.go(viewer.address("#place=sip0.cube0.pe0"));
  browser.value(
      "document.querySelector('.bar select[aria-label=\"Lanes of the chart\"]').value = 'view';"
      "document.querySelector('.bar select[aria-label=\"Lanes of the chart\"]').dispatchEvent(new "
      "Event('change'));");
  browser.wait_until("timeline().lanes.some((lane) => lane.node === 'sip0.cube0.pe0.pe_dma')");
  const Box chart = box_of(viewer, ".gantt");
  const double row = viewer.value(
      "(() => { const row = timeline().rowsDrawn.find((each) => each.lane?.node === "
      "'sip0.cube0.pe0.pe_dma'); timeline().scroll.scrollTop = row.y - 40; return row.y + row.h / "
      "2 "
      "- timeline().scroll.scrollTop; })()");
  browser.wait_until("document.querySelector('.gantt').getBoundingClientRect().height > 0");
  browser.click(chart.x + 100, chart.y + row);
  browser.wait_until("map().selected === 'sip0.cube0.pe0.pe_dma'");
  // A bar has a tooltip with its time.
  const nlohmann::json bar = viewer.value(
      "(() => { const [start, end] = timeline().rowsDrawn.find((each) => each.lane?.node === "
      "'sip0.cube0.pe0.pe_dma').lane.bars[0]; return timeline().gx((start + end) / 2); })()");
  browser.move(chart.x + bar.get<double>(), chart.y + row);
  browser.wait_until("!timeline().tip.hidden && timeline().tip.textContent.includes('from')");
}

BOOST_AUTO_TEST_CASE(tables_sort_filter_and_lead_to_a_place) {
  Viewer viewer({runs().gemm()}, "#tab=tables");
  Browser& browser = viewer.browser();
  browser.wait_until("document.querySelector('.tables [data-name=servers]') !== null");
  browser.value("document.querySelector('.tables [data-name=servers]').click()");
  browser.value(R"js(
    window.titles = () => [...document.querySelectorAll(".tables thead th button")].map((each) => each.textContent);
    window.column = (name) => [...document.querySelectorAll(".tables tbody tr")].map((row) => row.cells[titles().indexOf(name)].textContent);
    window.isSorted = (values, sign) => values.every((each, i) => i === 0 || sign * (each - values[i - 1]) >= 0);)js");
  browser.wait_until("titles().includes('bytes')");
  const std::string numbers = "column('bytes').filter((text) => text !== '').map(Number)";
  browser.value(
      "document.querySelectorAll('.tables thead th button')[titles().indexOf('bytes')].click()");
  browser.wait_until(numbers + ".length > 5 && isSorted(" + numbers + ", -1)");
  browser.value(
      "document.querySelectorAll('.tables thead th button')[titles().indexOf('bytes')].click()");
  browser.wait_until("isSorted(" + numbers + ", 1)");
  browser.value(
      "document.querySelectorAll('.tables thead th button')[titles().indexOf('bytes')].click()");
  browser.wait_until("isSorted(" + numbers + ", -1)");
  browser.value("document.querySelector('.tables input[type=search]').focus()");
  // The smallest number, which is not above itself.
  const std::vector<double> all = viewer.value(numbers);
  const auto above =
      std::count_if(all.begin(), all.end(), [&](double each) { return each > all.back(); });
  BOOST_TEST_REQUIRE(above > 0);
  std::ostringstream condition;
  condition << "bytes>" << all.back();
  browser.type(condition.str());
  browser.wait_until("/ of \\d+ rows$/.test(text('.tables .rows'))");
  BOOST_TEST(viewer.value(numbers + ".length") == above);
  viewer.picture("-filtered");
  // In one call: the rows may be replaced when those of the chosen table have arrived.
  const std::string place = viewer.value(
      "(() => { const row = document.querySelector('.tables button.place'); row.click(); "
      "return row.title; })()");
  browser.wait_until("map().selected === '" + place + "'");
  browser.wait_until("text('#panel h2') !== 'Nothing selected'");
}

BOOST_AUTO_TEST_CASE(bottlenecks_critical_path_and_roofline_are_those_of_the_api) {
  Viewer viewer({runs().gemm()}, "#tab=summary");
  Browser& browser = viewer.browser();
  browser.wait_until("document.querySelectorAll('.summary .limits tbody tr').length > 0");
  const auto summary = viewer.server().json("/api/run/0/summary");
  BOOST_TEST(viewer.value(
                 "document.querySelectorAll('.summary .limits table')[0].tBodies[0].rows.length") ==
             summary["bottleneck.resources"]["rows"].size());
  viewer.picture("-bottlenecks");
  browser.value("document.querySelector('.summary .limits td button.place').click()");
  browser.wait_until("map().selected !== null");
  show_tab(viewer, "4", "path");
  browser.wait_until("document.querySelectorAll('.path button.place').length > 0");
  browser.wait_until("map().steps.length > 0");
  viewer.picture("-path");
  show_tab(viewer, "1", "timeline");
  browser.wait_until("timeline().rowsDrawn[0].kind === 'path'");
  BOOST_TEST(viewer.value("map().steps.length") == 0);  // drawn with its view alone
  const auto path = viewer.server().json("/api/run/0/critical-path");
  BOOST_TEST(viewer.value("timeline().rowsDrawn[0].steps.length") == path["steps"].size());
  show_tab(viewer, "5", "roofline");
  browser.wait_until("document.querySelectorAll('svg.roofline circle.point').length > 0");
  const auto roofline = viewer.server().json("/api/run/0/roofline");
  BOOST_TEST(viewer.value("document.querySelectorAll('svg.roofline circle.point').length") ==
             roofline["points"].size());
  BOOST_TEST(viewer.value("document.querySelectorAll('svg.roofline .peak').length") ==
             roofline["peaks"].size());
}

BOOST_AUTO_TEST_CASE(two_runs_have_two_maps_with_one_view_one_scale_and_one_axis_of_time) {
  Viewer viewer({runs().gemm(), runs().slow_gemm()}, "#run=0&other=1&tab=compare");
  Browser& browser = viewer.browser();
  browser.wait_until("document.querySelectorAll('canvas.map').length === 2");
  browser.wait_until("document.querySelectorAll('.compare table tbody tr').length > 0");
  const std::string one_view =
      "['k', 'x', 'y'].every((key) => Math.abs(map(0).view[key] - map(1).view[key]) < 1e-3)";
  browser.wait_until(one_view);
  const double k = viewer.value("map(1).view.k");
  browser.wheel(300, 300, -300);
  browser.wait_until("map(1).view.k > " + std::to_string(k) + " && " + one_view);
  browser.wait_until("[0, 1].every((i) => map(i).uses?.shown.size > 0)");
  BOOST_TEST(viewer.value("map(0).uses.top === map(1).uses.top") == true);
  show_tab(viewer, "1", "timeline");
  wait_for_bars(viewer);
  // The axis ends with the longer run; the lanes of both are on it.
  const auto session = viewer.server().json("/api/session");
  const auto end = [&](int run) { return session["runs"][run]["end_fs"].get<std::uint64_t>(); };
  BOOST_TEST(end(1) > end(0));
  BOOST_TEST(viewer.value("timeline().end") == end(1));
  BOOST_TEST(viewer.value("[...new Set(timeline().lanes.map((lane) => lane.number))].join()") ==
             "0,1");
  BOOST_TEST(viewer.value("timeline().rowsDrawn.filter((row) => row.kind === 'title').map((row) => "
                          "row.name).join()") == "Run A,Run B");
  // So does the interval: both maps show the same time.
  drag_on_overview(viewer, 0.4, 0.8);
  browser.wait_until(
      "[0, 1].every((i) => map(i).uses.interval !== null) && JSON.stringify(map(0).uses.interval) "
      "=== JSON.stringify(map(1).uses.interval)");
  browser.wait_until(
      "[0, 1].every((i) => [...map(i).uses.answers.keys()].some((key) => "
      "!key.startsWith('|')))");
}

BOOST_AUTO_TEST_CASE(statistics_colour_the_map_of_the_whole_run) {
  Viewer viewer({runs().statistics()});
  Browser& browser = viewer.browser();
  browser.wait_until("map().uses?.shown.get('')?.blocks.some((share) => share > 0)");
  browser.wait_until("text('.view.summary .limits').includes('views of an operation log')");
  BOOST_TEST(viewer.value("[...document.querySelectorAll('.tabs button:not([hidden])')].map((tab) "
                          "=> tab.textContent).join()") == "Bottlenecks,Tables");
}

BOOST_AUTO_TEST_CASE(a_run_started_from_the_page_opens_next_to_the_previous_one) {
  Viewer viewer({runs().gemm()});
  Browser& browser = viewer.browser();
  viewer.press("#show-jobs");
  // The form is that of the run that is shown.
  browser.wait_until("document.querySelector('#jobs .bench select').value === 'matmul-composite'");
  browser.value(
      "const bench = document.querySelector('#jobs .bench select');"
      "bench.value = 'matmul-composite'; bench.dispatchEvent(new Event('change'));"
      "document.querySelector('#parameter-M').value = '-1';"
      "document.querySelector('#jobs form button[type=submit]').click();");
  browser.wait_until("text('#job-fault') !== ''");  // as on the command line
  viewer.picture("-refused");
  browser.value(
      "document.querySelector('#parameter-M').value = '64';"
      "document.querySelector('#jobs form button[type=submit]').click();");
  browser.wait_until("text('#jobs .job code')?.includes('M=64')");
  browser.wait_until("document.querySelector('#jobs .job.done') !== null");
  viewer.press("#jobs .job .main");
  browser.wait_until("document.querySelectorAll('canvas.map').length === 2");
  for (const nlohmann::json& fault : browser.take_faults())  // the refused request alone
    BOOST_TEST(fault.get<std::string>().find("400 (Bad Request)") != std::string::npos, fault);
}

BOOST_AUTO_TEST_CASE(the_form_has_the_settings_of_the_shown_run) {
  Viewer viewer({runs().slow_several_pes()});
  Browser& browser = viewer.browser();
  viewer.press("#show-jobs");
  browser.wait_until("document.querySelector('#jobs .settings input')?.value > ''");
  BOOST_TEST(viewer.value("[...document.querySelectorAll('#jobs .settings input')].map((input) => "
                          "input.value).join()") == "system.flit_bytes=128,");
  // The button stays readable under the mouse.
  const Box start = box_of(viewer, "#jobs button[type=submit]");
  browser.move(start.x + start.w / 2, start.y + start.h / 2);
  browser.wait_until("document.querySelector('#jobs button[type=submit]').matches(':hover')");
  const nlohmann::json colours = browser.value(
      "const { color, backgroundColor } = getComputedStyle(document.querySelector('#jobs "
      "button[type=submit]')); return [color, backgroundColor];");
  BOOST_TEST(colours[0] == "rgb(255, 255, 255)");
  BOOST_TEST(colours[1] == "rgb(11, 98, 196)");
}

BOOST_AUTO_TEST_CASE(slider_and_chart_have_one_scale) {
  Viewer viewer({runs().several_pes()});
  wait_for_bars(viewer);
  const Box slider = box_of(viewer, ".overview"), chart = box_of(viewer, ".gantt");
  BOOST_TEST(slider.x == chart.x);
  BOOST_TEST(slider.w == chart.w);
  BOOST_TEST(viewer.value("timeline().width") == chart.w);
  BOOST_TEST(viewer.value("timeline().overview.width") == chart.w);
}

BOOST_AUTO_TEST_CASE(a_started_run_can_be_cancelled) {
  Viewer viewer({"--topology", "tiny"});
  Browser& browser = viewer.browser();
  viewer.press("#show-jobs");
  browser.wait_until("document.querySelectorAll('#jobs select option').length > 10");
  // Takes minutes unless it is ended.
  browser.value(R"js(
    const bench = document.querySelector("#jobs .bench select");
    bench.value = "int8-gemm";
    bench.dispatchEvent(new Event("change"));
    const values = { M: 32, K: 16384, N: 16384, block_k: 32, block_n: 32, pes: 1 };
    for (const [name, value] of Object.entries(values)) document.querySelector("#parameter-" + name).value = value;
    document.querySelector("#job-topology").value = "tiny";
    document.querySelector("#jobs form button[type=submit]").click();)js");
  browser.wait_until("text('#jobs .job .state')?.startsWith('running')");
  viewer.press("#jobs .job .row button");
  browser.wait_until("document.querySelector('#jobs .job.cancelled') !== null");
  viewer.picture("-cancelled");
  BOOST_TEST(viewer.server().json("/api/jobs")[0]["state"] == "cancelled");
  BOOST_TEST(viewer.value("document.querySelector('#jobs .job .main').hidden") == true);
}

BOOST_AUTO_TEST_SUITE_END()
