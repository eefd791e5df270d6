// Services of the machine for components: see models/base/services.h.
#pragma once

#include <systemc>
#include <utility>

#include "models/base/active_component_scope.h"
#include "models/base/errors.h"
#include "models/base/services.h"
#include "models/protocol/machine_description.h"
#include "models/protocol/observation.h"
#include "models/protocol/path.h"

namespace kernbench {

class FabricCalendar;   // models/protocol/fabric_calendar.h
class FunctionalModel;  // models/data
class TransactionPool;  // models/protocol/transaction.h

class MachineServices : public Services {
 public:
  virtual TransactionPool& pool() = 0;
  virtual Routes& routes() = 0;
  virtual const MachineDescription& machine() const = 0;
  virtual FabricCalendar& calendar() = 0;
  // Null with data off (`--data off`).
  virtual FunctionalModel* data() = 0;
  // Reports a fatal fault of the run, such as a broken rule of a model: the run stops at the end of
  // this delta cycle and reports the first cause.
  virtual void fatal(const sc_core::sc_object& where, const std::string& what) = 0;

  MachineServices& as_machine() final { return *this; }
};

inline MachineServices& machine_services(Services& services) { return services.as_machine(); }

// Call in a catch (...): fatal() with the current exception; the exception of a killed process is
// rethrown.
void fail_by_exception(Services& services, const sc_core::sc_object& where);

// Exception guard for the action of an SC_METHOD of `where`: only the unwinding of a killed process
// escapes. Returns false if the action has failed; the run then ends and names the component that
// has thrown.
template <class Action>
bool guarded_process(Services& services, const sc_core::sc_object& where, Action action) {
  try {
    action();
    return true;
  } catch (...) {
    fail_by_exception(services, where);
    return false;
  }
}
// Exception guard for an action in any process.
template <class Action>
bool guarded(Services& services, const sc_core::sc_object& where, Action action) {
  const ActiveComponentScope active(where);
  return guarded_process(services, where, std::move(action));
}

}  // namespace kernbench
