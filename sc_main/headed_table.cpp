#include "sc_main/headed_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace kernbench {
namespace {

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

}  // namespace

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

}  // namespace kernbench
