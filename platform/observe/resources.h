// Resources: candidates for the limit of a run. A resource comprises all servers of one kind,
// and the attribute that sets their rate or number.
//
//   rate   processes work while it is busy: links, HBM channels, engines, overhead of nodes
//   slot   is held while other servers work: channels of a PE_DMA, accel_slot, credits
//
// Twice as much of a resource: twice the bandwidth, rate or places, half the overhead_ns,
// occupancies or latency_ns. A latency is no server: nothing is queued for it.
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

const char* name_of(Server::Kind kind);
// Keys of attributes ("clock_ghz", or "occupancy_ns, flit_occupancy_ns") of the components of a
// section. Those of ccl.yaml stay.
std::string keys_of(const std::string& section, const std::string& attributes);
std::string keys_of(Role role, const std::string& attributes);  // section: that of topology.yaml

struct Resource {
  std::string name;  // "UCIe lanes", "pe_dma read_channel"
  std::string key;   // "cube.ucie.per_connection_bw_gbs": doubled, overheads halved
  Server::Kind kind = Server::Kind::rate;
  bool in_fabric = true;  // false: part of a PE
};

class Resources {
 public:
  const std::vector<Resource>& all() const { return all_; }
  const Resource& operator[](ResourceId id) const { return all_[id]; }

  Resources();
  ResourceId of_link(EdgeKind kind) const { return by_link_[static_cast<std::size_t>(kind)]; }
  // Resource of a busy time declared by a component of this role; no_resource: kind `none`.
  ResourceId of_busy_time(Role role, const Statistic& busy);
  // Resource of an attribute without a busy time of its own.
  ResourceId of_attribute(Role role, const std::string& name, const std::string& attribute,
                          Server::Kind kind = Server::Kind::rate);
  // Overhead that a node charges per message.
  ResourceId of_overhead(Role role);
  // Server and latency of a pipelined node (spec 2.4); `attributes` set the occupancy.
  ResourceId of_occupancy(Role role, const std::string& attributes);
  ResourceId of_latency(Role role);
  ResourceId of_hbm() const { return of_link(EdgeKind::router_to_hbm); }
  // Data buses of an HBM whose controller sets their rate itself.
  ResourceId of_hbm_bus();
  bool is_of_hbm(ResourceId id) const { return id == of_hbm() || all_[id].name == hbm_bus; }
  ResourceId add(const std::string& name, const std::string& key,
                 Server::Kind kind = Server::Kind::rate, bool in_fabric = true);

 private:
  static constexpr const char* hbm_bus = "HBM data bus";

  std::vector<Resource> all_;
  std::array<ResourceId, static_cast<std::size_t>(EdgeKind::router_to_tlm) + 1> by_link_;
  std::array<ResourceId, role_count> by_overhead_;
};

}  // namespace kernbench
