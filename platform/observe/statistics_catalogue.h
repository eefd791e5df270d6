// Every statistic of a machine with its unit and description: those that the components declare, by
// kind, and those that observers add to `--stats` (spec 11.3).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/observe/component_statistics.h"

namespace kernbench {

struct StatisticDeclaration {
  std::string key;           // as in files
  std::string unit;          // "ns", "B", "" for numbers
  std::string over_several;  // "sum", "largest"; "" where there is no total
  std::string description;
};

struct StatisticsSection {
  std::string name;  // kind of components, or list of the file
  bool of_components = false;
  std::vector<StatisticDeclaration> statistics;  // in the order of declaration
};

// Kinds by name, then the lists.
std::vector<StatisticsSection> statistics_catalogue(const std::vector<Component*>& components,
                                                    const KindOf& kind_of);
// {"SECTION": [{"key", "unit", "over_several", "description"}, ...], ...}
nlohmann::ordered_json catalogue_json(const std::vector<StatisticsSection>& catalogue);

}  // namespace kernbench
