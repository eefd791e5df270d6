// The way to a bottleneck on the page of `kernbench web` (docs/viewer.md): the verdict, busiest
// links of a file, colours of engines and their scale.
#include <boost/test/unit_test.hpp>

#include "tests/web/viewer_page.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(bottlenecks_in_browser, *boost::unit_test::precondition(has_chromium))

BOOST_AUTO_TEST_CASE(the_verdict_of_the_limits_is_above_their_table_with_its_window) {
  Viewer viewer({runs().gemm()}, "#tab=summary");
  Browser& browser = viewer.browser();
  browser.wait_until("document.querySelectorAll('.summary .limits tbody tr').length > 0");
  const Json limits = viewer.server().json("/api/run/0/summary")["bottleneck"];
  const std::string verdict = limits["verdict"];
  BOOST_TEST(verdict.find(limits["limit"].get<std::string>()) == 0U, verdict);
  // The text of `inspect --limits`, which breaks lines.
  const std::string told = completed({"inspect", runs().gemm(), "--limits"}).out;
  BOOST_TEST(told.find("limit: " + verdict.substr(0, 20)) != std::string::npos, told);
  BOOST_TEST(viewer.text(".summary .verdict strong") == "limit: " + verdict);
  BOOST_TEST(viewer.value("document.querySelector('.summary .limits').firstElementChild === "
                          "document.querySelector('.verdict')") == true);
  BOOST_TEST(viewer.text(".summary .verdict").find(". Window: ") != std::string::npos);
  BOOST_TEST(viewer.text(".summary .verdict").find("in which kernels ran") != std::string::npos);
  // In an interval it is still of the whole run.
  const std::string note = "document.querySelector('.summary .of-interval').hidden";
  BOOST_TEST(viewer.value(note) == true);
  browser.value(
      "timeline().setInterval({ from: 0.4 * timeline().end, to: 0.5 * timeline().end });");
  browser.wait_until("!" + note);
}

BOOST_AUTO_TEST_CASE(the_largest_resource_of_the_critical_path_is_below_the_verdict) {
  Viewer viewer({runs().all_reduce()}, "#tab=summary");
  Browser& browser = viewer.browser();
  browser.wait_until("document.querySelector('.cause button') !== null");
  const Json path = viewer.server().json("/api/run/0/critical-path");
  const Json& resources = path["resources"];
  const std::string cause = viewer.text(".summary .cause");
  BOOST_TEST(cause.find("Critical path") == 0U, cause);
  BOOST_TEST(
      cause.find(": " + resources[0]["resource"].get<std::string>() + ' ') != std::string::npos,
      cause);
  BOOST_TEST(cause.find("without it at least ") != std::string::npos, cause);
  BOOST_TEST(viewer.value("(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)"
                          "(document.querySelector('.summary .limits .scroll'))") == true);
  BOOST_TEST(viewer.value("document.querySelector('.summary .facts').open") == false);
  viewer.press(".summary .cause button");
  browser.wait_until("document.querySelectorAll('.path .resources tbody tr').length > 0");
  BOOST_TEST(viewer.value("document.querySelectorAll('.path .resources tbody tr').length") ==
             resources.size());
  // Nodes include what the map does not have: it leads to the machine.
  const std::string dispatch =
      "[...document.querySelectorAll('.path .resources + .scroll tbody tr')].find((row) => "
      "row.cells[0].textContent.startsWith('host > '))";
  BOOST_TEST(viewer.value(dispatch + " !== undefined") == true);
  browser.value(dispatch + ".querySelector('button').click()");
  browser.wait_until("timeline().store.state.target?.place === ''");
  // A resource leads to its longest step.
  browser.value("document.querySelector('.path .resources button.place').click()");
  browser.wait_until("timeline().store.state.target?.to_fs > 0");
}

BOOST_AUTO_TEST_CASE(the_window_of_traffic_is_the_whole_run_and_has_no_kernels) {
  const std::string statistics = runs().file("traffic.json");
  completed({"traffic", "--generate", "hotspot", "--stats", statistics});
  Viewer viewer({statistics}, "#tab=summary");
  viewer.browser().wait_until("document.querySelectorAll('.summary .limits tbody tr').length > 0");
  const std::string verdict = viewer.text(".summary .verdict");
  BOOST_TEST(verdict.find(", the whole run.") != std::string::npos, verdict);
  BOOST_TEST(viewer.text(".summary .limits").find("kernels r") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(idle_memory_and_engines_that_hold_transfers_say_so) {
  Viewer viewer({runs().gemm()}, "#place=sip0.cube0.hbm_ctrl.pe3&tab=summary");
  Browser& browser = viewer.browser();
  browser.wait_until("text('#panel .use').includes('idle in this window')");
  browser.value("map().options.onSelect('sip0.cube0.pe0.pe_mmu')");
  browser.wait_until("text('#panel .use').includes('nothing is counted here')");
  browser.value("map().options.onSelect('sip0.cube0.pe0.pe_dma')");
  browser.wait_until(
      "text('#panel .use').includes('PE_DMA: share of the time with a transfer in flight')");
}

BOOST_AUTO_TEST_CASE(the_busiest_link_of_a_file_of_links_is_its_first_row) {
  Viewer viewer({runs().hot_spot()});
  Browser& browser = viewer.browser();
  browser.wait_until("document.querySelectorAll('.summary .limits tbody tr').length > 10");
  BOOST_TEST(viewer.text(".summary .limits").find("has no limits") != std::string::npos);
  browser.value(
      "window.shares = (view) => { const titles = [...document.querySelectorAll(view + ' thead "
      "th')].map((th) => th.firstChild.textContent), at = titles.indexOf('utilisation');"
      "return [...document.querySelectorAll(view + ' tbody tr')].map((row) => "
      "Number(row.cells[at].textContent)); };"
      "window.descends = (list) => list.every((each, i) => i === 0 || each <= list[i - 1]);");
  BOOST_TEST(viewer.value("descends(shares('.summary')) && shares('.summary')[0] > 0") == true);
  const std::string row = ".summary .limits tbody tr";
  const std::string link =
      viewer.value("(() => { const { cells } = document.querySelector('" + row +
                   "'); return cells[0].textContent + ' > ' + "
                   "cells[1].textContent; })()");
  browser.value("document.querySelector('" + row + " button.place').click()");
  browser.wait_until("map().selected === '" + link + "'");
  browser.wait_until(
      "text('#panel .servers')?.includes('%') && text('.legend').includes('over the run')");
  // A node has the numbers of its links.
  browser.value("map().options.onSelect('" + link.substr(0, link.find(" > ")) + "')");
  browser.wait_until("document.querySelectorAll('#panel .servers tbody tr').length > 1");
  browser.key("4", "4");
  browser.key("3", "3");
  browser.wait_until("document.querySelectorAll('.tablebody tbody tr').length > 10");
  BOOST_TEST(viewer.value("descends(shares('.tablebody'))") == true);
}

BOOST_AUTO_TEST_CASE(engines_have_the_colour_of_their_use_by_a_scale_of_the_whole_machine) {
  Viewer viewer({runs().gemm()}, "#place=sip0.cube0.pe0&tab=summary");
  Browser& browser = viewer.browser();
  browser.wait_until("map().uses?.shown.get('sip0.cube0.pe0') !== undefined");
  browser.value(
      "window.shareOf = (engine) => map().uses.shown.get('sip0.cube0.pe0')"
      ".blocks[map().scene.path('sip0.cube0.pe0.' + engine).pop().index];");
  for (const char* engine : {"pe_dma", "pe_gemm", "pe_tcm"})
    BOOST_TEST(viewer.value("shareOf('" + std::string(engine) + "')").get<double>() > 0, engine);
  BOOST_TEST(viewer.value("shareOf('pe_mmu') === null") == true);  // not counted: white
  browser.wait_until("text('.legend').includes('while kernels ran')");
  BOOST_TEST(viewer.text(".legend").find("not counted") != std::string::npos);
  // The scale stays while the view moves.
  const nlohmann::json top = viewer.value("map().uses.top");
  browser.key("0", "0");
  browser.wait_until(
      "map().uses.shown.get('') !== undefined && map().statistics.scopes.length !== 1");
  BOOST_TEST(viewer.value("map().uses.top") == top);
  // In an interval engines have its colours.
  const double whole = viewer.value("shareOf('pe_dma')");
  browser.value(
      "map().zoomTo('sip0.cube0.pe0'); timeline().setInterval({ from: 0, to: 0.05 * timeline().end "
      "});");
  browser.wait_until("text('.legend').includes('in the interval') && shareOf('pe_dma') !== " +
                     std::to_string(whole));
}

BOOST_AUTO_TEST_CASE(keys_zero_and_six_search_of_words_and_an_unknown_place) {
  Viewer viewer({runs().gemm()}, "#place=sip0.nothing&tab=summary");
  Browser& browser = viewer.browser();
  browser.wait_until("text('#panel .fault') !== null");
  BOOST_TEST(viewer.value("document.querySelectorAll('#panel .fault, #panel .note').length") == 1);
  browser.take_faults();  // the refused request
  browser.key("6", "6");  // no second run
  browser.value("document.querySelector('#tab-summary').focus()");
  BOOST_TEST(viewer.value("document.querySelector('#tab-summary').getAttribute('aria-selected')") ==
             "true");
  const double k = viewer.value("map().view.k");
  browser.value("map().zoomBy(3)");
  browser.key("0", "0");
  browser.wait_until("Math.abs(map().view.k / " + std::to_string(k) + " - 1) < 1e-3");
  browser.key("/", "/");
  browser.type("cube3 gemm pe1");
  browser.wait_until("document.querySelectorAll('#search-list [role=option]').length > 0");
  browser.key("Enter");
  browser.wait_until("text('#panel h2') === 'sip0.cube3.pe1.pe_gemm'");
  browser.key("/", "/");
  browser.type("nowhere");
  browser.wait_until("text('#search-list').includes('no node found')");
  browser.key("Escape");
  browser.key("Escape");
  BOOST_TEST(viewer.value("document.querySelector('#search-input').value") == "");
}

BOOST_AUTO_TEST_SUITE_END()
