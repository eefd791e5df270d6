// The algorithm of a call where ccl.yaml says `auto` (spec 8.2).
#pragma once

#include "sw/collectives/algorithm_registry.h"
#include "sw/collectives/ccl_settings.h"
#include "sw/collectives/collective_call.h"

namespace kernbench {

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
