// ResultTable: rows of named numbers that a bench reports besides its launches. `run` prints it,
// and writes it with --json.
//
//   ResultTable& table = torch.results("latency", {"bytes", "one_way_ns"});
//   table.add({4096, 17.56});
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "models/base/errors.h"

namespace kernbench {

class ResultTable {
 public:
  // Text, a count, a measured number, or nothing where there is none.
  using Cell = std::variant<std::monostate, std::string, std::int64_t, double>;

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

  const std::string& name() const { return name_; }
  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<std::vector<Cell>>& rows() const { return rows_; }

 private:
  std::string name_;
  std::vector<std::string> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace kernbench
