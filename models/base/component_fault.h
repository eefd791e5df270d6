// An exception that has left the code of a component, with the component: what passes through
// another one's process names the one that has thrown.
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

// In a catch (...): throws the present exception again, as a ComponentFault unless it says by
// itself what has failed: an error of a request (AccessFault, AddressError, ...), one of an inner
// component, the end of a killed process, a lack of memory.
[[noreturn]] void rethrow_from(const sc_core::sc_object& component);

}  // namespace kernbench
