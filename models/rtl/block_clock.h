// The clock of a block in RTL: rising edges at multiples of its period from time 0 on, only while
// there is work. Without work there is no event at all.
//
// Edges that nothing else can see are evaluated ahead: those before the next event of the
// simulation, of which the listener says that they concern nobody outside. They have no events of
// their own (docs/decisions/0218).
#pragma once

#include <cstdint>
#include <exception>
#include <systemc>

#include "models/base/component.h"
#include "models/base/services.h"

namespace kernbench {

class BlockClock {
 public:
  class Listener {
   public:
    // True: there is more work, the clock runs on.
    virtual bool rising_edge() = 0;
    virtual void falling_edge() = 0;
    // New work has come in an instant whose edge has passed already.
    virtual bool late_work() = 0;
    // The next edge changes nothing outside of the block.
    virtual bool may_go_ahead() const = 0;

   protected:
    ~Listener() = default;
  };

  // In the constructor of `component`, whose process it becomes.
  BlockClock(Component& component, Services& services, Fs period, Listener& listener);

  // There is work: the next edge is the first one from now on, or, where that of this instant has
  // passed, late_work() comes in the next delta.
  void run();
  bool running() const { return next_edge_ != never_fs; }

  Fs period() const { return period_; }
  // Those evaluated.
  std::uint64_t edges() const { return edges_; }
  // Of the latest edge, ahead of now perhaps; never_fs before the first one.
  Fs latest_edge() const { return latest_edge_; }
  bool high() const { return high_; }
  // Falling edges are events only while somebody looks at the clock.
  void show_falling_edges(bool shown);

 private:
  void tick();
  void rise();
  void go_ahead();
  void schedule();

  Component& component_;
  Services& services_;
  Fs period_;
  Listener& listener_;
  Fs next_edge_ = never_fs, latest_edge_ = never_fs;
  std::uint64_t edges_ = 0;
  bool late_ = false, high_ = false, shows_falling_edges_ = false;
  std::exception_ptr fault_;  // of an edge ahead: thrown at its instant
  sc_core::sc_event event_;
};

}  // namespace kernbench
