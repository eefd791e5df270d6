#include "models/protocol/machine_services.h"

#include "models/base/component_fault.h"
#include "models/base/exception_text.h"

namespace kernbench {

void fail_by_exception(Services& services, const sc_core::sc_object& where) {
  MachineServices& machine = machine_services(services);
  try {
    throw;
  } catch (const sc_core::sc_unwind_exception&) {
    throw;
  } catch (const ComponentFault& fault) {
    machine.fatal(fault.where(), fault.words());
  } catch (const std::exception& error) {
    machine.fatal(where, text_of(error));
  } catch (...) {
    machine.fatal(where, "an exception that is not a std::exception");
  }
}

}  // namespace kernbench
