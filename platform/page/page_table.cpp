#include "platform/page/page_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "platform/output/json_text.h"
#include "platform/page/html.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

const char* class_of(CellKind kind) {
  switch (kind) {
    case CellKind::number:
      return "number";
    case CellKind::text:
      return "text";
    case CellKind::lines:
      return "lines";
    case CellKind::command:
      return "command";
    case CellKind::mark:
      return "mark";
  }
  return "";
}

std::string title_of(const PageColumn& column) {
  std::string title = html_name(column.name);
  if (!column.unit.empty()) title += ' ' + html_text("span", column.unit, {{"class", "unit"}});
  return html_element("th", {{"scope", "col"}, {"class", class_of(column.kind)}}, title);
}

std::string cell_of(const PageColumn& column, std::size_t row) {
  const std::string& text = column.cells[row];
  std::string name = class_of(column.kind);
  if (column.kind == CellKind::mark) name += ' ' + text;
  if (column.kind == CellKind::command)
    return html_element("td", {{"class", name}}, html_text("code", text));
  return html_text("td", text, {{"class", name}});
}

std::string static_rows(const PageTable& table) {
  std::string head, body;
  for (const PageColumn& column : table.columns)
    if (!column.is_further) head += title_of(column);
  for (std::size_t row = 0; row < std::min(table.rows, rows_of_part); ++row) {
    body += "<tr>";
    for (const PageColumn& column : table.columns)
      if (!column.is_further) body += cell_of(column, row);
    body += "</tr>\n";
  }
  return fmt::format("<table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody>\n</table>", head,
                     body);
}

std::string data_of(const PageTable& table) {
  Json columns = Json::array();
  for (const PageColumn& column : table.columns)
    columns.push_back({{"name", column.name},
                       {"unit", column.unit},
                       {"kind", class_of(column.kind)},
                       {"further", column.is_further},
                       {"cells", column.cells}});
  const Json data{{"rows", table.rows},
                  {"part", rows_of_part},
                  {"noun", table.row_noun},
                  {"columns", std::move(columns)}};
  return json_for_script(json_text(data));
}

}  // namespace

std::string html_table(const PageTable& table) {
  std::string cut;
  if (table.rows > rows_of_part)
    cut = html_text(
        "p",
        fmt::format("{} of {} {}s{}", rows_of_part, table.rows, table.row_noun,
                    table.full_file.empty() ? std::string()
                                            : fmt::format("; {} has all of them", table.full_file)),
        {{"class", "cut"}});
  return fmt::format(
      "<div class=\"table\" id=\"{}\">\n<div class=\"scroll\">{}</div>\n{}"
      "<script type=\"application/json\">{}</script>\n</div>\n",
      html_escaped(table.id), static_rows(table), cut, data_of(table));
}

std::vector<std::string> column_texts(const std::vector<double>& numbers) {
  double largest = 0, smallest = INFINITY;
  bool whole = true;
  for (const double each : numbers) {
    if (!std::isfinite(each)) continue;
    whole = whole && each == std::floor(each);
    largest = std::max(largest, std::abs(each));
    if (each != 0) smallest = std::min(smallest, std::abs(each));
  }
  constexpr int most_decimals = 9;
  // Digits before the point: 3 of 123; 0 or less of 0.0123.
  const auto digits = [](double value) {
    return static_cast<int>(std::floor(std::log10(value))) + 1;
  };
  int decimals = 0;
  if (!whole) decimals = std::max({6 - digits(largest), 3 - digits(smallest), 0});
  const bool fixed = largest < 1e15 && decimals <= most_decimals;
  std::vector<std::string> texts;
  for (const double each : numbers) {
    std::string text;
    if (!std::isnan(each))
      text = fixed && std::isfinite(each) ? fmt::format("{:.{}f}", each, decimals)
                                          : fmt::format("{:.6g}", each);
    texts.push_back(std::move(text));
  }
  // Zeros that the whole column ends in say nothing.
  while (fixed && decimals > 0) {
    const bool zeros = std::all_of(texts.begin(), texts.end(), [](const auto& text) {
      return text.empty() || text.back() == '0';
    });
    if (!zeros) break;
    --decimals;
    for (std::string& text : texts)
      if (!text.empty()) text.resize(text.size() - (decimals == 0 ? 2 : 1));
  }
  return texts;
}

std::string unit_of_column(const std::string& name) {
  struct Unit {
    const char *ending, *unit;
  };
  constexpr std::array<Unit, 16> units{{{"ns", "ns"},
                                        {"us", "us"},
                                        {"ms", "ms"},
                                        {"s", "s"},
                                        {"bytes", "B"},
                                        {"gbs", "GB/s"},
                                        {"pj", "pJ"},
                                        {"nj", "nJ"},
                                        {"uj", "uJ"},
                                        {"mj", "mJ"},
                                        {"w", "W"},
                                        {"mw", "mW"},
                                        {"mm", "mm"},
                                        {"ghz", "GHz"},
                                        {"mhz", "MHz"},
                                        {"tflops", "TFLOP/s"}}};
  const std::size_t mark = name.find_last_of("._");
  const std::string ending = name.substr(mark == std::string::npos ? 0 : mark + 1);
  if (mark == std::string::npos && ending.size() < 5) return "";  // a parameter "s" is no time
  for (const Unit& each : units)
    if (ending == each.ending) return each.unit;
  const std::size_t read = name.find("bytes_");  // bytes_read, bytes_written
  return read != std::string::npos && read > 0 && name[read - 1] == '.' ? "B" : "";
}

}  // namespace kernbench
