// The condition at which a waveform begins: `--trace-when 'sip0.cube0.pe0.pe_dma.faults>0'`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/component.h"

namespace kernbench {

// A signal or statistic of a component against a number, at the end of an instant. Signals come
// first where both have the name; statistics have it as declared, or with the unit as in --stats.
// Numbers are whole, 0x... in hex, for times decimals in ns; for enumerations one of the labels.
class TraceTrigger {
 public:
  // UsageError that names what is allowed, with the nearest name.
  TraceTrigger(const std::string& text, const std::vector<Component*>& components);

  TraceSignal* signal() const { return signal_; }  // null: it is a statistic
  std::uint64_t statistic_now() const { return statistic_->at(Component::now()); }
  bool holds(std::uint64_t value) const;

 private:
  enum class Relation : std::uint8_t { greater, at_least, less, at_most, equal, differs };

  void find(const std::string& component, const std::string& name,
            const std::vector<Component*>& components);
  std::uint64_t number(const std::string& text) const;
  [[noreturn]] void fail(const std::string& why) const;

  std::string text_;
  Relation relation_ = Relation::equal;
  TraceSignal* signal_ = nullptr;
  const Statistic* statistic_ = nullptr;
  std::uint64_t bound_ = 0;
};

}  // namespace kernbench
