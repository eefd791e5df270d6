#include "platform/observe/doubled_point.h"

#include <algorithm>

namespace kernbench {

DoubledPoint DoubledPoint::at(Fs time) {
  DoubledPoint point;
  point.time = time;
  point.times.fill(time);
  return point;
}

void DoubledPoint::join(const DoubledPoint& other, Slot but) {
  const Fs kept_time = with(but);
  time = std::max(time, other.time);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = std::max(times[i], other.times[i]);
  if (but < times.size()) times[but] = kept_time;
}

void DoubledPoint::to(Fs until, Slot halved) {
  if (until <= time) return;
  const Fs step = until - time;
  time = until;
  for (Fs& each : times) each += step;
  save(halved, step / 2);
}

void DoubledPoint::save(Slot slot, Fs fs) {
  if (slot < times.size()) times[slot] -= std::min(times[slot], fs);
}

void DoubledPoint::delay(Slot slot, Fs least) {
  if (slot < times.size()) times[slot] = std::max(times[slot], least);
}

}  // namespace kernbench
