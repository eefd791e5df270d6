// A table of text for the console: columns as wide as their widest cell, two blanks between them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kernbench {

class TextTable {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells);  // one per column
  bool empty() const { return rows_.empty(); }
  // Title line and rows, each line indented; no blanks at the ends of lines.
  std::string text(const std::string& indent = "") const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// "12.3 %"; "1.5 MiB"; "123.456 us" (three decimals, a unit that keeps the number below 1000): for
// people, not for files.
std::string percent(double ratio);
std::string readable_bytes(std::uint64_t bytes);
std::string readable_time(double ns);

}  // namespace kernbench
