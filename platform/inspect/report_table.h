// ReportTable: a table that is printed as text, CSV or JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
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
using Cell = std::variant<std::monostate, std::string, std::uint64_t, TimeCell, ExactTimeCell,
                          TimeDifferenceCell, ShareCell, RateCell>;

class ReportTable {
 public:
  struct Column {
    std::string key;    // of JSON and CSV, with its unit
    std::string title;  // of the text
  };
  using Row = std::vector<Cell>;

  // `name`: key of the list in JSON.
  ReportTable(std::string name, std::vector<Column> columns)
      : name_(std::move(name)), columns_(std::move(columns)) {}
  void add(Row row) { rows_.push_back(std::move(row)); }

  const std::string& name() const { return name_; }
  bool empty() const { return rows_.empty(); }
  std::size_t size() const { return rows_.size(); }
  const std::vector<Row>& rows() const { return rows_; }
  // Of more than `most` rows the first and the last ones, with a line that says so.
  std::string text(std::size_t most = SIZE_MAX) const;
  std::string csv() const;
  nlohmann::ordered_json json() const;  // a list of objects

 private:
  std::string name_;
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

// A field of a CSV file, quoted where it needs to be (RFC 4180).
std::string csv_field(const std::string& text);
// "12.5": nanoseconds, exact.
std::string exact_ns(Fs time);

}  // namespace kernbench
