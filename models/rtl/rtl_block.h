// A block in RTL on the clock of its component: edges, reset, watchdog, faults, pins as signals.
// VerilatedBlock (verilated_block.h) adds the Verilated model.
//
// An edge: the component samples the pins as they were before it (BlockUser::sample), the registers
// of the block change, the component drives inputs (BlockUser::drive), outputs that depend on them
// settle. So both sides behave as registers of one clock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "models/base/log.h"
#include "models/base/observables.h"
#include "models/base/parameter_set.h"
#include "models/rtl/block_calls.h"
#include "models/rtl/block_clock.h"
#include "models/rtl/pins.h"

namespace kernbench {

// Parameters that every block in RTL has; a member of its Parameters.
struct BlockParameters {
  explicit BlockParameters(ParameterSet& set);
  Param<Fs> clock_period;
  Param<std::uint64_t> reset_cycles, watchdog_cycles;
  Param<bool> check_unknown, trace_inside, coverage;
};

// The component around a block.
class BlockUser {
 public:
  // Called at a rising edge: the pins are as both sides sample them. Returns true if there is a
  // handshake, or another sign of progress; the watchdog counts cycles without one.
  virtual bool sample() = 0;
  // Sets the inputs for the cycle that begins. Also called in the instant of an edge that has
  // passed, when work arrives.
  virtual void drive() = 0;
  // Stall reason of the work that is left: a pin, or words. Null: no work is left, the clock stops.
  virtual const char* awaited() const = 0;
  // For a component with internal edges: calls go_ahead() of the block.
  virtual void edges_ahead() {}

 protected:
  ~BlockUser() = default;
};

class RtlBlock : private BlockCalls, private BlockClock::Listener, private PinSignals::Listener {
 public:
  virtual ~RtlBlock() = default;
  RtlBlock(const RtlBlock&) = delete;
  RtlBlock& operator=(const RtlBlock&) = delete;

  // Reports work: the clock runs from the next edge on.
  void work() { clock_.run(); }
  // Edges since the reset.
  std::uint64_t cycle() const { return clock_.edges(); }
  const BlockClock& clock() const { return clock_; }
  // Call in edges_ahead() of the component, a final class with an additional function:
  //   bool edge_is_internal() const: whatever the block does at the next edge, sample() and drive()
  //   notify no observer outside of the component.
  template <class User>
  void go_ahead(User& user) {
    clock_.go_ahead([&user] { return user.edge_is_internal(); },
                    [this, &user] { return edge(user); });
  }
  // Call in declare_signals() of the component.
  void declare_signals();
  // Call in end_of_simulation() of the component: closes the files of the block.
  virtual void close() = 0;
  // Ends the run: "WORDS, cycle 12"; the machine adds component and time.
  [[noreturn]] void fail(const std::string& words) const;

 protected:
  RtlBlock(Component& component, Services& services, const BlockParameters& parameters,
           BlockUser& user);

  // Call in the constructor of the block, when the models exist.
  void reset(const Pins& pins, const Pins& shadow, std::uint64_t cycles);
  // Receiver of calls from eval(). Calls from the second model are dropped.
  BlockCalls* calls() { return this; }

  // trace_inside: trace_cycle() is called before each edge.
  void traces_inside() { traces_inside_ = true; }

  virtual void set_reset(bool active) = 0;
  // Evaluates with the clock high, low; inputs are unchanged.
  virtual void eval_rising(Fs now) = 0;
  virtual void eval_inputs() = 0;
  // Traces the cycle that ends with the edge at `next_edge`.
  virtual void trace_cycle(Fs next_edge) = 0;

 private:
  void rule_broken(const std::string& rule, const std::string& signal) final;
  void gave_up(const std::string& how) final;
  void printed(const std::string& text) final;
  bool rising_edge() final;
  void falling_edge() final;
  bool late_work() final;
  void edges_ahead() final;
  void pins_observed(bool observed) final;
  // Returns true if work is left.
  template <class User>
  bool edge(User& user);
  void settle();
  void copy_to_shadow() const;
  void check_unknown() const;
  [[noreturn]] void fail_waiting(const char* awaited) const;
  void show() {
    if (signals_ != nullptr && signals_->observed()) set_signals();
  }
  void set_signals();

  Component& component_;
  BlockUser& user_;
  Log log_;
  BlockClock clock_;
  Pins pins_, shadow_pins_;
  bool traces_inside_ = false;
  std::uint64_t watchdog_cycles_;
  std::uint64_t quiet_cycles_ = 0, cycles_ = 0;
  std::string last_text_;  // last text printed by the block
  std::unique_ptr<PinSignals> signals_;
  TraceSignal* clock_signal_ = nullptr;
};

template <class User>
bool RtlBlock::edge(User& user) {
  ++cycles_;
  if (traces_inside_) trace_cycle(clock_.latest_edge());
  const bool alive = user.sample();
  eval_rising(clock_.latest_edge());
  user.drive();
  settle();
  const char* const awaited = user.awaited();
  quiet_cycles_ = alive || awaited == nullptr ? 0 : quiet_cycles_ + 1;
  if (quiet_cycles_ >= watchdog_cycles_) fail_waiting(awaited);
  return awaited != nullptr;
}

inline void RtlBlock::settle() {
  const bool has_shadow = !shadow_pins_.empty();
  if (has_shadow) copy_to_shadow();
  eval_inputs();
  if (has_shadow) check_unknown();
  show();
}

}  // namespace kernbench
