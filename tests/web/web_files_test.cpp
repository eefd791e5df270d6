// Files that `kernbench web` loads, right and wrong ones (spec 11.5).
#include <sqlite3.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <csignal>
#include <filesystem>

#include "tests/web/served_program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(web_files_test)

namespace {

std::string record(const TemporaryFolder& folder, const std::string& name,
                   const Words& more = {"--topology", "tiny"}) {
  const std::string path = folder.file(name);
  const bool is_log = path.find(".sqlite") != std::string::npos;
  completed(joined(
      {"run", "--bench", "gemm-single-pe", "--data", "off", is_log ? "--op-log" : "--stats", path},
      more));
  return path;
}

void change(const std::string& log, const char* sql) {
  ::sqlite3* database = nullptr;
  BOOST_TEST_REQUIRE(::sqlite3_open(log.c_str(), &database) == SQLITE_OK);
  BOOST_TEST(::sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  ::sqlite3_close(database);
}

void check_web_refuses(const std::string& file, const Words& parts) {
  check_refusal(kernbench_program({"web", "--no-open", "--port", "0", file}), parts);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_log_brings_the_machine_of_its_run) {
  const TemporaryFolder folder;
  const std::string log = record(folder, "run.sqlite");
  const ServedProgram web({log});
  const auto session = web.json("/api/session");
  BOOST_TEST(session["machines"].size() == 1U);
  BOOST_TEST(session["machines"][0]["title"] == "topology.tiny.yaml");
  const auto& run = session["runs"][0];
  BOOST_TEST(run["kind"] == "log");
  BOOST_TEST(run["status"] == "completed");
  BOOST_TEST(run["machine"] == 0);
  BOOST_TEST(run["has_windows"] == true);
  BOOST_TEST(run["command"].get<std::string>().find("gemm-single-pe") != std::string::npos);
  // The layout of the cube is not stored next to the log.
  BOOST_TEST(!folder.has("cube_mesh.yaml"));
}

BOOST_AUTO_TEST_CASE(topology_files_are_machines_to_compare) {
  const TemporaryFolder folder;
  const std::string a = folder.write("a.yaml", "include: topology.tiny.yaml\n");
  const std::string b =
      folder.write("b.yaml", "include: topology.tiny.yaml\nsystem: {flit_bytes: 128}\n");
  const ServedProgram web({a, b});
  const auto session = web.json("/api/session");
  BOOST_TEST_REQUIRE(session["machines"].size() == 2U);  // not the default one, too
  BOOST_TEST(session["machines"][1]["title"] == "b.yaml");
  const auto difference = web.json("/api/machines/difference?a=0&b=1");
  BOOST_TEST(difference["changed_count"].get<int>() > 0);
  check_web_refuses(folder.write("c.yaml", "cube: {linkz: 1}\n"), {"c.yaml", "linkz"});
}

BOOST_AUTO_TEST_CASE(what_a_machine_lacks_is_one_difference_by_outermost_scope) {
  const TemporaryFolder folder;
  const auto write = [&folder](const std::string& name, const std::string& more) {
    return folder.write(name, "include: topology.yaml\n" + more);
  };
  const ServedProgram web(
      {write("a.yaml", "system: {sips: {count: 2}}\n"),
       write("b.yaml",
             "system: {sips: {count: 4}}\n"
             "cube: {pe_template: {components: {pe_dma: {attrs: {rd_engines: 3}}}}}\n")});
  const auto difference = web.json("/api/machines/difference?a=0&b=1");
  BOOST_TEST((difference["only_a"] == Json::array()));
  BOOST_TEST((difference["only_b"] == Json{"sip2", "sip3"}));
  BOOST_TEST(difference["only_b_count"] == 2);
  const auto pes = web.json("/api/session")["machines"][0]["pes"].get<std::size_t>();
  BOOST_TEST_REQUIRE(difference["changed"].size() == 1U);
  const auto& change = difference["changed"][0];
  BOOST_TEST(change["key"] == "attrs.rd_engines");
  BOOST_TEST(change["b"] == 3);
  BOOST_TEST(change["count"] == pes);
  BOOST_TEST(change["names"].size() == pes);
  BOOST_TEST(change["names"][0] == change["name"]);
  BOOST_TEST(difference["changed_count"] == pes);
  const auto reverse = web.json("/api/machines/difference?a=1&b=0");
  BOOST_TEST((reverse["only_a"] == difference["only_b"]));
}

BOOST_AUTO_TEST_CASE(runs_of_one_machine_share_it_and_others_have_their_own) {
  const TemporaryFolder folder;
  const std::string a = record(folder, "a.sqlite"), b = record(folder, "b.json"),
                    c = record(folder, "c.sqlite",
                               {"--topology", "tiny", "--set", "system.flit_bytes=128"});
  const ServedProgram web({a, b, c});
  const auto session = web.json("/api/session");
  BOOST_TEST(session["machines"].size() == 2U);
  BOOST_TEST(session["runs"][0]["machine"] == 0);
  BOOST_TEST(session["runs"][1]["machine"] == 0);
  BOOST_TEST(session["runs"][1]["kind"] == "stats");
  BOOST_TEST(session["runs"][2]["machine"] == 1);
  const auto difference = web.json("/api/machines/difference?a=0&b=1");
  BOOST_TEST(difference["only_a"].empty());
  BOOST_TEST(difference["changed_count"].get<int>() > 0);
  for (const auto& change : difference["changed"]) {
    BOOST_TEST(change["key"] == "attrs.flit_bytes");
    BOOST_TEST(change["a"] == 256);
    BOOST_TEST(change["b"] == 128);
  }
}

BOOST_AUTO_TEST_CASE(files_that_are_no_runs_are_refused_with_the_reason) {
  const TemporaryFolder folder;
  check_web_refuses("nowhere.sqlite", {"'nowhere.sqlite'", "does not exist"});
  check_web_refuses(folder.root.string(), {"is not a file"});
  check_web_refuses(folder.write("text.sqlite", "no database"),
                    {"text.sqlite", "is neither an operation log", "nor a JSON object"});
  check_web_refuses(folder.write("empty.sqlite", ""), {"empty.sqlite", "is empty"});
  const std::string log = record(folder, "run.sqlite");
  const std::string bytes = read_file(log);
  check_web_refuses(folder.write("cut.sqlite", bytes.substr(0, bytes.size() / 2)),
                    {"is cut short"});
  const std::string other = folder.write("other.sqlite", bytes);
  change(other, "UPDATE meta SET value = '3' WHERE key = 'schema_version'");
  check_web_refuses(other, {"has schema version '3'"});
  // A run that is still being written, or was killed: `meta` is written last.
  const std::string killed = folder.write("killed.sqlite", bytes);
  change(killed, "DELETE FROM meta");
  check_web_refuses(killed, {"is not complete: the run that wrote it has not ended"});
  {
    ::sqlite3* writer = nullptr;
    BOOST_TEST_REQUIRE(::sqlite3_open(log.c_str(), &writer) == SQLITE_OK);
    BOOST_TEST(::sqlite3_exec(writer, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr) == SQLITE_OK);
    check_web_refuses(log, {"is not complete: the run that writes it has not ended"});
    ::sqlite3_close(writer);
  }
  const std::string running = folder.file("running.sqlite");
  kernbench_program({"run", "--bench", "int8-gemm", "--topology", "tiny", "--data", "off",
                     "--param", "K=16384", "--param", "N=16384", "--op-log", running},
                    {SIGKILL, running, 64 << 10});
  check_web_refuses(running, {"is not complete: the run that wrote it has not ended"});
  const std::string foreign = folder.write("foreign.sqlite", bytes);
  change(foreign, "DROP TABLE server_use");
  check_web_refuses(foreign, {"has no table 'server_use'"});
  check_web_refuses(folder.write("list.json", "[]"), {"list.json"});
}

BOOST_AUTO_TEST_CASE(statistics_that_are_none_are_refused_with_the_reason) {
  const TemporaryFolder folder;
  const std::string stats = record(folder, "stats.json");
  const std::string configuration = read_file(stats + ".config.yaml");
  const auto refused = [&](const std::string& text, const Words& parts) {
    folder.write("wrong.json.config.yaml", configuration);
    check_web_refuses(folder.write("wrong.json", text), parts);
  };
  refused("", {"wrong.json", "is empty"});
  refused("{\"links\": [", {"wrong.json", "not a JSON object"});
  refused("{\"links\": 3}", {"wrong.json", "links"});
  refused("{\"x\": []}", {"wrong.json", "links"});
  refused(std::string(100000, '['), {"wrong.json"});
  refused("{\"links\": [{\"src\": \"sip9\", \"dst\": \"sip8\", \"utilisation\": 1}]}",
          {"link 'sip9 > sip8' of the file is not in its machine", "wrong.json.config.yaml"});
  // Statistics without their configuration, and no machine named.
  folder.write("alone.json", read_file(stats));
  check_web_refuses(folder.file("alone.json"), {"alone.json.config.yaml", "--topology"});
  const ServedProgram web({folder.file("alone.json"), "--topology", "tiny"});
  BOOST_TEST(web.json("/api/session")["runs"][0]["machine"] == 0);
}

BOOST_AUTO_TEST_CASE(statistics_of_another_machine_are_refused_with_its_first_other_link) {
  const TemporaryFolder folder;
  completed({"traffic", "--topology", "tiny", "--generate", "stream", "--requests", "4", "--links",
             folder.file("links.json")});
  std::filesystem::remove(folder.file("links.json.config.yaml"));
  const auto refused = [&](const Words& machine, const Words& parts) {
    const ProgramResult result = kernbench_program(
        joined({"web", "--no-open", "--port", "0", folder.file("links.json")}, machine));
    check_refusal(result, parts);
    BOOST_TEST(result.err.find("--heat") == std::string::npos, result.err);
  };
  const Words two_sips{"--topology", "tiny", "--set", "system.sips.count=2"};
  refused(two_sips, {"the file lacks link 'fabric.switch0 > sip1.", "--topology"});
  completed(joined(
      {"traffic", "--generate", "stream", "--requests", "4", "--links", folder.file("links.json")},
      two_sips));
  std::filesystem::remove(folder.file("links.json.config.yaml"));
  refused({"--topology", "tiny"},
          {"link 'fabric.switch0 > sip1.", "of the file is not in its machine", "--topology"});
}

BOOST_AUTO_TEST_CASE(titles_tell_runs_and_machines_of_equal_names_apart) {
  const TemporaryFolder folder;
  for (const char* part : {"a", "b"}) std::filesystem::create_directory(folder.root / part);
  const std::string a = record(folder, "a/run.sqlite"),
                    b = record(folder, "b/run.sqlite",
                               {"--topology", "tiny", "--set", "system.flit_bytes=128"}),
                    c = record(folder, "c.json",
                               {"--topology", "tiny", "--set", "system.flit_bytes=512", "--set",
                                "system.ns_per_mm=0.2", "--set", "system.sips.count=2"});
  const ServedProgram web({a, b, c, a, folder.file("b/../a/run.sqlite")});
  const auto session = web.json("/api/session");
  BOOST_TEST_REQUIRE(session["runs"].size() == 3U);
  BOOST_TEST(session["runs"][0]["title"] == "a/run.sqlite");
  BOOST_TEST(session["runs"][1]["title"] == "b/run.sqlite");
  BOOST_TEST(session["runs"][2]["title"] == "c.json");
  BOOST_TEST_REQUIRE(session["machines"].size() == 3U);
  BOOST_TEST(session["machines"][0]["title"] == "topology.tiny.yaml");
  BOOST_TEST(session["machines"][1]["title"] == "topology.tiny.yaml, system.flit_bytes=128");
  BOOST_TEST(session["machines"][2]["title"] ==
             "topology.tiny.yaml, system.ns_per_mm=0.2, system.flit_bytes=512, ...");
}

BOOST_AUTO_TEST_CASE(links_of_traffic_are_statistics) {
  const TemporaryFolder folder;
  completed({"traffic", "--topology", "tiny", "--generate", "stream", "--requests", "4", "--links",
             folder.file("links.json")});
  const ServedProgram web({folder.file("links.json")});
  BOOST_TEST(web.json("/api/session")["runs"][0]["kind"] == "stats");
  double most = 0, expected = 0;
  const auto use = web.json("/api/run/0/use?scope=sip0.cube0");
  const Json file = Json::parse(folder.read("links.json"));
  for (const auto& link : use["links"])
    for (const auto& share : link)
      if (share.is_number()) most = std::max(most, share.get<double>());
  for (const auto& link : file["links"])
    expected = std::max(expected, link["utilisation"].get<double>());
  BOOST_TEST(expected > 0.5);
  BOOST_TEST(std::abs(most - expected) < 1e-4);
}

BOOST_AUTO_TEST_CASE(one_wrong_file_among_several_is_a_problem_on_the_page) {
  const TemporaryFolder folder;
  const std::string log = record(folder, "run.sqlite");
  const std::string wrong = folder.write("<b>wrong</b>.sqlite", "nothing");
  const ServedProgram web({wrong, log});
  const auto session = web.json("/api/session");
  BOOST_TEST(session["runs"].size() == 1U);
  BOOST_TEST_REQUIRE(session["problems"].size() == 1U);
  BOOST_TEST(session["problems"][0].get<std::string>().find("<b>wrong</b>") != std::string::npos);
  BOOST_TEST(web.errors().find("wrong") != std::string::npos);
}

// 100 MB of histograms, which are skipped as they are read.
BOOST_AUTO_TEST_CASE(large_statistics_are_read) {
  const TemporaryFolder folder;
  const std::string stats = record(folder, "stats.json");
  std::string text = read_file(stats);
  std::string large = "{\"padding\":[";
  std::string counts = "1";
  for (int i = 0; i < 1000; ++i) counts += ",1";
  const std::string histogram = "{\"waiting\":{\"bins\":[" + counts + "]}},";
  while (large.size() < (100U << 20)) large += histogram;
  large += "{}]," + text.substr(text.find('{') + 1);
  folder.write("large.json.config.yaml", read_file(stats + ".config.yaml"));
  const ServedProgram web({folder.write("large.json", large), stats});
  const auto of_large = web.json("/api/run/0/use?scope=sip0.cube0");
  BOOST_TEST(of_large == web.json("/api/run/1/use?scope=sip0.cube0"));
}

BOOST_AUTO_TEST_CASE(names_of_a_log_are_texts) {
  const TemporaryFolder folder;
  const std::string log = record(folder, "run.sqlite");
  change(log,
         "UPDATE launches SET kernel = '<img src=x onerror=alert(1)>'; UPDATE runs SET kernel = "
         "'</script><script>alert(1)</script>'");
  const ServedProgram web({log});
  const auto timeline = web.json("/api/run/0/timeline");
  bool found = false;
  for (const auto& label : timeline["labels"])
    found = found || label == "</script><script>alert(1)</script>";
  BOOST_TEST(found);
  completed({"web", log, "--export", folder.file("page.html")});
  const std::string page = folder.read("page.html");
  BOOST_TEST(page.find("<script>alert(1)") == std::string::npos);
  BOOST_TEST(page.find("<img src=x") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_result_file_of_a_sweep_has_tables_and_figures) {
  const TemporaryFolder folder;
  const std::string plan =
      folder.write("plan.yaml",
                   "title: Two sizes\nbench: gemm-single-pe\ntopology: tiny\naxes: {M: [32, 64]}\n"
                   "figures:\n  - {name: time, kind: lines, x: M, y: simulated_ns, title: Time}\n");
  completed({"sweep", plan, "--out", folder.file("out")});
  const ServedProgram web({folder.file("out"), "--topology", "tiny"});
  const auto session = web.json("/api/session");
  BOOST_TEST(session["sweeps"].size() == 1U);
  BOOST_TEST(session["runs"].empty());
  const auto sweep = web.json("/api/sweep/0");
  BOOST_TEST(sweep["title"] == "Two sizes");
  BOOST_TEST(sweep["points"] == 2);
  BOOST_TEST(sweep["tables"][0]["rows"].size() == 2U);
  BOOST_TEST(sweep["figures"][0]["title"] == "Time");
  BOOST_TEST((sweep["figures"][0]["svg"].is_string() || sweep["figures"][0]["fault"].is_string()));
  BOOST_TEST(web.error("/api/sweep/1", 404).find("no sweep") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_exported_file_has_the_answers_and_needs_no_server) {
  const TemporaryFolder folder;
  const std::string log = record(folder, "run.sqlite");
  completed({"web", log, "--export", folder.file("page.html")});
  const std::string page = folder.read("page.html");
  for (const char* part : {"window.kernbenchData = ", "\"/api/session\"", "\"/api/run/0/summary\"",
                           "\"/api/run/0/use?scope=sip0\"", "default-src 'none'"})
    BOOST_TEST(page.find(part) != std::string::npos, part);
  BOOST_TEST(page.size() < (8U << 20));
  // Neither paths of the host nor the token.
  BOOST_TEST(page.find(folder.root.string() + "/run.sqlite\"]") == std::string::npos);
  check_refused_in_a_line({"web", "--export", folder.file("x.html")}, {"--export requires a run"});
  check_refused_in_a_line({"web", log, "--export", log}, {"run"});
}

BOOST_AUTO_TEST_SUITE_END()
