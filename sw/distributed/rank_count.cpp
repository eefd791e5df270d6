#include "sw/distributed/rank_count.h"

#include <fmt/format.h>

#include "models/base/errors.h"

namespace kernbench {

std::string RankCount::str() const {
  return fmt::format("{} {}{}", size, unit == RankUnit::pe ? "PE" : "SIP", size == 1 ? "" : "s");
}

int ranks_at_most(const MachineDescription& machine, RankUnit unit) {
  return unit == RankUnit::pe ? machine.sips * machine.cubes() * machine.pes : machine.sips;
}

RankGroup ranks_of(const MachineDescription& machine, const CclSettings& settings) {
  RankGroup ranks;
  ranks.unit = settings.rank_unit;
  ranks.cube_mesh_w = machine.cube_mesh_w;
  ranks.cube_mesh_h = machine.cube_mesh_h;
  ranks.pes = machine.pes;
  ranks.scratch_bytes = machine.scratch_bytes;
  const bool of_pes = settings.rank_unit == RankUnit::pe;
  const int most = ranks_at_most(machine, settings.rank_unit);
  ranks.size = settings.world_size.value_or(most);
  if (of_pes ? ranks.size > most : ranks.size != most) {
    throw UsageError(
        fmt::format("world_size is {}, but this machine has {}{}", ranks.size, most,
                    of_pes ? " PEs" : " SIPs; other numbers of ranks are for rank_unit pe"));
  }
  ranks.grid =
      of_pes ? graphs::SipGrid{"ring_1d", ranks.size, ranks.size, 1}
             : graphs::SipGrid{machine.sip_topology, machine.sips, machine.sip_w, machine.sip_h};
  return ranks;
}

}  // namespace kernbench
