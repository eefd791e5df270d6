#include "sc_main/result_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "models/base/errors.h"
#include "models/base/group_similar_messages.h"
#include "models/base/quote.h"
#include "platform/output/json_text.h"
#include "platform/output/table.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

struct CellOf {
  Cell operator()(std::monostate) const { return NoneCell{}; }
  Cell operator()(const std::string& text) const { return text; }
  Cell operator()(std::int64_t count) const { return CountCell{count}; }
  Cell operator()(double number) const { return NumberCell{number}; }
  Cell operator()(const std::shared_ptr<const DeferredCounter>& count) const {
    if (!count->value()) return NoneCell{"N/A"};
    return CountCell{static_cast<std::int64_t>(*count->value())};
  }
};
Cell cell_of(const ResultTable::Cell& cell) { return std::visit(CellOf{}, cell); }

Table table_of(const ResultTable& result) {
  std::vector<Table::Column> columns;
  for (std::size_t i = 0; i < result.columns().size(); ++i) {
    const bool is_text =
        !result.rows().empty() && std::holds_alternative<std::string>(result.rows().front()[i]);
    columns.push_back({result.columns()[i], is_text ? Table::Align::left : Table::Align::right});
  }
  Table table(result.name(), std::move(columns));
  for (const auto& row : result.rows()) {
    Table::Row cells;
    for (const ResultTable::Cell& cell : row) cells.push_back(cell_of(cell));
    table.add(std::move(cells));
  }
  return table;
}

using Headings = std::vector<ResultTable::Heading>;
using Widths = std::vector<std::size_t>;

constexpr std::size_t gap = 2;

Widths widths_of(const Headings& headings, const Table& table) {
  Widths widths;
  for (const ResultTable::Heading& heading : headings)
    widths.push_back(std::max(heading.title.size(), heading.unit.size()));
  for (const Table::Row& row : table.rows()) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], text_of(row[i]).size());
  }
  return widths;
}

std::string without_blanks_at_the_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

// Adjacent columns of one group, under its centred name.
std::string group_line(const Headings& headings, const Widths& widths) {
  std::string line;
  for (std::size_t i = 0; i < headings.size();) {
    std::size_t width = 0, end = i;
    for (; end < headings.size() && headings[end].group == headings[i].group; ++end)
      width += gap + widths[end];
    line += fmt::format("{:^{}}", headings[i].group, width);
    i = end;
  }
  return line;
}

template <class TextOf>
std::string line_of(const Widths& widths, TextOf text_of) {
  std::string line;
  for (std::size_t i = 0; i < widths.size(); ++i)
    line += fmt::format("{}{:>{}}", std::string(gap, ' '), text_of(i), widths[i]);
  return line;
}

// Table with multi-line headings, in the form of nccl-tests: lines that are not rows begin with
// '#'.
std::string headed_text(const ResultTable& result, const Table& table) {
  const Headings& headings = result.headings();
  const Widths widths = widths_of(headings, table);
  std::string text;
  const auto add = [&text](const char* start, const std::string& line) {
    text += without_blanks_at_the_end(start + line);
  };
  add("  #", group_line(headings, widths));
  add("  #", line_of(widths, [&](std::size_t i) { return headings[i].title; }));
  add("  #", line_of(widths, [&](std::size_t i) { return headings[i].unit; }));
  for (const Table::Row& row : table.rows())
    add("   ", line_of(widths, [&](std::size_t i) { return text_of(row[i]); }));
  return text;
}

std::string summaries_text(const ResultTable& result) {
  std::size_t width = 0;
  for (const ResultTable::Summary& summary : result.summaries())
    width = std::max(width, summary.label.size());
  std::string text;
  for (const ResultTable::Summary& summary : result.summaries())
    text += fmt::format("  # {:<{}} : {}\n", summary.label, width, text_of(cell_of(summary.value)));
  return text;
}

}  // namespace

std::string results_text(const std::vector<ResultTable>& results) {
  std::string text;
  for (const ResultTable& result : results) {
    const Table table = table_of(result);
    text += '\n' + result.name() + '\n';
    text += result.headings().empty() ? table.text("  ") : headed_text(result, table);
    text += summaries_text(result);
  }
  return text;
}

Json results_json(const std::vector<ResultTable>& results) {
  Json tables = Json::array();
  for (const ResultTable& result : results) {
    Json table{{"name", result.name()}, {"rows", table_of(result).json()}};
    for (const ResultTable::Summary& summary : result.summaries())
      table["summary"][summary.name] = json_of(cell_of(summary.value));
    tables.push_back(std::move(table));
  }
  return tables;
}

std::string results_csv(const std::vector<ResultTable>& results) {
  std::vector<Table> tables;
  for (const ResultTable& result : results) tables.push_back(table_of(result));
  return Table::joined(tables).csv();
}

namespace {

bool is_json(const std::string& path) { return std::filesystem::path(path).extension() == ".json"; }

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
                                      : results_csv(results));
  file.close();
}

std::string verdicts_text(const std::vector<VerdictReport>& verdicts) {
  std::vector<std::string> tensors, texts;
  for (const VerdictReport& verdict : verdicts) {
    tensors.push_back(verdict.tensor);
    texts.push_back(verdict.text);
  }
  std::string lines;
  for (const std::vector<std::size_t>& alike : group_similar_messages(texts)) {
    const VerdictReport& first = verdicts[alike.front()];
    lines += first.ok ? "  ok    " : "  FAIL  ";
    if (alike.size() > 1)
      lines += fmt::format("{} outputs alike, {}: ", alike.size(), first_of(alike, tensors));
    lines += first.text + '\n';
  }
  return lines;
}

Json verdicts_json(const std::vector<VerdictReport>& verdicts) {
  Json list = Json::array();
  for (const VerdictReport& verdict : verdicts)
    list.push_back({{"tensor", verdict.tensor}, {"ok", verdict.ok}, {"text", verdict.text}});
  return list;
}

std::string operations_text(const OperationsReport& operations) {
  if (operations.failed == 0)
    return "  ok    operations: " + operations.kinds + "; all agree with their references\n";
  std::string text;
  for (const std::string& failure : operations.failures) text += "  FAIL  " + failure + '\n';
  return text + fmt::format("  FAIL  {} of {} operations ({}) do not agree with their references\n",
                            operations.failed, operations.checked, operations.kinds);
}

Json operations_json(const std::optional<OperationsReport>& operations) {
  if (!operations) return Json();
  return {{"checked", operations->checked},
          {"kinds", operations->kinds},
          {"failed", operations->failed},
          {"failures", operations->failures}};
}

}  // namespace kernbench
