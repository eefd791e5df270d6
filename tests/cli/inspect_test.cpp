// `kernbench inspect` on the logs of real runs (spec 10).
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(inspect_test)

namespace {

using json = nlohmann::ordered_json;

std::string record(const TemporaryFolder& folder, const std::string& name, const Words& more) {
  const std::string path = folder.file(name);
  Words words{"run", "--op-log", path};
  words.insert(words.end(), more.begin(), more.end());
  const ProgramResult result = kernbench_program(words);
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  return path;
}

ProgramResult inspect(const std::string& path, const Words& more = {}) {
  return kernbench_program(joined({"inspect", path}, more));
}

std::string rows(const std::string& path, const std::string& sql) {
  const ProgramResult result = inspect(path, {"--csv", "--sql", sql});
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  return result.out.substr(result.out.find('\n') + 1);
}

// The steps of a path as CSV; the columns before `what` have no commas.
struct Step {
  std::string start, end, kind, resource, where;
};
std::vector<Step> steps_of(const std::string& csv) {
  std::vector<Step> steps;
  std::size_t begin = csv.find('\n') + 1;
  for (std::size_t end; (end = csv.find('\n', begin)) != std::string::npos; begin = end + 1) {
    std::vector<std::string> fields;
    std::size_t field = begin;
    for (int i = 0; i < 6; ++i) {
      const std::size_t comma = csv.find(',', field);
      fields.push_back(csv.substr(field, comma - field));
      field = comma + 1;
    }
    steps.push_back({fields[0], fields[1], fields[3], fields[4], fields[5]});
  }
  return steps;
}

// Nanoseconds as written, in femtoseconds.
std::uint64_t fs_of(const std::string& ns) {
  const std::size_t point = ns.find('.');
  std::string decimals = point == std::string::npos ? "" : ns.substr(point + 1);
  decimals.resize(6, '0');
  return std::stoull(ns.substr(0, point)) * 1'000'000 + std::stoull(decimals);
}

// Every launch of the log: steps without a gap, from issue to end, all of them explained.
void check_paths(const std::string& log, const std::string& of) {
  const std::string launches = rows(log, "SELECT id, t_issue_fs, t_end_fs FROM launches");
  std::size_t begin = 0, count = 0;
  for (std::size_t end; (end = launches.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string line = launches.substr(begin, end - begin);
    const std::size_t first = line.find(','), second = line.rfind(',');
    const std::string id = line.substr(0, first);
    if (++count > 12) break;  // of many launches of one kind
    const ProgramResult result = inspect(log, {"--critical-path", id, "--csv"});
    BOOST_TEST_REQUIRE(result.status == 0, result.err);
    std::uint64_t at = std::stoull(line.substr(first + 1));
    for (const Step& step : steps_of(result.out)) {
      BOOST_TEST(fs_of(step.start) == at, of << ", launch " << id);
      BOOST_TEST(fs_of(step.end) > at);
      BOOST_TEST(step.resource != "not in the log",
                 of << ", launch " << id << " at " << step.start);
      at = fs_of(step.end);
    }
    BOOST_TEST(at == std::stoull(line.substr(second + 1)), of << ", launch " << id);
  }
  BOOST_TEST(count > 0U, of);
}

json critical_path(const std::string& log) {
  const ProgramResult result = inspect(log, {"--critical-path", "--json"});
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  return json::parse(result.out).at("critical_path");
}

double time_of(const json& path, const std::string& resource) {
  for (const json& each : path.at("resources"))
    if (each.at("resource") == resource) return each.at("time_ns");
  return 0;
}

}  // namespace

namespace {

std::uint64_t fs_in(const json& ns) {
  return static_cast<std::uint64_t>(std::llround(ns.get<double>() * 1e6));
}

}  // namespace

// What a run prints and what its log says is the same, and adds up to the times of its kernels.
BOOST_AUTO_TEST_CASE(times_on_pes_are_those_that_the_run_has_printed) {
  const TemporaryFolder folder;
  const std::vector<Words> runs{
      {"--bench", "gemm-single-pe", "--param", "compute=dot"},
      {"--bench", "mlp-fused"},
      {"--bench", "layernorm"},
      {"--bench", "ipcq-pingpong", "--param", "max_bytes=4096"},
      {"--bench", "ccl-allreduce", "--param", "n_elem=64"},
      {"--bench", "matmul-composite", "--param", "K=512"},
      {"--bench", "qkv-gemm-multi-pe"},
      {"--bench", "layernorm-backward"},
      {"--bench", "moe-routing"},
      joined({"--bench", "collectives", "--param", "max_bytes=1024"}, six_small_sips)};
  for (const Words& bench : runs) {
    const std::string log = folder.file(bench[1] + ".sqlite");
    Words words{"run", "--json", "--op-log", log};
    words.insert(words.end(), bench.begin(), bench.end());
    if (std::find(words.begin(), words.end(), "--topology") == words.end())
      words.insert(words.end(), {"--topology", "tiny"});
    const ProgramResult result = kernbench_program(words);
    BOOST_TEST_REQUIRE(result.status == 0, result.err);
    const json run = json::parse(result.out);
    const json& times = run.at("pe_time");
    BOOST_TEST((times == json::parse(inspect(log, {"--json"}).out).at("pe_time")), bench[1]);
    std::map<std::string, std::uint64_t> pe_exec;
    for (const json& launch : run.at("kernels"))
      for (const json& pe : launch.at("per_pe"))
        pe_exec[launch.at("kernel")] += fs_in(pe.at("pe_exec_ns"));
    BOOST_TEST_REQUIRE(times.size() == pe_exec.size());
    for (const json& kernel : times) {
      BOOST_TEST(fs_in(kernel.at("total_ns")) == pe_exec.at(kernel.at("kernel")));
      std::uint64_t parts = 0;
      for (const auto& [key, value] : kernel.items()) {
        if (key == "mac_busy_ns") break;  // behind the parts
        if (key != "kernel" && key != "runs" && key != "total_ns") parts += fs_in(value);
      }
      BOOST_TEST(parts == pe_exec.at(kernel.at("kernel")), bench[1]);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_critical_path_of_every_launch_adds_up_to_the_femtosecond) {
  const TemporaryFolder folder;
  const std::vector<Words> runs{
      {"--bench", "gemm-single-pe", "--param", "M=96", "--param", "K=256", "--param", "N=96"},
      {"--bench", "gemm-single-pe", "--param", "compute=dot"},
      {"--bench", "matmul-composite", "--param", "K=512", "--param", "variant=load_ref"},
      {"--bench", "mlp-fused"},
      {"--bench", "layernorm"},
      {"--bench", "gpt3-qkv", "--param", "tokens=8"},
      {"--bench", "gather-walk"},
      joined({"--bench", "ccl-allreduce", "--param", "n_elem=4096"}, six_small_sips),
      joined({"--bench", "ccl-allreduce", "--param", "algorithm=ring_allreduce", "--param",
              "buffer_kind=hbm"},
             six_small_sips),
      joined({"--bench", "collectives", "--param", "max_bytes=1024"}, six_small_sips),
      {"--bench", "ipcq-pingpong", "--param", "max_bytes=65536", "--param", "n_slots=2"},
      {"--bench", "ipcq-pingpong", "--param", "max_bytes=32768", "--param", "backpressure=poll"}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Words words = runs[i];
    if (std::find(words.begin(), words.end(), "--topology") == words.end())
      words.insert(words.end(), {"--topology", "tiny"});
    const std::string log = record(folder, std::to_string(i) + ".sqlite", words);
    check_paths(log, runs[i].at(1));
  }
}

// Tiles of 8 x 8 x 8 move 128 bytes at a time: the path lies on the reads, which pay the overhead
// of the memory and of the router for each of them.
BOOST_AUTO_TEST_CASE(a_badly_tiled_gemm_shows_its_stall) {
  const TemporaryFolder folder;
  const Words gemm{"--bench", "gemm-single-pe", "--topology", "tiny",    "--param",
                   "M=64",    "--param",        "K=64",       "--param", "N=64"};
  const std::string scheduler = "cube.pe_template.components.pe_scheduler.attrs.";
  Words tiled = gemm;
  for (const std::string key : {"tile_m", "tile_k", "tile_n"})
    tiled.insert(tiled.end(), {"--set", scheduler + key + "=8"});
  const std::string good = record(folder, "good.sqlite", gemm);
  const std::string bad = record(folder, "bad.sqlite", tiled);
  check_paths(bad, "badly tiled");
  const json path = critical_path(bad);
  BOOST_TEST(path.at("resources").at(0).at("resource") == "hbm_ctrl hbm");
  for (const char* hop : {"hbm_ctrl hbm", "router noc"})
    BOOST_TEST(time_of(path, hop) > 3 * time_of(critical_path(good), hop), hop);

  const ProgramResult compared = inspect(bad, {"--compare", good});
  BOOST_TEST(compared.status == 0, compared.err);
  BOOST_TEST(compared.out.find("cube.pe_template.components.pe_scheduler.attrs.tile_k") !=
                 std::string::npos,
             compared.out);
  const json comparison = json::parse(inspect(bad, {"--compare", good, "--json"}).out);
  std::uint64_t of_links = 0;  // bytes
  for (const json& time : comparison.at("comparison").at("times")) {
    if (time.at("name") == "pe_dma tile/DMA_READ") BOOST_TEST(time.at("difference_ns") < 0);
    if (time.at("what") == "links") of_links += time.at("a_count").get<std::uint64_t>();
  }
  const std::string bytes =
      inspect(bad, {"--csv", "--sql",
                    "SELECT sum(bytes) FROM server_use JOIN servers ON servers.id = server JOIN "
                    "windows ON windows.id = window WHERE windows.name = 'pe' AND src <> ''"})
          .out;
  BOOST_TEST(of_links > 0U);
  BOOST_TEST(bytes.substr(bytes.find('\n') + 1) == std::to_string(of_links) + "\n");
}

// The PEs of SIP 3 take 200 ns for each operation of their rings: all others wait for them.
BOOST_AUTO_TEST_CASE(the_late_rank_of_a_collective_is_on_the_path) {
  const TemporaryFolder folder;
  const std::string log =
      record(folder, "late.sqlite",
             joined({"--bench", "ccl-allreduce", "--set",
                     "overrides=[{match: 'sip3.cube*.pe*.pe_ipcq', attrs: {overhead_ns: 200}}]"},
                    six_small_sips));
  check_paths(log, "late rank");
  const json path = critical_path(log);
  double late = 0, others = 0;
  for (const json& step : path.at("steps")) {
    if (step.at("resource") != "pe_ipcq send" && step.at("resource") != "pe_ipcq receive") continue;
    const bool of_late = step.at("where").get<std::string>().rfind("sip3.", 0) == 0;
    (of_late ? late : others) += static_cast<double>(step.at("time_ns"));
  }
  BOOST_TEST(late >= 400);
  BOOST_TEST(others < late / 10);
}

BOOST_AUTO_TEST_CASE(equal_runs_give_equal_reports) {
  const TemporaryFolder first, second;
  const Words bench = joined({"--bench", "ccl-allreduce"}, six_small_sips);
  const std::string a = record(first, "log.sqlite", bench), b = record(second, "log.sqlite", bench);
  for (const Words& report :
       {Words{"--top"}, Words{"--timeline", "*"}, Words{"--critical-path"}, Words{"--stages"},
        Words{"--critical-path", "--csv"}, Words{"--timeline", "--json"},
        Words{"--sql", "SELECT * FROM runs, waits, commands, messages LIMIT 1000"}}) {
    const ProgramResult of_a = inspect(a, report), of_b = inspect(b, report);
    BOOST_TEST(of_a.status == 0, of_a.err);
    BOOST_TEST((of_a.out == of_b.out), report.front());
    BOOST_TEST(!of_a.out.empty());
  }
}

// What the limit of records in memory changes, is when rows are written.
BOOST_AUTO_TEST_CASE(the_limit_of_records_changes_no_row_of_any_table) {
  const TemporaryFolder folder;
  const Words bench = joined({"--bench", "ccl-allreduce"}, six_small_sips);
  Words spilled = bench;
  spilled.insert(spilled.end(), {"--op-log-limit", "3"});
  const std::string a = record(folder, "a.sqlite", bench), b = record(folder, "b.sqlite", spilled);
  for (const std::string table :
       {"launches", "runs", "waits", "commands", "messages", "places", "transfers", "hops",
        "servers", "windows", "server_use", "limits", "statistics"}) {
    const std::string of_a = rows(a, "SELECT * FROM " + table);
    BOOST_TEST(!of_a.empty(), table);
    BOOST_TEST((of_a == rows(b, "SELECT * FROM " + table)), table);
  }
}

BOOST_AUTO_TEST_CASE(the_summary_answers_the_first_questions) {
  const TemporaryFolder folder;
  const std::string log = record(folder, "a.db", {"--bench", "mlp-fused", "--topology", "tiny"});
  const ProgramResult result = inspect(log);
  BOOST_TEST_REQUIRE(result.status == 0, result.err);
  for (const char* text : {"bench         mlp-fused ", "\nlaunches\n", "\nengine ",
                           "\noperations by total", "\nkernels waited\n", "\ntime on PEs ",
                           "\nlimit: ", "\ncritical path of the longest launch ("})
    BOOST_TEST(result.out.find(text) != std::string::npos, text << " in " << result.out);
}

// A run that is stopped has launches that have not ended.
BOOST_AUTO_TEST_CASE(a_run_that_was_stopped_can_be_read) {
  const TemporaryFolder folder;
  const std::string log =
      record(folder, "a.sqlite", {"--bench", "mlp-fused", "--topology", "tiny", "--until", "900"});
  const ProgramResult summary = inspect(log);
  BOOST_TEST(summary.status == 0, summary.err);
  BOOST_TEST(contains(summary.out, "\nstatus        until_reached\n"), summary.out);
  const std::string running = record(  // its kernel lasts from 5.0 to 5.6 us
      folder, "c.sqlite", {"--bench", "mlp-fused", "--topology", "tiny", "--until", "5300"});
  BOOST_TEST(contains(inspect(running, {"--limits"}).out, "limit: not estimated, as the run was"));
  const std::string whole =
      record(folder, "b.sqlite", {"--bench", "mlp-fused", "--topology", "tiny"});
  const ProgramResult compared = inspect(whole, {"--compare", log});
  BOOST_TEST(contains(compared.out,
                      "times are not compared: the run of b has not completed "
                      "(until_reached)"),
             compared.out);
  const ProgramResult path = inspect(log, {"--critical-path"});
  BOOST_TEST(path.status == 2, path.out);
  BOOST_TEST(path.err.find("has no launch that has ended") != std::string::npos, path.err);
  for (const std::string report : {"--top", "--timeline", "--stages"}) {
    const ProgramResult result = inspect(log, {report});
    BOOST_TEST(result.status == 2, result.out);
    BOOST_TEST(
        result.err.find("has no operations, which " + report + " needs") != std::string::npos,
        result.err);
  }
}

// The head is that of the run: device and PE window.
BOOST_AUTO_TEST_CASE(the_head_of_the_summary_is_that_of_the_run) {
  const TemporaryFolder folder;
  const std::string log = folder.file("a.sqlite");
  const ProgramResult run =
      kernbench_program({"run", "--bench", "ccl-allreduce", "--topology", "tiny", "--op-log", log});
  BOOST_TEST_REQUIRE(run.status == 0, run.err);
  const std::string summary = inspect(log).out;
  const auto value = [](const std::string& text, const std::string& key) {
    const std::size_t begin = text.find_first_not_of(' ', text.find('\n' + key) + 1 + key.size());
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  for (const char* key : {"device", "seed", "PE window"})
    BOOST_TEST(value(summary, key) == value(run.out, key), key);
}

// CSV has what the text has: both tables of the transfers, the limits of the run and of kernels.
BOOST_AUTO_TEST_CASE(csv_holds_the_whole_report) {
  const TemporaryFolder folder;
  const std::string log = record(
      folder, "a.sqlite", {"--bench", "softmax-rows", "--topology", "tiny", "--kernel-limits"});
  const std::string breakdown = inspect(log, {"--breakdown", "--csv"}).out;
  BOOST_TEST(contains(breakdown, "\ntransfers,"), breakdown);
  BOOST_TEST(contains(breakdown, "\nhops,"), breakdown);
  const std::string limits = inspect(log, {"--kernel-limits", "--csv"}).out;
  BOOST_TEST(contains(limits, "kernel,window_ns,limit,resource,kind,"), limits);
  BOOST_TEST(contains(limits, "\nsoftmax"), limits);
  BOOST_TEST(contains(inspect(log, {"--servers"}).out, "window pe: "));
  BOOST_TEST(contains(inspect(log, {"--servers", "0:1000"}).out, "window 0:1000: "));
}

BOOST_AUTO_TEST_CASE(wrong_use_is_reported) {
  const TemporaryFolder folder;
  const std::string log =
      record(folder, "a.sqlite", {"--bench", "gemm-single-pe", "--topology", "tiny"});
  const auto fault = [&](const Words& more) {
    const ProgramResult result = inspect(log, more);
    BOOST_TEST(result.status == 2);
    BOOST_TEST(result.out.empty(), result.out);
    return result.err;
  };
  BOOST_TEST(fault({"--csv"}).find("--csv prints one table: name one of") != std::string::npos);
  BOOST_TEST(fault({"--csv", "--top", "--stages"}).find("--csv prints one table") !=
             std::string::npos);
  BOOST_TEST(fault({"--sql", "SELECT 1", "--top"}).find("--sql") != std::string::npos);
  BOOST_TEST(fault({"--critical-path", "9"}).find("has no launch 9, it has launch 1 only") !=
             std::string::npos);
  BOOST_TEST(fault({"--critical-path", "all"}).find("'all'") != std::string::npos);
  BOOST_TEST(fault({"--top", "--rows", "0"}).find("--rows") != std::string::npos);
  BOOST_TEST(
      contains(fault({"--timeline", "--rows", "3"}), "--rows applies to the summary and to"));
  BOOST_TEST(contains(fault({"--kernel-limits"}), "has no limits of kernels, which"));
  BOOST_TEST(contains(fault({"--compare", ""}), "--compare has an empty name"));
  BOOST_TEST(contains(fault({"--sql", ""}), "--sql has an empty name; it takes QUERY"));
  BOOST_TEST(contains(fault({"--servers", "9:x"}), "--servers 'x' is not a time in ns"));
  BOOST_TEST(contains(fault({"--servers", "1e6:2e6"}), "no server was used in such a window"));
  BOOST_TEST(fault({"--timeline", "*.pe_gem"}).find("'*.pe_gem'") != std::string::npos);
  for (const char* window : {"5", "7:5", "5:5", "a:b", "-5:7"})
    BOOST_TEST(fault({"--timeline", "--window", window}).find("--window") != std::string::npos,
               window);
  BOOST_TEST(fault({"--timeline", "--window", "5:5"}).find("is empty: FROM has to be less than") !=
             std::string::npos);
  // The log ends before 1 ms.
  BOOST_TEST(fault({"--timeline", "--window", "1e6:2e6"}).find("has nothing of '") !=
             std::string::npos);
  BOOST_TEST(fault({"--window", "1:2"}).find("--timeline") != std::string::npos);
  BOOST_TEST(fault({"--json", "--csv"}).find("--csv") != std::string::npos);
  BOOST_TEST(fault({"--sql", "DELETE FROM ops"}).find("--sql: the statement writes") !=
             std::string::npos);
  const std::string csv =
      record(folder, "a.csv", {"--bench", "gemm-single-pe", "--topology", "tiny"});
  const ProgramResult result = inspect(csv);
  BOOST_TEST(result.status == 2);
  BOOST_TEST(
      result.err.find("is not a SQLite database; an operation log to inspect is written by") !=
      std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
