#include "platform/observe/resources.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "models/protocol/pe_engine.h"

namespace kernbench {
namespace {

// Resource of each kind of link: one per key that sets a bandwidth.
struct LinkResource {
  EdgeKind kind;
  const char* name;
  const char* key;
};
constexpr const char* io_key = "sip.io_chiplets.*.links.*_bw_gbs";
constexpr std::array<LinkResource, 17> link_resources{{
    {EdgeKind::pe_internal, "links within PEs", "cube.pe_template.links.*.bw_gbs"},
    {EdgeKind::pe_to_router, "PE links", "cube.links.pe_to_router_bw_gbs"},
    {EdgeKind::router_mesh, "mesh links", "cube.links.router_link_bw_gbs"},
    {EdgeKind::router_to_hbm, "HBM",
     "cube.memory_map.hbm_channel_bw_gbs, cube.links.hbm_to_router_bw_gbs"},
    {EdgeKind::router_to_mcpu, "m_cpu links", ""},
    {EdgeKind::router_to_sram, "SRAM links", "cube.links.sram_to_router_bw_gbs"},
    {EdgeKind::command, "command links", ""},
    {EdgeKind::ucie_internal, "UCIe lanes", "cube.ucie.per_connection_bw_gbs"},
    {EdgeKind::router_to_ucie_conn, "UCIe lanes", "cube.ucie.per_connection_bw_gbs"},
    {EdgeKind::ucie_conn_to_router, "UCIe lanes", "cube.ucie.per_connection_bw_gbs"},
    {EdgeKind::ucie_mesh, "UCIe seams", "sip.links.ucie_seam.bw_gbs"},
    {EdgeKind::io_internal, "IO chiplet links", io_key},
    {EdgeKind::io_to_cube, "IO chiplet links", io_key},
    {EdgeKind::cube_to_io, "IO chiplet links", io_key},
    {EdgeKind::pcie, "PCIe links", "system.links.io_ep_to_switch.bw_gbs"},
    {EdgeKind::ual, "UAL links", "system.links.io_ual_to_switch.bw_gbs"},
    {EdgeKind::router_to_tlm, "links of TLM-2.0 modules", "system.tlm_*.bw_gbs"},
}};

// Section of topology.yaml with the attributes of a component.
std::string section_of(Role role) {
  const std::string name(name_of(role));
  if (is_engine_of_pe(role)) return "cube.pe_template.components." + name;
  switch (role) {
    case Role::ucie_port:
      return "cube.ucie.port";
    case Role::ucie_conn:
      return "cube.ucie.conn";
    case Role::fabric_switch:
      return "system.switch";
    case Role::router:
    case Role::m_cpu:
    case Role::sram:
    case Role::hbm_ctrl:
      return "cube.components." + name;
    case Role::io_conn:
      return "sip.io_chiplets.*.components.conn";
    default:
      return "sip.io_chiplets.*.components." + name;
  }
}

std::string without_end(std::string text, const std::string& end) {
  if (text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0)
    text.resize(text.size() - end.size());
  return text;
}

}  // namespace

std::string keys_of(const std::string& section, const std::string& attributes) {
  if (attributes.empty() || attributes.find(':') != std::string::npos) return attributes;
  const std::size_t end = attributes.find(", ");
  const std::string key = section + ".attrs." + attributes.substr(0, end);
  return end == std::string::npos ? key : key + ", " + keys_of(section, attributes.substr(end + 2));
}

std::string keys_of(Role role, const std::string& attributes) {
  return keys_of(section_of(role), attributes);
}

const char* name_of(Server::Kind kind) {
  return kind == Server::Kind::slot ? "slot" : kind == Server::Kind::rate ? "rate" : "none";
}

ResourceId Resources::add(const std::string& name, const std::string& key, Server::Kind kind,
                          bool in_fabric) {
  const auto known = std::find_if(all_.begin(), all_.end(),
                                  [&](const Resource& each) { return each.name == name; });
  if (known == all_.end()) {
    all_.push_back({name, key, kind, in_fabric});
    return static_cast<ResourceId>(all_.size() - 1);
  }
  return static_cast<ResourceId>(known - all_.begin());
}

Resources::Resources() {
  for (const LinkResource& link : link_resources)
    by_link_[static_cast<std::size_t>(link.kind)] = add(link.name, link.key);
  by_overhead_.fill(no_resource);
}

ResourceId Resources::of_overhead(Role role) {
  ResourceId& known = by_overhead_[static_cast<std::size_t>(role)];
  if (known == no_resource) {
    const std::string name(name_of(role));
    // An engine is also a server: its overhead is a separate resource.
    known = add(is_engine_of_pe(role) ? name + " set-up" : name, keys_of(role, "overhead_ns"));
  }
  return known;
}

ResourceId Resources::of_occupancy(Role role, const std::string& attributes) {
  return add(std::string(name_of(role)) + " occupancy", keys_of(role, attributes));
}

ResourceId Resources::of_latency(Role role) {
  return add(std::string(name_of(role)) + " latency", keys_of(role, "latency_ns"));
}

ResourceId Resources::of_attribute(Role role, const std::string& name, const std::string& attribute,
                                   Server::Kind kind) {
  return add(name, keys_of(role, attribute), kind);
}

ResourceId Resources::of_hbm_bus() {
  return add(hbm_bus, keys_of(Role::hbm_ctrl, "data_rate_gbps"));
}

ResourceId Resources::of_busy_time(Role role, const Statistic& busy) {
  const Server& server = busy.server;
  if (server.kind == Server::Kind::none) return no_resource;
  if (role == Role::hbm_ctrl && busy.name.compare(0, 2, "pc") == 0)
    return *server.attribute == '\0' ? of_hbm() : of_hbm_bus();
  if (std::strstr(server.attribute, "occupancy_ns") != nullptr)
    return of_occupancy(role, server.attribute);
  const std::string base = without_end(without_end(without_end(busy.name, "busy"), "held"), "_");
  const std::string node(name_of(role));
  return add(base.empty() ? node : node + ' ' + base, keys_of(role, server.attribute), server.kind,
             !is_engine_of_pe(role));
}

}  // namespace kernbench
