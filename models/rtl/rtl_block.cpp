#include "models/rtl/rtl_block.h"

#include <fmt/format.h>

#include "models/base/errors.h"

namespace kernbench {

__thread BlockCalls* BlockCalls::running = nullptr;

BlockParameters::BlockParameters(ParameterSet& set)
    : clock_period(set,
                   Parameter::decimal("clock_period_ns", "period of the clock", "ns", "spec 12")
                       .default_val(1)
                       .range("0.000001", "1000000")),
      reset_cycles(set, Parameter::integer("reset_cycles",
                                           "clock edges of the reset, before time 0", "", "spec 12")
                            .default_val(2)
                            .range("1", "1000")),
      watchdog_cycles(
          set, Parameter::integer("watchdog_cycles",
                                  "number of busy cycles without a handshake that ends the run", "",
                                  "spec 12")
                   .default_val(10000)
                   .range("1", "1000000000")),
      check_unknown(
          set, Parameter::boolean("check_unknown", "detect unknown (x) outputs by a second model",
                                  "spec 12")
                   .default_val(false)),
      trace_inside(set, Parameter::boolean(
                            "trace_inside",
                            "write the internal signals of the block to INSTANCE.fst", "spec 12")
                            .default_val(false)),
      coverage(set,
               Parameter::boolean("coverage", "write coverage to INSTANCE.coverage.dat", "spec 12")
                   .default_val(false)) {}

RtlBlock::RtlBlock(Component& component, Services& services, const BlockParameters& parameters,
                   BlockUser& user)
    : component_(component), user_(user), log_(component, "rtl"),
      clock_(component, services, *parameters.clock_period, *this),
      watchdog_cycles_(*parameters.watchdog_cycles) {
  Observables(component).add_statistic("rtl_cycles", "clock cycles of the block", Quantity::count,
                                       cycles_);
}

// Takes no simulated time, so that the first work takes as long as any other.
void RtlBlock::reset(const Pins& pins, const Pins& shadow, std::uint64_t cycles) {
  pins_ = pins;
  shadow_pins_ = shadow;
  for (const Pins* each : {&pins_, &shadow_pins_}) clear_inputs(*each);
  set_reset(true);
  eval_inputs();
  for (std::uint64_t i = 0; i < cycles; ++i) {
    eval_rising(0);
    eval_inputs();
  }
  set_reset(false);
  eval_inputs();
}

void RtlBlock::declare_signals() {
  Observables to(component_);
  PinSignals& group = *(signals_ = std::make_unique<PinSignals>(
                            to, pins_, static_cast<PinSignals::Listener&>(*this)));
  clock_signal_ = &to.add_signal("clk", "clock of the block", SignalFormat::flag(), &group);
}

void RtlBlock::fail(const std::string& words) const {
  // The reset takes place in the constructor, before the machine knows the component.
  if (clock_.edges() == 0)
    throw ModelError(fmt::format("{}: {}, in its reset", component_.name(), words));
  throw ModelError(fmt::format("{}, cycle {}", words, clock_.edges()));
}

// --- Calls out of the SystemVerilog

void RtlBlock::rule_broken(const std::string& rule, const std::string& signal) {
  fail(fmt::format("the block breaks the rule {} at {}", rule, signal));
}

void RtlBlock::gave_up(const std::string& how) {
  fail(fmt::format("the block has ended the run by {}{}{}", how, last_text_.empty() ? "" : ": ",
                   last_text_));
}

void RtlBlock::printed(const std::string& text) {
  last_text_ = text.substr(0, text.find_last_not_of('\n') + 1);
  log_.info([&] { return last_text_; });
}

// --- The clock

bool RtlBlock::rising_edge() { return edge(user_); }

bool RtlBlock::late_work() {
  user_.drive();
  settle();
  return user_.awaited() != nullptr;
}

// Runs ahead only if neither the log nor the pins are observed.
void RtlBlock::edges_ahead() {
  if (log_.shows(LogLevel::info) || (signals_ != nullptr && signals_->observed())) return;
  user_.edges_ahead();
}

void RtlBlock::copy_to_shadow() const { copy_inputs(pins_, shadow_pins_); }

void RtlBlock::check_unknown() const {
  const Pin* const pin = first_difference(pins_, shadow_pins_);
  if (pin == nullptr) return;
  fail(fmt::format("output {} is unknown: it depends on signals that are neither driven nor reset",
                   pin->name));
}

void RtlBlock::fail_waiting(const char* awaited) const {
  fail(fmt::format("no handshake for {} cycles: it waits for {} (watchdog_cycles)",
                   watchdog_cycles_, awaited));
}

// --- Signals

void RtlBlock::falling_edge() { show(); }

void RtlBlock::set_signals() {
  signals_->show();
  clock_signal_->set(clock_.high() ? 1 : 0);
}

void RtlBlock::pins_observed(bool observed) { clock_.show_falling_edges(observed); }

}  // namespace kernbench
