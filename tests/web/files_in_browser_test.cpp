// Files that `kernbench web` opens and writes, in a browser: results of sweeps, names with HTML,
// the export, a log of a million operations, a page of another origin.
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "platform/events/op_log_schema.h"
#include "tests/web/viewer_page.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(files_in_browser, *boost::unit_test::precondition(has_chromium))

namespace {

// --- A long log

// Copies of the rows of a table: each later by `length`, with numbers of its own.
template <class Row>
void repeat_rows(SQLite::Database& log, std::int64_t length) {
  const auto is_time = [](const std::string& name) { return name.compare(0, 2, "t_") == 0; };
  std::string values;
  for (const kernbench::ColumnText& column : kernbench::column_texts<Row>()) {
    const std::string name = column.name;
    if (!values.empty()) values += ", ";
    if (is_time(name)) {
      values += fmt::format("{} + n * {}", name, length);
    } else if (name == "id" || name == "command" || name == "launch") {
      values += fmt::format("{} + n * (SELECT max(count) FROM base_counts)", name);
    } else if (name == "request") {
      values += "request || '.' || n";
    } else {
      values += column.use == kernbench::ColumnUse::record ? "NULL" : name;
    }
  }
  const std::string table = Row::table;
  for (const std::string columns : Row::indices)
    log.exec("DROP INDEX " + table + "_by_" + columns.substr(0, columns.find(',')));
  log.exec("CREATE TEMP TABLE base_" + table + " AS SELECT * FROM " + table);
  log.exec("INSERT INTO " + table + " SELECT " + values + " FROM copies CROSS JOIN base_" + table);
  for (const char* columns : Row::indices)
    log.exec(kernbench::index_statement(Row::table, columns));
}

// Repeats a run until its log has at least so many operations.
void lengthen(const std::string& path, std::int64_t operations) {
  SQLite::Database log(path, SQLite::OPEN_READWRITE);
  const auto number = [&](const char* sql) { return log.execAndGet(sql).getInt64(); };
  log.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
  // Numbers of copies differ from those of the run by a multiple of more than the largest of them.
  log.exec(
      "CREATE TEMP TABLE base_counts AS SELECT max(id) AS count FROM ops UNION ALL "
      "SELECT max(command) FROM commands UNION ALL SELECT max(id) FROM launches");
  log.exec(
      fmt::format("CREATE TEMP TABLE copies AS WITH RECURSIVE each(n) AS (SELECT 1 UNION ALL "
                  "SELECT n + 1 FROM each WHERE n < {}) SELECT n FROM each",
                  operations / number("SELECT count(*) FROM ops")));
  const std::int64_t length = number("SELECT max(t_end_fs) FROM launches");
  using namespace kernbench;
  // Counters per window become those of windows that are as much longer.
  const std::int64_t factor = number("SELECT 1 + count(*) FROM copies");
  log.exec(fmt::format(
      "UPDATE windows SET t_begin_fs = {0} * t_begin_fs, t_end_fs = {0} * t_end_fs, length_fs = "
      "{0} * length_fs; UPDATE server_use SET busy_fs = {0} * busy_fs, stalled_fs = {0} * "
      "stalled_fs, bytes = {0} * bytes",
      factor));
  repeat_rows<ExecutedOpRow>(log, length);
  repeat_rows<LaunchRow>(log, length);
  repeat_rows<KernelStartRow>(log, length);
  repeat_rows<RunRow>(log, length);
  repeat_rows<WaitRow>(log, length);
  repeat_rows<CommandRow>(log, length);
  log.exec("COMMIT");
}

// The most memory that a process has had, in MiB.
std::size_t peak_memory_mib(::pid_t pid) {
  std::istringstream words(read_file("/proc/" + std::to_string(pid) + "/status"));
  std::string word;
  while (words >> word && word != "VmHWM:") {
  }
  std::size_t kib = 0;
  words >> kib;
  return kib >> 10;
}

// --- Names with HTML

const std::string image = "<img src=x onerror=window.attacked=1>";
const std::string script = "</script><script>window.attacked=1</script>";

// Log in which each name that the page shows is hostile.
std::string hostile_log() {
  return changed_log(
      runs().all_reduce(), image + ".sqlite",
      "UPDATE launches SET kernel = '" + image + "'; UPDATE launch_work SET name = '" + image +
          "'; UPDATE runs SET kernel = '" + script + "'; UPDATE kernel_starts SET kernel = '" +
          script + "'; UPDATE ops SET name = name || '" + image + "'; UPDATE meta SET value = '" +
          script + image +
          "' WHERE key IN ('bench', 'command_line', 'device', 'program_version', 'topology')");
}

// All views show the names as text, and nothing of them becomes an element.
void check_names_are_text(Browser& browser) {
  const auto is_shown = [](const std::string& selector, const std::string& name) {
    return "document.querySelector('" + selector + "')?.textContent.includes(\"" + name + "\")";
  };
  browser.wait_until("timeline().lanes.some((lane) => lane.labels.includes(\"" + script + "\"))");
  browser.wait_until(is_shown("#run-choice", image));
  browser.wait_until(is_shown("#machine-choice", image));
  browser.key("2", "2");
  browser.wait_until(is_shown(".view.summary", script));
  browser.key("4", "4");
  browser.wait_until(is_shown(".view.path", image));
  browser.key("3", "3");
  browser.wait_until(
      "document.querySelector(\".tables [data-name='operators.operators']\") !== null");
  browser.value("document.querySelector(\".tables [data-name='operators.operators']\").click()");
  browser.wait_until(is_shown(".tablebody", image));
  browser.value("document.querySelector(\".tables [data-name='top.operations']\").click()");
  browser.wait_until(is_shown(".tablebody", "onerror"));
  BOOST_TEST(browser.value("return document.images.length;") == 0);
  BOOST_TEST(browser.value("return window.attacked === undefined;") == true);
}

}  // namespace

BOOST_AUTO_TEST_CASE(results_of_a_sweep_are_tables_and_figures) {
  const std::string plan = runs().write(
      "plan.yaml",
      "title: Sizes <b>\ntext: Which one?\nbench: gemm-single-pe\ntopology: tiny\naxes: {M: [32, "
      "64]}\nfigures:\n  - {name: time, kind: lines, x: M, y: simulated_ns, title: Time & size}\n");
  completed({"sweep", plan, "--out", runs().file("swept")});
  Viewer viewer({runs().file("swept"), runs().file("swept/results.sqlite"), "--topology", "tiny"});
  Browser& browser = viewer.browser();
  viewer.press("#show-sweeps");
  browser.wait_until("document.querySelectorAll('#sweeps table tbody tr').length > 0");
  BOOST_TEST(viewer.value("document.querySelectorAll('#sweeps select option').length") == 2);
  BOOST_TEST(viewer.value("document.querySelector('#sweeps table').tBodies[0].rows.length") == 2);
  const std::string text = viewer.text("#sweeps");
  for (const char* part : {"Sizes <b>", "Which one?", "Time & size", "simulated"})
    BOOST_TEST(text.find(part) != std::string::npos, part);
  browser.wait_until("document.querySelector('#sweeps figure img').naturalWidth > 100");
  viewer.picture("-open");
  viewer.press("#sweeps .close");
  browser.wait_until("!document.querySelector('#sweeps').open");
}

BOOST_AUTO_TEST_CASE(names_with_html_are_text) {
  Viewer viewer({hostile_log()});
  check_names_are_text(viewer.browser());
}

BOOST_AUTO_TEST_CASE(the_exported_file_opens_from_disk_without_a_request) {
  const std::string file = runs().file("export.html");
  completed({"web", hostile_log(), "--export", file});
  Browser& browser = shared_browser();
  browser.open("file://" + file, Viewer::ready);
  browser.value(Viewer::helpers);
  browser.wait_until("map().uses?.answers.size > 0");
  const std::string blocks = "map().uses.shown.get('').blocks";
  const std::string whole = browser.value("return " + blocks + ";").dump();
  // Intervals are those of the file.
  browser.value(
      "timeline().setInterval({ from: 0.5 * timeline().end, to: 0.52 * timeline().end });");
  browser.wait_until("map().uses.interval?.to - map().uses.interval?.from < 0.04 * timeline().end");
  browser.wait_until("JSON.stringify(" + blocks + ") !== '" + whole + "'");
  // The chart draws its lanes: bars in their colours, names left of them.
  browser.value(
      "window.chartColours = (left, right) => { const { gantt } = timeline(), scale = gantt.width "
      "/ "
      "gantt.clientWidth, canvas = document.createElement('canvas'), colours = new Set(); "
      "canvas.width = gantt.width; canvas.height = gantt.height; const ctx = canvas.getContext("
      "'2d', { willReadFrequently: true }); ctx.drawImage(gantt, 0, 0); const { data } = "
      "ctx.getImageData(left * scale, 24 * scale, (right - left) * scale, gantt.height - 24 * "
      "scale); for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) colours.add('#' + "
      "[...data.slice(i, i + 3)].map((each) => each.toString(16).padStart(2, '0')).join('')); "
      "return colours; };");
  browser.wait_until(
      "chartColours(190, timeline().width).has(timeline().options.theme().series[5])");
  BOOST_TEST(browser.value("return chartColours(0, 190).size;").get<int>() > 1);
  check_names_are_text(browser);
  BOOST_TEST(browser.value("return performance.getEntriesByType('resource').length;") == 0);
  BOOST_TEST(browser.take_faults().dump() == "[]");
}

BOOST_AUTO_TEST_CASE(faults_of_files_are_on_the_page_next_to_the_other_runs) {
  const std::string wrong = runs().write("<b>wrong</b>.sqlite", "nothing");
  Viewer viewer({wrong, runs().gemm()});
  BOOST_TEST(viewer.text("#problems").find("<b>wrong</b>") != std::string::npos);
  BOOST_TEST(viewer.value("document.querySelector('#problems b') === null") == true);
  viewer.press("#problems .close");
  viewer.browser().wait_until("document.querySelector('#problems').hidden");
}

BOOST_AUTO_TEST_CASE(without_its_token_the_page_says_what_it_lacks) {
  Viewer viewer({"--topology", "tiny"});
  Browser& browser = viewer.browser();
  browser.open("http://127.0.0.1:" + std::to_string(viewer.server().port()) + "/",
               "document.querySelector('#problems').textContent.includes('lacks the token')");
  for (const nlohmann::json& fault : browser.take_faults())
    BOOST_TEST(fault.get<std::string>().find("401") != std::string::npos, fault);
}

BOOST_AUTO_TEST_CASE(a_page_of_another_origin_reads_nothing) {
  const ServedProgram server({});
  Browser& browser = shared_browser();
  const ServedProgram hostile({"--topology", "tiny"});
  // A page of a server on another port, and one of no origin.
  for (const std::string& page :
       {"http://127.0.0.1:" + std::to_string(hostile.port()) + "/", std::string("about:blank")}) {
    browser.open(page);
    const std::string address =
        "http://127.0.0.1:" + std::to_string(server.port()) + "/api/session";
    const nlohmann::json answer = browser.value(
        "try { const answer = await fetch('" + address + "', { headers: { 'X-Kernbench-Token': '" +
        server.token() +
        "' } }); return 'read ' + answer.status; } catch (fault) { return 'refused'; }");
    BOOST_TEST(answer == "refused");
    // Neither is it shown in a frame, nor is a run started by a form, which needs no permission.
    const nlohmann::json posted = browser.value(
        "try { const answer = await fetch('http://127.0.0.1:" + std::to_string(server.port()) +
        "/api/jobs', { method: 'POST', mode: 'no-cors', body: '{\"bench\": \"gemm-single-pe\"}' });"
        " return answer.type; } catch (fault) { return 'refused'; }");
    BOOST_TEST((posted == "opaque" || posted == "refused"), posted);
  }
  BOOST_TEST(server.json("/api/jobs").empty());
  browser.open("about:blank");
  browser.take_faults();
}

BOOST_AUTO_TEST_CASE(a_log_of_a_million_operations_is_shown_with_bounded_answers_and_memory) {
  const std::string log = changed_log(runs().all_reduce(), "million.sqlite", "");
  lengthen(log, 1'000'000);
  {
    Viewer viewer({log});
    Browser& browser = viewer.browser();
    ServedProgram& server = viewer.server();
    BOOST_TEST(server.json("/api/session")["runs"][0]["operations"].get<int>() >= 1'000'000);
    browser.wait_until("map().uses?.shown.get('')?.blocks.some((share) => share > 0)");
    browser.wait_until("timeline().lanes.length > 0 && !timeline().isPartial");
    // Deep in the run, engines of one PE.
    browser.value(
        "timeline().setView(0.5 * timeline().end, 0.505 * timeline().end);"
        "timeline().store.set({ laneScope: 'sip0.cube0.pe0' });");
    browser.wait_until(
        "timeline().lanes.some((lane) => lane.kind === 'engine' && lane.bars.length > 5)");
    viewer.picture("-deep");
    browser.key("2", "2");
    browser.wait_until("document.querySelectorAll('.summary .limits tbody tr').length > 0");
    browser.key("3", "3");
    browser.wait_until("document.querySelectorAll('.tablebody tbody tr').length > 0");
    browser.key("4", "4");
    browser.wait_until("document.querySelectorAll('.path button.place').length > 0");
    const auto check_bytes = [&](const std::string& target, std::size_t most) {
      const HttpAnswer answer = server.get(target);
      BOOST_TEST(answer.status == 200, target);
      BOOST_TEST(answer.body.size() <= most, target << ": " << answer.body.size());
    };
    // At most two bars per bin of a lane, of at most 45 bytes; launches, and kernels of 32 PEs or
    // engines of one.
    check_bytes("/api/run/0/timeline?bins=700", 34 * 2 * 700 * 45);
    check_bytes("/api/run/0/timeline?bins=700&scope=sip0.cube0.pe0", 16 * 2 * 700 * 45);
    check_bytes("/api/run/0/overview?bins=512", 512 * 200);
    check_bytes("/api/run/0/summary", 64 << 10);
    check_bytes("/api/run/0/table/top.operations", 5000 * 200);
    check_bytes("/api/run/0/critical-path", 4000 * 250 + 1000 * 100);
    // An operation takes about 32 bytes for the chart and 200 while a critical path is searched.
    const std::size_t memory = peak_memory_mib(server.pid());
    BOOST_TEST_MESSAGE("memory of the server: " << memory << " MiB");
#ifndef __SANITIZE_ADDRESS__
    BOOST_TEST(memory < 600U);
#endif
  }
  std::filesystem::remove(log);
}

BOOST_AUTO_TEST_SUITE_END()
