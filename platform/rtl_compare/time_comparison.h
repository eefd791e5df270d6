// Times of an implementation, such as one in RTL, compared with those of transaction-level models
// for the same work: ratios and their distribution.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/base/units.h"
#include "platform/figure/figure.h"

namespace kernbench {

// Tile, message or access.
struct ComparedWork {
  std::string name;                                         // "32x64x32"
  std::string group;                                        // "full tiles", "alone"
  std::vector<std::pair<std::string, std::int64_t>> sizes;  // ("m", 32), ...: keys of JSON
  Fs time = 0;                                              // time of the implementation
  std::vector<Fs> models;  // times of the models, in the order of the comparison
  std::optional<std::uint64_t>
      cycles;  // cycles of the implementation, from its first clock edge on
  std::string
      difference;  // difference of the values from the reference, first element first; empty: none

  double ratio(std::size_t model) const {
    return static_cast<double>(time) / static_cast<double>(models[model]);
  }
};

struct Distribution {
  double min = 0, p50 = 0, p95 = 0, max = 0, mean = 0;
  std::size_t count = 0;
};
// Percentiles by nearest rank. `values`: at least one.
Distribution distribution_of(std::vector<double> values);

struct TimeComparison {
  std::string implementation;       // "rtl.pe_gemm"
  std::string kind;                 // "tile", "message", "access"
  std::vector<std::string> models;  // compared with: "macs", "systolic"
  std::string values;               // method of comparing values; empty: values are not compared
  std::vector<ComparedWork> works;

  std::vector<std::string> groups() const;  // in the order of their first works
  // Ratios of a group; of all works if it is empty.
  Distribution ratios(std::size_t model, const std::string& group = "") const;
  bool data_equal() const;
};

// Output of `rtl-compare`: a row per tile, message or access, the distribution of the ratios, and
// the differences.
std::string comparison_text(const TimeComparison& comparison);
// Units are in the key names.
nlohmann::ordered_json comparison_json(const TimeComparison& comparison);
// A mark per model for each tile, message or access at the ratio of the times; lines at equality
// and 5 % around it. The axis is logarithmic if the ratios span more than a factor of eight. Of
// more than 90 works only the groups are named.
Figure comparison_figure(const TimeComparison& comparison);

}  // namespace kernbench
