// Map, search, routes and appearance of the page of `kernbench web` (docs/viewer.md), in a browser.
#include <boost/test/unit_test.hpp>

#include "tests/web/viewer_page.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(viewer_in_browser, *boost::unit_test::precondition(has_chromium))

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

BOOST_AUTO_TEST_CASE(keys_zoom_and_move_the_map_and_help_lists_them) {
  Viewer viewer({"--topology", "tiny"});
  Browser& browser = viewer.browser();
  browser.key("m", "m");
  const std::string whole = viewer.value("map().view").dump();
  const std::string near = "const near = (a, b) => Math.abs(a - b) < 1e-6 * Math.abs(b);";
  const auto wait_for_view = [&](const std::string& condition) {
    browser.wait_until("((v, w) => {" + near + "return " + condition + ";})(map().view, " + whole +
                       ")");
  };
  browser.key("+", "+");
  wait_for_view("v.k > 1.3 * w.k");
  browser.key("-", "-");
  wait_for_view("near(v.k, w.k)");
  browser.key("ArrowRight", "", Browser::shift);
  wait_for_view("near(v.x, w.x - 80)");
  browser.key("ArrowUp", "", Browser::shift);
  wait_for_view("near(v.y, w.y + 80)");
  browser.key("0", "0");
  wait_for_view("near(v.x, w.x) && near(v.y, w.y)");
  BOOST_TEST(viewer.selected() == "Nothing selected");
  browser.key("?", "?");
  browser.wait_until("document.querySelector('#help').open");
  for (const char* key : {"search a node", "neighbour", "one level out", "route", "replay"})
    BOOST_TEST(viewer.text("#help").find(key) != std::string::npos, key);
  viewer.picture("-help");
  viewer.press("#help .close");
  browser.wait_until("!document.querySelector('#help').open");
}

BOOST_AUTO_TEST_CASE(a_click_on_a_link_selects_the_direction_on_whose_right_it_is) {
  Viewer viewer({"--topology", "tiny"});
  Browser& browser = viewer.browser();
  // Middle of the first part of the link, and the right of its direction there.
  const nlohmann::json at = browser.value(R"js(
    map().zoomTo("sip0.cube0");
    map().draw();
    const { points } = map().scene.link("sip0.cube0.r0c0", "sip0.cube0.r0c1");
    const [[ax, ay], [bx, by]] = points.map(([x, y]) => [map().view.x + map().view.k * x, map().view.y + map().view.k * y]);
    const box = map().canvas.getBoundingClientRect(), length = Math.hypot(bx - ax, by - ay);
    return [box.x + (ax + bx) / 2, box.y + (ay + by) / 2, -(by - ay) / length, (bx - ax) / length];)js");
  const double x = at[0], y = at[1], right_x = at[2], right_y = at[3];
  browser.click(x + 2 * right_x, y + 2 * right_y);
  browser.wait_until("map().selected === 'sip0.cube0.r0c0 > sip0.cube0.r0c1'");
  browser.wait_until("text('#panel .attributes')?.includes('bandwidth')");
  browser.click(x - 2 * right_x, y - 2 * right_y);
  browser.wait_until("map().selected === 'sip0.cube0.r0c1 > sip0.cube0.r0c0'");
}

BOOST_AUTO_TEST_CASE(the_arrow_keys_choose_in_the_search) {
  Viewer viewer({"--topology", "tiny"});
  Browser& browser = viewer.browser();
  browser.key("/", "/");
  browser.type("pe_gemm");
  browser.wait_until("document.querySelectorAll('#search-list [role=option]').length > 2");
  const std::string third =
      viewer.value("document.querySelectorAll('#search-list .name')[2].textContent");
  for (const char* key : {"ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp", "Enter"})
    browser.key(key);
  browser.wait_until("map().selected === '" + third + "'");
}

BOOST_AUTO_TEST_CASE(differences_of_two_topologies_are_coloured_and_listed) {
  const std::string a =
      runs().write("two-sips.yaml",
                   "include: topology.tiny.yaml\nsystem: {sips: {count: 2}}\n"
                   "cube: {pe_template: {components: {pe_dma: {attrs: {rd_engines: 8}}}}}\n");
  const std::string b = runs().write("one-sip.yaml", "include: topology.tiny.yaml\n");
  Viewer viewer({a, b});
  Browser& browser = viewer.browser();
  // As a user chooses it; the colour is that of a corner of the block.
  browser.value(
      "const choice = document.querySelector('#machine-choice'); choice.value = '0-1'; "
      "choice.dispatchEvent(new Event('change'));");
  browser.wait_until("map().marks?.size > 0 && text('.legend').includes('only A')");
  const auto colour = [&](const std::string& scope, const std::string& node) {
    return browser
        .value("map().zoomTo('" + scope +
               "'); map().draw();"
               "const { box } = map().scene.path('" +
               node +
               "').pop();"
               "const { x, y, w, h } = map().screenBox(box);"
               "return pixel(x + w / 2, y + 0.85 * h);")
        .get<std::string>();
  };
  const auto theme = [&](const std::string& key) {
    return viewer.value("map().theme." + key).get<std::string>();
  };
  BOOST_TEST(colour("sip0.cube0.pe0", "sip0.cube0.pe0.pe_dma") == theme("changed"));
  BOOST_TEST(colour("sip0.cube0.pe0", "sip0.cube0.pe0.pe_gemm") == theme("kinds.compute[0]"));
  viewer.picture("-changed");
  BOOST_TEST(colour("sip1.cube0.pe0", "sip1.cube0.pe0.pe_gemm") == theme("onlyA"));
  const std::string list = viewer.text("#panel .body");
  BOOST_TEST(list.find("rd_engines") != std::string::npos);
  BOOST_TEST(list.find("only in A") != std::string::npos);
  browser.wait_until("location.hash.includes('difference=1')");
}

BOOST_AUTO_TEST_CASE(light_and_dark_are_those_of_the_system_until_chosen) {
  Viewer viewer({"--topology", "tiny"});
  Browser& browser = viewer.browser();
  const auto ground = [&] {
    return viewer.value("map().draw() ?? pixel(2, 2)").get<std::string>();
  };
  const std::string light = ground();
  browser.prefer_colours("dark");
  browser.wait_until("document.documentElement.dataset.theme === 'dark'");
  const std::string dark = ground();
  BOOST_TEST(dark != light);
  BOOST_TEST(viewer.value("getComputedStyle(document.body).backgroundColor") !=
             "rgb(255, 255, 255)");
  viewer.picture("-dark");
  viewer.press("#theme");
  browser.wait_until("document.documentElement.dataset.theme === 'light'");
  BOOST_TEST(ground() == light);
  viewer.go(viewer.address());  // kept, although the system is dark
  BOOST_TEST(ground() == light);
  browser.prefer_colours("light");
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

BOOST_AUTO_TEST_CASE(a_frame_of_sixteen_sips_has_a_bounded_number_of_calls) {
  // Any statistics colour all blocks, and links by direction.
  const std::string statistics =
      runs().write("links.json", R"({"links": [{"src": "sip0.cube0.r0c0", "dst": "sip0.cube0.r0c1",
                                  "utilisation": 0.5}]})");
  for (const bool with_run : {false, true}) {
    Words words{"--topology", "topology.yaml", "--set", "system.sips.count=16"};
    if (with_run) words.push_back(statistics);
    Viewer viewer(words);
    Browser& browser = viewer.browser();
    browser.value("document.documentElement.style.setProperty('--dock', '120px');");
    browser.wait_until("map().height > 600" +
                       std::string(with_run ? " && Boolean(map().uses)" : ""));
    // The frame with most blocks, of those around the middle and around a SIP.
    const nlohmann::json most = browser.value(R"js(
      const kinds = ["fillRect", "fillText", "fill", "stroke", "strokeRect", "clearRect"];
      window.calls = 0;
      for (const kind of kinds) {
        const drawn = CanvasRenderingContext2D.prototype[kind];
        CanvasRenderingContext2D.prototype[kind] = function (...rest) { ++window.calls; return drawn.apply(this, rest); };
      }
      map().fit(false);
      const whole = map().view, { width, height } = map(), sip = map().scene.path("sip5").pop().box;
      const middles = [[(width / 2 - whole.x) / whole.k, (height / 2 - whole.y) / whole.k], [sip.x + sip.w / 2, sip.y + sip.h / 2]];
      let most = { blocks: 0 };
      for (const [x, y] of middles) {
        for (let k = whole.k; k < 100 * whole.k; k *= 1.1) {
          const view = { k, x: width / 2 - x * k, y: height / 2 - y * k };
          map().setView(view);
          window.calls = 0;
          map().draw();
          const { blocks, links } = map().statistics;
          if (blocks > most.blocks) most = { blocks, links, calls: window.calls, view };
        }
      }
      map().setView(most.view);
      return most;)js");
    const int blocks = most["blocks"], links = most["links"], calls = most["calls"];
    BOOST_TEST(blocks > 1000);
    BOOST_TEST(blocks <= 4100);
    // A block: edge, ground, two texts. A link: a rectangle for each of at most three parts, with a
    // run in both directions.
    BOOST_TEST(calls <= 4 * blocks + (with_run ? 6 : 3) * links);
    // A measurement, no limit: processor time depends on the host.
    constexpr int frames = 50;
    if (with_run) browser.wait_until("!map().uses.pending && map().uses.wanted.size === 0");
    const auto ms_of_frame = [&](const std::string& change) {
      const double before = browser.processor_seconds();
      browser.value("for (let i = 0; i < " + std::to_string(frames) + "; ++i) { " + change +
                    "; await new Promise(requestAnimationFrame); } pixel(0, 0);");
      return 1000 * (browser.processor_seconds() - before) / frames;
    };
    const double redrawn = ms_of_frame("map().later()");
    const double moved =
        ms_of_frame("map().setView({ ...map().view, x: map().view.x + (i % 2 === 0 ? 3 : -3) })");
    BOOST_TEST_MESSAGE("frame " << (with_run ? "with" : "without") << " a run: " << blocks
                                << " blocks, " << links << " links, " << calls << " calls; "
                                << redrawn << " ms of processor time redrawn, " << moved
                                << " ms after a move");
  }
}

BOOST_AUTO_TEST_SUITE_END()
