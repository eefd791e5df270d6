#include "platform/observe/usage_over_time.h"

#include <utility>

namespace kernbench {
namespace {

SparseUse sum_of(const SparseUse& a, const SparseUse& b) {
  SparseUse sum;
  sum.reserve(a.size() + b.size());
  auto in_a = a.begin(), in_b = b.begin();
  while (in_a != a.end() || in_b != b.end()) {
    const bool from_a = in_b == b.end() || (in_a != a.end() && in_a->first <= in_b->first);
    const auto& [server, use] = from_a ? *in_a++ : *in_b++;
    if (!sum.empty() && sum.back().first == server) {
      sum.back().second += use;
    } else {
      sum.emplace_back(server, use);
    }
  }
  return sum;
}

}  // namespace

// The first windows are as long together as 512 windows of 64 ns.
UsageOverTime::UsageOverTime(const ServerTable& table)
    : table_(table), most_windows_(affordable_samples(table) / 2 * 2),
      width_(512 / most_windows_ * 64 * fs_per_ns), at_begin_(table.servers().size()) {}

void UsageOverTime::take() {
  std::vector<ServerUse> use = table_.use();
  windows_.push_back(difference_of(at_begin_, use));
  at_begin_ = std::move(use);
  if (windows_.size() == most_windows_) double_width();
}

void UsageOverTime::close() {
  take();
  while (!windows_.empty() && windows_.back().empty()) windows_.pop_back();
}

void UsageOverTime::double_width() {
  for (std::size_t i = 0; i < windows_.size() / 2; ++i)
    windows_[i] = sum_of(windows_[2 * i], windows_[2 * i + 1]);
  windows_.resize(windows_.size() / 2);
  width_ *= 2;
}

}  // namespace kernbench
