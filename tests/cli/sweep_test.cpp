// `kernbench sweep` as users call it (spec 10.6).
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>

#include "tests/cli/plan_file.h"
#include "tests/cli/program.h"
#include "tests/cli/sweep_rows.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(sweep_command)

namespace {

// CSV without the columns that depend on the host, which are the last ones, and without the
// command's file names.
std::string lasting_csv(const std::string& csv) {
  std::string text;
  const std::string titles = csv.substr(0, csv.find('\n'));
  const auto kept = std::count(
      titles.begin(), titles.begin() + static_cast<std::ptrdiff_t>(titles.find(",host.")), ',');
  for (const std::string& line : lines_of(csv)) {
    std::size_t end = 0;
    for (std::ptrdiff_t i = 0; i <= kept && end != std::string::npos; ++i)
      end = line.find(',', end == 0 ? 0 : end + 1);
    text += line.substr(0, end) + '\n';
  }
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(rows_are_those_of_single_runs_of_their_commands) {
  const PlanFile plan(
      "params: {K: 64}\noptions: {verify-data: true}\n"
      "axes:\n  size: {sets: [M, N], values: [32, 64]}\n"
      "  cube.pe_template.components.pe_gemm.attrs.macs_per_cycle: {from: 2048, to: 4096, factor: "
      "2}\n  seed: [1, 7]\n"
      "where: seed = 1 OR size = 64\nderived: {flop: 2 * M * N * K}\n");
  check_run(plan.sweep(), {0, {"points             6: 6 ok, 0 failed", "r.sqlite", "r.csv"}});
  const std::vector<Row> rows = rows_of(plan.results);
  BOOST_TEST_REQUIRE(rows.size() == 6u);
  for (const Row& row : rows) {
    Words words = words_of(row.at("command"));
    BOOST_TEST(words.at(0) == "kernbench");
    words.erase(words.begin());
    words.push_back("--json");
    const Json json = json_of(words);
    const std::map<std::string, double> numbers{
        {"simulated_ns", json.at("simulated_ns")},
        {"activity.mac_utilisation", json.at("activity").at("mac_utilisation")},
        {"memories.hbm_ctrl.bytes_read", json.at("memories").at("hbm_ctrl").at("bytes_read")},
        {"kernel_groups.gemm.pe_exec_max_ns", json.at("kernel_groups").at(0).at("pe_exec_max_ns")},
        {"host.delta_cycles", json.at("host").at("delta_cycles")}};
    for (const auto& [name, value] : numbers)  // SQLite prints 15 digits
      BOOST_TEST(std::stod(row.at(name)) == value, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(row.at("bottleneck.limit") == json.at("bottleneck").at("limit"));
    BOOST_TEST(row.at("verdict") == "PASS");
    BOOST_TEST(row.at("dtype") == "f16");  // a default of the bench
    BOOST_TEST(row.at("status") == "ok");
    BOOST_TEST(row.at("hash").size() == 32u);
    const double m = std::stod(row.at("M"));
    BOOST_TEST(std::stod(row.at("flop")) == 2 * m * m * 64);
  }
  BOOST_TEST(rows[0].at("hash") != rows[1].at("hash"));
  const Words csv = lines_of(plan.folder.read("r.csv"));
  BOOST_TEST(csv.size() == 7u);
  BOOST_TEST(csv[0].rfind("point,status,message,version,hash,size,"
                          "cube.pe_template.components.pe_gemm.attrs.macs_per_cycle,seed,",
                          0) == 0u);
}

BOOST_AUTO_TEST_CASE(a_failed_point_keeps_its_message_and_the_sweep_continues) {
  const PlanFile plan("axes: {M: [32, 0, 64], topology: [tiny, none]}\n");
  check_run(plan.sweep(),
            {1,
             {"points             6: 2 ok, 4 failed", "point 3 (M=0, topology=tiny) and 1 more: ",
              "point 2 (M=32, topology=none) and 1 more: "}});
  const std::vector<Row> rows = rows_of(plan.results);
  BOOST_TEST_REQUIRE(rows.size() == 6u);
  check_contains(rows[1].at("message"), {"no file 'none' here"});
  check_contains(rows[2].at("message"), {"M", "allowed is"});
  BOOST_TEST(rows[2].at("status") == "failed");
  BOOST_TEST(rows[2].at("M") == "0.0");
  BOOST_TEST(rows[4].at("status") == "ok");
  // The failed ones run again, the others do not.
  const Json json = [&] {
    const ProgramResult result = kernbench_program(plan.sweep({"--json"}));
    BOOST_TEST(result.status == 1);
    return Json::parse(result.out);
  }();
  check_members(json, {{"points", 6}, {"ok", 2}, {"failed", 4}, {"done_before", 2}});
  BOOST_TEST(json.at("failures").size() == 4u);
}

BOOST_AUTO_TEST_CASE(a_wrong_first_value_of_an_option_is_a_failed_point) {
  for (const char* axis : {"seed: [a, 1]", "until: [soon, 1000000]", "topology: [none, tiny]"}) {
    const PlanFile plan(std::string("axes: {") + axis + "}\n");
    check_run(plan.sweep(), {1, {"points             2: 1 ok, 1 failed", "point 1 ("}});
  }
}

BOOST_AUTO_TEST_CASE(a_point_beyond_its_memory_is_a_failed_point) {
  const PlanFile plan("axes: {topology: [topology.yaml]}\n");
  check_run(plan.sweep({"--max-memory", "50M"}),
            {1, {"0 ok, 1 failed", "this machine needs about", "--max-memory is 50.0 MiB"}});
}

BOOST_AUTO_TEST_CASE(a_killed_sweep_is_resumed_without_a_lost_point) {
  const PlanFile plan("axes: {seed: {from: 1, to: 40}}\n"),
      whole("axes: {seed: {from: 1, to: 40}}\n");
  completed(whole.sweep({"-j", "2"}));
  // The first point adds the columns, 200 KB in the write-ahead log; each further one about 12 KB.
  std::size_t before = 0;
  std::uintmax_t bytes = 250'000;
  for (int kills = 0; kills < 2; ++kills) {
    const std::string log = plan.results + "-wal";
    const ProgramResult killed =
        kernbench_program(plan.sweep({"-j", "2"}), Signal{SIGKILL, log, bytes});
    BOOST_TEST(killed.status == 128 + SIGKILL);
    const std::size_t stored = rows_of(plan.results, "SELECT key FROM points").size();
    BOOST_TEST((stored > before && stored < 40), stored);
    before = stored;
    bytes = std::filesystem::file_size(log) + 50'000;
  }
  const Json json = json_of(plan.sweep({"--json", "-j", "2"}));
  BOOST_TEST(json.at("done_before") == before);
  BOOST_TEST(json.at("ok") == 40);
  BOOST_TEST(lasting_csv(plan.folder.read("r.csv")) == lasting_csv(whole.folder.read("r.csv")));
}

BOOST_AUTO_TEST_CASE(an_interrupted_sweep_writes_its_csv_and_reports_how_to_continue) {
  const PlanFile plan("axes: {seed: {from: 1, to: 200}}\n");
  const ProgramResult result =
      kernbench_program(plan.sweep({"-j", "1"}), Signal{SIGINT, plan.results + "-wal", 250'000});
  BOOST_TEST(result.status == 1);
  check_contains(result.err, {"interrupted; the same command runs the other "});
  const std::size_t stored = rows_of(plan.results).size();
  BOOST_TEST((stored > 0 && stored < 200), stored);
  BOOST_TEST(lines_of(plan.folder.read("r.csv")).size() == stored + 1);
}

BOOST_AUTO_TEST_CASE(points_run_again_if_a_file_or_the_plan_has_changed) {
  const PlanFile plan("axes: {M: [32, 64]}\noptions: {seed: 2}\n");
  const Words words = plan.sweep({"--json"});
  BOOST_TEST(json_of(words).at("done_before") == 0);
  BOOST_TEST(json_of(words).at("done_before") == 2);
  plan.write("axes: {M: [64, 96]}\noptions: {seed: 2}\n");
  const ProgramResult changed = completed(words);
  check_contains(changed.err, {"the plan or its files have changed", "1 point new: M=96",
                               "1 point no longer requested, left out of the results: M=32"});
  BOOST_TEST(Json::parse(changed.out).at("done_before") == 1);
  plan.write("axes: {M: [64, 96]}\noptions: {seed: 3}\n");
  check_contains(completed(words).err, {"2 points run again with other settings or files"});
  plan.write("axes: {N: [64, 96]}\n");
  check_refused(words, {"has the results of another plan", "name another file with --results"});
  // A topology of the user's own.
  const std::string topology = plan.folder.write("t.yaml", "include: tiny\n");
  const PlanFile own("");
  own.folder.write("p.yaml",
                   "bench: gemm-single-pe\ntopology: " + topology + "\naxes: {M: [32]}\n");
  BOOST_TEST(json_of(own.sweep({"--json"})).at("done_before") == 0);
  BOOST_TEST(json_of(own.sweep({"--json"})).at("done_before") == 1);
  plan.folder.write("t.yaml", "include: tiny\ncube: {ucie: {lane_select: spread}}\n");
  BOOST_TEST(json_of(own.sweep({"--json"})).at("done_before") == 0);
}

BOOST_AUTO_TEST_CASE(merged_shards_are_the_sweep_without_shards) {
  const PlanFile plan("axes: {M: [32, 64, 96, 0, 128]}\nderived: {t: simulated_ns / M}\n");
  BOOST_TEST(kernbench_program(plan.sweep()).status == 1);
  const TemporaryFolder folder;
  const auto shard = [&](const std::string& name) { return folder.file(name + ".sqlite"); };
  const auto run = [&](const std::string& part, const std::string& name) {
    return kernbench_program(
               {"sweep", plan.folder.file("p.yaml"), "--shard", part, "--results", shard(name)})
        .status;
  };
  const auto merge = [&](const Words& names) {
    Words words{"sweep", "merge"};
    for (const std::string& name : names) words.push_back(shard(name));
    return joined(words, {"--results", shard("all")});
  };
  BOOST_TEST(run("1/2", "a") == 0);
  BOOST_TEST(run("2/2", "b") == 1);  // with the failed point
  check_run(merge({"b", "a"}), {1, {"points             5: 4 ok, 1 failed"}});
  BOOST_TEST(lasting_csv(folder.read("all.csv")) == lasting_csv(plan.folder.read("r.csv")));

  // Results of another plan are kept; nothing is left of a refused merge.
  const PlanFile foreign("axes: {N: [32]}\n");
  completed(foreign.sweep());
  check_refused({"sweep", "merge", shard("a"), shard("b"), "--results", foreign.results},
                {"has the results of another plan, of which no point is requested"});
  BOOST_TEST(rows_of(foreign.results).size() == 1u);
  BOOST_TEST(!foreign.folder.has("r.sqlite.merging.sqlite"));
  check_refused({"sweep", "merge", shard("a"), shard("b"), "--results", "/proc/r.sqlite"},
                {"cannot write '/proc/r.sqlite'"});

  check_refused(merge({"a"}), {"missing shards: 2/2"});
  check_refused(merge({"a", "b", "a"}), {"are both shard 1/2"});
  check_refused(merge({"a", "none"}), {"none.sqlite' does not exist"});
  BOOST_TEST(run("1/3", "third") == 1);
  check_refused(merge({"a", "third"}), {"is no shard of the sweep of"});
  check_refused(merge({"a", "b", "all"}), {"all.sqlite"});  // over an input
  plan.write("axes: {M: [32, 64, 96]}\n");
  BOOST_TEST(run("2/2", "foreign") == 0);
  check_refused(merge({"a", "foreign"}), {"is no shard of the sweep of"});
}

BOOST_AUTO_TEST_CASE(a_shard_may_lack_a_column_that_a_derived_one_needs) {
  const std::string derived = "derived: {flop: 2 * M * N}\n";
  const Words message{"derived.flop: no such column: M", "the results are without it"};
  const PlanFile both("axes: {bench: [gemm-single-pe, pe-dma-perf]}\n" + derived);
  check_run(both.sweep({"--shard", "2/2"}), {0, {"1 ok, 0 failed"}, message});
  const PlanFile one("axes: {bench: [pe-dma-perf]}\n" + derived);
  check_run(one.sweep(), {1, {"1 ok, 0 failed"}, message});
}

BOOST_AUTO_TEST_CASE(dry_run_lists_the_points_and_their_number) {
  const PlanFile plan("axes: {M: [32, 64], compute: [composite, dot]}\n");
  const ProgramResult result = check_run(plan.sweep({"--dry-run"}), {0, {"composite", "4 points"}});
  BOOST_TEST(!plan.folder.has("r.sqlite"));
  BOOST_TEST(completed(plan.sweep({"--dry-run", "--csv", "--shard", "2/2"})).out ==
             "point,M,compute\n2,32,dot\n4,64,dot\n");
  const Json json = json_of(plan.sweep({"--dry-run", "--json"}));
  BOOST_TEST(json.at("points") == 4);
  BOOST_TEST(json.at("listed").at(2).at("M") == 64);
}

BOOST_AUTO_TEST_CASE(the_plan_of_the_specification_is_valid) {
  const std::string page = source_text("docs/spec/10-cli.md"), start = "```yaml\nbench: ";
  const std::size_t begin = page.find(start) + std::string("```yaml\n").size();
  BOOST_TEST_REQUIRE(page.find(start) != std::string::npos);
  const TemporaryFile plan("p.yaml", page.substr(begin, page.find("```", begin) - begin));
  // Three sizes, three rates, two zipped pairs, four seeds.
  check_run({"sweep", plan.path(), "--dry-run"}, {0, {"72 points"}});
}

BOOST_AUTO_TEST_CASE(faulty_plans_and_files_are_refused_before_anything_runs) {
  const std::vector<std::pair<std::string, Words>> faulty{
      {"axes: {m: [32]}",
       {"p.yaml:3", "axes.m: the bench gemm-single-pe has no parameter 'm'", "did you mean 'M'?"}},
      {"params: {Q: 1}\naxes: {M: [32]}", {"p.yaml:3", "params.Q", "has no parameter 'Q'"}},
      {"axes: {cube.ucie.lane_selct: [spread, x]}",
       {"p.yaml:3", "axes.cube.ucie.lane_selct: unknown key", "lane_select"}},
      {"set: {cube.ucie.lanes: 3}\naxes: {M: [32]}",
       {"p.yaml:3", "set.cube.ucie.lanes: unknown key"}},
      {"set: {cube.linkz.hbm: 3}\naxes: {M: [32]}",
       {"p.yaml:3", "set.cube.linkz.hbm: unknown key; did you mean 'links'?"}},
      {"axes: {cube.pe_template.components.pe_gem.attrs.macs: [1]}",
       {"p.yaml:3", "unknown key; did you mean 'pe_gemm'?"}},
      {"set: {'ccl:default.algorithm': auto}\naxes: {M: [32]}",
       {"p.yaml:3", "unknown key; did you mean 'defaults'?"}},
      {"axes: {sip9.cube0.pe0.pe_gemm.attrs.queue_depth: [2]}",
       {"p.yaml:3", "matches no node of this machine; nearest: sip0.cube0.pe0.pe_gemm"}},
      {"axes: {'foo:bar': [2]}", {"p.yaml:3", "reads no 'foo' file"}},
      {"axes: {M: [-1, -2, xx]}", {"p.yaml:3", "axes.M: none of its values is accepted"}},
      {"params: {M: 0}\naxes: {N: [32]}", {"p.yaml:3", "params.M: found"}},
      {"axes: {seed: [a, b]}",
       {"p.yaml:3", "axes.seed: none of its values is accepted: --seed: found 'a'"}},
      {"axes: {until: [soon, late, never, 10]}",
       {"axes.until: none of its first three values is accepted: --until"}},
      {"sample: {kind: random, points: 2}\naxes: {M: {from: -8, to: -1, multiple_of: 1}}",
       {"p.yaml:4", "axes.M: none of three values across its range is accepted"}},
      {"set: {cube.ucie.lanes: 3}\naxes: {topology: [none, tiny]}",
       {"p.yaml:3", "set.cube.ucie.lanes: unknown key"}},
      {"axes: {M: {from: 32, to: 64, count: 4}}", {"M is an integer: multiple_of: 1 rounds them"}},
      {"axes: {x: {sets: M, values: [32]}, k: {sets: N, values: [2]}}",
       {"axes.k: the bench gemm-single-pe has a parameter of this name, 'K'"}},
      {"axes: {M: [32]}\nderived: {Dtype: 1}",
       {"derived.Dtype", "a parameter of this name, 'dtype'"}},
      {"axes: {M: [32]}\nderived: {Simulated_NS: 1}",
       {"derived.Simulated_NS has the name of a column of every point, 'simulated_ns'"}},
      {"axes: {M: [32]}\nkeys: {simulated_ns: cube.links.pe_to_router_bw_gbs}",
       {"keys.simulated_ns has the name of a column of every point, 'simulated_ns'"}},
      {"axes: {bench: [gemm-singel-pe]}", {"unknown bench 'gemm-singel-pe'; did you mean"}},
      {"options: {trace: a.vcd}\naxes: {M: [32]}", {"options.trace", "no such option of run"}},
      {"axes: {M: []}", {"the axis is empty"}},
      {"axes: {M: [32]}\nwhere: M > 32", {"no point meets the condition"}},
      {"axes: {M: [32]}\nderived: {x: 1 +}", {"p.yaml:4: derived.x: ", "syntax error"}},
      {"axes: {M: [32]}\nkeys: {bw: cube.links.pe_to_router_bw_gb}",
       {"p.yaml:4", "keys.bw: the first point has no key", "did you mean 'cube.links.pe_to_rout"}},
      {"axes: {M: [32]}\nkeys: {bw: cube.links}", {"keys.bw: 'cube.links' is a section"}},
      {"axes: {K: [64]}\nkeys: {M: cube.links.pe_to_router_bw_gbs}",
       {"keys.M: the bench gemm-single-pe has a parameter of this name"}},
      {"axes: {M: {from: 1, to: 1000000000}}",
       {"1000000000 points; --max-points, to run them, is 100000"}},
  };
  for (const auto& [text, parts] : faulty) {
    const PlanFile plan(text + '\n');
    check_refused(plan.sweep(), parts);
    // Columns of the summary are known after the first point.
    const bool by_row = text.find("imulated") != std::string::npos;
    BOOST_TEST((by_row || !plan.folder.has("r.sqlite")), text);
    if (!by_row) check_refused(plan.sweep({"--dry-run"}), parts);
  }
  const PlanFile topology("axes: {topology: [none, nix]}\n");
  check_refused(topology.sweep({"--dry-run"}),
                {"p.yaml:3", "axes.topology", "no file 'none' here"});
  const PlanFile plan("axes: {M: [32]}\n");
  const std::string path = plan.folder.file("p.yaml");
  check_refused({"sweep"}, {"a plan is missing"});
  check_refused({"sweep", plan.folder.file("none.yaml")}, {"none.yaml", "there is no such file"});
  check_refused({"sweep", "milestone-gem"}, {"did you mean 'milestone-gemm'?"});
  check_refused({"sweep", path, "--results", "/proc/r.sqlite"}, {"cannot write '/proc/r.sqlite'"});
  check_refused({"sweep", path, "--results", path}, {"ends in '.yaml'"});
  check_refused(plan.sweep({"--shard", "3/2"}), {"--shard '3/2' is not I/N"});
  check_refused(plan.sweep({"--shard", "2/2"}), {"the plan has 1 point"});
  check_refused(plan.sweep({"--csv"}), {"--csv goes with --dry-run"});
  check_refused(plan.sweep({"--of", "M"}), {"--of goes with --sensitivity"});
  check_refused(plan.sweep({"--slurm", "--dry-run"}), {"--slurm and --dry-run exclude"});
  const std::string fault = plan.folder.write("i.yaml", "include: milestone-gem\n");
  check_refused({"sweep", fault}, {"i.yaml:1", "did you mean 'milestone-gemm'?"});
}

BOOST_AUTO_TEST_CASE(points_of_another_version_run_again_and_are_counted) {
  const PlanFile plan("axes: {M: [32, 64]}\n");
  completed(plan.sweep());
  sqlite3* database = nullptr;
  sqlite3_open(plan.results.c_str(), &database);
  sqlite3_exec(database, "UPDATE points SET version = 'kernbench 0.1'", nullptr, nullptr, nullptr);
  sqlite3_close(database);
  const ProgramResult result = completed(plan.sweep({"--json"}));
  check_contains(result.err, {"2 points run again: their results are of kernbench 0.1, and this"});
  BOOST_TEST(Json::parse(result.out).at("done_before") == 0);
}

BOOST_AUTO_TEST_CASE(points_that_until_stops_are_finished_and_marked) {
  const PlanFile plan("options: {until: 10}\naxes: {M: [32]}\n");
  check_run(plan.sweep(), {0, {"points             1: 0 ok, 0 failed, 1 stopped by until"}});
  const std::vector<Row> rows = rows_of(plan.results);
  BOOST_TEST(rows.at(0).at("status") == "until");
  BOOST_TEST(rows.at(0).at("simulated_ns") == "10.0");
  check_run(plan.sweep(), {0, {"1 done before"}});
}

BOOST_AUTO_TEST_CASE(a_second_sweep_on_a_result_file_is_refused) {
  const PlanFile plan("axes: {M: [32]}\n");
  completed(plan.sweep());
  const int held = ::open(plan.results.c_str(), O_RDWR | O_CLOEXEC);
  BOOST_TEST_REQUIRE(::flock(held, LOCK_EX) == 0);
  check_refused(plan.sweep(), {"is in use by another sweep"});
  ::close(held);
  completed(plan.sweep());
}

BOOST_AUTO_TEST_SUITE_END()
