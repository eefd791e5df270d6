#include "models/tlm/tlm_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "models/data/debug_access.h"

namespace kernbench {

namespace {

using Refusal = TlmAccess::Refusal;

Refusal wrong_byte_enables(const tlm::tlm_generic_payload& payload) {
  const unsigned char* enables = payload.get_byte_enable_ptr();
  if (enables == nullptr) return {};
  if (payload.get_byte_enable_length() == 0)
    return {tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, "it has byte enables of length 0"};
  for (unsigned i = 0; i < payload.get_byte_enable_length(); ++i) {
    if (enables[i] != TLM_BYTE_DISABLED && enables[i] != TLM_BYTE_ENABLED)
      return {tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE,
              fmt::format("byte enable {} is {:#x}, neither 0 nor 0xff", i, enables[i])};
  }
  return {};
}

Refusal wrong_attribute(const tlm::tlm_generic_payload& payload, std::uint64_t max_bytes) {
  const unsigned length = payload.get_data_length();
  if (!payload.is_read() && !payload.is_write())
    return {tlm::TLM_COMMAND_ERROR_RESPONSE, "it is neither a read nor a write"};
  if (length == 0) return {tlm::TLM_BURST_ERROR_RESPONSE, "its length is 0"};
  if (length > max_bytes)
    return {tlm::TLM_BURST_ERROR_RESPONSE,
            fmt::format("its length is above max_length_bytes, {}", max_bytes)};
  if (payload.get_streaming_width() < length)
    return {tlm::TLM_BURST_ERROR_RESPONSE,
            fmt::format("its streaming width is {}", payload.get_streaming_width())};
  if (payload.get_data_ptr() == nullptr)
    return {tlm::TLM_GENERIC_ERROR_RESPONSE, "its data pointer is null"};
  return wrong_byte_enables(payload);
}

// Whether a byte of the payload is enabled.
bool enabled(const tlm::tlm_generic_payload& payload, std::uint64_t byte) {
  return payload.get_byte_enable_ptr()[byte % payload.get_byte_enable_length()] == TLM_BYTE_ENABLED;
}

}  // namespace

TlmAccess::Refusal TlmAccess::cut(MachineServices& machine, NodeId initiator,
                                  const tlm::tlm_generic_payload& payload, std::uint64_t max_bytes,
                                  std::vector<Part>& parts) {
  if (Refusal refusal = wrong_attribute(payload, max_bytes)) return refusal;
  try {
    for (const MemoryPiece& piece :
         memory_pieces(machine.machine(), payload.get_address(), payload.get_data_length()))
      parts.push_back(
          {piece, &machine.routes().memory_path(initiator, piece.place.node), {}, false});
  } catch (const AddressError& error) {
    return {tlm::TLM_ADDRESS_ERROR_RESPONSE, error.what()};
  } catch (const RoutingError& error) {
    return {tlm::TLM_ADDRESS_ERROR_RESPONSE, error.what()};
  }
  return {};
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
  const unsigned char* bytes = data_of(transaction);
  if (payload->get_byte_enable_ptr() == nullptr)
    return store->memory().write_bytes(part.piece.physical, bytes, part.piece.nbytes);
  const std::uint64_t first = transaction.get_address() - payload->get_address();
  for (std::uint64_t begin = 0, end = 0; begin < part.piece.nbytes; begin = end) {  // runs of bytes
    const bool on = enabled(*payload, first + begin);
    for (end = begin + 1; end < part.piece.nbytes && enabled(*payload, first + end) == on;) ++end;
    if (on) store->memory().write_bytes(part.piece.physical + begin, bytes + begin, end - begin);
  }
}

void TlmAccess::read_from_store(FunctionalModel* store, const Transaction& transaction) {
  if (payload == nullptr) return;
  const bool taken = transaction.get_response_status() == tlm::TLM_OK_RESPONSE;  // take_bytes()
  if (store == nullptr) {
    if (!taken) copy_in(transaction, std::vector<std::byte>(transaction.get_data_length()).data());
    return;
  }
  const std::vector<std::byte> bytes =
      known_bytes(*store, transaction.get_address(), transaction.get_data_length());
  if (bytes.empty()) {
    status = tlm::TLM_GENERIC_ERROR_RESPONSE;
  } else if (!taken) {
    copy_in(transaction, bytes.data());
  }
}

void TlmAccess::copy_in(const Transaction& transaction, const void* bytes) const {
  unsigned char* out = data_of(transaction);
  const unsigned nbytes = transaction.get_data_length();
  if (payload->get_byte_enable_ptr() == nullptr) {
    std::memcpy(out, bytes, nbytes);
    return;
  }
  const std::uint64_t first = transaction.get_address() - payload->get_address();
  for (unsigned i = 0; i < nbytes; ++i) {
    if (enabled(*payload, first + i)) out[i] = static_cast<const unsigned char*>(bytes)[i];
  }
}

bool TlmAccess::provide_bytes(const Transaction& transaction, unsigned char* out) const {
  if (payload == nullptr) return false;
  std::memcpy(out, data_of(transaction), transaction.get_data_length());
  return true;
}

bool TlmAccess::provide_byte_enables(const Transaction& transaction, unsigned char* out) const {
  if (payload == nullptr || payload->get_byte_enable_ptr() == nullptr) return false;
  const std::uint64_t first = transaction.get_address() - payload->get_address();
  for (unsigned i = 0; i < transaction.get_data_length(); ++i)
    out[i] = enabled(*payload, first + i) ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
  return true;
}

void TlmAccess::take_bytes(const Transaction& transaction, const unsigned char* bytes) const {
  if (payload != nullptr) copy_in(transaction, bytes);
}

std::string TlmAccess::text_of(const tlm::tlm_generic_payload& payload) {
  const char* what = payload.is_read()    ? "the read"
                     : payload.is_write() ? "the write"
                                          : "the access";
  return fmt::format("{} of {} bytes at {:#x}", what, payload.get_data_length(),
                     payload.get_address());
}

}  // namespace kernbench
