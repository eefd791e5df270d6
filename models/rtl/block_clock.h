// The clock of a block in RTL: rising edges at multiples of its period from time 0 on, only while
// there is work. Without work there is no event at all.
//
// Edges without an external effect are evaluated ahead: those before the next event of the
// simulation that change nothing outside of the block. They have no events of their own
// (docs/decisions/rtl-blocks.md).
#pragma once

#include <cstdint>
#include <exception>
#include <systemc>

#include "models/base/component.h"
#include "models/base/errors.h"
#include "models/base/services.h"

namespace kernbench {

class BlockClock {
 public:
  class Listener {
   public:
    // Returns true if there is more work, so that the clock keeps running.
    virtual bool rising_edge() = 0;
    virtual void falling_edge() = 0;
    // New work has arrived in an instant whose edge has already passed.
    virtual bool late_work() = 0;
    // Calls go_ahead() of the clock, where edges may be evaluated ahead.
    virtual void edges_ahead() = 0;

   protected:
    ~Listener() = default;
  };

  // Call in the constructor of `component`, to which the process belongs.
  BlockClock(Component& component, Services& services, Fs period, Listener& listener);

  // Reports work: the next edge is the first one from now on, or, if the edge of this instant has
  // passed, late_work() is called in the next delta cycle.
  void run();
  bool running() const { return next_edge_ != never_fs; }

  Fs period() const { return period_; }
  // Number of evaluated edges.
  std::uint64_t edges() const { return edges_; }
  // Time of the latest edge, possibly ahead of now; never_fs before the first one.
  Fs latest_edge() const { return latest_edge_; }
  bool high() const { return high_; }
  // Falling edges are events only while the clock is observed.
  void show_falling_edges(bool shown);

  // Call in Listener::edges_ahead(). is_internal(): the next edge changes nothing outside of the
  // block; edge() is rising_edge(). A template, since a virtual call per edge would be measurable.
  template <class IsInternal, class Edge>
  void go_ahead(const IsInternal& is_internal, const Edge& edge) {
    const Fs horizon = latest_edge_ahead();
    try {
      for (unsigned i = 0;
           i < most_edges_ahead && running() && next_edge_ <= horizon && is_internal(); ++i)
        rise(edge);
    } catch (...) {
      fault_ = std::current_exception();
      next_edge_ = latest_edge_;
    }
  }

 private:
  // Limit of one batch: the program handles POSIX signals between two events.
  static constexpr unsigned most_edges_ahead = 1024;

  void tick();
  template <class Edge>
  void rise(const Edge& edge) {
    latest_edge_ = next_edge_;
    next_edge_ = never_fs;
    ++edges_;
    high_ = true;
    if (edge()) next_edge_ = following_edge();
  }
  Fs following_edge() const {
    if (period_ > never_fs - latest_edge_) throw ModelError(Component::end_of_time);
    return latest_edge_ + period_;
  }
  void schedule();
  // The last instant before the next event, within the run.
  static Fs latest_edge_ahead();

  Component& component_;
  Services& services_;
  Fs period_;
  Listener& listener_;
  Fs next_edge_ = never_fs, latest_edge_ = never_fs;
  std::uint64_t edges_ = 0;
  bool late_ = false, high_ = false, shows_falling_edges_ = false;
  std::exception_ptr fault_;  // fault of an edge ahead: thrown at its instant
  sc_core::sc_event event_;
};

}  // namespace kernbench
