// Calls of an initiator module to its bridge: requests, debug transport, DMI.
#include <algorithm>
#include <utility>

#include "models/tlm/tlm_initiator_bridge.h"

namespace kernbench {

tlm::tlm_sync_enum TlmInitiatorBridge::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                                       tlm::tlm_phase& phase,
                                                       sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) return begin_request(payload, delay);
  if (phase == tlm::END_RESP) {
    if (responding_ == nullptr || responding_->payload != &payload)
      return broken_protocol("END_RESP without a BEGIN_RESP");
    response_free_at_ = after(delay.value());
    end(*responding_);
    return tlm::TLM_COMPLETED;
  }
  if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP)
    return broken_protocol("a target's phase on the forward path");
  if (phase == tlm::UNINITIALIZED_PHASE)
    return broken_protocol("nb_transport_fw with a phase that is not set");
  return tlm::TLM_ACCEPTED;  // ignorable
}

tlm::tlm_sync_enum TlmInitiatorBridge::begin_request(tlm::tlm_generic_payload& payload,
                                                     const sc_core::sc_time& delay) {
  if (requesting_ != nullptr)
    return broken_protocol("BEGIN_REQ before the END_REQ of the previous request");
  if (!payload.has_mm())
    return broken_protocol("BEGIN_REQ with a payload that has no memory manager");
  if (is_in_flight(payload)) return broken_protocol("BEGIN_REQ with a payload that is in flight");
  const Fs due = after(delay.value());
  std::vector<TlmAccess::Part> parts;
  if (refused(payload, parts)) return tlm::TLM_COMPLETED;
  payload.acquire();
  requesting_ = &admit(payload, std::move(parts), due);
  return tlm::TLM_ACCEPTED;
}

bool TlmInitiatorBridge::is_in_flight(const tlm::tlm_generic_payload& payload) const {
  const auto has_it = [&](const auto& access) {
    return access != nullptr && access->payload == &payload;
  };
  return std::any_of(waiting_.begin(), waiting_.end(), has_it) ||
         std::any_of(in_flight_.begin(), in_flight_.end(), has_it);
}

bool TlmInitiatorBridge::refused(tlm::tlm_generic_payload& payload,
                                 std::vector<TlmAccess::Part>& parts) {
  const TlmAccess::Refusal refusal =
      TlmAccess::cut(machine_, node(), payload, *parameters_.max_length_bytes, parts);
  payload.set_dmi_allowed(false);
  if (!refusal) return false;
  payload.set_response_status(refusal.status);
  count_refusal(fmt::format("{}: {}: {}", TlmAccess::text_of(payload),
                            payload.get_response_string(), refusal.reason));
  return true;
}

void TlmInitiatorBridge::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  std::vector<TlmAccess::Part> parts;
  if (refused(payload, parts)) return;
  const sc_core::sc_process_handle process = sc_core::sc_get_current_process_handle();
  if (!process.valid() || process.proc_kind() == sc_core::SC_METHOD_PROC_) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    broken_protocol(process.valid()
                        ? fmt::format("b_transport in the SC_METHOD '{}'", process.name())
                        : "b_transport outside of any process");
    return;
  }
  if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(work_at(after(delay.value())));
  delay = sc_core::SC_ZERO_TIME;
  struct Call : TlmAccess::Caller {  // a thread that is killed invalidates its payload
    TlmAccess* access = nullptr;
    ~Call() {
      if (done) return;
      access->payload = nullptr;
      access->caller = nullptr;
    }
  } call;
  TlmAccess& access = admit(payload, std::move(parts), now());
  access.caller = &call;
  call.access = &access;
  while (!call.done) sc_core::wait(call.returned);
}

bool TlmInitiatorBridge::get_direct_mem_ptr(tlm::tlm_generic_payload& /*payload*/,
                                            tlm::tlm_dmi& dmi) {
  dmi.init();
  dmi.allow_read_write();  // access types denied for all addresses
  return false;
}

unsigned TlmInitiatorBridge::transport_dbg(tlm::tlm_generic_payload& payload) {
  constexpr std::uint64_t most_at_once = 1 << 20;
  unsigned done = 0;
  if (payload.get_data_ptr() == nullptr ||
      payload.get_data_length() > *parameters_.max_length_bytes)
    return done;
  try {
    for (const MemoryPiece& piece :
         memory_pieces(machine_.machine(), payload.get_address(), payload.get_data_length())) {
      for (std::uint64_t at = 0; at < piece.nbytes;) {
        const std::uint64_t nbytes = std::min(piece.nbytes - at, most_at_once);
        const unsigned count = debug_step(payload, done, piece, at, nbytes);
        done += count;
        at += nbytes;
        if (count < nbytes) return done;
      }
    }
  } catch (const AddressError&) {
  } catch (const RoutingError&) {
  }
  return done;
}

// Bytes [at, at + nbytes) of a piece, from byte `done` of the payload on.
unsigned TlmInitiatorBridge::debug_step(tlm::tlm_generic_payload& payload, unsigned done,
                                        const MemoryPiece& piece, std::uint64_t at,
                                        std::uint64_t nbytes) {
  const TransactionHandle step = machine_.pool().make();
  step->set_command(payload.get_command());
  step->set_address(piece.physical + at);
  step->set_data_ptr(payload.get_data_ptr() + done);
  step->set_data_length(static_cast<unsigned>(nbytes));
  step->set_streaming_width(static_cast<unsigned>(nbytes));
  step->set_byte_enable_ptr(payload.get_byte_enable_ptr());
  step->route().path = &machine_.routes().memory_path(node(), piece.place.node);
  step->route().offset = piece.place.offset + at;
  return transport_debug(*step);
}

}  // namespace kernbench
