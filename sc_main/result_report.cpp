#include "sc_main/result_report.h"

#include <fmt/format.h>

#include "models/base/alike_texts.h"
#include "platform/observe/text_table.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;
using Align = TextTable::Align;

struct CellText {
  std::string operator()(std::monostate) const { return "-"; }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(std::int64_t count) const { return fmt::format("{}", count); }
  std::string operator()(double number) const { return fmt::format("{:.3f}", number); }
};

struct CellJson {
  Json operator()(std::monostate) const { return {}; }
  template <class Value>
  Json operator()(const Value& value) const {
    return value;
  }
};

}  // namespace

std::string results_text(const std::vector<ResultTable>& results) {
  std::string text;
  for (const ResultTable& result : results) {
    std::vector<TextTable::Column> columns;
    for (std::size_t i = 0; i < result.columns().size(); ++i) {
      const bool is_text =
          !result.rows().empty() && std::holds_alternative<std::string>(result.rows().front()[i]);
      columns.push_back({result.columns()[i], is_text ? Align::left : Align::right});
    }
    TextTable table(std::move(columns));
    for (const auto& row : result.rows()) {
      std::vector<std::string> cells;
      for (const ResultTable::Cell& cell : row) cells.push_back(std::visit(CellText{}, cell));
      table.add(std::move(cells));
    }
    text += '\n' + result.name() + '\n' + table.text("  ");
  }
  return text;
}

Json results_json(const std::vector<ResultTable>& results) {
  Json tables = Json::array();
  for (const ResultTable& result : results) {
    Json rows = Json::array();
    for (const auto& row : result.rows()) {
      Json entry = Json::object();
      for (std::size_t i = 0; i < row.size(); ++i)
        entry[result.columns()[i]] = std::visit(CellJson{}, row[i]);
      rows.push_back(std::move(entry));
    }
    tables.push_back({{"name", result.name()}, {"rows", std::move(rows)}});
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
