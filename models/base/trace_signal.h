// Observable value of a component: queue depth, busy, stage. The model pushes changes; without an
// observer a change costs one comparison, in a group one comparison for all of its signals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/base/analysis_port.h"
#include "models/base/signal_format.h"

namespace kernbench {

// Signals that are updated together, and only while one of them is observed: the model checks
// observed() before it computes their values. A part of the component, which outlives them.
class SignalGroup : private SubscriptionListener {
 public:
  SignalGroup() = default;
  SignalGroup(const SignalGroup&) = delete;
  SignalGroup& operator=(const SignalGroup&) = delete;

  bool observed() const { return observers_ > 0; }

 protected:
  virtual ~SignalGroup() = default;
  // Called when the first observer subscribes, to set the current values, and when the last one
  // leaves.
  virtual void begin_observation() {}
  virtual void end_observation() {}

 private:
  friend class TraceSignal;
  void subscribed() final {
    if (++observers_ == 1) begin_observation();
  }
  void unsubscribed() final {
    if (--observers_ == 0) end_observation();
  }

  std::size_t observers_ = 0;
};

class TraceSignal {
 public:
  // Initial value 0; an address or id is unknown.
  TraceSignal(std::string name, std::string description, SignalFormat format,
              SignalGroup* group = nullptr);

  const std::string& name() const { return name_; }
  const std::string& description() const { return description_; }
  SignalType type() const { return format_.type; }
  const char* unit() const { return format_.unit; }
  unsigned width() const { return format_.width; }
  // Names of the values of an enumeration; empty for other types.
  const std::vector<std::string>& labels() const;

  // False: there is no value, x in a waveform (the address of an access, while there is none).
  bool known() const { return known_; }
  std::uint64_t value() const { return value_; }  // 0 if unknown

  void set(std::uint64_t value) {
    if (value == value_ && known_) return;
    value_ = value;
    known_ = true;
    if (changes_.observed()) changes_.write(*this);
  }
  // Makes the value unknown.
  void clear() {
    if (!known_) return;
    value_ = 0;
    known_ = false;
    if (changes_.observed()) changes_.write(*this);
  }

  // Written at the simulated instant of a change; if one instant has several changes, the last one
  // counts.
  AnalysisPort<TraceSignal>& changes() { return changes_; }
  // For signals whose update costs more than a comparison.
  bool observed() const { return changes_.observed(); }

 private:
  std::uint64_t value_ = 0;
  bool known_;
  AnalysisPort<TraceSignal> changes_;
  std::string name_, description_;
  SignalFormat format_;
};

}  // namespace kernbench
