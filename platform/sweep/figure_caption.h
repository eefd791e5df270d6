// Texts of figures from results: labels of axes, and the caption with the settings that axes and
// series do not show.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "platform/sweep/result_reader.h"

namespace kernbench {

struct CaptionedFile {
  const ResultReader* results;
  std::string name;   // in series
  std::string where;  // SQL of the points that are drawn
};

// "K = 64, seed = 1; macs_per_cycle: a 2048, b 4096; 2 failed points are not drawn". Columns of
// `shown` and settings that the plan does not set are left out. At most eight constant settings are
// listed.
std::string settings_caption(const std::vector<CaptionedFile>& files,
                             const std::set<std::string>& shown);

// Name of a column as label of an axis: "simulated_ns" is "simulated (ns)".
std::string column_label(const std::string& column);
// The same of several columns with one unit: "time (ns)"; "": their units differ, or are unknown.
std::string columns_label(const std::vector<std::string>& columns);
// Unit at the end of a name; "": none.
std::string column_unit(const std::string& column);

}  // namespace kernbench
