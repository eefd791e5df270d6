#include "platform/rtl_compare/time_comparison.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kernbench {

Distribution distribution_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto rank = [&values](double share) {
    const double place = std::ceil(share * static_cast<double>(values.size()));
    return values.at(static_cast<std::size_t>(std::max(place, 1.0)) - 1);
  };
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {values.front(),
          rank(0.5),
          rank(0.95),
          values.back(),
          sum / static_cast<double>(values.size()),
          values.size()};
}

std::vector<std::string> TimeComparison::groups() const {
  std::vector<std::string> names;
  for (const ComparedWork& work : works) {
    if (std::find(names.begin(), names.end(), work.group) == names.end())
      names.push_back(work.group);
  }
  return names;
}

Distribution TimeComparison::ratios(std::size_t model, const std::string& group) const {
  std::vector<double> values;
  for (const ComparedWork& work : works) {
    if (group.empty() || work.group == group) values.push_back(work.ratio(model));
  }
  return distribution_of(std::move(values));
}

bool TimeComparison::data_equal() const {
  return std::all_of(works.begin(), works.end(),
                     [](const ComparedWork& work) { return work.difference.empty(); });
}

}  // namespace kernbench
