#include "platform/figure/pareto_front.h"

#include <algorithm>
#include <cmath>

namespace kernbench {

std::vector<std::pair<double, double>> pareto_front(std::vector<std::pair<double, double>> points,
                                                    bool higher_y) {
  const double sign = higher_y ? -1 : 1;
  std::vector<std::pair<double, double>> front;
  for (auto& [x, y] : points) y *= sign;
  std::sort(points.begin(), points.end());
  for (const auto& [x, y] : points) {
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    if (front.empty() || y < front.back().second) front.emplace_back(x, y);
  }
  for (auto& [x, y] : front) y *= sign;
  return front;
}

}  // namespace kernbench
