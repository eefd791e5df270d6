// BenchRegistry: benches by name, checked at registration.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sw/benches/bench.h"

namespace kernbench {

class BenchRegistry {
 public:
  // UsageError for a name that is not kebab-case or already registered, a missing description, a
  // parameter without a default.
  void add(Bench bench);

  // Sorted by name. The index of a bench counts from 1 in this list; it is not stable, because
  // adding a bench shifts others.
  const std::vector<Bench>& benches() const { return benches_; }
  // Finds a bench by name or index. UsageError that lists the names.
  const Bench& find(const std::string& name_or_index) const;

  // Algorithms of collectives that bench parameters may name; set before benches are added.
  // Default: the shipped ones.
  void set_algorithms(std::shared_ptr<const AlgorithmRegistry> algorithms);
  const AlgorithmRegistry& algorithms() const;

 private:
  std::vector<Bench> benches_;
  mutable std::shared_ptr<const AlgorithmRegistry> algorithms_;  // null: not yet needed
};

// Registers all benches of this program. CMake generates the function, which calls register_STEM()
// of every bench sw/benches/STEM.cpp.
void register_benches(BenchRegistry& registry);

}  // namespace kernbench
