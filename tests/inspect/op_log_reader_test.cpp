// What is no operation log, or not a whole one, is refused with its name and the reason.
#include "platform/inspect/op_log_reader.h"

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "models/base/errors.h"
#include "platform/inspect/log_summary.h"
#include "tests/inspect/hand_made_log.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(op_log_reader_test)

namespace {

const std::string pe0 = "sip0.cube0.pe0";

struct OneLaunch : HandMadeLog {
  OneLaunch() { launch("k", 0, 10, {pe0}, 1, 9); }
};

std::string fault_of(const std::string& path) {
  try {
    const OpLogReader log(path);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

void change(const std::string& path, const std::string& sql) {
  SQLite::Database(path, SQLite::OPEN_READWRITE).exec(sql);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_file_that_is_no_database_is_refused) {
  const TemporaryFolder folder;
  const std::string missing = folder.file("none.sqlite");
  BOOST_TEST(fault_of(missing) == "'" + missing + "' does not exist");
  BOOST_TEST(fault_of(folder.root.string()) == "'" + folder.root.string() + "' is not a file");
  for (const std::string text : {"", "id,t_start_fs\n", "SQLite format 3"}) {
    const std::string path = folder.write("a.csv", text);
    BOOST_TEST(
        fault_of(path).find("'" + path + "' is not a SQLite database; an operation log to") == 0U);
  }
}

BOOST_AUTO_TEST_CASE(another_database_is_refused) {
  const TemporaryFolder folder;
  const std::string path = folder.file("other.db");
  SQLite::Database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE t (a)");
  BOOST_TEST(fault_of(path) == "'" + path + "' is not an operation log: it has no table 'meta'");
}

BOOST_AUTO_TEST_CASE(a_log_whose_run_has_not_ended_in_order_is_refused) {
  const OneLaunch log;
  const std::string path = log.write();
  change(path, "DELETE FROM meta");
  BOOST_TEST(fault_of(path) ==
             "'" + path + "' is not complete: the run that wrote it has not come to its end");
}

BOOST_AUTO_TEST_CASE(other_schema_versions_are_refused_and_earlier_ones_are_read) {
  const OneLaunch log;
  const std::string path = log.write();
  for (const std::string version : {"5", "0", "", "two", "18446744073709551618"}) {
    change(path, "UPDATE meta SET value = '" + version + "' WHERE key = 'schema_version'");
    if (version.empty()) continue;  // counts as incomplete
    BOOST_TEST(fault_of(path) ==
               "'" + path + "' has schema version '" + version + "'; this program reads 1 to 4");
  }
  change(path,
         "UPDATE meta SET value = '3' WHERE key = 'schema_version'; ALTER TABLE ops DROP COLUMN "
         "stream; ALTER TABLE runs DROP COLUMN stream; ALTER TABLE waits DROP COLUMN stream; ALTER "
         "TABLE slot_waits DROP COLUMN stream");
  BOOST_TEST(!OpLogReader(path).has_streams());
  BOOST_TEST(!summary_json(OpLogReader(path), 1).at("pe_time").is_null());
  change(path,
         "UPDATE meta SET value = '2' WHERE key = 'schema_version'; DROP TABLE slot_waits; ALTER "
         "TABLE waits DROP COLUMN command_kind; ALTER TABLE runs DROP COLUMN t_target_fs");
  BOOST_TEST(OpLogReader(path).has_progress());
  BOOST_TEST(!OpLogReader(path).has_pe_time());
  BOOST_TEST(summary_json(OpLogReader(path), 1).at("pe_time").is_null());
  change(
      path,
      "UPDATE meta SET value = '1' WHERE key = 'schema_version'; DROP TABLE launches; DROP TABLE "
      "runs; DROP TABLE waits; DROP TABLE commands; DROP TABLE messages");
  const OpLogReader old(path);
  BOOST_TEST(!old.has_progress());
  BOOST_CHECK_THROW(old.require_progress("--critical-path"), UsageError);
}

BOOST_AUTO_TEST_CASE(a_missing_table_or_column_is_named) {
  for (const std::string table :
       {"ops", "launches", "runs", "waits", "slot_waits", "commands", "messages"}) {
    const OneLaunch log;
    const std::string path = log.write();
    change(path, "DROP TABLE " + table);
    BOOST_TEST(fault_of(path) == "'" + path + "' has no table '" + table +
                                     "', which an operation log of schema version 4 has");
  }
  const OneLaunch log;
  const std::string path = log.write();
  change(path, "ALTER TABLE launches RENAME COLUMN kernel TO core");
  BOOST_TEST(fault_of(path) == "'" + path + "' cannot be read: no such column: kernel");
}

BOOST_AUTO_TEST_CASE(a_file_that_is_cut_short_is_refused) {
  const OneLaunch log;
  const std::string path = log.write();
  const std::uint64_t size = std::filesystem::file_size(path);
  for (const std::uint64_t left : {size - 1, size / 2, std::uint64_t{100}}) {
    std::filesystem::resize_file(path, left);
    BOOST_TEST(fault_of(path) == "'" + path + "' is cut short: it has " + std::to_string(left) +
                                     " of " + std::to_string(size) + " bytes");
  }
}

BOOST_AUTO_TEST_CASE(a_launch_is_found_by_its_number_or_its_length) {
  HandMadeLog log;
  BOOST_CHECK_THROW(OpLogReader(log.write()).longest_launch(), UsageError);
  log.launch("short", 0, 10, {pe0}, 1, 9);
  BOOST_CHECK_EXCEPTION(OpLogReader(log.write()).launch(2), UsageError, [](const auto& error) {
    return std::string(error.what()).find("has no launch 2, it has launch 1 only") !=
           std::string::npos;
  });
  log.launch("long", 20, 50, {pe0}, 21, 49);
  log.launch("long too", 60, 90, {pe0}, 61, 89);
  const OpLogReader reader(log.write());
  BOOST_TEST(reader.longest_launch().id == 2U);
  BOOST_TEST(reader.launch(3).kernel == "long too");
  BOOST_CHECK_EXCEPTION(reader.launch(4), UsageError, [&](const UsageError& error) {
    return std::string(error.what()) == "'" + reader.path() + "' has no launch 4, it has 1 to 3";
  });
}

BOOST_AUTO_TEST_SUITE_END()
