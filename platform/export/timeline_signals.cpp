#include "platform/export/timeline_signals.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "platform/assembly/machine_root.h"
#include "platform/observe/object_tree.h"
#include "platform/topology/graph.h"

namespace kernbench {
namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool is_shown(Role role) {
  return role <= Role::pe_ipcq || role == Role::m_cpu || role == Role::io_cpu ||
         role == Role::sram || role == Role::hbm_ctrl || role == Role::tlm_initiator ||
         role == Role::tlm_target;
}

bool is_work(const std::string& label) {
  return label == "idle" || label == "ready" || label == "serving";
}

bool is_state(const TraceSignal& signal) {
  return signal.type() == SignalType::enumeration && ends_with(signal.name(), "state");
}

// What waits, is under way or is in use: not what a single message or access has, nor totals.
bool is_level(const TraceSignal& signal) {
  static constexpr std::array<std::string_view, 8> units{
      "accesses", "commands", "flits", "launches", "messages", "ops", "requests", "tasks"};
  const std::string_view name = signal.name();
  if (name.substr(0, 3) == "to_") return false;  // of a link
  if (signal.type() == SignalType::bytes)
    return name != "bytes" && name != "read_bytes" && name != "write_bytes";
  return signal.type() == SignalType::count &&
         std::find(units.begin(), units.end(), signal.unit()) != units.end();
}

}  // namespace

class TimelineSignals::State final : public tlm::tlm_analysis_if<TraceSignal> {
 public:
  State(TimelineSlices& slices, TimelineLanes lanes, TraceSignal& signal)
      : slices_(slices), lanes_(std::move(lanes)), signal_(signal), value_(signal.value()),
        binding_(signal.changes(), *this) {}

  void write(const TraceSignal& signal) override {
    end(Component::now(), true);
    value_ = signal.value();
    since_ = Component::now();
  }
  void end(Fs now, bool complete) {
    if (now == since_ || value_ >= signal_.labels().size()) return;
    const std::string& label = signal_.labels()[static_cast<std::size_t>(value_)];
    if (is_work(label)) return;
    const TimelineSlices::Open slice = slices_.begin(SliceKind::state, lanes_, since_, label);
    TimelineArguments arguments;
    if (!complete) arguments.emplace_back("complete", "false");
    slices_.end(slice, now, std::move(arguments));
  }

 private:
  TimelineSlices& slices_;
  TimelineLanes lanes_;
  TraceSignal& signal_;
  std::uint64_t value_;
  Fs since_ = 0;
  AnalysisBinding<TraceSignal> binding_;
};

class TimelineSignals::Level final : public tlm::tlm_analysis_if<TraceSignal> {
 public:
  Level(TimelineWindows& windows, std::string group_, std::string name_, TraceSignal& signal)
      : group(std::move(group_)), name(std::move(name_)), windows_(windows), signal_(signal),
        level_(signal.value()), binding_(signal.changes(), *this) {}

  void write(const TraceSignal& /*signal*/) override { hold_until(Component::now()); }
  void hold_until(Fs now) {
    if (level_ > 0 && now > since_) {
      if (series == nullptr) series = &windows_.add_levels();
      windows_.add_level(*series, since_, now, level_);
    }
    level_ = signal_.value();
    since_ = now;
  }

  const std::string group, name;
  TimelineWindows::Series* series = nullptr;
  const char* unit() const { return signal_.type() == SignalType::bytes ? "B" : ""; }

 private:
  TimelineWindows& windows_;
  TraceSignal& signal_;
  std::uint64_t level_;
  Fs since_ = 0;
  AnalysisBinding<TraceSignal> binding_;
};

TimelineSignals::TimelineSignals(Platform& platform, TimelineTracks& tracks, TimelineSlices& slices,
                                 TimelineWindows& windows)
    : tracks_(tracks), slices_(slices), windows_(windows) {
  for (Component* component : components_of(platform)) {
    const NodeId node = component->node();
    const bool is_host = node == no_node;
    const Role role = is_host ? Role::m_cpu : platform.graph().node(node).kind;
    if (!is_shown(role)) continue;
    const std::string name = name_in_machine(*component);
    const std::size_t dot = name.rfind('.');
    std::string group = is_host || dot == std::string::npos ? "" : name.substr(0, dot);
    if (role == Role::hbm_ctrl) group = name.substr(0, name.find(".hbm_ctrl"));
    for (TraceSignal& signal : component->signals()) {
      if (is_level(signal)) {
        levels_.push_back(
            std::make_unique<Level>(windows_, group, name + '.' + signal.name(), signal));
      } else if (is_state(signal)) {
        add_state(name, group, signal);
      }
    }
  }
}

TimelineSignals::~TimelineSignals() = default;

void TimelineSignals::add_state(const std::string& component, const std::string& group,
                                TraceSignal& signal) {
  TimelineLanes lanes(tracks_, group, component + '.' + signal.name(), TimelineRank::state);
  states_.push_back(std::make_unique<State>(slices_, std::move(lanes), signal));
}

void TimelineSignals::close(Fs now) {
  for (const auto& state : states_) state->end(now, false);
  for (const auto& level : levels_) level->hold_until(now);
}

void TimelineSignals::write_counters(const TimelineCounters& counters) const {
  for (const auto& level : levels_) {
    if (level->series != nullptr)
      counters.level(level->group, level->name, level->unit(), TimelineRank::level,
                     level->series->values);
  }
}

}  // namespace kernbench
