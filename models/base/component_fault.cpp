#include "models/base/component_fault.h"

#include <fmt/format.h>

#include <new>

namespace kernbench {

[[noreturn]] void rethrow_from(const sc_core::sc_object& component) {
  try {
    throw;
  } catch (const sc_core::sc_unwind_exception&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const ComponentFault&) {
    throw;
  } catch (const ModelError& error) {
    throw ComponentFault(component, error.what());
  } catch (const Error&) {
    throw;
  } catch (const sc_core::sc_report& report) {
    throw ComponentFault(component,
                         fmt::format("error of '{}': {}", report.get_msg_type(), report.get_msg()));
  } catch (const std::exception& error) {
    throw ComponentFault(component, error.what());
  } catch (...) {
    throw ComponentFault(component, "an exception that is not a std::exception");
  }
}

}  // namespace kernbench
