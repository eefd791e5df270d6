// Callback after each delta cycle of the simulation. SystemC calls trace files there, and nothing
// else; that costs a few percent of a run, so it is enabled only where it is needed.
#pragma once

#include <string>
#include <systemc>

namespace kernbench {

class DeltaListener : private sc_core::sc_trace_file {
 public:
  DeltaListener() = default;
  ~DeltaListener() override { stop_listening(); }
  DeltaListener(const DeltaListener&) = delete;
  DeltaListener& operator=(const DeltaListener&) = delete;

 protected:
  void listen() {
    if (!listening_) sc_core::sc_get_curr_simcontext()->add_trace_file(this);
    listening_ = true;
  }
  void stop_listening() {
    if (listening_) sc_core::sc_get_curr_simcontext()->remove_trace_file(this);
    listening_ = false;
  }
  bool listening() const { return listening_; }
  // Before the notifications of the next delta cycle. It may pause the simulation.
  virtual void delta_ended() = 0;

 private:
  void cycle(bool delta_cycle) final {
    if (delta_cycle) delta_ended();
  }
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

  bool listening_ = false;
};

}  // namespace kernbench
