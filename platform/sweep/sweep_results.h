// Results of a sweep as columns in memory, for a page: the view `results` of a result file, with
// the facts of the sweep and the configurations of its points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kernbench {

struct ResultValues {
  std::string name, role;               // role as ResultColumn::role
  bool is_number = true;                // no row has a text
  std::vector<double> numbers = {};     // NaN: none. One per row, as of texts
  std::vector<std::string> texts = {};  // "": none. Empty if the column has numbers alone
};

// Configurations of points relative to a common base.
struct ResultConfigurations {
  std::vector<std::string> bases;  // texts
  struct OfPoint {
    std::size_t base = SIZE_MAX;           // index; SIZE_MAX: none is stored
    std::vector<std::string> differences;  // "cube.links.x_bw_gbs: 512"
  };
  std::vector<OfPoint> points;  // one per row
};

struct SweepResults {
  std::map<std::string, std::string> facts;  // table `meta`
  std::size_t requested = 0;                 // points of the plan, or of the shard
  std::vector<ResultValues> columns;         // values of finished points, in their order
  ResultConfigurations configurations;

  std::size_t rows() const { return columns.empty() ? 0 : columns.front().numbers.size(); }
  const ResultValues* find(const std::string& name) const;  // null: there is none
  std::string fact(const std::string& key) const;           // "": there is none
};

// Throws UsageError that names the file if it is no result file of a sweep or cannot be read.
SweepResults read_results(const std::string& path);

}  // namespace kernbench
