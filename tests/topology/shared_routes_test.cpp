// Routes that are found once for all regions of one shape, and split at the switch, are those of a
// search of the whole machine (spec 2.7).
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <random>

#include "models/base/errors.h"
#include "platform/assembly/builtin_components.h"
#include "platform/topology/node_names.h"
#include "platform/topology/routing_regions.h"
#include "tests/topology/machines.h"
#include "tests/topology/plain_routes.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(shared_routes)

namespace {

struct Machine {
  std::string name;
  std::string topology;  // in configs/
  std::vector<Override> set;
};
std::ostream& operator<<(std::ostream& out, const Machine& machine) { return out << machine.name; }

const Override two_cubes_w{"sip.cube_mesh.w", "2"}, one_cube_h{"sip.cube_mesh.h", "1"};
const Override one_port{"sip.io_chiplets.io0.cube_ports",
                        "[{cube: {xy: [0, 0]}, cube_side: N, phy: P0, distance_mm: 2.0}]"};
const std::string initiators = "system.tlm_initiators", targets = "system.tlm_targets";

std::string initiator(const std::string& attach) {
  return "{id: ext0, attach: " + attach + ", bridge: {impl: builtin.tlm_initiator_bridge}}";
}
std::string target(const std::string& attach) {
  return "{id: ext1, attach: " + attach +
         ", size_bytes: 65536, bridge: {impl: builtin.tlm_target_bridge, attrs: {size_mb: 1}}}";
}
std::vector<Override> chiplet(const std::string& distance_mm) {
  const std::string io = "sip.io_chiplets.io0.";
  return {{io + "components.ual_ep", "{impl: builtin.ual_ep}"},
          {io + "links.ual_ep_to_noc_bw_gbs", "192.0"},
          {"system.links.io_ual_to_switch", "{bw_gbs: 128.0, distance_mm: " + distance_mm + "}"}};
}

// Machines with 11 SIPs, whose names do not sort like their numbers; with modules and components of
// one SIP, cube or PE only; with equal paths through two ports of a chiplet.
const std::vector<Machine> machines{
    {"default", "topology.yaml", {}},
    {"tiny", "topology.tiny.yaml", {}},
    {"hw", "topology.hw.yaml", {}},
    {"three SIPs of 3 x 2 cubes",
     "topology.yaml",
     {{"system.sips.count", "3"},
      {"sip.cube_mesh.w", "3"},
      {"sip.cube_mesh.h", "2"},
      {"cube.ucie.n_connections", "3"},
      one_port}},
    {"eleven SIPs",
     "topology.yaml",
     {{"system.sips.count", "11"}, two_cubes_w, one_cube_h, one_port}},
    {"lanes by name", "topology.yaml", {{"cube.ucie.lane_select", "first"}}},
    {"along x first", "topology.yaml", {{"sip.cube_routes", "x_first"}}},
    {"UAL at equal length", "topology.yaml", chiplet("50.0")},
    {"UAL, lanes by name", "topology.yaml",
     [] {
       std::vector<Override> set = chiplet("50.0");
       set.push_back({"cube.ucie.lane_select", "first"});
       return set;
     }()},
    {"channels",
     "topology.yaml",
     {{"cube.memory_map.hbm_mapping_mode", "one_to_one"}, {"cube.memory_map.address_model", "la"}}},
    {"modules in SIP 0 and at the switch",
     "topology.yaml",
     {{"system.sips.count", "3"},
      {initiators, "[" + initiator("sip0.cube1.r0c4") + ", " + initiator("fabric.switch0") + "]"},
      {targets, "[" + target("sip0.io0.io_noc") + ", " + target("fabric.switch0") + "]"}}},
    {"modules in SIP 1",
     "topology.yaml",
     {{"system.sips.count", "3"},
      {initiators, "[" + initiator("sip1.io0.io_noc") + "]"},
      {targets, "[" + target("sip1.cube5.r4c4") + "]"}}},
    {"a component of its own in SIP 1",
     "topology.yaml",
     {{"overrides", "[{match: sip1.cube3.pe2.pe_dma, attrs: {overhead_ns: 3.0}}]"}}}};

Graph graph_of(const Machine& machine) {
  if (machine.topology != "topology.hw.yaml")
    return shipped_graph(machine.topology, machine.set, registry());
  ComponentRegistry builtin;  // with the attributes that hw sets
  register_builtin_components(builtin);
  return shipped_graph(machine.topology, machine.set, builtin);
}

std::vector<NodeId> nodes_of_kinds(const Graph& graph, const std::vector<Role>& kinds) {
  std::vector<NodeId> found;
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    if (std::find(kinds.begin(), kinds.end(), graph.node(id).kind) != kinds.end())
      found.push_back(id);
  }
  return found;
}

template <class Find>
std::vector<NodeId> found(Find find) {
  try {
    return find();
  } catch (const RoutingError&) {
    return {};
  }
}

}  // namespace

BOOST_DATA_TEST_CASE(they_equal_those_of_a_search_of_the_whole_machine,
                     boost::unit_test::data::make(machines)) {
  const Graph graph = graph_of(sample);
  const RouteFinder shared(graph);
  PlainRoutes plain(graph);
  std::mt19937 random(42);
  const auto any = [&](const std::vector<NodeId>& nodes) { return nodes[random() % nodes.size()]; };
  std::vector<NodeId> all(graph.nodes().size());
  for (NodeId id = 0; id < all.size(); ++id) all[id] = id;
  const std::vector<NodeId> from = nodes_of_kinds(
      graph, {Role::pe_dma, Role::pcie_ep, Role::io_cpu, Role::m_cpu, Role::tlm_initiator});
  const std::vector<NodeId> memories = nodes_of_kinds(
      graph, {Role::hbm_ctrl, Role::sram, Role::pe_tcm, Role::pe_dma, Role::tlm_target});
  const auto check = [&](const std::vector<NodeId>& one, const std::vector<NodeId>& other) {
    if (one != other) BOOST_ERROR(names(graph, one) + " is not " + names(graph, other));
  };
  for (int i = 0; i < 25; ++i) {
    const NodeId initiator = any(from), source = any(all);
    for (int j = 0; j < 60; ++j) {
      const NodeId memory = any(memories), node = any(all);
      check(found([&] { return shared.memory_path(initiator, memory); }),
            plain.memory_path(initiator, memory));
      check(found([&] { return shared.node_path(source, node); }), plain.node_path(source, node));
      const View view = std::vector{View::all, View::data, View::memory, View::local}[j % 4];
      check(found([&] { return shared.path(source, node, view); }), plain.path(source, node, view));
    }
  }
}

namespace {

// Names of the first SIPs, or cubes, of each shape.
std::string shapes(const Graph& graph) {
  const RoutingRegions regions(graph);
  std::string sips, cubes;
  for (int sip = 0; sip < graph.spec().system.sips.count; ++sip) {
    Location at;
    at.sip = sip;
    const RoutingRegion& region = regions.sip_of(at);
    if (region.shape == region.first) sips += " " + node_names::sip(sip);
    for (at.cube = 0; at.cube < graph.spec().sip.cubes(); ++at.cube) {
      const RoutingRegion& cube = regions.cube_of(at);
      if (cube.shape == cube.first) cubes += " " + node_names::cube(sip, at.cube);
    }
  }
  return sips + ";" + cubes;
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_shape_serves_all_sips_and_one_all_cubes) {
  BOOST_TEST(shapes(graph({{"system.sips.count", "11"}})) == " sip0; sip0.cube0");
}

// Routes do not depend on the attributes of components.
BOOST_AUTO_TEST_CASE(an_attached_module_makes_a_shape_of_its_own_and_an_attribute_does_not) {
  BOOST_TEST(shapes(graph({{targets, "[" + target("sip1.cube5.r4c4") + "]"}})) ==
             " sip0 sip1; sip0.cube0 sip1.cube5");
  BOOST_TEST(shapes(graph(
                 {{"overrides", "[{match: sip1.cube3.pe2.pe_dma, attrs: {overhead_ns: 3.0}}]"}})) ==
             " sip0; sip0.cube0");
}

BOOST_AUTO_TEST_SUITE_END()
