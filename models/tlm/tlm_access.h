// An access of a plain TLM-2.0 initiator: its payload outside, the transactions that it becomes in
// the machine, and its bytes in the memory store.
#pragma once

#include <string>
#include <tlm>
#include <vector>

#include "models/protocol/machine_services.h"
#include "models/protocol/memory_pieces.h"
#include "models/protocol/transaction.h"

namespace kernbench {

struct TlmAccess {
  // Piece of the access in one memory.
  struct Part {
    MemoryPiece piece;
    const Path* path = nullptr;
    TransactionHandle transaction;
    bool written = false;
  };
  // A thread of the initiator in b_transport.
  struct Caller {
    sc_core::sc_event returned{""};
    bool done = false;
  };

  // Why a payload is refused; TLM_OK_RESPONSE: it is not.
  struct Refusal {
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
    std::string reason{};
    explicit operator bool() const { return status != tlm::TLM_OK_RESPONSE; }
  };

  // Cuts a payload into parts, unless it is refused: command, burst, byte enable or address error,
  // generic error for a null pointer.
  static Refusal cut(MachineServices& machine, NodeId initiator,
                     const tlm::tlm_generic_payload& payload, std::uint64_t max_bytes,
                     std::vector<Part>& parts);

  Part& part_of(const Transaction& transaction);
  // Address of the transaction's first byte in the payload.
  unsigned char* data_of(const Transaction& transaction) const;
  // Called once per part: at the commit, or at the completion if the target does not report its
  // commit. `store` is null with data off, also below.
  void write_to_store(FunctionalModel* store, const Transaction& transaction);
  // Unless the target has given its own bytes. A value that only phase 2 knows is an error.
  void read_from_store(FunctionalModel* store, const Transaction& transaction);
  // See TransactionListener.
  bool provide_bytes(const Transaction& transaction, unsigned char* out) const;
  bool provide_byte_enables(const Transaction& transaction, unsigned char* out) const;
  void take_bytes(const Transaction& transaction, const unsigned char* bytes) const;
  std::string str() const { return text_of(*payload); }
  static std::string text_of(
      const tlm::tlm_generic_payload& payload);  // "the read of 4 bytes at 0x1000"

  tlm::tlm_generic_payload* payload = nullptr;  // null: its thread has been killed
  Caller* caller = nullptr;                     // null: nb_transport
  Fs due = 0;                                   // time of the next step: grant, departure
  std::vector<Part> parts;
  std::size_t awaited = 0;
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  std::string fault;  // fault of a target with an error as status, see fault_text()
  std::size_t pending_wait = 0;

 private:
  // memcpy() to or from the payload, limited to enabled bytes.
  void copy_in(const Transaction& transaction, const void* bytes) const;
};

}  // namespace kernbench
