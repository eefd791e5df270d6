// Table: rows of cells with units, printed as text for the console, as CSV or as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "models/base/units.h"

namespace kernbench {

// Cells with a unit; in CSV and JSON times are exact nanoseconds, shares fractions of 1.
struct TimeCell {
  Fs time = 0;  // text: three decimals
};
struct ExactTimeCell {
  Fs time = 0;  // text: nanoseconds with all six decimals
};
struct TimeDifferenceCell {
  Fs from = 0, to = 0;  // text: with a sign
};
struct ShareCell {
  double share = 0;
};
struct RateCell {
  double value = 0;  // text: one decimal
};
struct CountCell {
  std::int64_t count = 0;
};
struct NumberCell {
  double value = 0;  // text: three decimals; CSV and JSON: all significant digits
};
struct NoneCell {
  const char* text = "-";  // CSV and JSON: an empty cell
};
using Cell = std::variant<std::monostate, std::string, std::uint64_t, TimeCell, ExactTimeCell,
                          TimeDifferenceCell, ShareCell, RateCell, CountCell, NumberCell, NoneCell>;

// TimeCell; NoneCell: unknown.
Cell time_cell(const std::optional<Fs>& time);
std::string text_of(const Cell& cell);
nlohmann::ordered_json json_of(const Cell& cell);

class Table {
 public:
  // by_content: left if a cell is a string, else right.
  enum class Align : std::uint8_t { by_content, left, right };
  struct Column {
    // Column of a table that is printed as text only.
    Column(const char* title_, Align align_ = Align::left)
        : key(title_), title(title_), align(align_) {}
    Column(std::string title_, Align align_ = Align::left)
        : key(title_), title(std::move(title_)), align(align_) {}
    Column(std::string key_, std::string title_) : key(std::move(key_)), title(std::move(title_)) {}

    // Columns of the text only, and of CSV and JSON only.
    static Column text_only(std::string title, Align align = Align::left) {
      Column column(std::move(title), align);
      column.in_data = false;
      return column;
    }
    static Column data_only(std::string key) {
      Column column(std::move(key), std::string());
      column.in_text = false;
      return column;
    }
    Column&& right() && {
      align = Align::right;
      return std::move(*this);
    }

    std::string key;    // name in JSON and CSV, with its unit
    std::string title;  // title in the text
    Align align = Align::by_content;
    bool in_text = true, in_data = true;
  };
  using Row = std::vector<Cell>;

  // `name`: key of the list in JSON. Throws Error if two columns have the same key.
  Table(std::string name, std::vector<Column> columns);
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // The first `columns` identify a row: a text too wide for a line repeats them in each of its
  // parts.
  Table&& with_keys(std::size_t columns) && {
    keys_ = columns;
    return std::move(*this);
  }
  // Table with the rows of all of them, the name of their table in the first column, "table", and
  // the union of the columns.
  static Table joined(const std::vector<Table>& tables);
  void add(Row row);  // one cell per column

  const std::string& name() const { return name_; }
  bool empty() const { return rows_.empty(); }
  std::size_t size() const { return rows_.size(); }
  const std::vector<Row>& rows() const { return rows_; }

  // Title line and rows in the layout of text_layout.h, each line after `indent`. If there are more
  // than `most` rows, prints the first ones or, with Cut::middle, the first and the last ones, and
  // a line that states the omission.
  enum class Cut : std::uint8_t { end, middle };
  std::string text(const std::string& indent = "", std::size_t most = SIZE_MAX,
                   Cut cut = Cut::end) const;
  std::string csv() const;
  nlohmann::ordered_json json() const;  // a list of objects

 private:
  bool is_left(std::size_t column) const;

  std::string name_;
  std::size_t keys_ = 1;
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

// Cells of strings.
Table::Row row_of(std::vector<std::string> cells);

// Field of a CSV file, quoted if necessary (RFC 4180).
std::string csv_field(const std::string& text);
// "12.5": nanoseconds, exact.
std::string exact_ns(Fs time);

// "12.3 %"; "1.5 MiB"; "123.456 us" (three decimals, a unit that keeps the number below 1000): for
// the console, not for files. "12.345 nJ", "1.500 kFLOP": a prefix that keeps the number below 1000.
std::string percent(double ratio);
std::string readable_bytes(std::uint64_t bytes);
std::string readable_time(double ns);
std::string readable_energy(double pj);
std::string readable_power(double w);
std::string readable_count(double count, const std::string& unit = "");

}  // namespace kernbench
