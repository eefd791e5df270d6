#include "sc_main/result_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/alike_texts.h"
#include "platform/report/table.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;
using Align = Table::Align;

struct CellText {
  std::string operator()(std::monostate) const { return "-"; }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(std::int64_t count) const { return fmt::format("{}", count); }
  std::string operator()(double number) const { return fmt::format("{:.3f}", number); }
  std::string operator()(const std::shared_ptr<const LateCount>& count) const {
    return count->value() ? fmt::format("{}", *count->value()) : "N/A";
  }
};

struct CellJson {
  Json operator()(std::monostate) const { return {}; }
  template <class Value>
  Json operator()(const Value& value) const {
    return value;
  }
  Json operator()(const std::shared_ptr<const LateCount>& count) const {
    return count->value() ? Json(*count->value()) : Json();
  }
};

std::string text_of(const ResultTable::Cell& cell) { return std::visit(CellText{}, cell); }
Json json_of(const ResultTable::Cell& cell) { return std::visit(CellJson{}, cell); }

std::string plain_text(const ResultTable& result,
                       const std::vector<std::vector<std::string>>& rows) {
  std::vector<Table::Column> columns;
  for (std::size_t i = 0; i < result.columns().size(); ++i) {
    const bool is_text =
        !result.rows().empty() && std::holds_alternative<std::string>(result.rows().front()[i]);
    columns.push_back({result.columns()[i], is_text ? Align::left : Align::right});
  }
  Table table(std::move(columns));
  for (const auto& row : rows) table.add(row_of(row));
  return table.text("  ");
}

using Headings = std::vector<ResultTable::Heading>;
using Widths = std::vector<std::size_t>;

constexpr std::size_t gap = 2;

Widths widths_of(const Headings& headings, const std::vector<std::vector<std::string>>& rows) {
  Widths widths;
  for (const ResultTable::Heading& heading : headings)
    widths.push_back(std::max(heading.title.size(), heading.unit.size()));
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  return widths;
}

std::string without_blanks_at_the_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

// Columns of one group that stand side by side, under its name in the middle.
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

// With headings of several lines, in the form of nccl-tests: lines that are no rows begin with '#'.
std::string headed_text(const ResultTable& table,
                        const std::vector<std::vector<std::string>>& rows) {
  const Headings& headings = table.headings();
  const Widths widths = widths_of(headings, rows);
  std::string text;
  const auto add = [&text](const char* start, const std::string& line) {
    text += without_blanks_at_the_end(start + line);
  };
  add("  #", group_line(headings, widths));
  add("  #", line_of(widths, [&](std::size_t i) { return headings[i].title; }));
  add("  #", line_of(widths, [&](std::size_t i) { return headings[i].unit; }));
  for (const auto& row : rows) add("   ", line_of(widths, [&](std::size_t i) { return row[i]; }));
  return text;
}

std::string summaries_text(const ResultTable& table, const std::vector<std::string>& values) {
  std::size_t width = 0;
  for (const ResultTable::Summary& summary : table.summaries())
    width = std::max(width, summary.label.size());
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += fmt::format("  # {:<{}} : {}\n", table.summaries()[i].label, width, values[i]);
  return text;
}

}  // namespace

std::string results_text(const std::vector<ResultTable>& results) {
  std::string text;
  for (const ResultTable& result : results) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& row : result.rows()) {
      rows.emplace_back();
      for (const ResultTable::Cell& cell : row) rows.back().push_back(text_of(cell));
    }
    std::vector<std::string> summaries;
    for (const ResultTable::Summary& summary : result.summaries())
      summaries.push_back(text_of(summary.value));
    text += '\n' + result.name() + '\n';
    text += result.headings().empty() ? plain_text(result, rows) : headed_text(result, rows);
    text += summaries_text(result, summaries);
  }
  return text;
}

Json results_json(const std::vector<ResultTable>& results) {
  Json tables = Json::array();
  for (const ResultTable& result : results) {
    Json rows = Json::array();
    for (const auto& row : result.rows()) {
      Json entry = Json::object();
      for (std::size_t i = 0; i < row.size(); ++i) entry[result.columns()[i]] = json_of(row[i]);
      rows.push_back(std::move(entry));
    }
    Json table{{"name", result.name()}, {"rows", std::move(rows)}};
    for (const ResultTable::Summary& summary : result.summaries())
      table["summary"][summary.name] = json_of(summary.value);
    tables.push_back(std::move(table));
  }
  return tables;
}

std::string verdicts_text(const std::vector<VerdictReport>& verdicts) {
  std::vector<std::string> tensors, texts;
  for (const VerdictReport& verdict : verdicts) {
    tensors.push_back(verdict.tensor);
    texts.push_back(verdict.text);
  }
  std::string lines;
  for (const std::vector<std::size_t>& alike : group_alike(texts)) {
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
