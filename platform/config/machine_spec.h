// Configured machine: one struct per section of topology.yaml (spec 1.3), every default and unit
// resolved.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/address/address_model.h"
#include "models/base/parameter_member.h"
#include "models/base/units.h"

namespace kernbench {

// `impl` and its resolved parameters: one value for every parameter that the implementation
// declares.
struct ComponentSpec {
  std::string impl;
  Attributes attributes;
};

struct LinkSpec {
  std::optional<Rational> bw_gbs;  // absent: unlimited
  Rational distance_mm;
};

enum class SipTopology : std::uint8_t { ring_1d, torus_2d, mesh_2d_no_wrap };

struct SipsSpec {
  int count = 1;
  SipTopology topology = SipTopology::ring_1d;
  int w = 1, h = 1;  // ring_1d: count x 1
};

// Plain TLM-2.0 initiator on a freely chosen router or io_noc (spec 2.1).
struct TlmInitiatorSpec {
  std::string id;      // leaf name of its node, in the scope of the node that it is attached to
  std::string attach;  // "sip0.cube0.r0c0", "sip0.io0.io_noc"
  ComponentSpec bridge;
  LinkSpec link;
};

// Plain TLM-2.0 target on a router, an io_noc or the switch, with a range of physical addresses of
// its own (spec 2.1, 3.1).
struct TlmTargetSpec {
  std::string id;      // same as for an initiator
  std::string attach;  // also "fabric.switch0"
  ComponentSpec bridge;
  LinkSpec link;
  std::int64_t size_bytes = 0;
  std::optional<std::int64_t> base_bytes;  // in the window of its SIP; has a value once checked
};

// Classes that the virtual channels of finite buffers are divided into (spec 2.10).
enum class ChannelClasses : std::uint8_t { one, phases };
// Machines whose buffers can form a cyclic wait (spec 2.10).
enum class CyclicBuffers : std::uint8_t { refuse, accept };

struct SystemSpec {
  Rational ns_per_mm;
  std::int64_t flit_bytes = 0;
  ChannelClasses channel_classes = ChannelClasses::one;
  CyclicBuffers cyclic_buffers = CyclicBuffers::refuse;
  SipsSpec sips;
  ComponentSpec switch0;
  LinkSpec io_ep_to_switch;
  LinkSpec io_ual_to_switch;  // link of the ual_eps; meaningless without one
  std::vector<TlmInitiatorSpec> tlm_initiators;
  std::vector<TlmTargetSpec> tlm_targets;
};

struct CubePortSpec {
  int x = 0, y = 0;  // cube in the mesh of cubes
  char cube_side = 'N';
  std::string phy;
  Rational distance_mm;
};

struct IoChipletSpec {
  std::string id;
  char side = 'N';
  ComponentSpec pcie_ep, io_cpu, io_noc, io_ucie, conn;
  std::optional<ComponentSpec> ual_ep;
  std::optional<Rational> pcie_ep_to_noc_bw_gbs;
  std::optional<Rational> ual_ep_to_noc_bw_gbs;
  std::optional<Rational> per_connection_bw_gbs;
  int n_connections = 0;
  std::vector<CubePortSpec> cube_ports;
};

// Paths between the cubes of a SIP (spec 2.7).
enum class CubeRoutes : std::uint8_t { shortest, x_first };

struct SipSpec {
  int mesh_w = 1, mesh_h = 1;  // cubes; cube index = y * mesh_w + x
  CubeRoutes cube_routes = CubeRoutes::shortest;
  LinkSpec ucie_seam;
  std::vector<IoChipletSpec> io_chiplets;
  int cubes() const { return mesh_w * mesh_h; }
  bool has_ual() const {
    return std::any_of(io_chiplets.begin(), io_chiplets.end(),
                       [](const IoChipletSpec& io) { return io.ual_ep.has_value(); });
  }
};

struct MemoryMapSpec {
  AddressModel address_model = AddressModel::va;
  HbmMapping hbm_mapping_mode = HbmMapping::n_to_one;
  std::int64_t hbm_pseudo_channels = 0;
  std::int64_t hbm_channels_per_pe = 0;
  Rational hbm_channel_bw_gbs;
  std::int64_t hbm_slices_per_cube = 0;
  std::int64_t hbm_total_gb_per_cube = 0;  // GiB
  std::uint64_t hbm_slice_bytes() const {
    return static_cast<std::uint64_t>(hbm_total_gb_per_cube) * (std::uint64_t{1} << 30) /
           static_cast<std::uint64_t>(hbm_slices_per_cube);
  }
};

struct PointMm {
  Rational x, y;
};

struct PeLayoutSpec {
  std::vector<std::string>
      corners;  // PEs are numbered corner by corner in this order, west to east within a corner
  int pe_per_corner = 0;
  Rational pitch_mm;
  int pes() const { return static_cast<int>(corners.size()) * pe_per_corner; }
};

// Selection policy of paths between cubes among the connections of UCIe ports (spec 2.10).
enum class LaneSelect : std::uint8_t { spread, first };

struct CubeSpec {
  Rational w_mm, h_mm;
  PeLayoutSpec pe_layout;
  PointMm m_cpu_pos_mm, sram_pos_mm;
  int ucie_connections = 0;
  LaneSelect lane_select = LaneSelect::spread;
  std::optional<Rational> ucie_per_connection_bw_gbs;
  ComponentSpec ucie_port, ucie_conn;
  MemoryMapSpec memory_map;
  ComponentSpec router, m_cpu, sram, hbm_ctrl;
  ComponentSpec hbm_channel;  // one_to_one: a router of one channel, without overhead of its own
  std::optional<Rational> router_link_bw_gbs, pe_to_router_bw_gbs, hbm_to_router_bw_gbs,
      sram_to_router_bw_gbs;
  std::map<std::string, ComponentSpec, std::less<>> engines;  // by name: "pe_cpu", ...
  std::map<std::string, LinkSpec, std::less<>>
      pe_links;  // "pe_dma_to_pe_tcm" -> link, where configured
};

// Attribute as written: its meaning depends on the implementation.
struct GivenAttribute {
  std::string name, value;
  bool quoted = false;
};

// Different implementation or attributes for the instances that a pattern matches.
struct OverrideSpec {
  std::string match;  // glob over node names (platform/topology/instance_overrides.h)
  std::string kind;   // only nodes of this kind; empty: of any
  std::string impl;   // empty: the present one of the instance
  std::vector<GivenAttribute> attributes;
};

// Components of instances by node name; instances with equal components share one.
using InstanceSpecs = std::map<std::string, std::shared_ptr<const ComponentSpec>, std::less<>>;

struct MachineSpec {
  std::string source_path;  // the file that was loaded; empty if there is none
  SystemSpec system;
  SipSpec sip;
  CubeSpec cube;
  std::vector<OverrideSpec> overrides;
  InstanceSpecs instances;  // effect of `overrides` on the components above
};

// Names used in topology.yaml.
template <>
struct ChoiceNames<SipTopology> {
  static constexpr std::array<std::string_view, 3> all{"ring_1d", "torus_2d", "mesh_2d_no_wrap"};
};
template <>
struct ChoiceNames<AddressModel> {
  static constexpr std::array<std::string_view, 3> all{"pa", "va", "la"};
};
template <>
struct ChoiceNames<HbmMapping> {
  static constexpr std::array<std::string_view, 2> all{"n_to_one", "one_to_one"};
};
template <>
struct ChoiceNames<ChannelClasses> {
  static constexpr std::array<std::string_view, 2> all{"one", "phases"};
};
template <>
struct ChoiceNames<CyclicBuffers> {
  static constexpr std::array<std::string_view, 2> all{"refuse", "accept"};
};
template <>
struct ChoiceNames<CubeRoutes> {
  static constexpr std::array<std::string_view, 2> all{"shortest", "x_first"};
};
template <>
struct ChoiceNames<LaneSelect> {
  static constexpr std::array<std::string_view, 2> all{"spread", "first"};
};

}  // namespace kernbench
