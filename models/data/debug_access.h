// transport_dbg at a memory node: bytes in or out of the memory store, in no time.
#pragma once

#include <tlm>

#include "models/data/functional_model.h"

namespace kernbench {

// The payload's address is physical; all of it is in the memory. Returns the number of bytes
// accessed: a read ends before the first byte that only phase 2 knows; eager mode waits for it.
// Returns 0 with data off (`data` is null), for a command other than read and write, and with byte
// enables.
unsigned debug_access(FunctionalModel* data, tlm::tlm_generic_payload& payload);

// Bytes at a physical address; empty if some of them are not known yet (with a resolver: waits for
// them).
std::vector<std::byte> known_bytes(FunctionalModel& data, std::uint64_t physical,
                                   std::uint64_t nbytes);

}  // namespace kernbench
