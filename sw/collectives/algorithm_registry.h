// AlgorithmRegistry: algorithms by name, checked at registration.
#pragma once

#include <string>
#include <vector>

#include "sw/collectives/algorithm.h"

namespace kernbench {

class AlgorithmRegistry {
 public:
  // UsageError for a name that is not snake_case or already registered, and for an algorithm
  // without description, graph or kernel.
  void add(CollectiveAlgorithm algorithm);

  const std::vector<CollectiveAlgorithm>& algorithms() const {
    return algorithms_;
  }  // sorted by name
  std::vector<std::string> names(CollectiveOp op) const;
  // Finds an algorithm by name. UsageError that lists the names.
  const CollectiveAlgorithm& find(const std::string& name) const;
  // Algorithm of an operation that ccl.yaml does not configure: the first by name. UsageError if
  // there is none.
  const CollectiveAlgorithm& first_of(CollectiveOp op) const;

 private:
  std::vector<CollectiveAlgorithm> algorithms_;
};

// Registers all algorithms of this program. CMake generates the function, which calls
// register_STEM() of every sw/collectives/algorithms/STEM.cpp.
void register_algorithms(AlgorithmRegistry& registry);
AlgorithmRegistry shipped_algorithms();

}  // namespace kernbench
