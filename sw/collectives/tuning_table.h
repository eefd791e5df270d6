// TuningTable: which algorithm carries out a collective, by operation, SIP topology, ranks and
// size, as NCCL's tuners have it. `kernbench tune-collectives` measures and writes one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/collectives/algorithm_registry.h"
#include "sw/collectives/ccl_settings.h"
#include "sw/collectives/collective_call.h"

namespace kernbench {

// What is none holds for any.
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
  std::vector<TuningRow> rows;  // the first that covers a call goes before the others
};

// What an algorithm takes for a size.
struct TuningSample {
  std::uint64_t nbytes = 0;
  std::string algorithm;
  double time_ns = 0;
};

// Rows for the calls of `calls`, without gaps: sizes from a measured one up to the next have the
// algorithm that is the fastest of it, of equal ones the first by name; smaller ones than measured
// that of the smallest, larger ones that of the largest.
std::vector<TuningRow> rows_of_the_fastest(const TuningRow& calls,
                                           const std::vector<TuningSample>& samples);

// --- the algorithm of a call where ccl.yaml says `auto` (spec 8.2) ---

struct AlgorithmChoice {
  const CollectiveAlgorithm* algorithm = nullptr;
  Attributes own;  // its parameters: its entry in ccl.yaml before its defaults
};

// Of the algorithms that accept the call: that of the first row of the tuning table which covers
// it; where there is none, the one that is used without a ccl.yaml, then the others by name. The
// same on every rank. If none accepts the call, that one whose error says what it expects.
AlgorithmChoice choose_algorithm(const CclFile& file, const AlgorithmRegistry& algorithms,
                                 const CollectiveCall& call);

}  // namespace kernbench
