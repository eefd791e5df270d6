// A log that is played back writes the events that have been recorded; what is no operation log, or
// not a whole one, is refused with its name and the reason.
#include "platform/events/op_log_player.h"

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "models/base/errors.h"
#include "platform/events/op_log_file.h"
#include "platform/report/critical_path.h"
#include "tests/report/hand_made_log.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(op_log_player_test)

namespace {

const std::string pe0 = "sip0.cube0.pe0", pe1 = "sip0.cube0.pe1";

struct OneLaunch : HandMadeLog {
  OneLaunch() { launch("k", 0, 10, {pe0}, 1, 9); }
};

std::string fault_of(const std::string& path) {
  try {
    const LogPlayer log(path);
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
             "'" + path + "' is not complete: the run that wrote it has not ended");
}

BOOST_AUTO_TEST_CASE(other_schema_versions_are_refused_with_both_named) {
  const OneLaunch log;
  const std::string path = log.write();
  for (const std::string version : {"8", "10", "0", "two", "18446744073709551618"}) {
    change(path, "UPDATE meta SET value = '" + version + "' WHERE key = 'schema_version'");
    BOOST_TEST(fault_of(path) == "'" + path + "' has schema version '" + version +
                                     "'; this program reads version 9: run again with --op-log");
  }
}

BOOST_AUTO_TEST_CASE(a_missing_table_or_column_is_named) {
  for (const std::string table : {"ops", "launches", "kernel_starts", "runs", "waits", "slot_waits",
                                  "commands", "messages"}) {
    const OneLaunch log;
    const std::string path = log.write();
    change(path, "DROP TABLE " + table);
    BOOST_TEST(fault_of(path) == "'" + path + "' has no table '" + table +
                                     "', which an operation log of schema version 9 has");
  }
  const OneLaunch log;
  const std::string path = log.write();
  change(path, "ALTER TABLE launches RENAME COLUMN kernel TO core");
  BOOST_TEST(fault_of(path) == "'" + path + "' cannot be read: no such column: kernel");
}

// The log is refused when the value is read, with its table and column.
BOOST_AUTO_TEST_CASE(impossible_times_are_refused) {
  struct Change {
    std::string sql, fault;
  };
  const std::vector<Change> changes{
      {"UPDATE runs SET t_end_fs = 3",
       "has 3 in column 't_end_fs' of table 'runs', before 9 in column 't_return_fs'"},
      {"UPDATE runs SET t_target_fs = 2",
       "has 1 in column 't_start_fs' of table 'runs', before 2 in column 't_target_fs'"},
      {"INSERT INTO activity (t_pe_begin_fs, t_pe_end_fs) VALUES (8, 7)",
       "has 7 in column 't_pe_end_fs' of table 'activity', before 8 in column 't_pe_begin_fs'"},
      {"UPDATE ops SET t_start_fs = 7",
       "has 6 in column 't_end_fs' of table 'ops', before 7 in column 't_start_fs'"},
      {"UPDATE ops SET t_start_fs = -1",
       "has -1 in column 't_start_fs' of table 'ops', which is never negative"},
      {"UPDATE launches SET t_end_fs = -5",
       "has -5 in column 't_end_fs' of table 'launches', which is never negative"}};
  for (const Change& each : changes) {
    OneLaunch log;
    log.ops = {{pe0 + ".pe_dma", "dma_read", 2, 6, 1}};
    const std::string path = log.write();
    change(path, each.sql);
    std::string fault;
    try {
      LogPlayer player(path);
      const CollectedRows<ActivityRow> activity(player);
      player.play();
    } catch (const UsageError& error) {
      fault = error.what();
    }
    BOOST_TEST(fault == "'" + path + "' " + each.fault);
  }
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
  BOOST_CHECK_THROW(longest_of(LogPlayer(log.write()).launches(), "log"), UsageError);
  log.launch("short", 0, 10, {pe0}, 1, 9);
  const auto fault_of_launch = [&log](std::uint64_t id) -> std::string {
    try {
      launch_of(LogPlayer(log.write()).launches(), id, "a.db");
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  BOOST_TEST(fault_of_launch(2) == "'a.db' has no launch 2, it has launch 1 only");
  log.launch("long", 20, 50, {pe0}, 21, 49);
  log.launch("long too", 60, 90, {pe0}, 61, 89);
  const LogPlayer player(log.write());
  BOOST_TEST(longest_of(player.launches(), "a.db").id == 2U);
  BOOST_TEST(launch_of(player.launches(), 3, "a.db").kernel == "long too");
  BOOST_TEST(fault_of_launch(4) == "'a.db' has no launch 4, it has 1 to 3");
}

// --- Events

namespace {

// Rows of a table, by all columns.
std::vector<std::string> rows_of(const std::string& path, const std::string& table) {
  SQLite::Database database(path);
  SQLite::Statement rows(database, "SELECT * FROM " + table);
  std::vector<std::string> texts;
  while (rows.executeStep()) {
    std::string& text = texts.emplace_back();
    for (int column = 0; column < rows.getColumnCount(); ++column)
      text += (column == 0 ? "" : "|") + rows.getColumn(column).getString();
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

// Two PEs and two streams: commands, of which one has not completed, composites, messages, of which
// one is in flight, and a kernel that has not ended.
struct Busy : HandMadeLog {
  Busy() {
    using Reason = KernelWait::Reason;
    launch("k", 0, 110, {pe0, pe1}, 10, 90, 3);
    progress.runs[1].target = 8;
    progress.runs[1].unwaited = "1 command";
    awaited_command(pe0, 1, 12, 14, 30, 3);
    awaited_command(pe1, 1, 12, 15, 40, 3);
    progress.commands.push_back({pe0, 2, 31, 33, 60});
    progress.commands.push_back({pe0, 3, 100, {}, {}});
    progress.waits.push_back({pe1, Reason::receive, {}, 41, 52, {}, 3});
    progress.waits.push_back({pe0, Reason::barrier, {}, 61, 70, {}, 3});
    progress.slot_waits = {{pe0, OpKind::math, 34, 38, 3}};
    progress.messages = {{1, 4096, 0, 4096, 64, pe0, pe1, 20, 41, 42, 45, 46, 50, 52, 7, 3, 3},
                         {2, 4096, 1, 5120, 32, pe0, {}, 80, {}, {}, {}, {}, {}, {}, 7, 3, {}}};
    ops = {{pe0 + ".pe_dma", "dma_read", 14, 30, 1, -1, 4096, 3},
           {pe1 + ".pe_dma", "dma_read", 15, 40, 1, -1, 64, 3},
           {pe0 + ".pe_gemm", "tile/GEMM", 38, 50, 2, 0, 0, 3},
           {pe0 + ".pe_scheduler", "composite_gemm", 33, 60, 2, -1, 0, 3},
           {pe0 + ".pe_dma", "dma_write", 100, 105, 3, -1, 64, 3}};
  }
};

}  // namespace

// Each port has had the events that its recorder needs for the same rows.
BOOST_AUTO_TEST_CASE(a_log_that_is_played_back_is_recorded_as_it_was) {
  const Busy log;
  LogPlayer player(log.write());
  const TemporaryFolder folder;
  const std::string again = folder.file("again.sqlite");
  {
    OpLogFile file(ResultFile(again), nullptr);
    ProgressLog progress(player.observation(), *file.table(), 3);
    player.observation().executed_ops.bind(file);
    player.play();
    player.observation().executed_ops.unbind(file);
    progress.close(player.launches());
    file.close(log.meta);
  }
  for (const std::string table :
       {"meta", "ops", "launches", "runs", "waits", "slot_waits", "commands", "messages"}) {
    BOOST_TEST(rows_of(again, table) == rows_of(player.path(), table),
               boost::test_tools::per_element());
    BOOST_TEST(!rows_of(again, table).empty());
  }
}

// What ends at one instant: the message, the operation, the wait for it, and the kernel last.
BOOST_AUTO_TEST_CASE(events_are_written_in_the_order_of_their_ends) {
  HandMadeLog log;
  log.launch("k", 0, 60, {pe0}, 10, 40);
  log.awaited_command(pe0, 1, 12, 14, 40);
  log.progress.messages = {{1, 0, 0, 0, 64, pe0, {}, 40, {}, {}, {}, {}, {}, {}, 0, 0, {}}};
  log.ops = {{pe0 + ".pe_dma", "dma_read", 14, 40, 1}, {pe0 + ".pe_dma", "dma_read", 1, 41, 2}};
  LogPlayer player(log.write());
  struct Order : tlm::tlm_analysis_if<ExecutedOp>,
                 tlm::tlm_analysis_if<TraceEvent>,
                 tlm::tlm_analysis_if<KernelRun>,
                 tlm::tlm_analysis_if<KernelWait>,
                 tlm::tlm_analysis_if<MessageProgress> {
    void write(const ExecutedOp& op) override { add(op.t_end, name_in_machine(*op.node)); }
    void write(const TraceEvent& event) override { add(event.time, name_of(event.kind)); }
    void write(const KernelRun& run) override { add(run.answered, "run"); }
    void write(const KernelWait& wait) override { add(wait.end, "wait"); }
    void write(const MessageProgress& step) override { add(step.end, "message"); }
    void add(Fs time, const std::string& text) {
      events.push_back(std::to_string(time) + " " + text);
    }
    std::vector<std::string> events;
  } order;
  Observation& ports = player.observation();
  const AnalysisBinding<ExecutedOp> ops(ports.executed_ops, order);
  const AnalysisBinding<TraceEvent> events(ports.trace_events, order);
  const AnalysisBinding<KernelRun> runs(ports.kernel_runs, order);
  const AnalysisBinding<KernelWait> waits(ports.kernel_waits, order);
  const AnalysisBinding<MessageProgress> messages(ports.message_progress, order);
  player.play();
  const std::vector<std::string> expected{"12 command_submitted",
                                          "14 sub_command_dispatched",
                                          "40 message",
                                          "40 sip0.cube0.pe0.pe_dma",
                                          "40 command_complete",
                                          "40 wait",
                                          "40 run",
                                          "41 sip0.cube0.pe0.pe_dma"};
  BOOST_TEST(order.events == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
