// VectorClock: for each agent, the epoch up to which its actions are known to have happened. Agents
// are small numbers; for agents beyond the end no action is known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace kernbench {

class VectorClock {
 public:
  std::uint32_t operator[](std::uint32_t agent) const {
    return agent < times_.size() ? times_[agent] : 0;
  }
  void set(std::uint32_t agent, std::uint32_t time) {
    if (agent >= times_.size()) times_.resize(agent + 1, 0);
    times_[agent] = time;
  }
  void merge(const VectorClock& other) {
    if (other.times_.size() > times_.size()) times_.resize(other.times_.size(), 0);
    for (std::size_t i = 0; i < other.times_.size(); ++i)
      times_[i] = std::max(times_[i], other.times_[i]);
  }

 private:
  std::vector<std::uint32_t> times_;
};

}  // namespace kernbench
