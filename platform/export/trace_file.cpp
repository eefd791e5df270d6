#include "platform/export/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "models/address/phys_addr.h"
#include "models/address/virtual_space.h"
#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/assembly/machine_root.h"
#include "platform/export/fst_writer.h"
#include "platform/export/vcd_writer.h"
#include "platform/observe/object_tree.h"
#include "platform/report/result_file.h"

namespace kernbench {
namespace {

bool is_fst(const std::string& path) { return std::filesystem::path(path).extension() == ".fst"; }

void create(const std::string& path) {
  if (!std::ofstream(path, std::ios::binary))
    throw UsageError(
        fmt::format("cannot write the trace file {}: {}", quote(path), std::strerror(errno)));
}

// The library replaces the file of that name: behind links it is to be the file itself.
std::string target_of(const std::string& path) {
  std::error_code ignored;
  const auto target = std::filesystem::canonical(path, ignored);
  return target.empty() ? path : target.string();
}

}  // namespace

void check_trace_name(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension();
  const bool stream = is_stream(path);
  if (extension == ".fst" && stream)
    throw UsageError(fmt::format(
        "the waveform {} is a pipe or a device, which take VCD; FST is written to files only",
        quote(path)));
  if (extension == ".fst") check_fst_is_available();
  if (extension == ".vcd" || extension == ".fst" || stream) return;
  throw UsageError(
      fmt::format("the waveform {} ends in {}; allowed are .vcd and .fst", quote(path),
                  extension.empty() ? "nothing that names a format" : quote(extension)));
}

TraceFile::TraceFile(std::string path, TraceSettings settings)
    : path_(std::move(path)), settings_(settings), spool_(path_) {
  if (is_fst(path_)) {
    create(path_);
  } else {
    writer_ = std::make_unique<VcdWriter>(path_);
  }
}

TraceFile::~TraceFile() {
  try {
    close();
  } catch (const Error&) {  // close() was the caller's chance to know
  }
}

TraceFile::SignalTrace& TraceFile::observe(TraceSignal& signal) {
  SignalTrace& trace = signals_.emplace_back(*this, signal);
  signal.changes().bind(trace);
  return trace;
}

void TraceFile::add(Component& component, TraceSignal& signal) {
  const bool labelled = !signal.labels().empty();
  SignalTrace& trace = observe(signal);
  trace.number = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back({false,
                      static_cast<std::uint32_t>(signals_.size() - 1),
                      {name_in_machine(component), signal.name(),
                       labelled ? WaveVariable::Kind::text : WaveVariable::Kind::bits,
                       labelled ? 1 : signal.width(), signal.type()},
                      {},
                      "",
                      false});
  if (phase_ == Phase::recording) changed(trace);
}

void TraceFile::add(TracedObject object) {
  poll();
  object.current = object.sample();
  object.number = static_cast<std::uint32_t>(entries_.size());
  if (object.variable.kind == WaveVariable::Kind::event) object.written = object.current;
  if (phase_ == Phase::recording) pending_.push_back(object.number);
  entries_.push_back(
      {true, static_cast<std::uint32_t>(objects_.size()), object.variable, {}, "", false});
  objects_.push_back(std::move(object));
}

void TraceFile::follow(Component& component, const Filter& filter) {
  component.added_signals().bind(followers_.emplace_back(*this, component, filter));
}

void TraceFile::Follower::write(const AddedSignal& added) {
  if (file.phase_ == Phase::ended) return;
  const bool awaited =
      file.trigger_signal_ == nullptr && file.trigger_ && file.trigger_->awaits(added);
  const bool taken = filter(name_in_machine(added.component), added.signal.name());
  if (awaited || taken) file.advance();
  if (awaited) file.trigger_signal_ = &file.observe(added.signal);
  if (taken) file.add(added.component, added.signal);
}

void TraceFile::start_when(TraceTrigger trigger) {
  trigger_ = std::move(trigger);
  if (TraceSignal* signal = trigger_->signal()) {
    trigger_signal_ = &observe(*signal);
  } else if (Component* component = trigger_->later()) {
    follow(*component, [](const std::string&, const std::string&) { return false; });
  } else {
    poll();
  }
}

void TraceFile::poll() {
  if (!polled_) sc_core::sc_get_curr_simcontext()->add_trace_file(this);
  polled_ = true;
}

void TraceFile::trace(const sc_core::sc_event& object, const std::string& name) {
  add(traced_event([this, &object] { return event_trigger_stamp(object); }, name));
}

void TraceFile::trace(const unsigned int& object, const std::string& name, const char** labels) {
  add(traced(object, name, labels));
}

void TraceFile::write_comment(const std::string& comment) {
  advance();
  if (phase_ == Phase::recording) comments_.push_back(comment);
}

void TraceFile::changed(SignalTrace& trace) {
  if (phase_ == Phase::ended) return;
  advance();
  trace.current = value_of(trace.signal);
  if (phase_ != Phase::recording || trace.pending || trace.number == watched_only) return;
  trace.pending = true;
  pending_.push_back(trace.number);
}

// SystemC calls this after each delta cycle and once more, with false, when an instant is over.
void TraceFile::cycle(bool delta_cycle) {
  if (delta_cycle || phase_ == Phase::ended) return;
  advance();
  sample();
}

void TraceFile::sample() {
  for (TracedObject& object : objects_) {
    object.current = object.sample();
    if (phase_ == Phase::recording && object.current != object.written)
      pending_.push_back(object.number);
  }
  if (phase_ == Phase::waiting && trigger_ && trigger_->of_statistic())
    trigger_statistic_ = trigger_->statistic_now();
}

void TraceFile::advance_to(Fs now) {
  if (phase_ == Phase::ended) return;
  end_instant();
  if (phase_ == Phase::waiting && instant_ < settings_.from && settings_.from < now && triggered())
    start_at(settings_.from);
  if (now > settings_.to) phase_ = Phase::ended;
  instant_ = now;
}

void TraceFile::end_instant() {
  if (phase_ == Phase::recording) {
    spool_pending();
  } else if (phase_ == Phase::waiting && instant_ >= settings_.from && triggered()) {
    start_at(instant_);
  }
}

bool TraceFile::triggered() const {
  if (!trigger_) return true;
  if (trigger_->of_statistic()) return trigger_->holds(trigger_statistic_);
  return trigger_signal_ != nullptr && trigger_signal_->current.known &&
         trigger_->holds(trigger_signal_->current.bits);
}

void TraceFile::start_at(Fs instant) {
  phase_ = Phase::recording;
  begin_ = instant;
  for (Entry& entry : entries_) {
    if (entry.is_object) {
      entry.initial_text = objects_[entry.index].written = objects_[entry.index].current;
    } else {
      entry.initial = signals_[entry.index].written = signals_[entry.index].current;
      entry.used |= entry.initial.bits;
    }
  }
}

void TraceFile::spool_pending() {
  if (pending_.empty() && comments_.empty()) return;
  spool_.time(instant_);
  for (const std::uint32_t number : pending_) spool(entries_[number], number);
  pending_.clear();
  for (const std::string& comment : comments_) spool_.comment(comment);
  comments_.clear();
}

void TraceFile::spool(Entry& entry, std::uint32_t number) {
  if (entry.is_object) {
    TracedObject& object = objects_[entry.index];
    if (object.current == object.written) return;
    spool_.text(number, object.current);
    object.written = object.current;
  } else {
    SignalTrace& trace = signals_[entry.index];
    trace.pending = false;
    if (!(trace.current != trace.written)) return;
    if (trace.current.known) {
      spool_.bits(number, trace.current.bits);
      entry.used |= trace.current.bits;
    } else {
      spool_.unknown(number);
    }
    trace.written = trace.current;
  }
  entry.changed = true;
}

void TraceFile::rest() {
  if (Component::now() <= settings_.to) return;
  advance();
  release();
}

void TraceFile::release() {
  if (released_) return;
  released_ = true;
  for (SignalTrace& trace : signals_) trace.signal.changes().unbind(trace);
  for (Follower& follower : followers_) follower.component.added_signals().unbind(follower);
  if (polled_) sc_core::sc_get_curr_simcontext()->remove_trace_file(this);
}

void TraceFile::close(Fs end) {
  if (closed_) return;
  closed_ = true;
  release();
  if (phase_ != Phase::ended) {
    sample();
    end_instant();
    if (phase_ == Phase::waiting && instant_ < settings_.from && settings_.from <= end &&
        triggered())
      start_at(settings_.from);
  }
  phase_ = Phase::ended;
  end_ = std::min(end, settings_.to);
  last_ = end == 0 ? never_fs : end;
  write_file();
}

std::vector<std::uint32_t> TraceFile::order() const {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t number = 0; number < entries_.size(); ++number) {
    if (!settings_.changed_only || entries_[number].changed) numbers.push_back(number);
  }
  std::stable_sort(numbers.begin(), numbers.end(), [this](std::uint32_t a, std::uint32_t b) {
    return scope_order(entries_[a].variable.scope, entries_[b].variable.scope);
  });
  return numbers;
}

void TraceFile::write_file() {
  if (!writer_) writer_ = make_fst_writer(target_of(path_));
  fit_width(SignalType::id, 64);  // numbers of transactions
  fit_width(SignalType::address, PhysAddr::bits);
  fit_width(SignalType::address, virtual_address_bits);
  const std::vector<std::uint32_t> numbers = order();
  std::vector<std::uint32_t> ranks(entries_.size(), 0);
  std::vector<WaveVariable> variables;
  for (const std::uint32_t number : numbers) {
    ranks[number] = static_cast<std::uint32_t>(variables.size());
    variables.push_back(entries_[number].variable);
    written_.push_back({entries_[number].variable, entries_[number].changed});
  }
  writer_->header(variables);
  if (begin_) write_values(numbers, ranks);
  writer_->close();
  if (spool_.error() != 0)
    throw Error(fmt::format("the trace file {} is not complete: its temporary file: {}",
                            quote(path_), std::strerror(spool_.error())));
}

void TraceFile::fit_width(SignalType type, unsigned declared) {
  const auto fits = [type, declared](const Entry& entry) {
    return !entry.is_object && entry.variable.type == type && entry.variable.width == declared;
  };
  std::uint64_t used = 0;
  for (const Entry& entry : entries_) used |= fits(entry) ? entry.used : 0;
  unsigned width = 8;
  while (width < declared && used >> width != 0) width += 8;
  for (Entry& entry : entries_) {
    if (fits(entry)) entry.variable.width = std::min(width, declared);
  }
}

void TraceFile::write_values(const std::vector<std::uint32_t>& numbers,
                             const std::vector<std::uint32_t>& ranks) {
  writer_->time(*begin_);
  writer_->begin_dump();
  for (const std::uint32_t number : numbers) put_initial(entries_[number], ranks[number]);
  writer_->end_dump();
  const Fs last = replay(ranks);
  if (end_ > last) writer_->time(end_);
  end_ = std::max(end_, last);
}

void TraceFile::put_initial(const Entry& entry, std::size_t rank) {
  if (!entry.is_object) return put(entry, rank, entry.initial);
  if (entry.variable.kind == WaveVariable::Kind::event) return;
  if (entry.initial_text.empty()) return writer_->unknown(rank);
  writer_->value(rank, entry.initial_text);
}

void TraceFile::put(const Entry& entry, std::size_t rank, SignalValue value) {
  if (!value.known) return writer_->unknown(rank);
  const auto& labels = signals_[entry.index].signal.labels();
  if (labels.empty()) return writer_->value(rank, value.bits);
  if (value.bits < labels.size()) return writer_->value(rank, labels[value.bits]);
  writer_->value(rank, std::to_string(value.bits));
}

void TraceFile::put_instant(Fs instant, std::vector<ChangeSpool::Record>& changes,
                            const std::vector<std::uint32_t>& ranks) {
  if (changes.empty()) return;
  std::sort(changes.begin(), changes.end(),
            [&](const auto& a, const auto& b) { return ranks[a.variable] < ranks[b.variable]; });
  writer_->time(instant);
  for (const ChangeSpool::Record& change : changes) {
    const std::size_t rank = ranks[change.variable];
    if (change.tag == ChangeSpool::Tag::text) {
      writer_->value(rank, change.text);
    } else {
      put(entries_[change.variable], rank, {change.number, change.tag == ChangeSpool::Tag::bits});
    }
  }
  changes.clear();
}

Fs TraceFile::replay(const std::vector<std::uint32_t>& ranks) {
  std::vector<ChangeSpool::Record> changes;
  Fs instant = *begin_;
  Fs last = *begin_;
  for (ChangeSpool::Record record; spool_.next(record);) {
    if (record.tag == ChangeSpool::Tag::time) {
      put_instant(instant, changes, ranks);
      if (record.number > last_) return last;
      instant = record.number;
    } else if (record.tag == ChangeSpool::Tag::comment) {  // behind the changes of its instant
      put_instant(instant, changes, ranks);
      writer_->comment(record.text);
    } else {
      changes.push_back(record);
      last = instant;
    }
  }
  put_instant(instant, changes, ranks);
  return last;
}

}  // namespace kernbench
