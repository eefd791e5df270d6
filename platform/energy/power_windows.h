// PowerWindows: energy in windows of equal length over a run, of several channels (a SIP, a kind of
// component). The length doubles each time the run outlasts the windows.
#pragma once

#include <cstddef>
#include <vector>

#include "models/base/units.h"

namespace kernbench {

class PowerWindows {
 public:
  using Energies = std::vector<double>;  // pJ, by channel

  // `most`: windows, an even number; `width`: of the first ones.
  PowerWindows(std::size_t channels, std::size_t most, Fs width)
      : most_(most), width_(width), open_(channels) {}

  // End of the open window.
  Fs next() const { return width_ * (windows_.size() + 1); }
  void take();

  // Adds energy that was consumed in the open window.
  void add(std::size_t channel, double pj) { open_[channel] += pj; }
  // Spreads energy evenly over [from, to), which ends in the open window at the latest.
  void spread(std::size_t channel, double pj, Fs from, Fs to);

  Fs width() const { return width_; }
  // Windows so far, including the open one.
  std::size_t size() const { return windows_.size() + 1; }
  const Energies& operator[](std::size_t window) const {
    return window < windows_.size() ? windows_[window] : open_;
  }

 private:
  std::size_t most_;
  Fs width_;
  Energies open_;
  std::vector<Energies> windows_;
};

}  // namespace kernbench
