#include "sw/collectives/tuning_table.h"

#include <map>
#include <tuple>

#include "models/base/errors.h"

namespace kernbench {
namespace {

bool goes_before(const TuningSample& a, const TuningSample& b) {
  return std::tie(a.time_ns, a.algorithm) < std::tie(b.time_ns, b.algorithm);
}

}  // namespace

bool TuningRow::covers(const CollectiveCall& call) const {
  const auto agrees = [](const auto& wanted, const auto& given) {
    return !wanted || *wanted == given;
  };
  const std::uint64_t nbytes = call.nbytes();
  return op == call.op && agrees(sip_topology, call.group.grid.topology) &&
         agrees(ranks, call.group.size) && agrees(rank_unit, call.group.unit) &&
         nbytes >= min_bytes && (!max_bytes || nbytes <= *max_bytes);
}

std::vector<TuningRow> rows_of_the_fastest(const TuningRow& calls,
                                           const std::vector<TuningSample>& samples) {
  std::map<std::uint64_t, TuningSample> fastest;
  for (const TuningSample& sample : samples) {
    const auto [place, is_new] = fastest.try_emplace(sample.nbytes, sample);
    if (!is_new && goes_before(sample, place->second)) place->second = sample;
  }
  std::vector<TuningRow> rows;
  for (const auto& [nbytes, sample] : fastest) {
    if (!rows.empty() && rows.back().algorithm == sample.algorithm) continue;
    TuningRow row = calls;
    row.algorithm = sample.algorithm;
    row.min_bytes = rows.empty() ? 0 : nbytes;
    row.max_bytes.reset();
    if (!rows.empty()) rows.back().max_bytes = nbytes - 1;
    rows.push_back(std::move(row));
  }
  return rows;
}

// --- the choice ---

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

// Candidates in order of preference; duplicates possible.
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
