#include "platform/probe/fair_shares.h"

#include <algorithm>
#include <limits>

namespace kernbench {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double rounding = 1e-12;  // levels of resources that differ by less are equal

}  // namespace

std::vector<double> max_min_shares(const std::vector<double>& capacities,
                                   const std::vector<Flow>& flows) {
  std::vector<double> shares(flows.size(), infinite), left = capacities,
                                                      growing(capacities.size(), 0);
  std::vector<std::size_t> unfrozen;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    unfrozen.push_back(i);
    for (const std::size_t resource : flows[i].resources) growing[resource] += flows[i].weight;
  }
  // Level at which a resource is saturated, if its frozen flows keep their shares.
  const auto level_of = [&](std::size_t resource) { return left[resource] / growing[resource]; };
  while (!unfrozen.empty()) {
    double level = infinite;
    for (const std::size_t i : unfrozen) {
      for (const std::size_t resource : flows[i].resources)
        level = std::min(level, level_of(resource));
    }
    if (level == infinite) break;
    std::vector<std::size_t> frozen, others;
    for (const std::size_t i : unfrozen) {
      const auto& passed = flows[i].resources;
      const bool saturated = std::any_of(passed.begin(), passed.end(), [&](std::size_t resource) {
        return level_of(resource) <= level * (1 + rounding);
      });
      (saturated ? frozen : others).push_back(i);
    }
    for (const std::size_t i : frozen) {
      shares[i] = level * flows[i].weight;
      for (const std::size_t resource : flows[i].resources) {
        left[resource] -= shares[i];
        growing[resource] -= flows[i].weight;
      }
    }
    unfrozen = std::move(others);
  }
  return shares;
}

}  // namespace kernbench
