// TuningTable: selects the algorithm of a collective, by operation, SIP topology, ranks and size,
// as NCCL's tuners. `kernbench tune-collectives` measures and writes one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/collectives/algorithm_registry.h"
#include "sw/collectives/ccl_settings.h"
#include "sw/collectives/collective_call.h"

namespace kernbench {

// An unset field matches any value.
struct TuningRow {
  CollectiveOp op = CollectiveOp::all_reduce;
  std::optional<std::string> sip_topology;
  std::optional<int> ranks;
  std::optional<RankUnit> rank_unit;
  std::uint64_t min_bytes = 0;  // CollectiveCall::nbytes()
  std::optional<std::uint64_t> max_bytes;
  std::string algorithm;

  bool covers(const CollectiveCall& call) const;
};

struct TuningTable {
  std::vector<TuningRow> rows;  // the first matching row applies
};

// Time of an algorithm for a size.
struct TuningSample {
  std::uint64_t nbytes = 0;
  std::string algorithm;
  double time_ns = 0;
};

// Rows for the calls of `calls`, without gaps. Sizes from a measured one up to the next have the
// fastest algorithm of the measured size, of equal ones the first by name; smaller sizes have that
// of the smallest measured one, larger sizes that of the largest.
std::vector<TuningRow> rows_of_the_fastest(const TuningRow& calls,
                                           const std::vector<TuningSample>& samples);

// --- selection of the algorithm if ccl.yaml sets `auto` (spec 8.2) ---

struct AlgorithmChoice {
  const CollectiveAlgorithm* algorithm = nullptr;
  Attributes own;  // parameters: the algorithm's entry in ccl.yaml before its defaults
};

// Selects among the algorithms that accept the call: the one of the first matching row of the
// tuning table, else the default without a ccl.yaml, then the others by name. The result is the
// same on every rank. If none accepts the call, returns the one whose error states the accepted
// layouts.
AlgorithmChoice choose_algorithm(const CclFile& file, const AlgorithmRegistry& algorithms,
                                 const CollectiveCall& call);

}  // namespace kernbench
