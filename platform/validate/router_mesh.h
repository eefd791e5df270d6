// Plays packets on a mesh of 8 x 8 virtual-channel routers with a node at each, next to a machine:
// the published figures it is compared with (network_correlation_cases.cpp) are those of such a
// mesh alone.
#pragma once

#include <cstdint>

#include "platform/assembly/platform.h"

namespace kernbench {

// Destinations of packets: any node; for node (x, y) the node (y, x); any node, node 36 with four
// times the weight of each other. A packet may be for the node itself.
enum class MeshPattern : std::uint8_t { uniform, transpose, hot_spot };

// Bernoulli sources with queues without limit.
struct MeshTraffic {
  MeshPattern pattern = MeshPattern::uniform;
  double load = 0;          // flits per node and cycle
  std::uint32_t flits = 1;  // flits of a packet
  int warm_up = 500;        // cycles before the measured ones
  int measured = 1500;      // cycles; the load goes on for 100 more
};

struct MeshResult {
  double latency_cycles = 0;  // mean of the packets generated in the measured cycles
  double accepted = 0;        // flits per node and cycle that arrived in them
};

// Packets take routes in dimension order, x first; links take one cycle. The routers have the
// parameters of those of the machine, `builtin.vc_router`. Runs the machine, which has no work of
// its own: once per process. Throws the error that ended the run.
MeshResult play_router_mesh(Platform& platform, const MeshTraffic& traffic);

}  // namespace kernbench
