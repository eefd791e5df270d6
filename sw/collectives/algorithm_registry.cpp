#include "sw/collectives/algorithm_registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"

namespace kernbench {
namespace {

bool is_snake_case(const std::string& name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && name.front() >= 'a' && name.front() <= 'z' &&
         std::all_of(name.begin(), name.end(), allowed);
}

}  // namespace

void AlgorithmRegistry::add(CollectiveAlgorithm algorithm) {
  const std::string what = fmt::format("algorithm '{}' ", algorithm.name);
  if (!is_snake_case(algorithm.name))
    throw UsageError(fmt::format(
        "algorithm name '{}' is not snake_case: lower-case letters, digits and '_', a letter first",
        algorithm.name));
  if (algorithm.description.empty()) throw UsageError(fmt::format("{}needs a description", what));
  if (algorithm.sip_topologies.empty())
    throw UsageError(fmt::format("{}names no SIP topology that it works on", what));
  if (!algorithm.graph) throw UsageError(fmt::format("{}has no neighbour graph", what));
  if (!algorithm.kernel) throw UsageError(fmt::format("{}has no kernel", what));
  const auto by_name = [](const CollectiveAlgorithm& a, const CollectiveAlgorithm& b) {
    return a.name < b.name;
  };
  const auto place = std::lower_bound(algorithms_.begin(), algorithms_.end(), algorithm, by_name);
  if (place != algorithms_.end() && place->name == algorithm.name)
    throw UsageError(fmt::format("{}is registered twice", what));
  algorithms_.insert(place, std::move(algorithm));
}

std::vector<std::string> AlgorithmRegistry::names(CollectiveOp op) const {
  std::vector<std::string> names;
  for (const CollectiveAlgorithm& algorithm : algorithms_) {
    if (algorithm.op == op) names.push_back(algorithm.name);
  }
  return names;
}

const CollectiveAlgorithm& AlgorithmRegistry::find(const std::string& name) const {
  std::string known;
  for (const CollectiveAlgorithm& algorithm : algorithms_) {
    if (algorithm.name == name) return algorithm;
    known += (known.empty() ? "" : ", ") + algorithm.name;
  }
  throw UsageError(fmt::format("unknown algorithm '{}'; there are {}", name, known));
}

const CollectiveAlgorithm& AlgorithmRegistry::first_of(CollectiveOp op) const {
  const auto found = std::find_if(algorithms_.begin(), algorithms_.end(),
                                  [op](const CollectiveAlgorithm& each) { return each.op == op; });
  if (found == algorithms_.end()) throw UsageError(std::string("no algorithm for ") + name_of(op));
  return *found;
}

AlgorithmRegistry shipped_algorithms() {
  AlgorithmRegistry registry;
  register_algorithms(registry);
  return registry;
}

}  // namespace kernbench
