// `kernbench run --op-log F` (spec 9, 10).
#include <sqlite3.h>

#include <boost/test/unit_test.hpp>

#include "tests/cli/program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(op_log_test)

namespace {

// Verified, with more words.
Words mlp(const Words& more) { return bench_on_tiny("mlp-fused", joined({"--verify-data"}, more)); }

// Columns separated by '|', rows by line ends.
std::string query(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  BOOST_TEST_REQUIRE(sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) ==
                     SQLITE_OK);
  std::string text;
  const auto add_row = [](void* to, int columns, char** values, char**) {
    for (int i = 0; i < columns; ++i)
      *static_cast<std::string*>(to) +=
          std::string(i == 0 ? "" : "|") + (values[i] == nullptr ? "" : values[i]);
    *static_cast<std::string*>(to) += '\n';
    return 0;
  };
  char* error = nullptr;
  BOOST_TEST(sqlite3_exec(database, sql.c_str(), add_row, &text, &error) == SQLITE_OK,
             sql << ": " << (error == nullptr ? "" : error));
  sqlite3_close(database);
  return text;
}

// The first nine columns of the CSV, which have no commas of their own.
std::string timing_columns(const std::string& csv) {
  std::string columns;
  std::size_t begin = csv.find('\n') + 1;
  for (std::size_t end; (end = csv.find('\n', begin)) != std::string::npos; begin = end + 1) {
    std::string line = csv.substr(begin, end - begin);
    std::size_t last = 0;
    for (int comma = 0; comma < 9; ++comma) last = line.find(',', last) + 1;
    line.resize(last - 1);
    for (char& character : line) character = character == ',' ? '|' : character;
    columns += line + '\n';
  }
  return columns;
}

constexpr const char* all_columns = "SELECT * FROM listed";

}  // namespace

BOOST_AUTO_TEST_CASE(csv_and_sqlite_hold_the_same_operations) {
  const TemporaryFolder folder;
  for (const std::string name : {"a.csv", "a.sqlite", "b.db"}) {
    completed(mlp({"--op-log", folder.file(name)}));
    BOOST_TEST(folder.has(name + ".config.yaml"));
  }
  BOOST_TEST(
      query(
          folder.file("a.sqlite"),
          "SELECT id, t_start_fs, t_end_fs, node, kind, name, command, tile, bytes FROM listed") ==
      timing_columns(folder.read("a.csv")));
  BOOST_TEST(
      (query(folder.file("a.sqlite"), all_columns) == query(folder.file("b.db"), all_columns)));
  BOOST_TEST(query(folder.file("a.sqlite"), "SELECT count(*) > 50 FROM ops") == "1\n");
}

// mlp-fused has composites with epilogues; of each operation the parameters are there, as JSON, and
// --data changes none of them.
BOOST_AUTO_TEST_CASE(parameters_are_the_same_in_every_data_mode) {
  const TemporaryFolder folder;
  std::string parameters;
  for (const std::string mode : {"off", "deferred", "eager"}) {
    const std::string file = folder.file(mode + ".sqlite");
    completed(bench_on_tiny("mlp-fused", {"--data", mode, "--op-log", file}));
    BOOST_TEST(query(file, "SELECT count(*) FROM ops WHERE text IS NULL OR params IS NULL") ==
               "0\n");
    const std::string of_mode = query(file, "SELECT id, text, params FROM listed");
    if (parameters.empty()) parameters = of_mode;
    BOOST_TEST((of_mode == parameters), mode);
    BOOST_TEST(query(file,
                     "SELECT count(*) FROM ops WHERE name = 'tile/GEMM' AND macs != "
                     "json_extract(params, '$.m') * json_extract(params, '$.k') * "
                     "json_extract(params, '$.n')") == "0\n");
    const std::string with_values = query(file, "SELECT count(*) > 0 FROM ops WHERE inputs != ''");
    BOOST_TEST(with_values == (mode == "off" ? "0\n" : "1\n"));
  }
}

BOOST_AUTO_TEST_CASE(the_limit_of_records_in_memory_changes_nothing_but_memory) {
  const TemporaryFolder folder;
  completed(mlp({"--op-log", folder.file("a.csv")}));
  completed(mlp({"--op-log", folder.file("b.csv"), "--op-log-limit", "7"}));
  completed(mlp({"--op-log", folder.file("a.sqlite")}));
  completed(mlp({"--op-log", folder.file("b.sqlite"), "--op-log-limit", "1"}));
  BOOST_TEST((folder.read("a.csv") == folder.read("b.csv")));
  BOOST_TEST(
      (query(folder.file("a.sqlite"), all_columns) == query(folder.file("b.sqlite"), all_columns)));
}

BOOST_AUTO_TEST_CASE(a_database_says_what_was_run) {
  const TemporaryFolder folder;
  completed(
      mlp({"--op-log", folder.file("a.sqlite"), "--seed", "7", "--set", "system.flit_bytes=128"}));
  const auto meta = [&](const std::string& key) {
    return query(folder.file("a.sqlite"), "SELECT value FROM meta WHERE key = '" + key + "'");
  };
  BOOST_TEST(meta("schema_version") == "9\n");
  BOOST_TEST(meta("program_version").rfind("kernbench ", 0) == 0U);
  check_contains(meta("command_line"),
                 {"run --bench mlp-fused --topology tiny --verify-data --op-log "});
  BOOST_TEST(meta("bench").rfind("mlp-fused tokens=", 0) == 0U);
  BOOST_TEST(meta("seed") == "7\n");
  BOOST_TEST(meta("data") == "deferred\n");
  const Json configuration = Json::parse(meta("configuration"));
  BOOST_TEST(configuration.at("system").at("flit_bytes") == 128);
  BOOST_TEST(configuration.at("cube").at("components").at("hbm_ctrl").at("attrs").at("num_pcs") ==
             8);
}

// What a program says about its launches and messages is in --json, the log and the trace of
// requests, and where it says nothing there is nothing.
BOOST_AUTO_TEST_CASE(notes_of_a_program_are_shown) {
  const TemporaryFolder folder;
  const Json kernels =
      json_of(bench_on_tiny("test-notes", {"--op-log", folder.file("a.sqlite"), "--trace-requests",
                                           folder.file("a.jsonl")}),
              KERNBENCH_NOTES_PROGRAM)
          .at("kernels");
  BOOST_TEST(kernels.at(0).at("meta").dump() == R"({"head":"all","layer":"3"})");
  BOOST_TEST(!kernels.at(1).contains("meta"));
  BOOST_TEST(
      query(folder.file("a.sqlite"), "SELECT value FROM meta WHERE key = 'launches'") ==
      "[{\"kernel\":\"noted\",\"device\":\"sip0\",\"meta\":{\"head\":\"all\",\"layer\":\"3\"}}]\n");
  check_contains(folder.read("a.jsonl"), {"\"message\":\"KernelLaunch 'noted' [step 3]\"",
                                          "\"message\":\"KernelLaunch 'plain'\""});
  completed(mlp({"--op-log", folder.file("b.sqlite")}));
  BOOST_TEST(query(folder.file("b.sqlite"), "SELECT count(*) FROM meta WHERE key = 'launches'") ==
             "0\n");
}

BOOST_AUTO_TEST_CASE(an_existing_file_is_replaced) {
  const TemporaryFolder folder;
  folder.write("a.sqlite", "something else");
  completed(mlp({"--op-log", folder.file("a.sqlite")}));
  completed(mlp({"--op-log", folder.file("a.sqlite")}));
  BOOST_TEST(query(folder.file("a.sqlite"), "SELECT count(*) FROM ops WHERE id = 1") == "1\n");
}

// What happened until then is there, and can be read.
BOOST_AUTO_TEST_CASE(a_run_that_fails_leaves_its_log) {
  const TemporaryFolder folder;
  check_run(bench_on_tiny("newton-until",
                          {"--param", "max_steps=2", "--op-log", folder.file("a.sqlite")}),
            {1});
  BOOST_TEST(query(folder.file("a.sqlite"), "SELECT count(*) > 10 FROM ops WHERE kind = 'math'") ==
             "1\n");
}

BOOST_AUTO_TEST_CASE(endings_that_name_no_format_and_limits_below_one_are_refused) {
  const TemporaryFolder folder;
  for (const std::string name : {"log.txt", "log"}) {
    check_refused(mlp({"--op-log", folder.file(name)}),
                  {"/" + name + "' ends in ", ".csv, or .sqlite, .sqlite3 or .db"});
    BOOST_TEST(!folder.has(name));
  }
  check_run(mlp({"--op-log", folder.file("a.csv"), "--op-log-limit", "0"}), {2});
  check_run(mlp({"--op-log", "/nowhere/a.db"}), {2});
}

BOOST_AUTO_TEST_SUITE_END()
