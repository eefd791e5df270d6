// An exception that has left the code of a component, with the component: an exception that passes
// through another component's process names the component that has thrown it.
#pragma once

#include <string>
#include <systemc>

#include "models/base/errors.h"

namespace kernbench {

class ComponentFault : public ModelError {
 public:
  // what(): "sip0.cube0.pe0.pe_mmu: WORDS".
  ComponentFault(const sc_core::sc_object& where, const std::string& words)
      : ModelError(std::string(where.name()) + ": " + words), where_(&where), words_(words) {}

  const sc_core::sc_object& where() const { return *where_; }
  const std::string& words() const { return words_; }

 private:
  const sc_core::sc_object* where_;
  std::string words_;
};

// Call in a catch (...): rethrows the current exception as a ComponentFault, unless it names its
// cause itself: an error of a request (AccessFault, AddressError, ...), a fault of an inner
// component, the end of a killed process, a lack of memory.
[[noreturn]] void rethrow_from(const sc_core::sc_object& component);

}  // namespace kernbench
