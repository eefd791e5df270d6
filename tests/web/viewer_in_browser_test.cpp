// The page of `kernbench web` (docs/viewer.md) in a real browser, with keys and mouse events.
#include <boost/test/unit_test.hpp>
#include <fstream>

#include "tests/page/browser.h"
#include "tests/web/served_program.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(viewer_in_browser, *boost::unit_test::precondition(has_chromium))

namespace {

// Runs whose files all tests read.
class Runs {
 public:
  Runs() {
    run({"run", "--bench", "matmul-composite", "--op-log", gemm(), "--stats", statistics()});
    run({"run", "--bench", "matmul-composite", "--set", "system.flit_bytes=128", "--op-log",
         slow_gemm()});
  }
  std::string gemm() const { return folder_.file("gemm.sqlite"); }
  std::string slow_gemm() const { return folder_.file("slow.sqlite"); }
  std::string statistics() const { return folder_.file("gemm.json"); }
  std::string file(const std::string& name) const { return folder_.file(name); }

 private:
  static void run(const Words& words) {
    const ProgramResult result = kernbench_program(words);
    BOOST_TEST_REQUIRE(result.status == 0, result.err);
  }
  TemporaryFolder folder_;
};

const Runs& runs() {
  static const Runs all;
  return all;
}

// Helpers in the page: the map, the place of a block on the screen, the selection.
constexpr const char* helpers = R"js(
window.map = (number = 0) => document.querySelectorAll("canvas.map")[number].mapView;
window.middleOf = (name) => {
  const steps = map().scene.path(name), box = map().screenBox(steps[steps.length - 1].box);
  const canvas = map().canvas.getBoundingClientRect();
  return [canvas.left + box.x + box.w / 2, canvas.top + box.y + box.h / 2];
};
window.text = (selector) => document.querySelector(selector)?.textContent ?? null;
)js";

class Viewer {
 public:
  explicit Viewer(const Words& words, const std::string& fragment = "") : server_(words) {
    browser_.open(address(fragment), ready);
    browser_.value(helpers);
  }

  Browser& browser() { return browser_; }
  ServedProgram& server() { return server_; }
  std::string address(const std::string& fragment = "") const {
    return "http://127.0.0.1:" + std::to_string(server_.port()) + "/?token=" + server_.token() +
           fragment;
  }
  void go(const std::string& fragment) {
    browser_.open(address(fragment), ready);
    browser_.value(helpers);
  }
  nlohmann::json value(const std::string& expression) {
    return browser_.value("return " + expression + ";");
  }
  std::string selected() { return value("text('#panel h2')").get<std::string>(); }
  void click_on(const std::string& place) {
    const nlohmann::json at = value("middleOf('" + place + "')");
    browser_.click(at[0], at[1]);
  }
  void press(const std::string& selector) {
    const nlohmann::json at = browser_.value(
        "const box = document.querySelector('" + selector +
        "').getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2];");
    browser_.click(at[0], at[1]);
  }
  ~Viewer() { BOOST_TEST(browser_.take_faults().dump() == "[]"); }

  static constexpr const char* ready =
      "document.body.dataset.ready === 'true' && "
      "document.querySelector('canvas.map')?.mapView.statistics.ms > 0";

 private:
  ServedProgram server_;
  Browser browser_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(arrow_keys_enter_and_escape_lead_through_all_levels) {
  Viewer viewer({});
  Browser& browser = viewer.browser();
  browser.key("m", "m");
  for (const char* key : {"ArrowRight", "Enter", "Enter"}) browser.key(key);
  browser.wait_until("text('#panel h2') === 'sip0.cube0'");
  for (const char* key : {"ArrowRight", "ArrowDown"}) browser.key(key);
  BOOST_TEST(viewer.selected() == "sip0.cube5");
  browser.key("Enter");
  browser.key("Enter");
  BOOST_TEST(viewer.selected() == "sip0.cube5.hbm_ctrl.pe0");
  browser.key("Escape");
  BOOST_TEST(viewer.selected() == "sip0.cube5");
  browser.key("Backspace");
  BOOST_TEST(viewer.selected() == "sip0");
  browser.key("Escape");
  BOOST_TEST(viewer.selected() == "Nothing selected");
}

BOOST_AUTO_TEST_CASE(search_completes_a_name_and_leads_to_its_node) {
  Viewer viewer({});
  Browser& browser = viewer.browser();
  browser.key("/", "/");
  browser.type("cube3.pe1.pe_ge");
  browser.wait_until("document.querySelectorAll('#search-list [role=option]').length > 0");
  browser.key("Enter");
  browser.wait_until("text('#panel h2') === 'sip0.cube3.pe1.pe_gemm'");
  // Its attributes are those of `kernbench topology`, with their unit.
  browser.wait_until("text('#panel .attributes') !== null");
  BOOST_TEST(viewer.value("text('#panel .attributes')").get<std::string>().find("macs_per_cycle") !=
             std::string::npos);
  BOOST_TEST(viewer.value("text('.crumbs')").get<std::string>().find("PE_GEMM") !=
             std::string::npos);
  // The map shows the inside of the PE, and the address keeps the place.
  browser.wait_until("map().statistics.scopes.some((each) => each.scope === 'sip0.cube3.pe1')");
  browser.wait_until("location.hash.includes('place=sip0.cube3.pe1.pe_gemm')");
}

BOOST_AUTO_TEST_CASE(click_selects_double_click_zooms_wheel_and_drag_move_the_map) {
  Viewer viewer({});
  Browser& browser = viewer.browser();
  viewer.click_on("sip1.cube6");
  BOOST_TEST(viewer.selected() == "sip1.cube6");
  const nlohmann::json at = viewer.value("middleOf('sip1.cube6')");
  browser.click(at[0], at[1], 2);
  browser.wait_until("map().scopeInView() === 'sip1.cube6'");
  const double k = viewer.value("map().view.k");
  browser.wheel(500, 300, -300);
  browser.wait_until("map().view.k > " + std::to_string(k));
  const double x = viewer.value("map().view.x");
  browser.drag(500, 300, 560, 300);
  browser.wait_until("Math.abs(map().view.x - " + std::to_string(x) + " - 60) < 1");
  const nlohmann::json router = viewer.value("middleOf('sip1.cube6.r1c1')");
  browser.move(router[0], router[1]);
  browser.wait_until("!map().tip.hidden && map().tip.textContent.includes('sip1.cube6.r1c1')");
}

BOOST_AUTO_TEST_CASE(routes_have_the_numbers_of_the_command) {
  Viewer viewer({}, "#place=sip0.cube0.pe0.pe_dma");
  Browser& browser = viewer.browser();
  browser.wait_until("text('#panel h2') === 'sip0.cube0.pe0.pe_dma'");
  browser.key("r", "r");
  browser.key("/", "/");
  browser.type("sip0.cube1.hbm_ctrl.pe0");
  browser.wait_until("document.querySelectorAll('#search-list [role=option]').length > 0");
  browser.key("Enter");
  browser.wait_until("document.querySelectorAll('#panel .hops tbody tr').length > 0");
  const ProgramResult route =
      kernbench_program({"route", "sip0.cube0.pe0.pe_dma", "sip0.cube1.hbm_ctrl.pe0", "--json"});
  const nlohmann::json expected = nlohmann::json::parse(route.out);
  const nlohmann::json hops = viewer.value(
      "[...document.querySelectorAll('#panel .hops tbody tr')].map((row) => "
      "[row.cells[0].textContent, Number(row.cells[1].textContent)])");
  BOOST_TEST_REQUIRE(hops.size() == expected["hops"].size());
  for (std::size_t i = 0; i < hops.size(); ++i) {
    BOOST_TEST(hops[i][0] == expected["hops"][i]["node"]);
    BOOST_TEST(std::abs(hops[i][1].get<double>() -
                        expected["hops"][i]["latency_ns"].get<double>()) < 0.001);
  }
  BOOST_TEST(viewer.value("map().route.length") == hops.size());
}

BOOST_AUTO_TEST_CASE(a_run_colours_the_map_over_the_interval_of_the_slider) {
  Viewer viewer({runs().gemm()});
  Browser& browser = viewer.browser();
  browser.wait_until("map().uses?.shown.get('') !== undefined");
  const nlohmann::json whole = viewer.value("map().uses.shown.get('').blocks");
  // The first half of the overview.
  const nlohmann::json box = browser.value(
      "const box = document.querySelector('.overview').getBoundingClientRect(); return [box.x, "
      "box.y, box.width, box.height];");
  const double left = box[0].get<double>() + 190,
               right = box[0].get<double>() + box[2].get<double>() - 8,
               y = box[1].get<double>() + 20;
  browser.drag(left + 1, y, (left + right) / 2, y);
  browser.wait_until("location.hash.includes('time=')");
  browser.wait_until("[...map().uses.answers.keys()].some((key) => !key.startsWith('|'))");
  browser.key(" ", " ");  // replay
  browser.wait_until("text('.interval').includes(' to ')");
  browser.key(" ", " ");
  viewer.press(".bar button[title=\"Show the whole run\"]");
  browser.wait_until("!location.hash.includes('time=')");
  browser.wait_until("JSON.stringify(map().uses.shown.get('').blocks) === '" + whole.dump() + "'");
}

BOOST_AUTO_TEST_CASE(tables_sort_and_a_row_leads_to_its_place) {
  Viewer viewer({runs().gemm()}, "#tab=tables");
  Browser& browser = viewer.browser();
  browser.wait_until("document.querySelector('.tables [data-name=servers]') !== null");
  browser.value("document.querySelector('.tables [data-name=servers]').click()");
  browser.wait_until("document.querySelectorAll('.tables button.place').length > 0");
  // In one call: the rows may be replaced when those of the chosen table have arrived.
  const std::string place = viewer.value(
      "(() => { const row = document.querySelector('.tables button.place'); row.click(); "
      "return row.title; })()");
  browser.wait_until("map().selected === '" + place + "'");
  browser.wait_until("text('#panel h2') !== 'Nothing selected'");
}

BOOST_AUTO_TEST_CASE(bottlenecks_and_critical_path_are_shown_with_their_places) {
  Viewer viewer({runs().gemm()}, "#tab=summary");
  Browser& browser = viewer.browser();
  browser.wait_until("document.querySelectorAll('.summary .limits tbody tr').length > 0");
  browser.key("4", "4");
  browser.wait_until("document.querySelectorAll('.path button.place').length > 0");
  BOOST_TEST(viewer.value("map().steps.length").get<int>() > 0);
  browser.key("1", "1");
  browser.wait_until("document.querySelector('canvas.gantt').height > 60");
}

BOOST_AUTO_TEST_CASE(two_runs_have_two_maps_with_one_view_and_one_axis_of_time) {
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
  browser.key("1", "1");
  browser.wait_until("document.querySelector('canvas.gantt').getBoundingClientRect().height > 60");
}

BOOST_AUTO_TEST_CASE(a_run_started_from_the_page_opens_next_to_the_previous_one) {
  Viewer viewer({runs().gemm()});
  Browser& browser = viewer.browser();
  viewer.press("#show-jobs");
  browser.wait_until("document.querySelectorAll('#jobs select option').length > 10");
  browser.value(
      "const bench = document.querySelector('#jobs .bench select');"
      "bench.value = 'matmul-composite'; bench.dispatchEvent(new Event('change'));"
      "document.querySelector('#parameter-M').value = 'wrong';"
      "document.querySelector('#jobs form button[type=submit]').click();");
  browser.wait_until("text('#job-fault') !== ''");  // as on the command line
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

BOOST_AUTO_TEST_CASE(names_of_files_are_text) {
  const std::string hostile = runs().file("<img src=x onerror=alert(1)>.sqlite");
  std::ofstream(hostile, std::ios::binary)
      << std::ifstream(runs().gemm(), std::ios::binary).rdbuf();
  Viewer viewer({hostile});
  BOOST_TEST(viewer.value("document.querySelectorAll('img').length") == 0);
  BOOST_TEST(viewer.value("text('#run-choice')").get<std::string>().find("<img") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_exported_file_opens_from_disk_without_a_request) {
  const std::string file = runs().file("export.html");
  const ProgramResult result = kernbench_program({"web", runs().gemm(), "--export", file});
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  Browser browser;
  browser.open("file://" + file, Viewer::ready);
  browser.value(helpers);
  browser.wait_until("map().uses?.answers.size > 0");
  browser.key("2", "2");
  browser.wait_until("document.querySelectorAll('.summary .limits tbody tr').length > 0");
  BOOST_TEST(browser.value("return performance.getEntriesByType('resource').length;") == 0);
  BOOST_TEST(browser.take_faults().dump() == "[]");
}

BOOST_AUTO_TEST_CASE(a_page_of_another_origin_reads_nothing) {
  const ServedProgram server({});
  Browser browser;
  browser.open("about:blank");
  const std::string address = "http://127.0.0.1:" + std::to_string(server.port()) + "/api/session";
  const nlohmann::json answer = browser.value(
      "try { const answer = await fetch('" + address + "', { headers: { 'X-Kernbench-Token': '" +
      server.token() +
      "' } }); return 'read ' + answer.status; } catch (fault) { return 'refused'; }");
  BOOST_TEST(answer == "refused");
}

BOOST_AUTO_TEST_CASE(a_frame_of_sixteen_sips_draws_a_bounded_number_of_blocks) {
  Viewer viewer({"--set", "system.sips.count=16"});
  // Blocks of the frame with the most, from the whole machine to a hundredth of it.
  const int drawn = viewer.browser().value(R"js(
    let most = 0;
    const whole = map().view;
    for (let k = 1; k < 100; k *= 1.3) {
      map().setView({ k: whole.k * k, x: map().width / 2 - (map().width / 2 - whole.x) * k, y: map().height / 2 - (map().height / 2 - whole.y) * k });
      map().draw();
      most = Math.max(most, map().statistics.blocks);
    }
    return most;)js");
  BOOST_TEST(drawn > 300);
  BOOST_TEST(drawn <= 4100);
}

BOOST_AUTO_TEST_SUITE_END()
