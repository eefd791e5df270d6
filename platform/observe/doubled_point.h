// Time of a point of a run, and its times with twice as much of each resource (doubled_times.h).
#pragma once

#include <array>
#include <cstdint>

#include "models/base/units.h"

namespace kernbench {

struct DoubledPoint {
  // Index of a resource in `times`. Resources beyond `most_slots` share `no_slot`: not estimated.
  using Slot = std::uint8_t;
  static constexpr Slot most_slots = 32, no_slot = most_slots;

  Fs time = 0;
  std::array<Fs, most_slots> times{};

  static DoubledPoint at(Fs time);
  Fs with(Slot slot) const { return slot < times.size() ? times[slot] : time; }
  // Depends on `other` in all estimates except the one that doubles resource `but`.
  void join(const DoubledPoint& other, Slot but = no_slot);
  // Advances to `until`; in the estimate of resource `halved` by half of the step.
  void to(Fs until, Slot halved = no_slot);
  void save(Slot slot, Fs fs);
  // Lower bound of the time in the estimate of resource `slot`.
  void delay(Slot slot, Fs least);
};

}  // namespace kernbench
