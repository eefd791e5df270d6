// Number of ranks and unit of a rank, from the machine and ccl.yaml (spec 8.2).
#pragma once

#include <string>

#include "models/protocol/machine_description.h"
#include "sw/collectives/collective_call.h"

namespace kernbench {

struct RankCount {
  int size = 0;
  RankUnit unit = RankUnit::sip;

  std::string str() const;  // "3 PEs", "1 SIP"
};

// Number of SIPs, or of PEs, of the machine.
int ranks_at_most(const MachineDescription& machine, RankUnit unit);

// UsageError: a world size that the machine does not have.
RankGroup ranks_of(const MachineDescription& machine, const CclSettings& settings);

}  // namespace kernbench
