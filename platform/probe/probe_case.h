// Catalogue of `probe` (ADR-0049), derived from the given machine: one transfer per case, alone on
// a fresh machine.
//
//   h2d-Nhop, d2h-Nhop        the host's end point of SIP 0 writes to, or reads from, PE 0's HBM in
//                             the N-th row of cubes, counted from the side of the mesh of io0,
//                             through its first port along that side
//   pe-local-hbm              PE 0 of cube 0 reads its own HBM; and that of
//   pe-same-half-hbm            the first other PE in its half of the cube (north or south of the
//                               HBM rows)
//   pe-cross-half-hbm           the first PE of the other half
//   pe-cross-cube-hbm-best      among all partitions of the other cubes of its SIP the one with
//                               the shortest read,
//   pe-cross-cube-hbm-worst       and the one with the longest read: 32 KiB, computed by
//                               platform/topology/zero_load_latency.h; the first by (cube, PE)
//                               of equal ones
//   pe-cross-sip-hbm            PE 0 in cube 0 of SIP 1
#pragma once

#include <string>
#include <vector>

#include "models/protocol/machine_description.h"
#include "models/protocol/path.h"
#include "platform/topology/graph.h"

namespace kernbench {

struct ProbeCase {
  std::string name;
  bool write = false;  // posted: only the host writes here
  NodeId initiator = no_node;
  NodeId target = no_node;
  std::string unavailable;  // reason why this machine has no such case; empty: it has
  bool available() const { return unavailable.empty(); }
};

// Transfer size of a case, also used to determine best and worst.
inline constexpr std::uint64_t probe_bytes = 32 * 1024;

// All cases in the order above; every machine has the same names.
std::vector<ProbeCase> probe_catalogue(const Graph& graph, const MachineDescription& machine,
                                       Routes& routes);
// Cases of a machine that has not been elaborated.
std::vector<ProbeCase> probe_catalogue(const Graph& graph);

// Selects the named cases, in the order of the catalogue; all for an empty list or "all". Throws
// UsageError that lists the names.
std::vector<ProbeCase> select_cases(std::vector<ProbeCase> catalogue,
                                    const std::vector<std::string>& names);

}  // namespace kernbench
