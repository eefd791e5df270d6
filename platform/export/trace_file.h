// Waveform of a run: signals of components, which push their changes, and objects registered by
// plug-ins with sc_trace(), which are polled once per timestep. Signals that are not selected cost
// nothing.
//
// A variable has one value per timestep, the last one; changes undone within the timestep are
// invisible. Changes are kept in a spool (change_spool.h) and written to the file at close(), in
// the order of the variables, so the file does not depend on the order of processes. Not modelled:
// changes between delta cycles; a time unit other than 1 fs (both settings of sc_trace_file are
// ignored).
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
#include "platform/export/wave_writer.h"

namespace kernbench {

// Throws UsageError unless the name ends in .vcd or .fst, or names a pipe or device, which receives
// VCD.
void check_trace_name(const std::string& path);

// Extent of the file.
struct TraceSettings {
  Fs from = 0, to = never_fs;  // both inclusive
  bool changed_only = false;   // omits variables that never change in that time
};

class TraceFile final : public sc_core::sc_trace_file {
 public:
  // Creates the file; throws UsageError if it cannot be written.
  explicit TraceFile(std::string path, TraceSettings settings = {});
  ~TraceFile() override;  // closes the file unless close() was called

  // Adds a signal at any time before close(). Values before the addition are unknown if the file
  // has already begun. The signal must live until close().
  void add(Component& component, TraceSignal& signal);
  void add(TracedObject object);
  // Also adds signals that the component gets in the course of the run, if the filter accepts their
  // name.
  using Filter = std::function<bool(const std::string& component, const std::string& signal)>;
  void follow(Component& component, const Filter& filter);
  // Starts the file at the end of the first timestep in which the condition holds. Called before
  // simulated time advances.
  void start_when(TraceTrigger trigger);

  std::size_t variables() const { return variables_.size(); }

  // Called between two slices of the simulation: releases the signals when the file has reached its
  // end.
  void rest();
  // Releases all signals and writes the file up to the end of the run; the simulation itself may
  // have advanced further, by up to a slice. Throws Error if the file is incomplete.
  void close(Fs end = 0);

  // Available after close().
  std::optional<Fs> begin() const {
    return begin_;
  }  // start of the values in the file; none: no values
  const std::vector<WaveItem>& written() const { return written_; }  // in file order
  Fs end() const { return end_; }

  void trace(const sc_core::sc_event& object, const std::string& name) override;
  void trace(const unsigned int& object, const std::string& name, const char** labels) override;
#define KERNBENCH_TRACE(type) \
  void trace(const type& object, const std::string& name) override { add(traced(object, name)); }
  KERNBENCH_TRACED_TYPES(KERNBENCH_TRACE)
#undef KERNBENCH_TRACE
#define KERNBENCH_TRACE(type)                                                                   \
  void trace(const type& object, const std::string& name, int width) override {                 \
    add(traced_integer([&object] { return static_cast<std::uint64_t>(object); }, name, width)); \
  }
  KERNBENCH_TRACED_INTEGERS(KERNBENCH_TRACE)
#undef KERNBENCH_TRACE
  void write_comment(const std::string& comment) override;
  void set_time_unit(double, sc_core::sc_time_unit) override {}

 protected:
  void cycle(bool delta_cycle) override;

 private:
  struct Value {
    std::uint64_t bits = 0;
    bool known = false;
    std::string text;  // text of an object

    void set(const TraceSignal& signal) {
      bits = signal.value();
      known = signal.known();
    }
    bool operator!=(const Value& other) const {
      return bits != other.bits || known != other.known || text != other.text;
    }
  };
  // Signal, or a polled object.
  struct Variable final : tlm::tlm_analysis_if<TraceSignal> {
    Variable(TraceFile& file_, std::uint32_t number_, TraceSignal& signal_);
    Variable(TraceFile& file_, std::uint32_t number_, TracedObject object);
    void write(const TraceSignal& /*signal*/) override { file.changed(*this); }
    bool is_event() const { return declaration.kind == WaveVariable::Kind::event; }

    TraceFile& file;
    std::uint32_t number;
    TraceSignal* signal = nullptr;  // null: an object
    std::function<std::string()> sample;
    WaveVariable declaration;
    Value current, written;
    Value initial;  // unknown for a variable added later
    bool pending = false, changed = false;
    std::uint64_t used = 0;  // bits used by any value of a signal
  };
  struct Follower final : tlm::tlm_analysis_if<AddedSignal> {
    Follower(TraceFile& file_, Component& component_, Filter filter_)
        : file(file_), component(component_), filter(std::move(filter_)) {}
    void write(const AddedSignal& added) override;

    TraceFile& file;
    Component& component;
    Filter filter;
  };
  enum class Phase : std::uint8_t { waiting, recording, ended };
  static constexpr std::uint32_t watched_only = UINT32_MAX;  // number of the trigger's signal

  std::uint32_t next_number() const { return static_cast<std::uint32_t>(variables_.size()); }
  void watch(TraceSignal& signal);  // watches the signal of the trigger
  void poll();                      // called once per timestep from now on
  void sample();
  void changed(Variable& variable);
  void advance() {  // closes the past timestep if time has advanced
    const Fs now = Component::now();
    if (now != instant_) advance_to(now);
  }
  void advance_to(Fs now);
  void end_instant();
  void start_at(Fs instant);
  bool triggered() const;
  void spool_pending();
  void spool(Variable& variable);
  void release();

  void write_file();
  // Gives signals of this type and declared width the width of their largest value in the file, in
  // whole bytes.
  void fit_width(SignalType type, unsigned declared);
  std::vector<std::uint32_t> order() const;  // numbers of variables in file order
  void write_values(const std::vector<std::uint32_t>& numbers);
  void put(std::uint32_t number, const Value& value);
  // Writes the changes of one timestep, in the order of the variables.
  void put_instant(Fs instant, std::vector<ChangeSpool::Record>& changes);
  Fs replay();  // returns the time of the last change

  std::string path_;
  TraceSettings settings_;
  std::unique_ptr<WaveWriter> writer_;  // VCD: from the start; FST: at close()
  ChangeSpool spool_;
  std::deque<Variable> variables_;  // variables by number
  std::deque<Follower> followers_;
  std::vector<std::uint32_t> pending_;  // numbers
  std::vector<std::string> comments_;
  std::optional<TraceTrigger> trigger_;
  std::optional<Variable>
      watched_;  // none: the trigger uses a statistic, or a signal that does not exist yet
  std::uint64_t trigger_statistic_ = 0;  // value at the last poll
  Fs instant_ = 0;                       // time of the pending changes
  Phase phase_ = Phase::waiting;
  bool polled_ = false, released_ = false, closed_ = false;
  std::optional<Fs> begin_;
  Fs end_ = 0, last_ = never_fs;      // no changes after last_
  std::vector<std::uint32_t> ranks_;  // position in the file, by number
  std::vector<WaveItem> written_;
};

}  // namespace kernbench
