// The condition at which a waveform begins: `--trace-when 'sip0.cube0.pe0.pe_dma.faults>0'`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/component.h"

namespace kernbench {

// A signal or statistic of a component against a number, at the end of an instant. Signals come
// first where both have the name; statistics have it as declared, or with the unit as in --stats.
// A signal that appears when used (credits of a ring) holds nothing before.
// Numbers are whole, 0x... in hex, for times decimals in ns; for enumerations one of the labels.
class TraceTrigger {
 public:
  // UsageError that names what is allowed, with the nearest name.
  TraceTrigger(const std::string& text, const std::vector<Component*>& components);

  TraceSignal* signal() const { return signal_; }  // null: a statistic, or not there yet
  Component* later() const { return later_; }      // of a signal that is not there yet; else null
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
  SignalType type_ = SignalType::count;  // of a statistic: count or time
  std::vector<std::string> labels_;      // of an enumeration
  std::uint64_t bound_ = 0;
};

}  // namespace kernbench
