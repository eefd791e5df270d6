#include "platform/export/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "models/address/phys_addr.h"
#include "models/address/virtual_space.h"
#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/assembly/machine_root.h"
#include "platform/observe/object_tree.h"
#include "platform/output/result_file.h"

namespace kernbench {
namespace {

bool is_fst(const std::string& path) { return std::filesystem::path(path).extension() == ".fst"; }

void create(const std::string& path) {
  if (!std::ofstream(path, std::ios::binary))
    throw UsageError(
        fmt::format("cannot write the trace file {}: {}", quote(path), std::strerror(errno)));
}

// The library replaces the named file; with symbolic links this has to be their target.
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
    writer_ = make_vcd_writer(path_);
  }
}

TraceFile::~TraceFile() {
  try {
    close();
  } catch (const Error&) {  // close() would have reported it
  }
}

// --- Variables

TraceFile::Variable::Variable(TraceFile& file_, std::uint32_t number_, TraceSignal& signal_)
    : file(file_), number(number_), signal(&signal_) {
  current.set(signal_);
  signal_.changes().bind(*this);
}

TraceFile::Variable::Variable(TraceFile& file_, std::uint32_t number_, TracedObject object)
    : file(file_), number(number_), sample(std::move(object.sample)),
      declaration(std::move(object.variable)) {
  current.text = sample();
  if (is_event()) written = current;
}

void TraceFile::add(Component& component, TraceSignal& signal) {
  const bool labelled = !signal.labels().empty();
  Variable& variable = variables_.emplace_back(*this, next_number(), signal);
  variable.declaration = {name_in_machine(component), signal.name(),
                          labelled ? WaveVariable::Kind::text : WaveVariable::Kind::bits,
                          labelled ? 1 : signal.width(), signal.type()};
  if (phase_ == Phase::recording) changed(variable);
}

void TraceFile::add(TracedObject object) {
  poll();
  const Variable& variable = variables_.emplace_back(*this, next_number(), std::move(object));
  if (phase_ == Phase::recording) pending_.push_back(variable.number);
}

void TraceFile::follow(Component& component, const Filter& filter) {
  component.added_signals().bind(followers_.emplace_back(*this, component, filter));
}

void TraceFile::Follower::write(const AddedSignal& added) {
  if (file.phase_ == Phase::ended) return;
  const bool awaited = !file.watched_ && file.trigger_ && file.trigger_->awaits(added);
  const bool taken = filter(name_in_machine(added.component), added.signal.name());
  if (awaited || taken) file.advance();
  if (awaited) file.watched_.emplace(file, watched_only, added.signal);
  if (taken) file.add(added.component, added.signal);
}

void TraceFile::start_when(TraceTrigger trigger) {
  trigger_ = std::move(trigger);
  if (TraceSignal* signal = trigger_->signal()) {
    watched_.emplace(*this, watched_only, *signal);
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
  add(traced_object(name, WaveVariable::Kind::event, 1,
                    [this, &object] { return std::to_string(event_trigger_stamp(object)); }));
}

void TraceFile::trace(const unsigned int& object, const std::string& name, const char** labels) {
  std::vector<std::string> names;
  for (; *labels != nullptr; ++labels) names.emplace_back(*labels);
  add(traced_object(name, WaveVariable::Kind::text, 1, [&object, names = std::move(names)] {
    return object < names.size() ? names[object] : std::to_string(object);
  }));
}

void TraceFile::write_comment(const std::string& comment) {
  advance();
  if (phase_ == Phase::recording) comments_.push_back(comment);
}

// --- Run, timestep by timestep

void TraceFile::changed(Variable& variable) {
  if (phase_ == Phase::ended) return;
  advance();
  variable.current.set(*variable.signal);
  if (phase_ != Phase::recording || variable.pending || variable.number == watched_only) return;
  variable.pending = true;
  pending_.push_back(variable.number);
}

// SystemC calls this after each delta cycle, and once more with false at the end of a timestep.
void TraceFile::cycle(bool delta_cycle) {
  if (delta_cycle || phase_ == Phase::ended) return;
  advance();
  sample();
}

void TraceFile::sample() {
  for (Variable& variable : variables_) {
    if (variable.signal != nullptr) continue;
    variable.current.text = variable.sample();
    if (phase_ == Phase::recording && variable.current != variable.written)
      pending_.push_back(variable.number);
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
  return watched_ && watched_->current.known && trigger_->holds(watched_->current.bits);
}

void TraceFile::start_at(Fs instant) {
  phase_ = Phase::recording;
  begin_ = instant;
  for (Variable& variable : variables_) {
    variable.initial = variable.written = variable.current;
    variable.used |= variable.initial.bits;
  }
}

void TraceFile::spool_pending() {
  if (pending_.empty() && comments_.empty()) return;
  spool_.time(instant_);
  for (const std::uint32_t number : pending_) spool(variables_[number]);
  pending_.clear();
  for (const std::string& comment : comments_) spool_.comment(comment);
  comments_.clear();
}

void TraceFile::spool(Variable& variable) {
  variable.pending = false;
  if (!(variable.current != variable.written)) return;
  if (variable.signal == nullptr) {
    spool_.text(variable.number, variable.current.text);
  } else if (variable.current.known) {
    spool_.bits(variable.number, variable.current.bits);
    variable.used |= variable.current.bits;
  } else {
    spool_.unknown(variable.number);
  }
  variable.written = variable.current;
  variable.changed = true;
}

void TraceFile::rest() {
  if (Component::now() <= settings_.to) return;
  advance();
  release();
}

void TraceFile::release() {
  if (released_) return;
  released_ = true;
  for (Variable& variable : variables_) {
    if (variable.signal != nullptr) variable.signal->changes().unbind(variable);
  }
  if (watched_) watched_->signal->changes().unbind(*watched_);
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

// --- The file

std::vector<std::uint32_t> TraceFile::order() const {
  std::vector<std::uint32_t> numbers;
  for (const Variable& variable : variables_) {
    if (!settings_.changed_only || variable.changed) numbers.push_back(variable.number);
  }
  std::stable_sort(numbers.begin(), numbers.end(), [this](std::uint32_t a, std::uint32_t b) {
    return scope_order(variables_[a].declaration.scope, variables_[b].declaration.scope);
  });
  return numbers;
}

void TraceFile::write_file() {
  if (!writer_) writer_ = make_fst_writer(target_of(path_));
  fit_width(SignalType::id, 64);  // numbers of transactions
  fit_width(SignalType::address, PhysAddr::bits);
  fit_width(SignalType::address, virtual_address_bits);
  const std::vector<std::uint32_t> numbers = order();
  ranks_.resize(variables_.size());
  std::vector<WaveVariable> declarations;
  for (const std::uint32_t number : numbers) {
    ranks_[number] = static_cast<std::uint32_t>(declarations.size());
    declarations.push_back(variables_[number].declaration);
    written_.push_back({declarations.back(), variables_[number].changed});
  }
  writer_->header(declarations);
  if (begin_) write_values(numbers);
  writer_->close();
  if (spool_.error() != 0)
    throw Error(fmt::format("the trace file {} is not complete: its temporary file: {}",
                            quote(path_), std::strerror(spool_.error())));
}

void TraceFile::fit_width(SignalType type, unsigned declared) {
  const auto fits = [type, declared](const Variable& variable) {
    return variable.signal != nullptr && variable.declaration.type == type &&
           variable.declaration.width == declared;
  };
  std::uint64_t used = 0;
  for (const Variable& variable : variables_) used |= fits(variable) ? variable.used : 0;
  unsigned width = 8;
  while (width < declared && used >> width != 0) width += 8;
  for (Variable& variable : variables_) {
    if (fits(variable)) variable.declaration.width = std::min(width, declared);
  }
}

void TraceFile::write_values(const std::vector<std::uint32_t>& numbers) {
  writer_->time(*begin_);
  writer_->begin_dump();
  for (const std::uint32_t number : numbers) {
    if (!variables_[number].is_event()) put(number, variables_[number].initial);
  }
  writer_->end_dump();
  const Fs last = replay();
  if (end_ > last) writer_->time(end_);
  end_ = std::max(end_, last);
}

void TraceFile::put(std::uint32_t number, const Value& value) {
  const TraceSignal* const signal = variables_[number].signal;
  const std::uint32_t rank = ranks_[number];
  if (signal == nullptr && !value.text.empty()) return writer_->value(rank, value.text);
  if (!value.known) return writer_->unknown(rank);
  const auto& labels = signal->labels();
  if (labels.empty()) return writer_->value(rank, value.bits);
  if (value.bits < labels.size()) return writer_->value(rank, labels[value.bits]);
  writer_->value(rank, std::to_string(value.bits));
}

void TraceFile::put_instant(Fs instant, std::vector<ChangeSpool::Record>& changes) {
  if (changes.empty()) return;
  std::sort(changes.begin(), changes.end(),
            [&](const auto& a, const auto& b) { return ranks_[a.variable] < ranks_[b.variable]; });
  writer_->time(instant);
  for (const ChangeSpool::Record& change : changes) {
    if (change.tag == ChangeSpool::Tag::text) {
      writer_->value(ranks_[change.variable], change.text);
    } else {
      put(change.variable, {change.number, change.tag == ChangeSpool::Tag::bits, ""});
    }
  }
  changes.clear();
}

Fs TraceFile::replay() {
  std::vector<ChangeSpool::Record> changes;
  Fs instant = *begin_;
  Fs last = *begin_;
  for (ChangeSpool::Record record; spool_.next(record);) {
    if (record.tag == ChangeSpool::Tag::time) {
      put_instant(instant, changes);
      if (record.number > last_) return last;
      instant = record.number;
    } else if (record.tag == ChangeSpool::Tag::comment) {  // after the changes of its timestep
      put_instant(instant, changes);
      writer_->comment(record.text);
    } else {
      changes.push_back(record);
      last = instant;
    }
  }
  put_instant(instant, changes);
  return last;
}

}  // namespace kernbench
