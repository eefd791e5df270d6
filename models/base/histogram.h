// A log-linear histogram of non-negative integers: percentiles within 1/16 (6 %) of the true value,
// in fixed memory.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace kernbench {

class Histogram {
 public:
  void add(std::uint64_t value);

  std::uint64_t count() const { return count_; }
  std::uint64_t sum() const { return sum_; }  // modulo 2^64
  std::uint64_t lowest() const { return lowest_; }
  std::uint64_t highest() const { return highest_; }
  double mean() const { return count_ == 0 ? 0.0 : total_ / static_cast<double>(count_); }
  // The smallest recorded value v such that at least `share` (0..1] of the values are <= v, rounded
  // down to its bucket's start and never outside [lowest, highest]. 0 without values.
  std::uint64_t percentile(double share) const;
  // {first value, number of values} of each bucket that is not empty, in ascending order.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> buckets() const;

 private:
  std::vector<std::uint64_t> buckets_;  // grows to the highest value seen: at most 976
  std::uint64_t count_ = 0;
  std::uint64_t lowest_ = ~std::uint64_t{0};
  std::uint64_t highest_ = 0;
  std::uint64_t sum_ = 0;
  double total_ = 0;  // sum without the modulus, rounded
};

}  // namespace kernbench
