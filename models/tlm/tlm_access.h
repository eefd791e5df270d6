// An access of a plain TLM-2.0 initiator: its payload outside, the transactions that it becomes in
// the machine, and its bytes in the memory store.
#pragma once

#include <string>
#include <tlm>
#include <vector>

#include "models/protocol/machine_services.h"
#include "models/protocol/memory_pieces.h"

namespace kernbench {

struct TlmAccess {
  // The piece of the access that lies in one memory.
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

  // Parts of a payload, or the response status of one that is refused: command, byte enable, burst
  // or address error.
  static tlm::tlm_response_status cut(MachineServices& machine, NodeId initiator,
                                      const tlm::tlm_generic_payload& payload,
                                      std::vector<Part>& parts);

  Part& part_of(const Transaction& transaction);
  // Of the transaction's first byte, in the payload.
  unsigned char* data_of(const Transaction& transaction) const;
  // Once per part: at the commit, or at the completion if the target does not report its commit.
  // `store` is null with data off, also below.
  void write_to_store(FunctionalModel* store, const Transaction& transaction);
  // Unless the target has given its own bytes. A value that only phase 2 knows is an error.
  void read_from_store(FunctionalModel* store, const Transaction& transaction);
  // See TransactionListener.
  bool provide_bytes(const Transaction& transaction, unsigned char* out) const;
  void take_bytes(const Transaction& transaction, const unsigned char* bytes) const;
  std::string str() const;  // "the read of 4 bytes at 0x1000"

  tlm::tlm_generic_payload* payload = nullptr;  // null: its thread has been killed
  Caller* caller = nullptr;                     // null: nb_transport
  Fs due = 0;                                   // of the next step: grant, departure
  std::vector<Part> parts;
  std::size_t awaited = 0;
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  std::size_t pending_wait = 0;
};

}  // namespace kernbench
