// The waveform of a run: the signals of our components, which push their changes, and what plug-ins
// register with sc_trace(), which is polled once per instant. Costs nothing for what is not
// selected.
//
// A variable has one value per instant, the last one; changes that are undone within the instant
// leave no mark. Changes are kept in a spool (change_spool.h) and become a file at close(), in the
// order of the variables, so that the file does not depend on the order of processes. Not
// modelled: changes between delta cycles; a time unit other than 1 fs (both settings of
// sc_trace_file are ignored).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/base/component.h"
#include "platform/export/change_spool.h"
#include "platform/export/trace_trigger.h"
#include "platform/export/traced_object.h"
#include "platform/export/wave_layout.h"
#include "platform/export/wave_writer.h"

namespace kernbench {

// Throws UsageError unless the name ends in .vcd or .fst, or is that of a pipe or device, which
// take VCD.
void check_trace_name(const std::string& path);

// What of a run the file holds.
struct TraceSettings {
  Fs from = 0, to = never_fs;  // both inclusive
  bool changed_only = false;   // no variables that never change in that time
};

class TraceFile final : public sc_core::sc_trace_file {
 public:
  // Creates the file; throws UsageError if it cannot be written.
  explicit TraceFile(std::string path, TraceSettings settings = {});
  ~TraceFile() override;  // closes, if close() was not called

  // At any time before close(); what is added when the file has begun is unknown before. The
  // signal must live until close().
  void add(Component& component, TraceSignal& signal);
  void add(TracedObject object);
  // Also signals that the component gets in the course of the run, if the filter takes their name.
  using Filter = std::function<bool(const std::string& component, const std::string& signal)>;
  void follow(Component& component, const Filter& filter);
  // The file begins at the end of the first instant in which the condition holds. Before simulated
  // time moves on.
  void start_when(TraceTrigger trigger);

  std::size_t variables() const { return entries_.size(); }

  // Between two slices of the simulation: releases the signals when the file has come to its end.
  void rest();
  // Releases all signals and writes the file, up to the end of the run: the simulation itself may
  // stand further on, by as much as its slices happen to. Throws Error if the file is not complete.
  void close(Fs end = 0);

  // From close() on.
  std::optional<Fs> begin() const { return begin_; }  // of the values in the file; none: no values
  const std::vector<WaveItem>& written() const { return written_; }  // in the order of the file
  Fs end() const { return end_; }

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
  struct SignalValue {
    std::uint64_t bits = 0;
    bool known = false;
    bool operator!=(const SignalValue& other) const {
      return bits != other.bits || known != other.known;
    }
  };
  struct SignalTrace final : tlm::tlm_analysis_if<TraceSignal> {
    SignalTrace(TraceFile& file_, TraceSignal& signal_)
        : file(file_), signal(signal_), current(value_of(signal_)) {}
    void write(const TraceSignal& /*signal*/) override { file.changed(*this); }

    TraceFile& file;
    TraceSignal& signal;
    SignalValue current, written;
    std::uint32_t number = watched_only;
    bool pending = false;
  };
  struct Follower final : tlm::tlm_analysis_if<AddedSignal> {
    Follower(TraceFile& file_, Component& component_, Filter filter_)
        : file(file_), component(component_), filter(std::move(filter_)) {}
    void write(const AddedSignal& added) override;

    TraceFile& file;
    Component& component;
    Filter filter;
  };
  // A variable: one of signals_ or of objects_.
  struct Entry {
    bool is_object;
    std::uint32_t index;
    WaveVariable variable;
    SignalValue initial;  // of a signal; unknown: it came later
    std::string initial_text;
    bool changed = false;
    std::uint64_t used = 0;  // bits that any value of a signal has
  };
  enum class Phase : std::uint8_t { waiting, recording, ended };

  static constexpr std::uint32_t watched_only = UINT32_MAX;  // a signal of the trigger
  static SignalValue value_of(const TraceSignal& signal) {
    return {signal.value(), signal.known()};
  }

  SignalTrace& observe(TraceSignal& signal);
  void poll();  // from now on, once per instant
  void sample();
  void changed(SignalTrace& trace);
  void advance() {  // closes the instant that is over, if time has moved on
    const Fs now = Component::now();
    if (now != instant_) advance_to(now);
  }
  void advance_to(Fs now);
  void end_instant();
  void start_at(Fs instant);
  bool triggered() const;
  void spool_pending();
  void spool(Entry& entry, std::uint32_t number);
  void release();

  void write_file();
  // Signals of this type and declared width get the width that their largest value in the file
  // needs, in whole bytes.
  void fit_width(SignalType type, unsigned declared);
  void write_values(const std::vector<std::uint32_t>& numbers,
                    const std::vector<std::uint32_t>& ranks);
  std::vector<std::uint32_t> order() const;  // numbers of variables, as the file has them
  void put_initial(const Entry& entry, std::size_t rank);
  void put(const Entry& entry, std::size_t rank, SignalValue value);
  // All at one instant: in the order of the variables.
  void put_instant(Fs instant, std::vector<ChangeSpool::Record>& changes,
                   const std::vector<std::uint32_t>& ranks);
  Fs replay(const std::vector<std::uint32_t>& ranks);  // the instant of the last change

  std::string path_;
  TraceSettings settings_;
  std::unique_ptr<WaveWriter> writer_;  // of VCD from the start, of FST at close()
  ChangeSpool spool_;
  std::deque<SignalTrace> signals_;
  std::deque<TracedObject> objects_;
  std::deque<Follower> followers_;
  std::deque<Entry> entries_;           // by number
  std::vector<std::uint32_t> pending_;  // numbers
  std::vector<std::string> comments_;
  std::optional<TraceTrigger> trigger_;
  SignalTrace* trigger_signal_ = nullptr;  // null: of a statistic, or not there yet
  std::uint64_t trigger_statistic_ = 0;    // as polled
  Fs instant_ = 0;                         // of what is pending
  Phase phase_ = Phase::waiting;
  bool polled_ = false, released_ = false, closed_ = false;
  std::optional<Fs> begin_;
  Fs end_ = 0, last_ = never_fs;  // no changes behind last_
  std::vector<WaveItem> written_;
};

}  // namespace kernbench
