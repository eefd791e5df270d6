// Sockets of the services that components have for each other: TLM-2.0 with a payload of their own
// and the standard phases, nb_transport, b_transport and transport_dbg.
//
//   struct SlotRequest : ServicePayload<SlotRequest> { ... };  // models/protocol/pe_services.h
//
//   class PeGemm : private ServiceListener<SlotRequest> {      // uses the service
//     ServiceInitiator<SlotRequest> to_scheduler_{*this};
//   class PeScheduler : private ServiceProvider<SlotRequest> { // provides it
//     ServiceTarget<SlotRequest> slot_requests_{*this, *this};
//
// Assembly finds initiator and target in the components by the type of the payload, and binds each
// initiator to its own socket at the target. Sockets are named after the peer and the service:
// to_pe_scheduler_accel_slot, from_pe_gemm_accel_slot.
//
// A payload has `static constexpr Role provider`, `static constexpr const char* service` and
// `static constexpr ServicePhases phases`, or a specialisation of ServiceOf. It belongs to the
// initiator, and stays where it is until its last phase. Exceptions of the provider pass through:
// the request has not begun then; an exception that is not an error of the request names the
// component that has thrown (models/base/component_fault.h).
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <typeinfo>
#include <utility>
#include <vector>

#include "models/base/active_component_scope.h"
#include "models/base/component.h"
#include "models/base/component_fault.h"
#include "models/base/reset_in_place.h"
#include "models/base/small_vector.h"
#include "models/protocol/service_monitor.h"
#include "models/protocol/service_protocol.h"

namespace kernbench {

template <class Payload>
class ServiceTarget;

// Base of payloads that are answered on the backward path.
template <class Payload>
class ServicePayload {
 public:
  // Whether the provider's implementation may omit the service.
  static constexpr bool optional = false;

  // Call of the provider: END_REQ or BEGIN_RESP, on the socket on which the payload arrived last.
  void respond(tlm::tlm_phase phase) {
    sc_core::sc_time delay;
    (*from_)->nb_transport_bw(static_cast<Payload&>(*this), phase, delay);
  }

 private:
  friend class ServiceTarget<Payload>;
  ServiceTargetSocket<Payload>* from_ = nullptr;
};

// Answer to a call that the service does not support: a ModelError.
[[noreturn]] void not_in_this_service(const char* call, const char* service);

// A call into a component from the process of another: faults in it are the callee's.
template <class Call>
auto call_of(const sc_core::sc_object& component, Call call) {
  const ActiveComponentScope active(component);
  try {
    return call();
  } catch (...) {
    rethrow_from(component);
  }
}

// Provider of a service: a component or a part of it. It overrides the calls of the service.
template <class Payload>
class ServiceProvider {
 public:
  // BEGIN_REQ or END_RESP. Never waits.
  virtual tlm::tlm_sync_enum nb_transport_fw(Payload& /*payload*/, tlm::tlm_phase& /*phase*/) {
    not_in_this_service("nb_transport_fw", ServiceOf<Payload>::name);
  }
  // Answered within the call; adds the time that the initiator has to pay to `delay`.
  virtual void b_transport(Payload& /*payload*/, sc_core::sc_time& /*delay*/) {
    not_in_this_service("b_transport", ServiceOf<Payload>::name);
  }
  // Debug access, without time or effect.
  virtual void transport_dbg(Payload& /*payload*/) {
    not_in_this_service("transport_dbg", ServiceOf<Payload>::name);
  }

 protected:
  ~ServiceProvider() = default;
};

class ServiceTargetBase {
 public:
  virtual ~ServiceTargetBase() = default;
  virtual const std::type_info& payload() const = 0;
};

// Target side of a service: a socket for each initiator, created by assembly.
template <class Payload>
class ServiceTarget final : public ServiceTargetBase {
 public:
  ServiceTarget(Component& component, ServiceProvider<Payload>& provider)
      : component_(component), provider_(provider) {
    component.add_service_target(*this);
  }
  const std::type_info& payload() const override { return typeid(Payload); }

  // Call before the end of elaboration.
  ServiceTargetSocket<Payload>& add_socket(const std::string& from) {
    const Component::Scope scope(component_);
    inputs_.push_back(std::make_unique<Input>(
        fmt::format("from_{}_{}", from, ServiceOf<Payload>::name).c_str(), component_, provider_));
    return inputs_.back()->socket;
  }

 private:
  class Input final : private ServiceForward<Payload> {
   public:
    Input(const char* name, const Component& component, ServiceProvider<Payload>& provider)
        : component_(component), provider_(provider), socket(name) {
      socket.bind(*this);
    }

   private:
    tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& /*delay*/) override {
      if constexpr (ServiceOf<Payload>::phases.end_req || ServiceOf<Payload>::phases.begin_resp)
        payload.from_ = &socket;
      return call_of(component_, [&] { return provider_.nb_transport_fw(payload, phase); });
    }
    void b_transport(Payload& payload, sc_core::sc_time& delay) override {
      call_of(component_, [&] { provider_.b_transport(payload, delay); });
    }
    unsigned transport_dbg(Payload& payload) override {
      call_of(component_, [&] { provider_.transport_dbg(payload); });
      return 0;
    }
    bool get_direct_mem_ptr(Payload&, tlm::tlm_dmi&) override { return false; }

    const Component& component_;
    ServiceProvider<Payload>& provider_;

   public:
    ServiceTargetSocket<Payload> socket;
  };

  Component& component_;
  ServiceProvider<Payload>& provider_;
  std::vector<std::unique_ptr<Input>> inputs_;
};

// Name of a node in that of a socket: "sip0_io0_pcie_ep".
std::string socket_peer(std::string node);

// Receiver of the responses to an initiator: END_REQ, BEGIN_RESP.
template <class Payload>
class ServiceListener {
 public:
  virtual void nb_transport_bw(Payload& payload, const tlm::tlm_phase& phase) = 0;

 protected:
  ~ServiceListener() = default;
};

// Listener as a member, for a class with several services.
template <class Payload>
class ServiceCallback final : public ServiceListener<Payload> {
 public:
  explicit ServiceCallback(std::function<void(Payload&)> call) : call_(std::move(call)) {}
  void nb_transport_bw(Payload& payload, const tlm::tlm_phase& /*phase*/) override {
    call_(payload);
  }

 private:
  std::function<void(Payload&)> call_;
};

// Payloads of an initiator with several requests in flight.
template <class Payload>
class PayloadPool {
 public:
  Payload& take() {
    if (idle_.empty()) {
      all_.push_back(std::make_unique<Payload>());
      idle_.push_back(all_.back().get());
    }
    Payload& payload = *idle_.back();
    idle_.pop_back();
    return payload;
  }
  void give_back(Payload& payload) {
    reset_in_place(payload);
    idle_.push_back(&payload);
  }
  std::size_t outstanding() const { return all_.size() - idle_.size(); }

 private:
  SmallVector<Payload*, 2> idle_;
  std::vector<std::unique_ptr<Payload>> all_;
};

// Initiator side of a service, as assembly sees it.
class ServiceInitiatorBase {
 public:
  virtual ~ServiceInitiatorBase() = default;
  virtual const char* service() const = 0;
  // Whether it can be bound to a component of this role; binding is mandatory unless optional.
  virtual bool binds_to(Role role) const = 0;
  virtual bool optional() const = 0;
  // Returns false if the component does not provide the service. `from`: the initiator, in the name
  // of the target's socket. `monitors`: observes the connection; null: no monitor.
  virtual bool bind_to(Component& provider, Role role, const std::string& from,
                       ProtocolMonitors* monitors) = 0;
};

template <class Payload>
ServiceTarget<Payload>* find_service(const Component& component) {
  for (ServiceTargetBase* target : component.service_targets()) {
    if (target->payload() == typeid(Payload)) return static_cast<ServiceTarget<Payload>*>(target);
  }
  return nullptr;
}

template <class Payload>
class ServiceInitiator final : public ServiceInitiatorSocket<Payload>,
                               public ServiceInitiatorBase,
                               private ServiceBackward<Payload> {
 public:
  // No listener for services that complete in the call.
  explicit ServiceInitiator(ServiceListener<Payload>* listener = nullptr)
      : ServiceInitiator(listener, ServiceOf<Payload>::provider,
                         std::string(name_of(ServiceOf<Payload>::provider))) {}
  // `peer`: the provider's name in that of the socket.
  ServiceInitiator(ServiceListener<Payload>* listener, Role provider, const std::string& peer)
      : ServiceInitiatorSocket<Payload>(
            fmt::format("to_{}_{}", peer, ServiceOf<Payload>::name).c_str()),
        listener_(listener), provider_(provider) {
    static_cast<ServiceInitiatorSocket<Payload>&>(*this).bind(
        static_cast<ServiceBackward<Payload>&>(*this));
    auto* component = dynamic_cast<Component*>(this->get_parent_object());
    if (component != nullptr) component->add_service_initiator(*this);
  }

  bool connected() const { return this->get_interface() != nullptr; }

  // BEGIN_REQ: TLM_COMPLETED or TLM_UPDATED is the response, after TLM_ACCEPTED the listener is
  // called. END_RESP releases the held resource.
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase phase = tlm::BEGIN_REQ) {
    sc_core::sc_time delay;
    return (*this)->nb_transport_fw(payload, phase, delay);
  }
  // Returns the time that the caller has to pay.
  Fs b_transport(Payload& payload) {
    sc_core::sc_time delay;
    (*this)->b_transport(payload, delay);
    return delay.value();
  }
  void transport_dbg(Payload& payload) { (*this)->transport_dbg(payload); }

  const char* service() const override { return ServiceOf<Payload>::name; }
  bool binds_to(Role role) const override { return role == provider_; }
  bool optional() const override { return ServiceOf<Payload>::optional; }
  bool bind_to(Component& provider, Role /*role*/, const std::string& from,
               ProtocolMonitors* monitors) override {
    ServiceTarget<Payload>* target = find_service<Payload>(provider);
    if (target == nullptr) return false;
    ServiceInitiatorSocket<Payload>& initiator = *this;
    ServiceTargetSocket<Payload>& target_socket = target->add_socket(from);
    if (monitors == nullptr) {
      initiator.bind(target_socket);
    } else {
      monitors->bind<ServiceMonitor<Payload>>(initiator, target_socket);
    }
    return true;
  }

 private:
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& /*delay*/) override {
    call_of(*this->get_parent_object(), [&] { listener_->nb_transport_bw(payload, phase); });
    return phase == tlm::BEGIN_RESP && !ServiceOf<Payload>::phases.end_resp ? tlm::TLM_COMPLETED
                                                                            : tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  ServiceListener<Payload>* listener_;
  Role provider_;
};

// Binds every service initiator of `source` that requires the role of `target`. Called before the
// end of elaboration. Only payload types are matched, so any component can be replaced. Throws
// UsageError if the source needs a service that the target does not provide. `monitors`: see
// ServiceInitiatorBase.
void bind_services(Component& source, Component& target, Role target_role,
                   ProtocolMonitors* monitors);

}  // namespace kernbench
