#include "platform/energy/power_windows.h"

#include <algorithm>
#include <utility>

namespace kernbench {

void PowerWindows::take() {
  Energies empty(open_.size());
  windows_.push_back(std::exchange(open_, std::move(empty)));
  if (windows_.size() < most_) return;
  for (std::size_t i = 0; i < windows_.size() / 2; ++i) {
    Energies sum = windows_[2 * i];
    for (std::size_t channel = 0; channel < sum.size(); ++channel)
      sum[channel] += windows_[2 * i + 1][channel];
    windows_[i] = std::move(sum);
  }
  windows_.resize(windows_.size() / 2);
  width_ *= 2;
}

void PowerWindows::spread(std::size_t channel, double pj, Fs from, Fs to) {
  if (from >= to) return add(channel, pj);
  const double share = pj / static_cast<double>(to - from);
  while (from < to) {
    const auto window = static_cast<std::size_t>(from / width_);
    if (window >= windows_.size()) return add(channel, share * static_cast<double>(to - from));
    const Fs end = std::min(to, width_ * (window + 1));
    windows_[window][channel] += share * static_cast<double>(end - from);
    from = end;
  }
}

}  // namespace kernbench
