// Resources: what a run can be limited by. A resource is all servers of one kind together, and the
// attribute that makes them faster.
//
//   rate   busy while it works: links, HBM channels, engines, the overhead of nodes
//   slot   held while others work: channels of a PE_DMA, accel_slot, credits
//
// Twice as much of a resource: twice the bandwidth, rate or places, half the overhead_ns.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/base/component.h"
#include "platform/topology/graph.h"

namespace kernbench {

using ResourceId = std::uint32_t;
inline constexpr ResourceId no_resource = UINT32_MAX;

struct Resource {
  std::string name;  // "UCIe lanes", "pe_dma read_channel"
  std::string key;   // "cube.ucie.per_connection_bw_gbs": what is doubled, overheads are halved
  Server::Kind kind = Server::Kind::rate;
};

class Resources {
 public:
  const std::vector<Resource>& all() const { return all_; }
  const Resource& operator[](ResourceId id) const { return all_[id]; }

  Resources();
  ResourceId of_link(EdgeKind kind) const { return by_link_[static_cast<std::size_t>(kind)]; }
  // Of a busy time that a component of this role declares; no_resource: it is no server's.
  ResourceId of_busy_time(Role role, const Statistic& busy);
  // What else a component can be given more of.
  ResourceId of_attribute(Role role, const std::string& name, const std::string& attribute,
                          Server::Kind kind = Server::Kind::rate);
  // The overhead that a node charges a message.
  ResourceId of_overhead(Role role);
  ResourceId of_hbm() const { return of_link(EdgeKind::router_to_hbm); }
  ResourceId add(const std::string& name, const std::string& key,
                 Server::Kind kind = Server::Kind::rate);

 private:
  std::vector<Resource> all_;
  std::array<ResourceId, static_cast<std::size_t>(EdgeKind::router_to_tlm) + 1> by_link_;
  std::array<ResourceId, role_count> by_overhead_;
};

}  // namespace kernbench
