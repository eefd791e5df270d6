#include "platform/observe/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "models/base/errors.h"
#include "platform/assembly/machine_root.h"
#include "platform/observe/result_file.h"

namespace kernbench {

void check_trace_name(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension();
  if (extension == ".vcd" || is_stream(path)) return;
  throw UsageError(fmt::format(
      "the waveform '{}' ends in {}; allowed is .vcd, the one format that waveforms are written in",
      path, extension.empty() ? "nothing that names a format" : fmt::format("'{}'", extension)));
}

TraceFile::TraceFile(const std::string& path) : writer_(path) {}

TraceFile::~TraceFile() {
  try {
    close();
  } catch (const Error&) {  // close() was the caller's chance to know
  }
}

void TraceFile::add(Component& component, TraceSignal& signal) {
  if (begun_)
    throw ModelError(
        fmt::format("{}.{} cannot be traced: the file has begun", component.name(), signal.name()));
  const bool labelled = !signal.labels().empty();
  VcdVariable variable{name_in_machine(component), signal.name(),
                       labelled ? VcdVariable::Kind::text : VcdVariable::Kind::bits,
                       labelled ? 1 : signal.width()};
  signal.changes().bind(signals_.emplace_back(*this, signal, std::move(variable)));
}

void TraceFile::add(TracedObject object) {
  if (begun_)
    throw ModelError(fmt::format("{} cannot be traced: the file has begun", object.variable.name));
  if (!polled_) sc_core::sc_get_curr_simcontext()->add_trace_file(this);
  polled_ = true;
  object.current = object.sample();
  objects_.push_back(std::move(object));
}

void TraceFile::trace(const sc_core::sc_event& object, const std::string& name) {
  add(traced_event([this, &object] { return event_trigger_stamp(object); }, name));
}

void TraceFile::trace(const unsigned int& object, const std::string& name, const char** labels) {
  add(traced(object, name, labels));
}

void TraceFile::write_comment(const std::string& comment) {
  advance();
  comments_.push_back(comment);
}

void TraceFile::changed(SignalTrace& trace) {
  advance();
  trace.current = trace.signal.value();
  if (!begun_ || trace.pending) return;
  trace.pending = true;
  pending_.push_back(trace.number);
}

// SystemC calls this after each delta cycle and once more, with false, when an instant is over.
void TraceFile::cycle(bool delta_cycle) {
  if (delta_cycle || closed_) return;
  advance();
  for (TracedObject& object : objects_) {
    object.current = object.sample();
    if (begun_ && object.current != object.written) pending_.push_back(object.number);
  }
}

void TraceFile::advance() {
  const Fs now = Component::now();
  if (now == instant_) return;
  write_instant();
  instant_ = now;
}

void TraceFile::write_instant() {
  if (!begun_) {
    begin();
  } else if (!pending_.empty()) {
    std::sort(pending_.begin(), pending_.end());
    bool stamped = false;
    const auto stamp = [&] {
      if (!stamped) writer_.time(instant_);
      stamped = true;
    };
    for (const std::uint32_t number : pending_) {
      const Entry entry = entries_[number];
      if (entry.is_object) {
        TracedObject& object = objects_[entry.index];
        if (object.current == object.written) continue;
        stamp();
        writer_.value(number, object.current);
        object.written = object.current;
      } else {
        SignalTrace& trace = signals_[entry.index];
        trace.pending = false;
        if (trace.current == trace.written) continue;
        stamp();
        put(trace);
        trace.written = trace.current;
      }
    }
    pending_.clear();
  }
  for (const std::string& comment : comments_) writer_.comment(comment);
  comments_.clear();
}

void TraceFile::begin() {
  begun_ = true;
  for (std::uint32_t i = 0; i < signals_.size(); ++i) entries_.push_back({false, i});
  for (std::uint32_t i = 0; i < objects_.size(); ++i) entries_.push_back({true, i});
  const auto variable_of = [this](const Entry& e) -> const VcdVariable& {
    return e.is_object ? objects_[e.index].variable : signals_[e.index].variable;
  };
  std::stable_sort(entries_.begin(), entries_.end(), [&](const Entry& a, const Entry& b) {
    return scope_order(variable_of(a).scope, variable_of(b).scope);
  });
  std::vector<VcdVariable> variables;
  for (std::uint32_t number = 0; number < entries_.size(); ++number) {
    variables.push_back(variable_of(entries_[number]));
    const Entry entry = entries_[number];
    (entry.is_object ? objects_[entry.index].number : signals_[entry.index].number) = number;
  }
  writer_.header(variables);
  writer_.time(instant_);
  writer_.begin_dump();
  for (std::uint32_t number = 0; number < entries_.size(); ++number) {
    if (entries_[number].is_object) {
      TracedObject& object = objects_[entries_[number].index];
      if (object.variable.kind != VcdVariable::Kind::event) writer_.value(number, object.current);
      object.written = object.current;
    } else {
      SignalTrace& trace = signals_[entries_[number].index];
      put(trace);
      trace.written = trace.current;
    }
  }
  writer_.end_dump();
}

void TraceFile::put(const SignalTrace& trace) {
  const auto& labels = trace.signal.labels();
  if (labels.empty()) {
    writer_.value(trace.number, trace.current);
  } else if (trace.current < labels.size()) {
    writer_.value(trace.number, labels[trace.current]);
  } else {
    writer_.value(trace.number, std::to_string(trace.current));
  }
}

void TraceFile::close(Fs end) {
  if (closed_) return;
  closed_ = true;
  for (SignalTrace& trace : signals_) trace.signal.changes().unbind(trace);
  if (polled_) sc_core::sc_get_curr_simcontext()->remove_trace_file(this);
  write_instant();
  if (end > instant_) writer_.time(end);
  writer_.close();
}

}  // namespace kernbench
