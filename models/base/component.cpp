#include "models/base/component.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "models/base/services.h"

namespace kernbench {

Component::Component(const ComponentInit& init)
    : node_(init.node), attributes_(init.attributes), services_(init.services),
      pending_waits_(init.services.pending_waits()) {}

Fs Component::after(Fs delay) {
  if (delay > never_fs - now()) throw ModelError(end_of_time);
  return now() + delay;
}

sc_core::sc_time Component::until(Fs instant) {
  if (instant < now()) throw ModelError(in_the_past("the wake-up time", instant));
  return fs(instant - now());
}

namespace {

[[noreturn]] void two_of_a_name(const Component& component, const char* kind,
                                const std::string& name, const std::string& first,
                                const std::string& second) {
  throw ModelError(fmt::format("'{}': it has two {} named {}: {} and {}", component.name(), kind,
                               quote(name), quote(first), quote(second)));
}

void check_new(const Component& component, const std::string& name,
               const std::string& description) {
  for (const Statistic& known : component.statistics()) {
    if (known.name == name)
      two_of_a_name(component, "statistics", name, known.description, description);
  }
  for (const Ratio& known : component.ratios()) {
    if (known.name == name)
      two_of_a_name(component, "statistics", name, known.description, description);
  }
}

// Most components have few entries: no more room than that.
template <class T>
void append(std::vector<T>& list, T entry) {
  if (list.size() == list.capacity()) list.reserve(list.size() + 4);
  list.push_back(std::move(entry));
}

}  // namespace

// A single delay is far shorter than half of time: a sum wraps round in the second half only.
std::string Component::in_the_past(const char* what, Fs instant) {
  if (now() > never_fs / 2) return end_of_time;
  return fmt::format("{} is {}, in the past: allowed is the current time or later", what,
                     format_ns(instant));
}

void Component::add_statistic(std::string name, std::string description, Quantity quantity,
                              const std::uint64_t& value, Merge merge) {
  check_new(*this, name, description);
  append<Statistic>(statistics_,
                    {std::move(name), std::move(description), quantity, &value, merge, {}, {}});
}

void Component::add_count(std::string name, std::string description, const std::uint64_t& value,
                          std::function<std::uint64_t()> all, Quantity quantity, Merge merge) {
  check_new(*this, name, description);
  append<Statistic>(statistics_, {std::move(name),
                                  std::move(description),
                                  quantity,
                                  &value,
                                  merge,
                                  [all = std::move(all)](Fs /*now*/) { return all(); },
                                  {}});
}

void Component::add_busy_time(std::string name, std::string description, const std::uint64_t& value,
                              std::function<Fs(Fs)> until, const Server& server) {
  check_new(*this, name, description);
  append<Statistic>(statistics_, {std::move(name), std::move(description), Quantity::time_fs,
                                  &value, Merge::sum, std::move(until), server, true});
}

void Component::add_ratio(std::string name, std::string description,
                          std::function<Ratio::Parts(Fs)> at) {
  check_new(*this, name, description);
  ratios_.push_back({std::move(name), std::move(description), std::move(at)});
}

Server& Component::server_of(const std::string& busy_time) {
  const auto found =
      std::find_if(statistics_.begin(), statistics_.end(), [&](const Statistic& statistic) {
        return statistic.name == busy_time && statistic.is_busy_time();
      });
  if (found == statistics_.end())
    throw ModelError(fmt::format("{} has no busy time '{}'", name(), busy_time));
  return found->server;
}

TraceSignal& Component::add_signal(std::string name, std::string description, SignalFormat format,
                                   SignalGroup* group) {
  if (signals_ == nullptr) signals_ = std::make_unique<std::deque<TraceSignal>>();
  for (const TraceSignal& known : *signals_) {
    if (known.name() == name)
      two_of_a_name(*this, "signals", name, known.description(), description);
  }
  TraceSignal& signal =
      signals_->emplace_back(std::move(name), std::move(description), std::move(format), group);
  if (added_signals_.observed()) added_signals_.write({*this, signal});
  return signal;
}

std::deque<TraceSignal>& Component::signals() {
  if (!signals_declared_) {
    signals_declared_ = true;
    if (signals_ == nullptr) signals_ = std::make_unique<std::deque<TraceSignal>>();
    const Scope scope(*this);
    declare_signals();
  }
  return *signals_;
}

void Observables::add_statistic(std::string name, std::string description, Quantity quantity,
                                const std::uint64_t& value, Merge merge) {
  component_.add_statistic(std::move(name), std::move(description), quantity, value, merge);
}

void Observables::add_busy_time(std::string name, std::string description,
                                const std::uint64_t& value, std::function<Fs(Fs)> until,
                                const Server& server) {
  component_.add_busy_time(std::move(name), std::move(description), value, std::move(until),
                           server);
}

void Observables::add_ratio(std::string name, std::string description,
                            std::function<Ratio::Parts(Fs)> at) {
  component_.add_ratio(std::move(name), std::move(description), std::move(at));
}

TraceSignal& Observables::add_signal(std::string name, std::string description, SignalFormat format,
                                     SignalGroup* group) {
  return component_.add_signal(std::move(name), std::move(description), std::move(format), group);
}

namespace {

// Restores the state also when the process is killed while it waits.
class Obliged {
 public:
  template <class Text>
  Obliged(PendingWaits& pending_waits, const char* who, const Text& what, Fs since)
      : pending_waits_(pending_waits), ticket_(pending_waits.open(who, what, since)) {}
  ~Obliged() { pending_waits_.close(ticket_); }
  Obliged(const Obliged&) = delete;
  Obliged& operator=(const Obliged&) = delete;

 private:
  PendingWaits& pending_waits_;
  std::size_t ticket_;
};

}  // namespace

void Component::await(const sc_core::sc_event& event, std::string_view what) {
  const Obliged waiting(pending_waits_, name(), what, now());
  wait(event);
}

void Component::await(const sc_core::sc_event& event, const std::function<std::string()>& what) {
  const Obliged waiting(pending_waits_, name(), what, now());
  wait(event);
}

void Component::await(const sc_core::sc_event_or_list& any, std::string_view what) {
  const Obliged waiting(pending_waits_, name(), what, now());
  wait(any);
}

Component::Scope::Scope(Component& component) : context_(*component.simcontext()) {
  context_.hierarchy_push(&component);
}

Component::Scope::~Scope() { context_.hierarchy_pop(); }

}  // namespace kernbench
