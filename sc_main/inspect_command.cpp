// `kernbench inspect`: reports from an operation log.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "models/base/errors.h"
#include "platform/events/op_log_player.h"
#include "platform/output/json_text.h"
#include "platform/report/option_values.h"
#include "platform/report/report.h"
#include "platform/report/sql_query.h"
#include "sc_main/command.h"

namespace kernbench {
namespace {

struct InspectOptions {
  std::string log, sql;
  std::uint64_t rows = 0;  // 0: default of each report
  bool json = false, csv = false;
  ReportSet reports;
  const CLI::App* command = nullptr;

  // UsageError: no requested report has tables that --rows limits.
  void check_rows() const;
};

void InspectOptions::check_rows() const {
  static const std::vector<std::string> with_rows{"--limits",  "--kernel-limits", "--servers",
                                                  "--top",     "--critical-path", "--stages",
                                                  "--compare", "--energy"};
  const auto is_asked = [this](const std::string& option) { return command->count(option) > 0; };
  const std::vector<std::string> all = reports.options();
  const bool is_summary = sql.empty() && std::none_of(all.begin(), all.end(), is_asked);
  if (rows == 0 || is_summary || std::any_of(with_rows.begin(), with_rows.end(), is_asked)) return;
  throw UsageError(
      fmt::format("--rows applies to the summary and to {}", fmt::join(with_rows, ", ")));
}

int query(const InspectOptions& options) {
  const OpenedLog checked(options.log);
  const QueryFormat format = options.json  ? QueryFormat::json
                             : options.csv ? QueryFormat::csv
                                           : QueryFormat::text;
  run_query(options.log, options.sql, format, std::cout);
  return exit_done;
}

int inspect(const InspectOptions& options) {
  options.check_rows();
  options.reports.check();
  if (!options.sql.empty()) return query(options);
  LogPlayer log(options.log);
  ReportContext context{ReportSource::log, log, nullptr, &log};
  if (options.rows > 0) context.rows = options.rows;
  Reports reports(options.reports, context);
  log.play();
  reports.close(0);
  if (options.csv) {
    std::cout << reports.only_table().csv();
  } else if (options.json) {
    Report::Json json = Report::Json::object();
    reports.add_to(json);
    std::cout << json_text(json, 2) << '\n';
  } else {
    std::cout << reports.text(true);
  }
  return exit_done;
}

void declare_inspect(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<InspectOptions>();
  command.add_option("log", options->log, "Operation log of `run --op-log F.sqlite`")
      ->type_name("F.sqlite|.sqlite3|.db")
      ->required();
  options->command = &command;
  options->reports.declare(command, ReportSource::log);
  CLI::Option* const sql = command
                               .add_option("--sql", options->sql,
                                           "Rows of a read-only query (tables and columns: "
                                           "docs/op-log.md)")
                               ->type_name("QUERY")
                               ->group(report_group);
  for (const std::string& report : options->reports.options())
    sql->excludes(command.get_option(report));
  command
      .add_option(
          "--rows", options->rows,
          "Rows of a table in text, of the summary and of the reports with long tables (default: "
          "as each report says); --csv and --json have all")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 30));
  CLI::Option* json = command.add_flag("--json", options->json, "As JSON, units in the key names");
  command.add_flag("--csv", options->csv, "One table as CSV")->excludes(json);
  command.footer(
      "Without a report: a summary of launches, engines, operations, stalls and limits, and of the "
      "critical path of the longest launch.\n\n"
      "Examples:\n"
      "  kernbench run --bench matmul-composite --op-log gemm.sqlite\n"
      "  kernbench inspect gemm.sqlite\n"
      "  kernbench inspect gemm.sqlite --limits --servers\n"
      "  kernbench inspect gemm.sqlite --critical-path\n"
      "  kernbench inspect gemm.sqlite --timeline 'sip0.cube0.pe0.*' --window 400:700\n"
      "  kernbench inspect gemm.sqlite --top --rows 10 --stages\n"
      "  kernbench inspect gemm.sqlite --compare other-tile.sqlite\n"
      "  kernbench inspect gemm.sqlite --sql \"SELECT name, count(*) FROM ops GROUP BY name\" "
      "--csv\n\n"
      "The critical path is traced backwards from the last response of a PE: through stall reasons "
      "of a kernel, stages of a tile,\n"
      "holders of an engine, the compute slot or a buffer, messages, credits, and the launch "
      "itself. The sum of its steps is the\n"
      "length of the launch. \"Without it at least\" is the length without the steps of a "
      "resource: a bound on the gain from a\n"
      "faster resource, because another chain may then be the longest.\n");
  invocation.on(command, [options] { return inspect(*options); });
}
const CommandRegistration inspect_registration(
    110, "inspect", "Analyse an operation log: utilisation, stalls, limits, critical path",
    declare_inspect);

}  // namespace
}  // namespace kernbench
