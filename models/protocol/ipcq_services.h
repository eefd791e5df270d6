// Services between PE_CPU, PE_IPCQ and PE_DMA for ring buffers (spec 8.1); see pe_services.h.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "models/protocol/ipcq.h"
#include "models/protocol/machine_description.h"
#include "models/protocol/service_socket.h"

namespace kernbench {

// The next place in the order of a direction's messages.
struct IpcqReservation {
  std::string direction;
  std::uint64_t place = 0;
};
// Carries out the message, or answers whether it would be refused. `mine`: this PE's entry in it.
struct RingInstallation {
  const IpcqInstall* message = nullptr;
  const IpcqQueuePairs* mine = nullptr;
  Completion completion;
};
// The kernel of a stream has returned: its operation in progress is dropped, its unused places are
// released. Failed: the queues are reset and cannot be used before they are installed again, except
// by a kernel that has not used them and has run concurrently with others.
struct IpcqKernelEnd {
  bool failed = false;
  bool alone = true;  // no other kernel runs on the PE
  std::string what;   // text of a failure: "kernel 'k' has failed"
};

// PE_CPU -> PE_IPCQ. The sends of a stream in a queue pair are served in the order of the calls,
// and so are its receives, concurrently with those of other streams; an operation that names no
// queue pair, or does not fit a slot, is a UsageError at the call.
//   BEGIN_REQ   TLM_UPDATED + END_REQ: an IpcqSend or IpcqReceive has been taken.
//   BEGIN_RESP  it has ended, with an `error` or what has been `received`.
//   b_transport one of the other operations; they take no time.
//   transport_dbg fills in `setup`.
struct IpcqRequest : ServicePayload<IpcqRequest> {
  static constexpr Role provider = Role::pe_ipcq;
  static constexpr const char* service = "operations";
  static constexpr ServicePhases phases{true, true, false};

  std::variant<IpcqSend, IpcqReceive, IpcqReservation, RingInstallation, IpcqKernelEnd> what;
  IpcqReceived received;
  std::string error;                 // empty: ok
  const IpcqSetup* setup = nullptr;  // setup of this PE
  std::uint32_t stream = 0;          // stream of the launch
};

// PE_IPCQ -> PE_DMA: the channel vc_comm, and accesses to this PE's slots, back to back.
//   BEGIN_REQ   with a `message`: TLM_COMPLETED, it leaves; messages stay in order. Without: an
//               access to a slot, TLM_ACCEPTED.
//   BEGIN_RESP  the access has ended.
//   b_transport with `rings`: they have been installed.
struct RingRequest : ServicePayload<RingRequest> {
  static constexpr Role provider = Role::pe_dma;
  static constexpr const char* service = "rings";
  static constexpr ServicePhases phases{false, true, false, true};

  const IpcqSettings* rings = nullptr;
  std::shared_ptr<const IpcqMessage> message;
  bool write = false;
  MemorySpace space = MemorySpace::tcm;
  std::uint64_t bytes = 0;
  std::uint32_t tag = 0;  // the initiator's own
};

// PE_DMA -> PE_IPCQ: a message has arrived.
//   BEGIN_REQ   TLM_COMPLETED: its slot is gone, the message is dropped. TLM_UPDATED + BEGIN_RESP:
//               it may be written.
//   END_RESP    it has been written: data and head become visible now.
struct MessageArrival : ServicePayload<MessageArrival> {
  static constexpr Role provider = Role::pe_ipcq;
  static constexpr const char* service = "arrivals";
  static constexpr ServicePhases phases{false, true, true, true};

  const IpcqMessage* message = nullptr;
};

// PE_IPCQ -> PE_IPCQ of the PE that has sent, over the side band of the machine
// (models/protocol/credit_network.h).
//   BEGIN_REQ   TLM_COMPLETED: the credit has been delivered.
struct CreditDelivery : ServicePayload<CreditDelivery> {
  static constexpr Role provider = Role::pe_ipcq;
  static constexpr const char* service = "credits";
  static constexpr ServicePhases phases{};
  static constexpr bool optional = true;  // a single PE has none

  IpcqCredit credit;
  PeId sender;  // sender of the messages
};

}  // namespace kernbench
