#include "models/base/component.h"

#include "models/base/errors.h"
#include "models/base/services.h"

namespace kernbench {

Component::Component(const ComponentInit& init)
    : node_(init.node), attributes_(init.attributes), services_(init.services), obligations_(init.services.obligations()) {}

Fs Component::after(Fs delay) {
  if (delay > never_fs - now()) throw ModelError(end_of_time);
  return now() + delay;
}

sc_core::sc_time Component::until(Fs instant) {
  if (instant < now()) throw ModelError(end_of_time);
  return fs(instant - now());
}

void Component::add_statistic(std::string name, std::string description, Quantity quantity, const std::uint64_t& value, Merge merge) {
  statistics_.push_back({std::move(name), std::move(description), quantity, &value, merge, {}});
}

void Component::add_busy_time(std::string name, std::string description, const std::uint64_t& value, std::function<Fs(Fs)> until) {
  statistics_.push_back({std::move(name), std::move(description), Quantity::time_fs, &value, Merge::sum, std::move(until)});
}

Probe& Component::add_probe(std::string name, std::string description, unsigned width, std::vector<std::string> labels) {
  return probes_.emplace_back(std::move(name), std::move(description), width, std::move(labels));
}

namespace {

// Also when the process is killed while it waits.
class Obliged {
 public:
  Obliged(Obligations& obligations, std::string who, const std::string& what, Fs since)
      : obligations_(obligations), ticket_(obligations.open(std::move(who), what, since)) {}
  ~Obliged() { obligations_.close(ticket_); }
  Obliged(const Obliged&) = delete;
  Obliged& operator=(const Obliged&) = delete;

 private:
  Obligations& obligations_;
  std::size_t ticket_;
};

}  // namespace

void Component::await(const sc_core::sc_event& event, const std::string& what) {
  const Obliged obliged(obligations_, name(), what, now());
  wait(event);
}

void Component::await(const sc_core::sc_event_or_list& any, const std::string& what) {
  const Obliged obliged(obligations_, name(), what, now());
  wait(any);
}

Component::Scope::Scope(Component& component) : context_(*component.simcontext()) { context_.hierarchy_push(&component); }

Component::Scope::~Scope() { context_.hierarchy_pop(); }

}  // namespace kernbench
