// Signals of the components on a timeline: states (labelled values) as slices, levels (queue
// depths, bytes in use) as counters.
//
// States without a stall (idle, ready, serving) are not drawn: the slices of kernels and stages
// show the work itself. Forwarding nodes and pseudo-channels are covered by the counters of links
// and channels.
#include <algorithm>
#include <array>
#include <string_view>

#include "platform/assembly/machine_root.h"
#include "platform/export/timeline.h"
#include "platform/observe/object_tree.h"
#include "platform/topology/graph.h"

namespace kernbench {
namespace {

template <class Range, class Value>
bool contains(const Range& range, const Value& value) {
  return std::find(range.begin(), range.end(), value) != range.end();
}

bool is_shown(Role role) {
  constexpr std::array<Role, 6> also{Role::m_cpu,    Role::io_cpu,        Role::sram,
                                     Role::hbm_ctrl, Role::tlm_initiator, Role::tlm_target};
  return role <= Role::pe_ipcq || contains(also, role);
}

bool is_state(const TraceSignal& signal) {
  constexpr std::string_view end = "state";
  const std::string_view name = signal.name();
  return signal.type() == SignalType::enumeration && name.size() >= end.size() &&
         name.substr(name.size() - end.size()) == end;
}

// True for depths of queues, work in flight, and memory in use; false for values of a single
// message or access, and totals.
bool is_level(const TraceSignal& signal) {
  constexpr std::array<std::string_view, 8> units{"accesses", "commands", "flits",    "launches",
                                                  "messages", "ops",      "requests", "tasks"};
  constexpr std::array<std::string_view, 3> of_one_access{"bytes", "read_bytes", "write_bytes"};
  const std::string_view name = signal.name();
  if (name.substr(0, 3) == "to_") return false;  // signal of a link
  if (signal.type() == SignalType::bytes) return !contains(of_one_access, name);
  return signal.type() == SignalType::count && contains(units, signal.unit());
}

class State final : public tlm::tlm_analysis_if<TraceSignal> {
 public:
  State(TimelineRecorder& out, TimelineLanes& lanes, TraceSignal& signal)
      : out_(out), lanes_(lanes), signal_(signal), value_(signal.value()),
        binding_(signal.changes(), *this) {}

  void write(const TraceSignal& signal) override {
    end(Component::now(), true);
    value_ = signal.value();
    since_ = Component::now();
  }
  void end(Fs now, bool complete) {
    if (now == since_ || value_ >= signal_.labels().size()) return;
    const std::string& label = signal_.labels()[static_cast<std::size_t>(value_)];
    if (label == "idle" || label == "ready" || label == "serving") return;
    const TimelineRecorder::Open slice = out_.begin(SliceKind::state, lanes_, since_, label);
    TimelineArguments arguments;
    if (!complete) arguments.emplace_back("complete", "false");
    out_.end(slice, now, std::move(arguments));
  }

 private:
  TimelineRecorder& out_;
  TimelineLanes& lanes_;
  TraceSignal& signal_;
  std::uint64_t value_;
  Fs since_ = 0;
  AnalysisBinding<TraceSignal> binding_;
};

class Level final : public tlm::tlm_analysis_if<TraceSignal> {
 public:
  Level(TimelineWindows& windows, std::string group, std::string name, TraceSignal& signal)
      : group_(std::move(group)), name_(std::move(name)), windows_(windows), signal_(signal),
        level_(signal.value()), binding_(signal.changes(), *this) {}

  void write(const TraceSignal& /*signal*/) override { hold_until(Component::now()); }
  void hold_until(Fs now) {
    if (level_ > 0 && now > since_) {
      if (series_ == nullptr) series_ = &windows_.add_levels();
      windows_.add_level(*series_, since_, now, level_);
    }
    level_ = signal_.value();
    since_ = now;
  }
  void write_counter(TimelineRecorder& out) const {
    const char* const unit = signal_.type() == SignalType::bytes ? "B" : "";
    if (series_ != nullptr) out.level(group_, name_, unit, series_->values);
  }

 private:
  std::string group_, name_;
  TimelineWindows::Series* series_ = nullptr;
  TimelineWindows& windows_;
  TraceSignal& signal_;
  std::uint64_t level_;
  Fs since_ = 0;
  AnalysisBinding<TraceSignal> binding_;
};

class TimelineSignals final : public TimelineObserver {
 public:
  TimelineSignals(Platform& platform, TimelineRecorder& out) : out_(out) {
    for (Component* component : components_of(platform)) {
      const bool is_host = component->node() == no_node;
      const Role role = is_host ? Role::m_cpu : platform.graph().node(component->node()).kind;
      if (!is_shown(role)) continue;
      const std::string name = name_in_machine(*component);
      const std::size_t dot = role == Role::hbm_ctrl ? name.find(".hbm_ctrl") : name.rfind('.');
      const std::string group = is_host || dot == std::string::npos ? "" : name.substr(0, dot);
      for (TraceSignal& signal : component->signals()) {
        const std::string full_name = name + '.' + signal.name();
        if (is_level(signal)) {
          levels_.emplace_back(out.windows, group, full_name, signal);
        } else if (is_state(signal)) {
          states_.emplace_back(out, out.lanes(group, full_name, TimelineRank::state), signal);
        }
      }
    }
  }

  void close(Fs now) override {
    for (State& state : states_) state.end(now, false);
    for (Level& level : levels_) level.hold_until(now);
  }
  void write_counters() const override {
    for (const Level& level : levels_) level.write_counter(out_);
  }

 private:
  TimelineRecorder& out_;
  std::deque<State> states_;
  std::deque<Level> levels_;
};

}  // namespace

std::unique_ptr<TimelineObserver> timeline_signals(Platform& platform, TimelineRecorder& out) {
  return std::make_unique<TimelineSignals>(platform, out);
}

}  // namespace kernbench
