// The waveform of a run: the signals of our components, which push their changes, and what plug-ins
// register with sc_trace(), which is polled once per instant. Costs nothing for what is not
// selected.
//
// A variable has one value per instant, the last one; changes that are undone within the instant
// leave no mark. The file is written when time moves on, in the order of the variables, so that it
// does not depend on the order of processes. Not modelled: changes between delta cycles; a time
// unit other than 1 fs (both settings of sc_trace_file are ignored).
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "models/base/component.h"
#include "platform/observe/traced_object.h"
#include "platform/observe/vcd_writer.h"

namespace kernbench {

// Throws UsageError unless the name ends in .vcd, the one format that there is, or is that of a
// pipe or device.
void check_trace_name(const std::string& path);

class TraceFile final : public sc_core::sc_trace_file {
 public:
  // Creates the file; throws UsageError if it cannot be written.
  explicit TraceFile(const std::string& path);
  ~TraceFile() override;  // closes, if close() was not called

  // Both after elaboration and before simulated time moves on. The signal must live until close().
  void add(Component& component, TraceSignal& signal);
  void add(TracedObject object);

  std::size_t variables() const { return signals_.size() + objects_.size(); }

  // Releases all signals, writes what is pending, and the end of the run if that is later: the
  // simulation itself may stand further on, by as much as its slices happen to. Throws Error if the
  // file is not complete.
  void close(Fs end = 0);

  void trace(const sc_core::sc_event& object, const std::string& name) override;
  void trace(const unsigned int& object, const std::string& name, const char** labels) override;

#define KERNBENCH_TRACE(type) \
  void trace(const type& object, const std::string& name) override { add(traced(object, name)); }
  KERNBENCH_TRACE(sc_core::sc_time)
  KERNBENCH_TRACE(bool)
  KERNBENCH_TRACE(sc_dt::sc_bit)
  KERNBENCH_TRACE(sc_dt::sc_logic)
  KERNBENCH_TRACE(float)
  KERNBENCH_TRACE(double)
  KERNBENCH_TRACE(sc_dt::sc_int_base)
  KERNBENCH_TRACE(sc_dt::sc_uint_base)
  KERNBENCH_TRACE(sc_dt::sc_signed)
  KERNBENCH_TRACE(sc_dt::sc_unsigned)
  KERNBENCH_TRACE(sc_dt::sc_fxval)
  KERNBENCH_TRACE(sc_dt::sc_fxval_fast)
  KERNBENCH_TRACE(sc_dt::sc_fxnum)
  KERNBENCH_TRACE(sc_dt::sc_fxnum_fast)
  KERNBENCH_TRACE(sc_dt::sc_bv_base)
  KERNBENCH_TRACE(sc_dt::sc_lv_base)
#undef KERNBENCH_TRACE
#define KERNBENCH_TRACE(type)                                                                   \
  void trace(const type& object, const std::string& name, int width) override {                 \
    add(traced_integer([&object] { return static_cast<std::uint64_t>(object); }, name, width)); \
  }
  KERNBENCH_TRACE(unsigned char)
  KERNBENCH_TRACE(unsigned short)
  KERNBENCH_TRACE(unsigned int)
  KERNBENCH_TRACE(unsigned long)
  KERNBENCH_TRACE(char)
  KERNBENCH_TRACE(short)
  KERNBENCH_TRACE(int)
  KERNBENCH_TRACE(long)
  KERNBENCH_TRACE(sc_dt::int64)
  KERNBENCH_TRACE(sc_dt::uint64)
#undef KERNBENCH_TRACE
  void write_comment(const std::string& comment) override;
  void set_time_unit(double, sc_core::sc_time_unit) override {}

 protected:
  void cycle(bool delta_cycle) override;

 private:
  struct SignalTrace final : tlm::tlm_analysis_if<TraceSignal> {
    SignalTrace(TraceFile& file_, TraceSignal& signal_, VcdVariable variable_)
        : file(file_), signal(signal_), variable(std::move(variable_)), current(signal_.value()) {}
    void write(const TraceSignal& /*signal*/) override { file.changed(*this); }

    TraceFile& file;
    TraceSignal& signal;
    VcdVariable variable;
    std::uint64_t current, written = 0;
    std::uint32_t number = 0;  // in the file
    bool pending = false;
  };
  // A variable of the file: one of signals_ or of objects_.
  struct Entry {
    bool is_object;
    std::uint32_t index;
  };

  void changed(SignalTrace& trace);
  void advance();  // writes the instant that is over, if time has moved on
  void write_instant();
  void begin();  // header and initial values: what holds at the end of the first instant
  void put(const SignalTrace& trace);

  VcdWriter writer_;
  std::deque<SignalTrace> signals_;
  std::vector<TracedObject> objects_;
  std::vector<Entry> entries_;          // in the order of the file
  std::vector<std::uint32_t> pending_;  // numbers of variables
  std::vector<std::string> comments_;
  Fs instant_ = 0;  // of what is pending
  bool begun_ = false, closed_ = false, polled_ = false;
};

}  // namespace kernbench
