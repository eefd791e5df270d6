// Result file of a sweep: what is stored, and what is refused (spec 10.6).
#include "platform/sweep/sweep_file.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>
#include <functional>

#include "models/base/errors.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(sweep_file)

namespace {

SweepRow row_of(std::uint64_t point, const std::string& key, SummaryColumns summary = {},
                const std::string& status = "ok") {
  SweepRow row;
  row.point = point;
  row.key = key;
  row.status = status;
  row.version = "1";
  row.settings = {{"M", 16 * point}};
  row.summary = std::move(summary);
  return row;
}

std::vector<RequestedPoint> three_points() {
  return {{1, "k1", "M=16"}, {2, "k2", "M=32"}, {3, "k3", "M=48"}};
}

std::string csv_of(SweepFile& file, const TemporaryFolder& folder,
                   const std::vector<PlanExpression>& derived = {}) {
  file.define_results(derived);
  file.write_csv(folder.file("r.csv"));
  return folder.read("r.csv");
}

// Ending of a child process that runs `body`: exit status, or 128 + signal.
int status_of_child(const std::function<void()>& body) {
  const ::pid_t pid = ::fork();
  if (pid == 0) {
    body();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// A child process stores two of three points and is killed.
void store_and_be_killed(const std::string& path) {
  BOOST_TEST(status_of_child([&] {
               SweepFile file(path);
               file.request(three_points());
               file.store(row_of(1, "k1"));
               file.store(row_of(2, "k2"));
               ::raise(SIGKILL);
             }) == 128 + SIGKILL);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_results_are_the_requested_points_in_order_with_derived_columns) {
  const TemporaryFolder folder;
  SweepFile file(folder.file("r.sqlite"));
  file.request(three_points());
  file.describe({{"version", "1"}}, {"M"});
  file.store(row_of(3, "k3", {{"z.time_ns", 5}, {"host.wall_s", 1}, {"total", 7}}));
  file.store(row_of(1, "k1", {{"z.time_ns", 2.5}, {"a.bytes", 9}}));
  file.store(row_of(2, "k2", {}, "failed"));
  // M / 32 is no integer division; the failed point has no time.
  const std::string csv = csv_of(
      file, folder,
      {{"half", "M / 32", {}}, {"rate", "half / \"z.time_ns\"", {}}, {"wrong", "x + 1", {}}});
  BOOST_TEST(csv ==
             "point,status,message,version,hash,M,command,total,a.bytes,z.time_ns,host.wall_s,"
             "half,rate\n"
             "1,ok,,1,,16,,,9,2.5,,0.5,0.2\n"
             "2,failed,,1,,32,,,,,,1,\n"
             "3,ok,,1,,48,,7,,5,1,1.5,0.3\n");
  const std::vector<std::string> faults = file.define_results({{"wrong", "totl + 1", {}}});
  BOOST_TEST_REQUIRE(faults.size() == 1u);
  check_contains(faults[0],
                 {"derived.wrong: no such column: totl; did you mean 'total'?; kernbench plot ",
                  " --columns lists them"});
  BOOST_TEST(file.define_results({{"Total", "1", {}}}).size() == 1u);
  BOOST_TEST(file.count("ok") == 2u);
}

// More than SQLite's parser accepts as nested queries.
BOOST_AUTO_TEST_CASE(a_hundred_derived_columns_may_each_use_the_one_before) {
  const TemporaryFolder folder;
  SweepFile file(folder.file("r.sqlite"));
  file.request({{1, "k1", "M=16"}});
  file.describe({}, {"M"});
  file.store(row_of(1, "k1"));
  std::vector<PlanExpression> derived{{"d1", "M + 1", {}}};
  for (int i = 2; i <= 100; ++i)
    derived.push_back({"d" + std::to_string(i), "d" + std::to_string(i - 1) + " + 1", {}});
  const std::string csv = csv_of(file, folder, derived);
  BOOST_TEST(contains(csv, ",116\n"), csv);
}

BOOST_AUTO_TEST_CASE(points_that_are_no_longer_requested_stay_out_of_the_results) {
  const TemporaryFolder folder;
  SweepFile file(folder.file("r.sqlite"));
  file.request(three_points());
  file.describe({}, {"M"});
  for (std::uint64_t i = 1; i <= 3; ++i) file.store(row_of(i, "k" + std::to_string(i)));
  // M=16 is gone, M=32 has other settings, M=48 has another number.
  file.request({{1, "k3", "M=48"}, {2, "k2new", "M=32"}});
  BOOST_TEST(csv_of(file, folder) == "point,status,message,version,hash,M,command\n1,ok,,1,,48,\n");
  const auto stored = file.stored();
  BOOST_TEST(stored.count("k1") == 1u);
  BOOST_TEST(stored.count("k2") == 0u);
  file.request(three_points());
  BOOST_TEST(file.count("ok") == 2u);
}

BOOST_AUTO_TEST_CASE(a_killed_process_loses_no_stored_point_and_leaves_the_file_free) {
  const TemporaryFolder folder;
  const std::string path = folder.file("r.sqlite");
  store_and_be_killed(path);
  SweepFile file(path);
  BOOST_TEST(file.stored().size() == 2u);
  BOOST_TEST(file.requested().size() == 3u);
}

BOOST_AUTO_TEST_CASE(a_full_disk_loses_no_stored_point) {
  const TemporaryFolder folder;
  const std::string path = folder.file("r.sqlite");
  // A limit on the size of files instead of a disk: write() fails likewise.
  BOOST_TEST(status_of_child([&] {
               SweepFile file(path);
               std::vector<RequestedPoint> points;
               for (std::uint64_t i = 1; i <= 1000; ++i)
                 points.push_back({i, "k" + std::to_string(i), std::to_string(i)});
               file.request(points);
               file.store(row_of(1, "k1"));
               ::signal(SIGXFSZ, SIG_IGN);
               const ::rlimit limit{400'000, 400'000};
               ::setrlimit(RLIMIT_FSIZE, &limit);
               try {
                 for (std::uint64_t i = 2; i <= 1000; ++i) {
                   SweepRow row = row_of(i, "k" + std::to_string(i));
                   row.message = std::string(10'000, 'x');
                   file.store(row);
                 }
               } catch (const Error& error) {
                 const bool named = contains(error.what(), "cannot be written") &&
                                    contains(error.what(), "its finished points are kept");
                 ::_exit(named ? 3 : 4);
               }
             }) == 3);
  SweepFile file(path);
  const std::uint64_t stored = file.count("ok");
  BOOST_TEST((stored >= 2 && stored < 1000), stored);
}

// SQLite cannot create its index of the write-ahead log next to it, as on a full disk.
BOOST_AUTO_TEST_CASE(results_with_a_write_ahead_log_are_read_without_writing) {
  const TemporaryFolder folder;
  const std::string path = folder.file("r.sqlite");
  store_and_be_killed(path);
  BOOST_TEST_REQUIRE(std::filesystem::file_size(path + "-wal") > 0);
  std::filesystem::remove(path + "-shm");
  std::filesystem::create_directory(path + "-shm");
  BOOST_TEST(read_sweep(path).finished == 2u);
}

BOOST_AUTO_TEST_CASE(two_sweeps_on_one_file_are_refused) {
  const TemporaryFolder folder;
  const std::string path = folder.file("r.sqlite");
  {
    const SweepFile file(path);
    BOOST_CHECK_EXCEPTION(SweepFile{path}, UsageError,
                          with_text<UsageError>({path, "in use by another sweep"}));
    BOOST_TEST(read_sweep(path).finished == 0u);  // readers are not kept out
  }
  BOOST_CHECK_NO_THROW(SweepFile{path});
}

BOOST_AUTO_TEST_CASE(other_files_are_refused) {
  const TemporaryFolder folder;
  const auto refusal = [](const std::string& path) {
    return error_of<UsageError>([&] { const SweepFile file(path); });
  };
  const std::string text = folder.write("text.sqlite", "not a database, but long enough");
  check_contains(refusal(text), {"text.sqlite", "is no SQLite database"});
  BOOST_TEST(folder.read("text.sqlite") == "not a database, but long enough");
  SQLite::Database(folder.file("other.db"), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE points(x)");
  check_contains(refusal(folder.file("other.db")), {"is no result file of a sweep"});
  check_contains(refusal(folder.file("a/b.sqlite")), {"cannot write", "No such file"});
  check_contains(refusal("/proc/b.sqlite"), {"cannot write '/proc/b.sqlite'"});
  check_contains(refusal(folder.file("r.csv")), {"ends in '.csv': .sqlite, .sqlite3 or .db"});
  { const SweepFile file(folder.file("old.sqlite")); }
  SQLite::Database(folder.file("old.sqlite"), SQLite::OPEN_READWRITE)
      .exec("UPDATE meta SET value = '0' WHERE key = 'schema_version'");
  check_contains(refusal(folder.file("old.sqlite")),
                 {"has schema version '0'; this program reads and writes version 1"});
  check_contains(error_of<UsageError>([&] { read_sweep(folder.file("none.sqlite")); }),
                 {"none.sqlite", "does not exist"});
}

BOOST_AUTO_TEST_CASE(names_that_differ_in_case_are_one_column) {
  const TemporaryFolder folder;
  SweepFile file(folder.file("r.sqlite"));
  file.request(three_points());
  file.describe({}, {"M"});
  file.store(row_of(1, "k1", {{"Kernels.add", 1}, {"kernels.ADD", 2}}));
  BOOST_TEST(csv_of(file, folder) ==
             "point,status,message,version,hash,M,command,Kernels.add\n1,ok,,1,,16,,1\n");
  BOOST_TEST(setting_column("Status") == "param.Status");
  BOOST_TEST(setting_column("M") == "M");
}

BOOST_AUTO_TEST_CASE(numbers_beyond_the_limit_of_columns_are_json) {
  const TemporaryFolder folder;
  const std::vector<PlanExpression> sum{{"sum", "n7 + json_extract(further, '$.n2499')", {}}};
  SummaryColumns many;
  for (int i = 0; i < 2500; ++i) many.emplace_back("n" + std::to_string(i), i);
  const auto last_field = [](const std::string& csv) { return csv.substr(csv.rfind(',') + 1); };
  {
    SweepFile file(folder.file("r.sqlite"));
    file.request(three_points());
    file.describe({}, {"M"});
    file.store(row_of(1, "k1", many));
    BOOST_TEST(last_field(csv_of(file, folder, sum)) == "2506\n");
  }
  // The same in a file that joins it with others.
  SweepFile all(folder.file("all.sqlite"));
  all.request(three_points());
  all.describe({}, {"M"});
  all.store_all(folder.file("r.sqlite"));
  BOOST_TEST(last_field(csv_of(all, folder, sum)) == "2506\n");
}

BOOST_AUTO_TEST_CASE(rows_of_some_keys_are_copied) {
  const TemporaryFolder folder;
  {
    SweepFile file(folder.file("r.sqlite"));
    file.request(three_points());
    file.describe({}, {"M"});
    for (std::uint64_t i = 1; i <= 3; ++i) file.store(row_of(i, "k" + std::to_string(i)));
  }
  SweepFile part(folder.file("part.sqlite"));
  part.request({{2, "k2", "M=32"}});
  part.describe({}, {"M"});
  const std::set<std::string> keys{"k2"};
  part.store_all(folder.file("r.sqlite"), &keys);
  BOOST_TEST(csv_of(part, folder) == "point,status,message,version,hash,M,command\n2,ok,,1,,32,\n");
}

BOOST_AUTO_TEST_SUITE_END()
