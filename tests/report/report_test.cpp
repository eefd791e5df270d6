// Reports that register themselves: of a run and of its log they are the same, by one class.
#include "platform/report/report.h"

#include <SQLiteCpp/Database.h>

#include <CLI/CLI.hpp>
#include <boost/test/unit_test.hpp>
#include <map>

#include "models/base/errors.h"
#include "platform/events/op_log_player.h"
#include "tests/support/forked.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;
using Json = nlohmann::ordered_json;

BOOST_AUTO_TEST_SUITE(report_test)

namespace {

// --- A report of a derived statistic, as a user would add it: this class and its registration

// Bytes and mean latency of the transfers of each size.
class SizesReport final : public Report, private tlm::tlm_analysis_if<TransferRow> {
 public:
  explicit SizesReport(const ReportContext& context)
      : binding_(context.events.rows<TransferRow>(), *this) {
    if (context.machine != nullptr) context.machine->observe_transfers();
  }
  std::string text() override { return text_of(*table()); }
  Json json() override { return table()->json(); }
  std::optional<Table> table() override {
    Table table("sizes", {{"bytes", "size"}, {"count", "count"}, {"latency_ns", "mean latency"}});
    for (const auto& [bytes, sum] : sums_)
      table.add({bytes, sum.first, TimeCell{sum.second / sum.first}});
    return table;
  }

 private:
  void write(const TransferRow& row) override {
    auto& [count, latency] = sums_[row.bytes];
    ++count;
    latency += row.end - row.issued;
  }
  std::map<std::uint64_t, std::pair<std::uint64_t, Fs>> sums_;
  AnalysisBinding<TransferRow> binding_;
};

const ReportRegistration sizes_registration(
    {55, "sizes", ReportSource::run | ReportSource::log},
    report_on_flag<SizesReport>("--sizes", "Latency of transfers by size"));

// Of a source that no command has, to be declared on purpose.
constexpr unsigned twice_named = 1U << 20, twice_declared = 1U << 21;
const ReportRegistration first_name({1, "twins", twice_named}, report_in_summary<SizesReport>());
const ReportRegistration second_name({2, "twins", twice_named}, report_in_summary<SizesReport>());
const ReportRegistration first_option({1, "one", twice_declared},
                                      report_on_flag<SizesReport>("--same", ""));
const ReportRegistration second_option({2, "other", twice_declared},
                                       report_on_flag<SizesReport>("--same", ""));

// --- A run and its log

struct Command {
  explicit Command(unsigned source, const std::string& options) {
    reports.declare(app, source);
    app.parse(options);
    reports.check();
  }
  CLI::App app;
  ReportSet reports;
};

void work(KernelContext& pe, std::uint64_t memory) {
  for (const std::uint64_t bytes : {std::uint64_t{64}, std::uint64_t{4096}}) {
    kernbench::Command command;
    command.what = DmaCommand{false, memory, bytes};
    pe.wait(*pe.issue(command));
  }
}

std::string outputs(const Reports& reports) {
  Json json = Json::object();
  reports.add_to(json);
  for (const char* only_of_run : {"kernels", "kernel_groups"}) json.erase(only_of_run);
  return json.dump();
}

// Two launches on two PEs that read from one memory, with an operation log.
std::string run_with(const std::string& path, const std::string& options) {
  WholeMachine machine("topology.tiny.yaml", {}, without_data());
  Command command(ReportSource::run, "--op-log " + path + ' ' + options);
  MachineEvents events(*machine.platform);
  ReportContext context{ReportSource::run, events, &events};
  Reports reports(command.reports, context);
  RunLimits limits;
  events.add_samples_to(limits);
  const RunResult result = machine.run(
      [&](HostPort& port) {
        for (int id = 1; id <= 2; ++id) {
          const std::string request = "r" + std::to_string(id);
          const auto launch = kernel_launch({{0, 0, 0}, {0, 0, 1}}, request);
          launch->kernel.name = "k" + std::to_string(id);
          launch->body = std::make_shared<FunctionKernel>([&](KernelContext& pe) {
            work(pe, machine.hbm({0, 0, 0}));
          });
          const auto sent = port.submit(launch);
          port.wait(*sent);
          LaunchEnd end;
          end.kernel = launch->kernel.name;
          end.requests = {request};
          end.per_pe = sent->response().per_pe;
          end.meta = {{"op", "read"}, {"tokens", "3"}};
          events.launch_ended(end);
        }
      },
      limits);
  BOOST_TEST_REQUIRE(result.error == "");
  events.close(result.simulated, result);
  reports.close(result.simulated);
  return outputs(reports);
}

std::string inspect(const std::string& path, const std::string& options) {
  LogPlayer log(path);
  Command command(ReportSource::log, options);
  ReportContext context{ReportSource::log, log, nullptr, &log};
  Reports reports(command.reports, context);
  log.play();
  reports.close(0);
  return outputs(reports);
}

}  // namespace

BOOST_AUTO_TEST_CASE(reports_of_a_run_and_of_its_log_are_the_same) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.sqlite");
  const Json of_run = Json::parse(forked_value(
      [&] { return run_with(path, "--breakdown --kernel-limits --sizes --operators"); }));
  const Json asked = Json::parse(forked_value([&] {
    return inspect(path,
                   "--breakdown --limits --kernel-limits --sizes --operators --servers 'launch 2'");
  }));
  const Json summary = Json::parse(forked_value([&] { return inspect(path, ""); }));
  for (const char* name : {"bottleneck", "transfers", "hops", "sizes", "operators"})
    BOOST_TEST((of_run.at(name) == asked.at(name)), name << ": " << of_run.at(name).dump() << '\n'
                                                         << asked.at(name).dump());
  for (const char* name : {"engines", "memories", "links", "pe_time"})
    BOOST_TEST((of_run.at(name) == summary.at(name)), name);
  BOOST_TEST(of_run.at("bottleneck").at("kernels").size() == 2U);

  // 2 launches x 2 PEs, one read of each size.
  BOOST_TEST_REQUIRE(of_run.at("sizes").size() == 2U);
  BOOST_TEST(of_run.at("sizes").at(1).at("bytes") == 4096);
  BOOST_TEST(of_run.at("sizes").at(1).at("count") == 4);
  // Both launches are one operator, with its bytes in HBM.
  const Json& operators = of_run.at("operators");
  BOOST_TEST(operators.at("tokens") == 6);
  BOOST_TEST(operators.at("operators").at(0).at("operator") == "read");
  BOOST_TEST(operators.at("operators").at(0).at("launches") == 2);
  BOOST_TEST(operators.at("operators").at(0).at("hbm_bytes") == 2 * 2 * (64 + 4096));
  // Launch 2 alone: 2 PEs x (64 + 4096) B over their links.
  std::uint64_t bytes = 0;
  for (const Json& server : asked.at("servers")) {
    if (server.at("resource") == "PE links" && !server.at("bytes").is_null())
      bytes += server.at("bytes").get<std::uint64_t>();
  }
  BOOST_TEST(bytes >= 2 * (64 + 4096));
  BOOST_TEST(bytes < 2 * 2 * (64 + 4096));
}

// Use of each server over the intervals of the run is that of kernels and host together.
BOOST_AUTO_TEST_CASE(intervals_of_a_run_add_up) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.sqlite");
  forked_value([&] { return run_with(path, ""); });
  SQLite::Database log(path);
  const auto number = [&log](const std::string& sql) { return log.execAndGet(sql).getInt64(); };
  const std::string use = "FROM server_use JOIN windows ON windows.id = window WHERE ";
  for (const char* column : {"busy_fs", "stalled_fs", "bytes"}) {
    const std::string sums = "(SELECT sum(" + std::string(column) + ") AS whole " + use +
                             "name IN ('pe', 'host') GROUP BY server)",
                      parts =
                          "SELECT sum(" + std::string(column) + ") " + use + "name LIKE 'time %' ";
    BOOST_TEST(number("SELECT sum(whole) FROM " + sums) == number(parts), column);
    BOOST_TEST(number("SELECT max(whole) FROM " + sums) ==
                   number("SELECT max(s) FROM (SELECT sum(" + std::string(column) + ") AS s " +
                          use + "name LIKE 'time %' GROUP BY server)"),
               column);
  }
  // Windows are at least 64 ns, and doubled to be at most 512.
  BOOST_TEST(number("SELECT count(*) FROM windows WHERE name LIKE 'time %'") >= 4);
  BOOST_TEST(number("SELECT count(*) FROM windows WHERE name LIKE 'time %'") <= 512);
  BOOST_TEST(number("SELECT count(DISTINCT length_fs) FROM windows WHERE name LIKE 'time %' AND "
                    "id < (SELECT max(id) FROM windows)") == 1);
}

// The window of a kernel lasts from its start, also of one that issues no command: 100 cycles of 1
// ns on each of two PEs, whose stretches follow one another or overlap.
BOOST_AUTO_TEST_CASE(the_window_of_a_kernel_begins_with_the_kernel) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.sqlite");
  forked_value([&] {
    WholeMachine machine("topology.tiny.yaml", {}, without_data());
    Command command(ReportSource::run, "--kernel-limits --op-log " + path);
    MachineEvents events(*machine.platform);
    ReportContext context{ReportSource::run, events, &events};
    Reports reports(command.reports, context);
    const RunResult result = machine.run([&](HostPort& port) {
      const auto launch = kernel_launch({{0, 0, 0}, {0, 0, 1}}, "r1");
      launch->kernel.name = "k1";
      launch->body = std::make_shared<FunctionKernel>([](KernelContext& pe) { pe.cycles(100); });
      port.wait(*port.submit(launch));
      LaunchEnd end;
      end.kernel = "k1";
      end.requests = {"r1"};
      events.launch_ended(end);
    });
    BOOST_TEST_REQUIRE(result.error == "");
    events.close(result.simulated, result);
    reports.close(result.simulated);
    return std::string();
  });
  SQLite::Database log(path);
  const auto number = [&log](const std::string& sql) { return log.execAndGet(sql).getInt64(); };
  for (const char* window : {"pe", "kernel k1", "launch 1"})
    BOOST_TEST(number("SELECT length_fs FROM windows WHERE name = '" + std::string(window) + "'") ==
                   number("SELECT max(t_end_fs) - min(t_start_fs) FROM runs"),
               window);
  BOOST_TEST(number("SELECT max(t_end_fs) - min(t_start_fs) FROM runs") == 100'000'000);
  BOOST_TEST(number("SELECT count(*) FROM kernel_starts") == 2);
}

BOOST_AUTO_TEST_CASE(a_name_or_an_option_of_two_reports_is_refused) {
  const auto fault = [](unsigned source) -> std::string {
    CLI::App app;
    ReportSet reports;
    try {
      reports.declare(app, source);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  BOOST_TEST(fault(twice_named) == "two reports have the name 'twins'");
  BOOST_TEST(fault(twice_declared) == "the reports 'one' and 'other' both declare --same");
}

BOOST_AUTO_TEST_CASE(joined_tables_have_the_columns_of_all) {
  Table first("a", {{"x", "x"}, {"y", "y"}}), second("b", {{"z", "z"}, {"y", "y"}});
  first.add({std::uint64_t{1}, std::uint64_t{2}});
  second.add({std::uint64_t{3}, std::uint64_t{4}});
  BOOST_TEST(Table::joined({first, second}).csv() == "table,x,y,z\na,1,2,\nb,,4,3\n");
}

// Titles of 50 characters and two keys of 10: a line of 120 has room for the keys and one of them.
BOOST_AUTO_TEST_CASE(each_part_of_a_wide_table_has_its_keys) {
  const std::string wide(49, 'w');
  Table table =
      Table("t",
            {{"k", "key"}, {"l", "other"}, {"a", wide + 'a'}, {"b", wide + 'b'}, {"c", wide + 'c'}})
          .with_keys(2);
  table.add({"key-value1", "key-value2", std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}});
  const std::string text = table.text();
  std::size_t parts = 0;
  for (std::size_t at = 0; (at = text.find("key-value1  key-value2", at)) != std::string::npos;
       ++at)
    ++parts;
  BOOST_TEST(parts == 3U, text);
}

BOOST_AUTO_TEST_CASE(rows_beyond_the_most_are_left_out_and_counted) {
  Table table("t", {{"n", "n"}});
  for (std::uint64_t n = 1; n <= 5; ++n) table.add({n});
  BOOST_TEST(table.text("", 2) == "n\n1\n2\n... 3 more; --json has all\n");
  BOOST_TEST(table.text("", 2, Table::Cut::middle) == "n\n1\n... 3 more; --json has all\n5\n");
}

BOOST_AUTO_TEST_CASE(two_columns_with_one_key_are_refused) {
  BOOST_CHECK_THROW(Table("t", {{"a", "one"}, {"a", "other"}}), Error);
}

BOOST_AUTO_TEST_SUITE_END()
