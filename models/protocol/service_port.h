// Services that a component requires and provides: standard ports and exports of an interface.
// Assembly finds them among the component's children, by the type of the interface alone
// (platform/assembly/bind_pe_edge.h); their names are for people.
//
// An interface of a service has `static constexpr PeEngine provider`, the engine that provides it,
// and `static constexpr const char* port_name`.
#pragma once

#include <systemc>

namespace kernbench {

// A port for service I of a neighbour: port->call(). Using one that no edge has bound is an error
// of SystemC. A plain sc_core::sc_port<I> is bound as well, and must be.
template <class I>
class ServicePort final : public sc_core::sc_port<I, 1, sc_core::SC_ZERO_OR_MORE_BOUND> {
 public:
  ServicePort() : sc_core::sc_port<I, 1, sc_core::SC_ZERO_OR_MORE_BOUND>(I::port_name) {}
  bool connected() const { return this->get_interface() != nullptr; }
};

// Service I of a component that a part of it provides. A component may as well derive from I.
template <class I>
class ServiceExport final : public sc_core::sc_export<I> {
 public:
  explicit ServiceExport(I& part) : sc_core::sc_export<I>(I::port_name) { this->bind(part); }
};

// The service I of a component; null if it has none.
template <class I>
I* find_service(sc_core::sc_module& component) {
  if (auto* own = dynamic_cast<I*>(&component)) return own;
  for (sc_core::sc_object* child : component.get_child_objects()) {
    if (auto* provided = dynamic_cast<sc_core::sc_export<I>*>(child)) return provided->operator->();
  }
  return nullptr;
}

}  // namespace kernbench
