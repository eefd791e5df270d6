// Condition that starts a waveform: `--trace-when 'sip0.cube0.pe0.pe_dma.faults>0'`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/component.h"

namespace kernbench {

// Comparison of a signal or statistic of a component with a number, at the end of a timestep. A
// signal precedes a statistic of the same name. Statistics are named as declared, or with the unit
// as in --stats. A condition on a signal that appears in use (credits of a ring) is false before.
// Numbers are whole, 0x... in hex, for times decimals in ns; for enumerations one of the labels.
class TraceTrigger {
 public:
  // Throws UsageError that lists the allowed names, with the nearest one.
  TraceTrigger(const std::string& text, const std::vector<Component*>& components);

  TraceSignal* signal() const {
    return signal_;
  }  // null: a statistic, or a signal that does not exist yet
  Component* later() const {
    return later_;
  }  // component of a signal that does not exist yet; else null
  bool awaits(const AddedSignal& added) const {
    return later_ == &added.component && added.signal.name() == name_;
  }
  bool of_statistic() const { return signal_ == nullptr && statistic_ != nullptr; }
  std::uint64_t statistic_now() const { return statistic_->at(Component::now()); }
  bool holds(std::uint64_t value) const { return compare_(value, bound_); }

 private:
  void find(const std::string& component, const std::string& name,
            const std::vector<Component*>& components);
  std::uint64_t number(const std::string& text) const;
  [[noreturn]] void fail(const std::string& why) const;

  std::string text_, name_;
  bool (*compare_)(std::uint64_t value, std::uint64_t bound) = nullptr;
  TraceSignal* signal_ = nullptr;
  const Statistic* statistic_ = nullptr;
  Component* later_ = nullptr;
  SignalType type_ = SignalType::count;  // type of a statistic: count or time
  std::vector<std::string> labels_;      // labels of an enumeration
  std::uint64_t bound_ = 0;
};

}  // namespace kernbench
