#include "sw/collectives/tuning_table.h"

#include <map>
#include <tuple>

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

}  // namespace kernbench
