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

// A signal that has come in the course of a run.
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
  // ports that derived constructors make are to become children of this module, so its name must be
  // open until the last of them has run. SystemC reports an error (E533) otherwise.
  explicit Component(const ComponentInit& init);

  NodeId node() const { return node_; }
  const Attributes& attributes() const { return attributes_; }
  const std::vector<Statistic>& statistics() const { return statistics_; }
  // Ends of services that it provides (models/protocol/service_socket.h).
  const std::vector<ServiceTargetBase*>& service_targets() const { return service_targets_; }
  void add_service_target(ServiceTargetBase& target) { service_targets_.push_back(&target); }
  // Ends of services that it asks for.
  const std::vector<ServiceInitiatorBase*>& service_initiators() const {
    return service_initiators_;
  }
  void add_service_initiator(ServiceInitiatorBase& initiator) {
    service_initiators_.push_back(&initiator);
  }
  // Those that only observers need are made by the first call (declare_signals()), behind the end
  // of elaboration. Further ones may come in the course of a run: see added_signals().
  std::deque<TraceSignal>& signals();
  // Those that may come.
  virtual std::vector<SignalDeclaration> signals_when_used() const { return {}; }
  // Written when a signal is added, before its first change.
  AnalysisPort<AddedSignal>& added_signals() { return added_signals_; }
  // The operations under way, as if they ended now, without data and multiply-accumulates: for
  // windows of a run that was cut short.
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
  // Waits in the calling SC_THREAD and is listed as waiting for `what` meanwhile. Daemons that wait
  // for work use wait().
  void await(const sc_core::sc_event& event, std::string_view what);
  void await(const sc_core::sc_event& event, const std::function<std::string()>& what);
  void await(const sc_core::sc_event_or_list& any, std::string_view what);

  // Now, in femtoseconds (the platform's time resolution is 1 fs).
  static Fs now() { return sc_core::sc_get_curr_simcontext()->time_stamp().value(); }
  static sc_core::sc_time fs(Fs t) { return sc_core::sc_time::from_value(t); }
  // A sum of delays that exceeds 64 bits of femtoseconds wraps round and would be taken for an
  // earlier time: both throw ModelError.
  static Fs after(Fs delay);                  // the instant `delay` from now
  static sc_core::sc_time until(Fs instant);  // from now until then
  // Delay from now until `instant`, at which this component works: for every timed notification and
  // wait, so that the run is not taken for a deadlock until then (spec 4.2). Polls and clocks use
  // fs() or until().
  sc_core::sc_time work_at(Fs instant) const {
    const sc_core::sc_time delay = until(instant);
    pending_waits_.busy_until(instant);
    return delay;
  }
  // The same with `now` given by the caller; `instant` is not earlier.
  sc_core::sc_time work_at(Fs instant, Fs now) const {
    pending_waits_.busy_until(instant);
    return fs(instant - now);
  }
  static constexpr const char* end_of_time =
      "simulated time would pass the 18446 s that 64 bits of femtoseconds hold";
  // What is wrong with an instant that has passed, where one to come is asked for: a sum that has
  // wrapped round, or an answer in the past. "next_due() is 5 ns, which has passed: ...".
  static std::string in_the_past(const char* what, Fs instant);

 protected:
  // In constructors only.
  void add_statistic(std::string name, std::string description, Quantity quantity,
                     const std::uint64_t& value, Merge merge = Merge::sum);
  // A count of which `value` is a part; all() is the whole.
  void add_count(std::string name, std::string description, const std::uint64_t& value,
                 std::function<std::uint64_t()> all);
  // A time that a service adds to `value` as a whole, at its end or when it is booked; until(now)
  // cuts it at `now`, which is not earlier than the last change.
  void add_busy_time(std::string name, std::string description, const std::uint64_t& value,
                     std::function<Fs(Fs now)> until, const Server& server = {});
  Server& server_of(const std::string& busy_time);  // ModelError: no such busy time
  // In a constructor, in declare_signals(), or in the course of a run for what has come into use.
  // The signal lives as long as the component; keep the reference.
  TraceSignal& add_signal(std::string name, std::string description, SignalFormat format,
                          SignalGroup* group = nullptr);
  // Adds signals that cost nothing, not even memory, until somebody asks for them; calls that of
  // the base class first.
  virtual void declare_signals() {}

  Services& services() const { return services_; }

 private:
  friend class Observables;  // adds for the rules of the component

  NodeId node_;
  Attributes attributes_;
  Services& services_;
  PendingWaits& pending_waits_;
  std::vector<Statistic> statistics_;
  std::deque<TraceSignal> signals_;
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
