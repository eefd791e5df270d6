// Freedom from routing deadlock (spec 2.10): classes of virtual channels along a path, and the
// check that no cycle of buffers can form.
//
// A message that holds a buffer waits for the next one on its path, so each path adds dependencies
// between buffers. If their graph has no cycle, no load can deadlock (Dally and Seitz, 1987). A
// buffer belongs to one class and one leg at the receiver of an edge. A node without finite buffers
// accepts everything: the chain ends there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/protocol/transaction.h"
#include "platform/topology/graph.h"
#include "platform/topology/route_finder.h"

namespace kernbench {

// Classes of `system.channel_classes: phases`, by the part of a path that a message is in.
enum class ChannelPhase : std::uint8_t {
  source,   // cube in which the message starts, or which it enters from an IO chiplet
  along_x,  // cube that it entered from its western or eastern neighbour and will leave
  along_y,  // cube that it entered from its northern or southern neighbour and will leave
  target    // cube that it entered from a neighbour, and in which it ends
};
inline constexpr std::uint32_t channel_phases = 4;

// Class of the buffer at position i + 1 of a path, for each hop i; by the phase of the cube that
// position i + 1 is in, source outside of cubes.
std::vector<ChannelPhase> channel_phases_of(const Graph& graph, const std::vector<NodeId>& path);

// Number of classes of a machine.
std::uint32_t channel_classes_of(const MachineSpec& machine);

// A cycle of the dependencies of all paths of memory traffic and of messages between PEs, requests
// and responses: one text per buffer ("sip0.cube0.r0c0 -> sip0.cube0.r0c1, requests"), each waits
// for the next and the last one for the first. Empty: no load can deadlock. `virtual_channels`: of
// the inputs of each node, by NodeId; 0: unlimited buffers. A single channel is shared by both
// legs. `sends`: whether a node starts or ends messages; empty: all do.
std::vector<std::string> dependency_cycle(const Graph& graph, const RouteFinder& routes,
                                          const std::vector<std::uint32_t>& virtual_channels,
                                          const std::function<bool(NodeId)>& sends = {});

// Throws UsageError that names the node with too few channels for the classes, or the cycle, unless
// `system.cyclic_buffers` accepts it. A machine without finite buffers needs no check.
void check_buffers(const Graph& graph, const RouteFinder& routes,
                   const std::vector<std::uint32_t>& virtual_channels,
                   const std::function<bool(NodeId)>& sends = {});

}  // namespace kernbench
