// Bound on the delta cycles of one instant: recognises processes that notify each other for ever
// without letting time pass (spec 4.2).
//
// SystemC calls what it takes for a trace file after each delta cycle, which would cost every run a
// few percent: a bound that is large is watched from the half of it on, which the timer of the run
// notices (stop_timer.h) long before the rest is over.
#pragma once

#include <cstdint>
#include <string>
#include <systemc>

namespace kernbench {

// In force while it lives. Beyond `bound` (0: none) the simulation is paused after each delta
// cycle.
class DeltaWatch final : public sc_core::sc_trace_file {
 public:
  explicit DeltaWatch(std::uint64_t bound);
  ~DeltaWatch() override;
  DeltaWatch(const DeltaWatch&) = delete;
  DeltaWatch& operator=(const DeltaWatch&) = delete;

  // Delta cycles of an instant from which on they are counted one by one; 0: there is no bound.
  std::uint64_t watched_from() const { return bound_ < large ? bound_ : bound_ / 2; }
  // Between two slices: counts them if there are that many.
  void look();
  bool exceeded() const { return exceeded_; }
  // After that, between two slices: simulates a few more delta cycles, for the processes that run
  // in them. "more than 10000000 delta cycles at 12 ns, by top.a.run, top.b.run".
  std::string report();

#define KERNBENCH_NO_TRACE(type) \
  void trace(const type& /*object*/, const std::string& /*name*/) override {}
  KERNBENCH_NO_TRACE(sc_core::sc_event)
  KERNBENCH_NO_TRACE(sc_core::sc_time)
  KERNBENCH_NO_TRACE(bool)
  KERNBENCH_NO_TRACE(sc_dt::sc_bit)
  KERNBENCH_NO_TRACE(sc_dt::sc_logic)
  KERNBENCH_NO_TRACE(float)
  KERNBENCH_NO_TRACE(double)
  KERNBENCH_NO_TRACE(sc_dt::sc_int_base)
  KERNBENCH_NO_TRACE(sc_dt::sc_uint_base)
  KERNBENCH_NO_TRACE(sc_dt::sc_signed)
  KERNBENCH_NO_TRACE(sc_dt::sc_unsigned)
  KERNBENCH_NO_TRACE(sc_dt::sc_fxval)
  KERNBENCH_NO_TRACE(sc_dt::sc_fxval_fast)
  KERNBENCH_NO_TRACE(sc_dt::sc_fxnum)
  KERNBENCH_NO_TRACE(sc_dt::sc_fxnum_fast)
  KERNBENCH_NO_TRACE(sc_dt::sc_bv_base)
  KERNBENCH_NO_TRACE(sc_dt::sc_lv_base)
#undef KERNBENCH_NO_TRACE
#define KERNBENCH_NO_TRACE(type) \
  void trace(const type& /*object*/, const std::string& /*name*/, int /*width*/) override {}
  KERNBENCH_NO_TRACE(unsigned char)
  KERNBENCH_NO_TRACE(unsigned short)
  KERNBENCH_NO_TRACE(unsigned int)
  KERNBENCH_NO_TRACE(unsigned long)
  KERNBENCH_NO_TRACE(char)
  KERNBENCH_NO_TRACE(short)
  KERNBENCH_NO_TRACE(int)
  KERNBENCH_NO_TRACE(long)
  KERNBENCH_NO_TRACE(sc_dt::int64)
  KERNBENCH_NO_TRACE(sc_dt::uint64)
#undef KERNBENCH_NO_TRACE
  void trace(const unsigned int& /*object*/, const std::string& /*name*/,
             const char** /*labels*/) override {}
  void write_comment(const std::string& /*comment*/) override {}
  void set_time_unit(double /*value*/, sc_core::sc_time_unit /*unit*/) override {}

 protected:
  void cycle(bool delta_cycle) override;

 private:
  static constexpr std::uint64_t large = 5'000'000;  // half of it takes many ticks of the timer

  void count();

  std::uint64_t bound_;
  bool counting_ = false;
  bool exceeded_ = false;
};

}  // namespace kernbench
