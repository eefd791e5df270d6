// Base class of every component: resolved parameters, statistics, signals, and waits that a
// deadlock report can name.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <systemc>
#include <utility>
#include <vector>

#include "models/base/analysis_port.h"
#include "models/base/executed_op.h"
#include "models/base/node_id.h"
#include "models/base/observables.h"
#include "models/base/parameter.h"
#include "models/base/pending_waits.h"
#include "models/base/role.h"
#include "models/base/statistic.h"
#include "models/base/trace_signal.h"

namespace kernbench {

class Services;              // models/base/services.h: services of the machine for components
class ServiceInitiatorBase;  // models/protocol/service_socket.h
class ServiceTargetBase;     // models/protocol/service_socket.h
class Component;

// A signal that was added during a run.
struct AddedSignal {
  Component& component;
  TraceSignal& signal;
};

// Arguments of a factory, passed by the registry. The references outlive the component.
struct ComponentInit {
  const char* name;  // leaf name: the hierarchy is set up around the call
  NodeId node;
  const Attributes& attributes;
  Services& services;
};

class Component : public sc_core::sc_module {
 public:
  // Created through make_component() only (or the registry, which uses it): processes, events and
  // ports of derived constructors become children of this module, so its name must be open until
  // the last constructor has run. SystemC reports an error (E533) otherwise.
  explicit Component(const ComponentInit& init);

  NodeId node() const { return node_; }
  const Attributes& attributes() const { return attributes_; }
  const std::vector<Statistic>& statistics() const { return statistics_; }
  const std::vector<Ratio>& ratios() const { return ratios_; }
  // Service targets of this component (models/protocol/service_socket.h).
  const std::vector<ServiceTargetBase*>& service_targets() const { return service_targets_; }
  void add_service_target(ServiceTargetBase& target) { service_targets_.push_back(&target); }
  // Service initiators of this component.
  const std::vector<ServiceInitiatorBase*>& service_initiators() const {
    return service_initiators_;
  }
  void add_service_initiator(ServiceInitiatorBase& initiator) {
    service_initiators_.push_back(&initiator);
  }
  // Signals of this component. Signals that only observers need are created by the first call
  // (declare_signals()), after the end of elaboration. More may be added during a run: see
  // added_signals().
  std::deque<TraceSignal>& signals();
  // Signals that may be added during a run.
  virtual std::vector<SignalDeclaration> signals_when_used() const { return {}; }
  // Written when a signal is added, before its first change.
  AnalysisPort<AddedSignal>& added_signals() { return added_signals_; }
  // Reports the operations in progress as if they ended now, without data and multiply-accumulates,
  // for windows of a run that was cut short.
  virtual void report_in_progress(tlm::tlm_analysis_if<ExecutedOp>& /*to*/) const {}

  // While a Scope lives, new objects become children of a component whose constructor has ended.
  // For the component and its parts.
  class Scope {
   public:
    explicit Scope(Component& component);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    sc_core::sc_simcontext& context_;
  };

  // For the component and its parts.
  //
  // Waits in the calling SC_THREAD, which is listed as waiting for `what` during the wait. Daemons
  // that wait for work use wait().
  void await(const sc_core::sc_event& event, std::string_view what);
  void await(const sc_core::sc_event& event, const std::function<std::string()>& what);
  void await(const sc_core::sc_event_or_list& any, std::string_view what);

  // Current time in femtoseconds (the platform's time resolution is 1 fs).
  static Fs now() { return sc_core::sc_get_curr_simcontext()->time_stamp().value(); }
  static sc_core::sc_time fs(Fs t) { return sc_core::sc_time::from_value(t); }
  // A sum of delays that exceeds 64 bits of femtoseconds wraps round and would be taken for an
  // earlier time: both throw ModelError.
  static Fs after(Fs delay);                  // the instant `delay` from now
  static sc_core::sc_time until(Fs instant);  // from now until then
  // Delay from now until `instant`, at which this component works. Use it for every timed
  // notification and wait, so that the run is not reported as a deadlock before then (spec 4.2).
  // Polls and clocks use fs() or until().
  sc_core::sc_time work_at(Fs instant) const {
    const sc_core::sc_time delay = until(instant);
    expect_work(instant);
    return delay;
  }
  // Same as work_at(instant), with `now` supplied by the caller; `instant` is not earlier.
  sc_core::sc_time work_at(Fs instant, Fs now) const {
    expect_work(instant);
    return fs(instant - now);
  }
  // Declares work at that instant, which something else than an event of this component starts.
  void expect_work(Fs instant) const { pending_waits_.busy_until(instant); }
  static constexpr const char* end_of_time =
      "simulated time would pass the 18446 s that 64 bits of femtoseconds hold";
  // Error text for an instant in the past, caused by a sum that has wrapped round or a wrong return
  // value: "next_due() is 5 ns, which has passed: ...".
  static std::string in_the_past(const char* what, Fs instant);

 protected:
  // In constructors only.
  void add_statistic(std::string name, std::string description, Quantity quantity,
                     const std::uint64_t& value, Merge merge = Merge::sum);
  // Adds a statistic of which `value` is a part or a later state; all() returns the value now.
  void add_count(std::string name, std::string description, const std::uint64_t& value,
                 std::function<std::uint64_t()> all, Quantity quantity = Quantity::count,
                 Merge merge = Merge::sum);
  // Adds a busy time. A service adds its time to `value` as a whole, at its end or when it is
  // booked; until(now) cuts it at `now`, which is not earlier than the last change.
  void add_busy_time(std::string name, std::string description, const std::uint64_t& value,
                     std::function<Fs(Fs now)> until, const Server& server = {});
  void add_ratio(std::string name, std::string description, std::function<Ratio::Parts(Fs now)> at);
  Server& server_of(const std::string& busy_time);  // ModelError: no such busy time
  // Call in a constructor, in declare_signals(), or during a run for a resource that comes into
  // use. The signal lives as long as the component; keep the reference.
  TraceSignal& add_signal(std::string name, std::string description, SignalFormat format,
                          SignalGroup* group = nullptr);
  // Adds signals that cost nothing, not even memory, until an observer requests them. Overrides
  // call the base class first.
  virtual void declare_signals() {}

  Services& services() const { return services_; }

 private:
  friend class Observables;  // adds for the policies of the component

  NodeId node_;
  Attributes attributes_;
  Services& services_;
  PendingWaits& pending_waits_;
  std::vector<Statistic> statistics_;
  std::vector<Ratio> ratios_;
  std::unique_ptr<std::deque<TraceSignal>> signals_;  // null: none yet
  bool signals_declared_ = false;
  AnalysisPort<AddedSignal> added_signals_;
  std::vector<ServiceTargetBase*> service_targets_;
  std::vector<ServiceInitiatorBase*> service_initiators_;
};

// Creates a component as a child of the module under construction, or at the top.
template <class T, class... More>
std::unique_ptr<T> make_component(const ComponentInit& init, More&&... more) {
  const sc_core::sc_module_name name(init.name);
  return std::make_unique<T>(init, std::forward<More>(more)...);
}

}  // namespace kernbench
