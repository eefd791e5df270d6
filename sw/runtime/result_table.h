// ResultTable: rows of named numbers that a bench reports besides its launches. `run` prints it,
// and writes it with --json.
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
  // Text, a count, a measured number, nothing where there is none, or a count that comes later.
  using Cell = std::variant<std::monostate, std::string, std::int64_t, double,
                            std::shared_ptr<const DeferredCounter>>;
  // Of a column, for people: of `group` in the first line, `title` and `unit` below.
  struct Heading {
    std::string group, title, unit;
  };
  // A number about all rows: `name` is its key, `label` is for people.
  struct Summary {
    std::string name, label;
    Cell value;
  };

  // Columns are keys in snake_case that end in their unit: "one_way_ns".
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

  // For people, as benchmarks print them; one per column, else ModelError. Without: the columns.
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
  // Its place in a row. ModelError: there is no such column.
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
