// AlgorithmRegistry: the algorithms by name, checked as they are added.
#pragma once

#include <string>
#include <vector>

#include "sw/collectives/algorithm.h"

namespace kernbench {

class AlgorithmRegistry {
 public:
  // UsageError for a name that is not snake_case or is taken, and for an algorithm without
  // description, graph or kernel.
  void add(CollectiveAlgorithm algorithm);

  const std::vector<CollectiveAlgorithm>& algorithms() const {
    return algorithms_;
  }  // sorted by name
  std::vector<std::string> names(CollectiveOp op) const;
  // UsageError that lists the names.
  const CollectiveAlgorithm& find(const std::string& name) const;
  // For what ccl.yaml does not choose: the first by name. UsageError if there is none.
  const CollectiveAlgorithm& first_of(CollectiveOp op) const;

 private:
  std::vector<CollectiveAlgorithm> algorithms_;
};

// The algorithms of this program: CMake makes the function, which calls register_STEM() of every
// sw/collectives/algorithms/STEM.cpp.
void register_algorithms(AlgorithmRegistry& registry);
AlgorithmRegistry shipped_algorithms();

}  // namespace kernbench
