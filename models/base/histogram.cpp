#include "models/base/histogram.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kernbench {
namespace {

constexpr unsigned sub_bits = 4;  // 16 buckets per octave
constexpr std::uint64_t linear = 1U << sub_bits;

// Values below 16 have a bucket each; above, the leading bit and the four bits after it select the
// bucket.
std::size_t bucket_of(std::uint64_t value) {
  if (value < linear) return static_cast<std::size_t>(value);
  const unsigned exponent = 63U - static_cast<unsigned>(__builtin_clzll(value));
  return ((exponent - sub_bits + 1) << sub_bits) +
         static_cast<std::size_t>((value >> (exponent - sub_bits)) & (linear - 1));
}

std::uint64_t start_of(std::size_t bucket) {
  if (bucket < linear) return bucket;
  const unsigned exponent = static_cast<unsigned>(bucket >> sub_bits) + sub_bits - 1;
  return (linear + (bucket & (linear - 1))) << (exponent - sub_bits);
}

}  // namespace

void Histogram::add(std::uint64_t value) {
  const std::size_t bucket = bucket_of(value);
  if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
  ++buckets_[bucket];
  ++count_;
  sum_ += value;
  total_ += static_cast<double>(value);
  lowest_ = std::min(lowest_, value);
  highest_ = std::max(highest_, value);
}

std::uint64_t Histogram::percentile(double share) const {
  if (count_ == 0) return 0;
  const auto wanted = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_))));
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    seen += buckets_[bucket];
    if (seen >= wanted) return std::clamp(start_of(bucket), lowest_, highest_);
  }
  return highest_;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> Histogram::buckets() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> list;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    if (buckets_[bucket] > 0) list.emplace_back(start_of(bucket), buckets_[bucket]);
  }
  return list;
}

}  // namespace kernbench
