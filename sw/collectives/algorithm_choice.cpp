#include "sw/collectives/algorithm_choice.h"

#include "models/base/errors.h"
#include "sw/collectives/tuning_table.h"

namespace kernbench {
namespace {

using Candidates = std::vector<const CollectiveAlgorithm*>;

Attributes own_settings(const CclFile& file, const CollectiveAlgorithm& algorithm) {
  Attributes own = defaults_of(algorithm.parameters);
  const auto entry = file.algorithms.find(algorithm.name);
  for (const Parameter& parameter : algorithm.parameters) {
    if (entry != file.algorithms.end() && entry->second.has(parameter.name()))
      own.set(parameter.name(), entry->second.values().at(parameter.name()));
  }
  return own;
}

// In the order in which they are asked; some twice.
Candidates candidates(const CclFile& file, const AlgorithmRegistry& algorithms,
                      const CollectiveCall& call) {
  Candidates candidates;
  if (file.tuning != nullptr) {
    for (const TuningRow& row : file.tuning->rows) {
      if (row.covers(call)) candidates.push_back(&algorithms.find(row.algorithm));
    }
  }
  const std::string shipped_default = CclFile().algorithm;
  for (const bool is_default : {true, false}) {
    for (const CollectiveAlgorithm& algorithm : algorithms.algorithms()) {
      if (algorithm.op == call.op && (algorithm.name == shipped_default) == is_default)
        candidates.push_back(&algorithm);
    }
  }
  return candidates;
}

}  // namespace

AlgorithmChoice choose_algorithm(const CclFile& file, const AlgorithmRegistry& algorithms,
                                 const CollectiveCall& call) {
  const Candidates all = candidates(file, algorithms, call);
  if (all.empty()) throw UsageError(std::string("no algorithm for ") + name_of(call.op));
  CollectiveCall as_asked = call;
  for (const CollectiveAlgorithm* algorithm : all) {
    as_asked.settings.own = own_settings(file, *algorithm);
    if (algorithm->accepts(as_asked)) return {algorithm, as_asked.settings.own};
  }
  return {all.front(), own_settings(file, *all.front())};
}

}  // namespace kernbench
