// Checks that need the machine: the tags of a host message against the machine and against each
// other (spec 4.1).
#pragma once

#include "models/protocol/host_messages.h"
#include "models/protocol/machine_description.h"

namespace kernbench {

// Memory node and offset of the access. Throws UsageError if `where` is not in the machine, the
// address is not in its memory or not of the requested kind, or the access runs past the memory's
// end; AddressError or RoutingError if the address has no memory at all.
MemoryTarget check_placement(const MachineDescription& machine, const char* message,
                             const PeId& where, std::uint64_t pa, std::uint64_t nbytes,
                             MemoryKind kind);

// Throws UsageError for the first target that is not in the machine.
void check_targets(const MachineDescription& machine, const PeMessage& message);

}  // namespace kernbench
