#include "sw/runtime/result_table.h"

#include "models/base/errors.h"

namespace kernbench {

void ResultTable::add(std::vector<Cell> row) {
  if (row.size() != columns_.size()) {
    throw ModelError("a row of " + std::to_string(row.size()) + " cells for table '" + name_ +
                     "' of " + std::to_string(columns_.size()) + " columns");
  }
  rows_.push_back(std::move(row));
}

}  // namespace kernbench
