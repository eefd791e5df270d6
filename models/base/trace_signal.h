// Observable value of a component: queue depth, busy, stage. The model pushes changes; without an
// observer a change costs one comparison.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/base/analysis_port.h"

namespace kernbench {

class TraceSignal {
 public:
  // `width` bits, 1..64. `labels`, if given, name the values 0, 1, 2, ... (an enumeration).
  TraceSignal(std::string name, std::string description, unsigned width,
              std::vector<std::string> labels = {})
      : name_(std::move(name)), description_(std::move(description)), width_(width),
        labels_(std::move(labels)) {}

  const std::string& name() const { return name_; }
  const std::string& description() const { return description_; }
  unsigned width() const { return width_; }
  const std::vector<std::string>& labels() const { return labels_; }
  std::uint64_t value() const { return value_; }

  void set(std::uint64_t value) {
    if (value == value_) return;
    value_ = value;
    if (changes_.observed()) changes_.write(*this);
  }

  // Written at the simulated instant of a change; of several changes in one instant the last
  // counts.
  AnalysisPort<TraceSignal>& changes() { return changes_; }
  // For signals that cost more than a comparison to keep up.
  bool observed() const { return changes_.observed(); }

 private:
  std::uint64_t value_ = 0;
  AnalysisPort<TraceSignal> changes_;
  std::string name_, description_;
  unsigned width_;
  std::vector<std::string> labels_;
};

}  // namespace kernbench
