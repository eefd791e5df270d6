// BenchRegistry: the benches by name, checked as they are added.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sw/benches/bench.h"

namespace kernbench {

class BenchRegistry {
 public:
  // UsageError for a name that is not kebab-case or is taken, a missing description, a parameter
  // without a default.
  void add(Bench bench);

  // Sorted by name. A bench's index counts from 1 in this list; it is not stable: adding a bench
  // moves others.
  const std::vector<Bench>& benches() const { return benches_; }
  // By name or index. UsageError that lists the names.
  const Bench& find(const std::string& name_or_index) const;

  // Algorithms of collectives that parameters of benches may name: before benches are added.
  // Default: the shipped ones.
  void set_algorithms(std::shared_ptr<const AlgorithmRegistry> algorithms);
  const AlgorithmRegistry& algorithms() const;

 private:
  std::vector<Bench> benches_;
  mutable std::shared_ptr<const AlgorithmRegistry> algorithms_;  // null: not asked for yet
};

// The benches of this program: CMake makes the function, which calls register_STEM() of every
// sw/benches/STEM.cpp that is a bench.
void register_benches(BenchRegistry& registry);

}  // namespace kernbench
