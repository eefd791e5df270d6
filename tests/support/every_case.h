// Loops over instances of one rule: a few in the standard tests, every one in `./kernbench test
// --all`.
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <vector>

namespace kernbench::test {

// KERNBENCH_EVERY_CASE is set where the long tests are built (cmake/KernBench.cmake).
template <class T>
std::vector<T> every_or(std::initializer_list<T> few, std::initializer_list<T> every) {
  return std::getenv("KERNBENCH_EVERY_CASE") != nullptr ? every : few;
}

}  // namespace kernbench::test
