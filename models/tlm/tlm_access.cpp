#include "models/tlm/tlm_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "models/data/debug_access.h"

namespace kernbench {

tlm::tlm_response_status TlmAccess::cut(MachineServices& machine, NodeId initiator,
                                        const tlm::tlm_generic_payload& payload,
                                        std::vector<Part>& parts) {
  if (!payload.is_read() && !payload.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (payload.get_data_length() == 0 || payload.get_streaming_width() < payload.get_data_length())
    return tlm::TLM_BURST_ERROR_RESPONSE;
  try {
    for (const MemoryPiece& piece :
         memory_pieces(machine.machine(), payload.get_address(), payload.get_data_length()))
      parts.push_back(
          {piece, &machine.routes().memory_path(initiator, piece.place.node), {}, false});
  } catch (const AddressError&) {
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  } catch (const RoutingError&) {
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  return tlm::TLM_OK_RESPONSE;
}

TlmAccess::Part& TlmAccess::part_of(const Transaction& transaction) {
  return *std::find_if(parts.begin(), parts.end(),
                       [&](const Part& part) { return &*part.transaction == &transaction; });
}

unsigned char* TlmAccess::data_of(const Transaction& transaction) const {
  return payload->get_data_ptr() + (transaction.get_address() - payload->get_address());
}

void TlmAccess::write_to_store(FunctionalModel* store, const Transaction& transaction) {
  Part& part = part_of(transaction);
  if (std::exchange(part.written, true) || store == nullptr || payload == nullptr) return;
  store->memory().write_bytes(part.piece.physical, data_of(transaction), part.piece.nbytes);
}

void TlmAccess::read_from_store(FunctionalModel* store, const Transaction& transaction) {
  if (payload == nullptr) return;
  const bool taken = transaction.get_response_status() == tlm::TLM_OK_RESPONSE;  // take_bytes()
  unsigned char* out = data_of(transaction);
  if (store == nullptr) {
    if (!taken) std::memset(out, 0, transaction.get_data_length());
    return;
  }
  const std::vector<std::byte> bytes =
      known_bytes(*store, transaction.get_address(), transaction.get_data_length());
  if (bytes.empty()) {
    status = tlm::TLM_GENERIC_ERROR_RESPONSE;
  } else if (!taken) {
    std::memcpy(out, bytes.data(), bytes.size());
  }
}

bool TlmAccess::provide_bytes(const Transaction& transaction, unsigned char* out) const {
  if (payload == nullptr) return false;
  std::memcpy(out, data_of(transaction), transaction.get_data_length());
  return true;
}

void TlmAccess::take_bytes(const Transaction& transaction, const unsigned char* bytes) const {
  if (payload != nullptr) std::memcpy(data_of(transaction), bytes, transaction.get_data_length());
}

std::string TlmAccess::str() const {
  return fmt::format("{} of {} bytes at {:#x}", payload->is_read() ? "the read" : "the write",
                     payload->get_data_length(), payload->get_address());
}

}  // namespace kernbench
