// Observables: statistics and signals that a policy class (timing, service or arbitration, part of
// a component) adds to the component. Without SystemC, so that a policy is tested without a
// simulation.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/base/signal_format.h"
#include "models/base/statistic.h"

namespace kernbench {

class Component;
class SignalGroup;
class TraceSignal;  // models/base/trace_signal.h

// Passed to the policy by the component's constructor. The calls are those of Component; values and
// captures of `until` live as long as the component.
class Observables {
 public:
  explicit Observables(Component& component) : component_(component) {}

  void add_statistic(std::string name, std::string description, Quantity quantity,
                     const std::uint64_t& value, Merge merge = Merge::sum);
  void add_busy_time(std::string name, std::string description, const std::uint64_t& value,
                     std::function<Fs(Fs now)> until, const Server& server = {});
  void add_ratio(std::string name, std::string description, std::function<Ratio::Parts(Fs now)> at);
  TraceSignal& add_signal(std::string name, std::string description, SignalFormat format,
                          SignalGroup* group = nullptr);

 private:
  Component& component_;
};

}  // namespace kernbench
