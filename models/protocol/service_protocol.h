// Types of the services that components have for each other (service_socket.h): TLM-2.0 with a
// payload of their own.
#pragma once

#include <tlm>

#include "models/base/role.h"
#include "models/protocol/machine_sockets.h"

namespace kernbench {

// Phases of a service after BEGIN_REQ; without any the call completes a request (TLM_COMPLETED).
struct ServicePhases {
  bool end_req = false;     // the request has been taken, or granted
  bool begin_resp = false;  // the result is available, or the requested resource is held
  bool end_resp = false;    // as a call of its own: releases the held resource
  bool early = false;       // TLM_COMPLETED to BEGIN_REQ is allowed instead of these phases
};

template <class Payload>
struct ServiceOf {
  static constexpr Role provider = Payload::provider;
  static constexpr const char* name = Payload::service;
  static constexpr ServicePhases phases = Payload::phases;
  static constexpr bool optional = Payload::optional;
};

template <class Payload>
struct ServiceProtocol {
  using tlm_payload_type = Payload;
  using tlm_phase_type = tlm::tlm_phase;
};
template <class Payload>
using ServiceForward = tlm::tlm_fw_transport_if<ServiceProtocol<Payload>>;
template <class Payload>
using ServiceBackward = tlm::tlm_bw_transport_if<ServiceProtocol<Payload>>;
template <class Payload>
using ServiceInitiatorSocket =
    MachineInitiatorSocket<ServiceForward<Payload>, ServiceBackward<Payload>,
                           sc_core::SC_ZERO_OR_MORE_BOUND>;
template <class Payload>
using ServiceTargetSocket = MachineTargetSocket<ServiceForward<Payload>, ServiceBackward<Payload>>;

}  // namespace kernbench
