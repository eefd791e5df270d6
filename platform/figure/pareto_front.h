// Pareto front of points: those that no other point beats.
#pragma once

#include <utility>
#include <vector>

namespace kernbench {

// Points for which no other has an x as low and a y as good and one of them better, by rising x;
// equal points once. A lower y is better, or a higher one. Points that are not finite are left out.
std::vector<std::pair<double, double>> pareto_front(std::vector<std::pair<double, double>> points,
                                                    bool higher_y);

}  // namespace kernbench
