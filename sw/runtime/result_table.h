// ResultTable: rows of named numbers that a bench reports in addition to its launches. `run` prints
// it, and writes it with --json.
//
//   ResultTable& table = torch.results("latency", {"bytes", "one_way_ns"});
//   table.add({4096, 17.56});
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "models/base/errors.h"
#include "sw/runtime/deferred_counter.h"

namespace kernbench {

class ResultTable {
 public:
  // Text, a count, a measured number, empty, or a count that is available later.
  using Cell = std::variant<std::monostate, std::string, std::int64_t, double,
                            std::shared_ptr<const DeferredCounter>>;
  // Display heading of a column: `group` in the first line, `title` and `unit` below.
  struct Heading {
    std::string group, title, unit;
  };
  // Number about all rows: `name` is its key, `label` the display text.
  struct Summary {
    std::string name, label;
    Cell value;
  };

  // Column names are keys in snake_case that end in their unit: "one_way_ns".
  ResultTable(std::string name, std::vector<std::string> columns)
      : name_(std::move(name)), columns_(std::move(columns)) {}

  // One cell per column, else ModelError.
  void add(std::vector<Cell> row) {
    if (row.size() != columns_.size()) {
      throw ModelError(fmt::format("a row of {} cells for table '{}' of {} columns", row.size(),
                                   name_, columns_.size()));
    }
    rows_.push_back(std::move(row));
  }

  // Display headings, as in benchmark reports; one per column, else ModelError. Default: the column
  // names.
  void set_headings(std::vector<Heading> headings) {
    if (headings.size() != columns_.size()) {
      throw ModelError(fmt::format("{} headings for table '{}' of {} columns", headings.size(),
                                   name_, columns_.size()));
    }
    headings_ = std::move(headings);
  }
  void add_summary(Summary summary) { summaries_.push_back(std::move(summary)); }

  const std::string& name() const { return name_; }
  const std::vector<std::string>& columns() const { return columns_; }
  // Index of a column in a row. ModelError for an unknown column.
  std::size_t column(const std::string& name) const {
    const auto found = std::find(columns_.begin(), columns_.end(), name);
    if (found == columns_.end())
      throw ModelError(fmt::format("table '{}' has no column '{}'", name_, name));
    return static_cast<std::size_t>(found - columns_.begin());
  }
  const std::vector<std::vector<Cell>>& rows() const { return rows_; }
  const std::vector<Heading>& headings() const { return headings_; }  // empty: none
  const std::vector<Summary>& summaries() const { return summaries_; }

 private:
  std::string name_;
  std::vector<std::string> columns_;
  std::vector<std::vector<Cell>> rows_;
  std::vector<Heading> headings_;
  std::vector<Summary> summaries_;
};

}  // namespace kernbench
