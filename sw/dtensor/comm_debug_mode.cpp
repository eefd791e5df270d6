#include "sw/dtensor/comm_debug_mode.h"

#include <algorithm>

#include "sw/dtensor/device_mesh.h"

namespace kernbench::dtensor {

CommDebugMode::CommDebugMode(const DeviceMesh& mesh) : observers_(mesh.observers()) {
  observers_->modes_.push_back(this);
}

CommDebugMode::~CommDebugMode() {
  auto& modes = observers_->modes_;
  modes.erase(std::remove(modes.begin(), modes.end(), this), modes.end());
}

int CommDebugMode::get_total_counts() const {
  int total = 0;
  for (const auto& [name, count] : counts_) total += count;
  return total;
}

void CommObservers::called(const std::string& collective) const {
  for (CommDebugMode* mode : modes_) ++mode->counts_[collective];
}

void CommObservers::redistributed(const std::string& text) const {
  for (CommDebugMode* mode : modes_) mode->redistributions_.push_back(text);
}

}  // namespace kernbench::dtensor
