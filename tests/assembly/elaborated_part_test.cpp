// Elaboration of a part of a machine (spec 1.4): what belongs to it, names and ports, what is
// refused outside.
#include "platform/assembly/elaborated_part.h"

#include <boost/test/unit_test.hpp>
#include <set>

#include "models/noc/link.h"
#include "platform/assembly/machine_modules.h"
#include "platform/topology/node_names.h"
#include "platform/topology/route_finder.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(elaborated_part_test)

namespace {

using Texts = std::set<std::string>;

Graph default_graph(const std::vector<Override>& overrides = {}) {
  ComponentRegistry registry;
  register_builtin_components(registry);
  return shipped_graph("topology.yaml", overrides, registry);
}

// "sip0.cube3", "sip0.io0", "fabric" of the nodes of a part.
Texts scopes_of(const Graph& graph, const ElaboratedPart& part) {
  Texts scopes;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (!part.has(node)) continue;
    const std::string& name = graph.node(node).name;
    const auto dot = name.find('.');
    scopes.insert(name.substr(0, graph.node(node).at.sip < 0 ? dot : name.find('.', dot + 1)));
  }
  return scopes;
}

Texts scopes_of(const std::vector<CubeId>& cubes, const std::vector<Override>& overrides = {}) {
  const Graph graph = default_graph(overrides);
  return scopes_of(graph, ElaboratedPart(graph, cubes));
}

MachineOptions with_cubes(std::vector<CubeId> cubes) {
  MachineOptions options;
  options.cubes = std::move(cubes);
  return options;
}

}  // namespace

// --- Which nodes

BOOST_AUTO_TEST_CASE(a_part_has_the_cube_the_io_chiplets_of_its_sip_and_the_switch) {
  BOOST_TEST((scopes_of({{0, 0}}) == Texts{"fabric", "sip0.cube0", "sip0.io0"}));
  BOOST_TEST((scopes_of({{1, 2}}) == Texts{"fabric", "sip1.cube2", "sip1.io0"}));
}

// The IO chiplet is at the north of cubes 0 to 3; a mesh of 4 x 4.
BOOST_AUTO_TEST_CASE(cubes_on_the_route_from_the_io_chiplet_belong_to_the_part) {
  BOOST_TEST((scopes_of({{0, 9}}) ==
              Texts{"fabric", "sip0.cube1", "sip0.cube5", "sip0.cube9", "sip0.io0"}));
}

BOOST_AUTO_TEST_CASE(cubes_between_two_cubes_belong_to_the_part) {
  const Texts scopes = scopes_of({{0, 0}, {0, 2}});
  BOOST_TEST((scopes == Texts{"fabric", "sip0.cube0", "sip0.cube1", "sip0.cube2", "sip0.io0"}));
}

BOOST_AUTO_TEST_CASE(a_part_on_two_sips_has_the_io_chiplets_of_both) {
  BOOST_TEST((scopes_of({{0, 0}, {1, 0}}) ==
              Texts{"fabric", "sip0.cube0", "sip0.io0", "sip1.cube0", "sip1.io0"}));
}

BOOST_AUTO_TEST_CASE(every_route_between_nodes_of_the_cubes_stays_in_the_part) {
  const Graph graph = default_graph();
  const RouteFinder routes(graph);
  const std::vector<CubeId> cubes{{0, 0}, {0, 6}, {1, 9}};
  const ElaboratedPart part(graph, cubes);
  for (const CubeId& from : cubes) {
    for (const CubeId& to : cubes) {
      for (const int pe : {0, 3, 7}) {
        const NodeId dma = graph.at(node_names::engine(from.sip, from.cube, pe, "pe_dma"));
        for (const int partition : {0, 5}) {
          const NodeId hbm = graph.at(node_names::hbm_ctrl(to.sip, to.cube, partition));
          for (const NodeId node : routes.memory_path(dma, hbm))
            BOOST_TEST(part.has(node), graph.node(node).name);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(without_cubes_or_with_all_of_them_it_is_the_whole_machine) {
  const Graph graph = default_graph();
  BOOST_TEST(ElaboratedPart(graph).is_whole());
  std::vector<CubeId> all;
  for (int sip = 0; sip < 2; ++sip) {
    for (int cube = 0; cube < 16; ++cube) all.push_back({sip, cube});
  }
  BOOST_TEST(ElaboratedPart(graph, all).is_whole());
  BOOST_TEST(!ElaboratedPart(graph, {{0, 0}}).is_whole());
}

BOOST_AUTO_TEST_CASE(a_machine_with_plain_initiators_is_elaborated_as_a_whole) {
  ComponentRegistry registry;
  register_builtin_components(registry);
  MachineSpec spec = shipped_spec("topology.yaml", {}, registry);
  spec.system.tlm_initiators.push_back({"dma", "sip0.io0.io_noc", spec.cube.router, {}});
  const Graph graph = build_graph(std::move(spec));
  BOOST_TEST(ElaboratedPart(graph, {{0, 0}}).is_whole());
}

// A node outside is counted as one inside that is equal.
BOOST_AUTO_TEST_CASE(cubes_with_an_instance_that_differs_from_all_others_belong_to_the_part) {
  BOOST_TEST((scopes_of({{0, 0}}, {{"sip1.cube5.pe2.pe_gemm.attrs.clock_ghz", "0.5"}}) ==
              Texts{"fabric", "sip0.cube0", "sip0.io0", "sip1.cube5", "sip1.io0"}));
  BOOST_TEST((scopes_of({{0, 0}}, {{"sip0.cube0.pe2.pe_gemm.attrs.clock_ghz", "0.5"}}) ==
              Texts{"fabric", "sip0.cube0", "sip0.io0"}));
}

BOOST_AUTO_TEST_CASE(a_cube_that_the_machine_lacks_is_an_error) {
  const Graph graph = default_graph();
  BOOST_TEST(error_of<UsageError>([&] {
               ElaboratedPart(graph, {{0, 16}});
             }) == "the machine has no sip0.cube16");
  BOOST_TEST(error_of<UsageError>([&] {
               ElaboratedPart(graph, {{2, 0}});
             }) == "the machine has no sip2.cube0");
}

// --- Elaboration

KERNBENCH_SYSTEMC_TEST(nodes_of_the_part_have_the_ids_and_names_of_the_whole_machine) {
  WholeMachine m("topology.yaml", {}, with_cubes({{0, 0}}));
  const Graph& graph = m.platform->graph();
  BOOST_TEST(graph.nodes().size() == 4335u);
  const Component& dma = m.platform->component(graph.at("sip0.cube0.pe3.pe_dma"));
  BOOST_TEST(dma.name() == std::string("sip0.cube0.pe3.pe_dma"));
  BOOST_TEST(dma.node() == graph.at("sip0.cube0.pe3.pe_dma"));
  // 34 nodes of the mesh and its memories, PEs and UCIe ports: those of one of 32 cubes.
  BOOST_TEST(m.platform->components().size() < 200u);
  BOOST_TEST(sc_core::sc_find_object("sip0.cube1") == nullptr);
}

KERNBENCH_SYSTEMC_TEST(links_that_leave_the_part_are_not_elaborated) {
  WholeMachine m("topology.yaml", {}, with_cubes({{0, 0}}));
  BOOST_TEST(sc_core::sc_find_object("sip0.cube0.r0c0__to__r0c1") != nullptr);
  BOOST_TEST(sc_core::sc_find_object("sip0.cube0_ucie-E__to__cube1_ucie-W") == nullptr);
  BOOST_TEST(sc_core::sc_find_object("fabric_switch0__to__sip1_io0_pcie_ep") == nullptr);
}

KERNBENCH_SYSTEMC_TEST(a_component_outside_is_an_error_that_names_it) {
  WholeMachine m("topology.yaml", {}, with_cubes({{0, 0}}));
  const NodeId node = m.node("sip1.cube3.pe0.pe_gemm");
  BOOST_TEST(m.platform->find_component(node) == nullptr);
  BOOST_TEST(error_of<UsageError>([&] { m.platform->component(node); }) ==
             "'sip1.cube3.pe0.pe_gemm' has not been elaborated: the bench declares that it uses "
             "sip0.cube0; run with --elaborate all");
}

KERNBENCH_SYSTEMC_TEST(a_route_that_leaves_the_part_is_an_error_that_names_the_node) {
  WholeMachine m("topology.yaml", {}, with_cubes({{0, 0}}));
  const std::string error = error_of<UsageError>([&] {
    m.platform->routes().memory_path(m.node("sip0.cube0.pe0.pe_dma"),
                                     m.node("sip0.cube5.hbm_ctrl.pe0"));
  });
  BOOST_TEST(contains(error, "'sip0.cube4."), error);  // along y first
  BOOST_TEST(contains(error, "has not been elaborated"), error);
}

BOOST_AUTO_TEST_SUITE_END()
