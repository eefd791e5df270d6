#include "sc_main/results_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/report/json_text.h"
#include "platform/report/table.h"
#include "sc_main/result_report.h"

namespace kernbench {
namespace {

using Columns = std::vector<std::string>;

bool is_json(const std::string& path) { return std::filesystem::path(path).extension() == ".json"; }

struct CellField {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(const std::string& text) const { return csv_field(text); }
  std::string operator()(std::int64_t count) const { return std::to_string(count); }
  std::string operator()(double number) const { return fmt::format("{}", number); }
  std::string operator()(const std::shared_ptr<const LateCount>& count) const {
    return count->value() ? std::to_string(*count->value()) : "";
  }
};

Columns columns_of(const std::vector<ResultTable>& results) {
  Columns columns;
  for (const ResultTable& table : results) {
    for (const std::string& column : table.columns()) {
      if (std::find(columns.begin(), columns.end(), column) == columns.end())
        columns.push_back(column);
    }
  }
  return columns;
}

std::string csv_text(const std::vector<ResultTable>& results) {
  const Columns columns = columns_of(results);
  std::string text = "table";
  for (const std::string& column : columns) text += ',' + csv_field(column);
  text += '\n';
  for (const ResultTable& table : results) {
    const Columns& own = table.columns();
    for (const auto& row : table.rows()) {
      text += csv_field(table.name());
      for (const std::string& column : columns) {
        const auto at =
            static_cast<std::size_t>(std::find(own.begin(), own.end(), column) - own.begin());
        text += ',' + (at < row.size() ? std::visit(CellField{}, row[at]) : "");
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace

void check_results_file(const std::string& path) {
  const std::filesystem::path extension = std::filesystem::path(path).extension();
  if (extension == ".csv" || is_json(path) || is_stream(path)) return;
  throw UsageError(
      fmt::format("the results {} end in {}: .csv or .json", quote(path),
                  extension.empty() ? "nothing that names a format" : quote(extension.string())));
}

void write_results(ResultFile& file, const std::vector<ResultTable>& results) {
  file.out() << (is_json(file.path()) ? json_text(results_json(results), 2) + '\n'
                                      : csv_text(results));
  file.close();
}

}  // namespace kernbench
