// How plain TLM-2.0 modules are bound in by YAML: nodes, edges, export, and what is wrong in a
// file.
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "models/base/errors.h"
#include "platform/assembly/builtin_components.h"
#include "platform/config/resolved_config.h"
#include "platform/topology/route_finder.h"
#include "platform/topology/topology_json.h"
#include "tests/support/plain_tlm/lt_memory.h"
#include "tests/support/shipped_graph.h"
#include "tests/support/temporary_folder.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(boundary_topology)

namespace {

// Names only; nothing is created.
ComponentRegistry with_modules() {
  ExternalModules modules;
  modules.add_initiator("acme.dma",
                        [](const char*, ExternalModules::TargetSocket&) { return nullptr; });
  modules.add_target("acme.dram",
                     [](const char*, ExternalModules::InitiatorSocket&) { return nullptr; });
  ComponentRegistry registry;
  register_builtin_components(registry, modules);
  return registry;
}

MachineSpec tiny(const std::vector<Override>& overrides) {
  return shipped_spec("topology.tiny.yaml", overrides, with_modules());
}

std::string initiator(const std::string& id, const std::string& attach,
                      const std::string& more = "") {
  return "{id: " + id + ", attach: " + attach +
         ", bridge: {impl: builtin.tlm_initiator_bridge, attrs: {module: acme.dma}}" + more + "}";
}

// "key: message" of every issue.
std::vector<std::string> issues(const std::string& initiators) {
  std::vector<std::string> found;
  try {
    tiny({{"system.tlm_initiators", "[" + initiators + "]"}});
  } catch (const ConfigError& error) {
    for (const ConfigIssue& issue : error.issues())
      found.push_back(issue.key + ": " + issue.message);
  }
  return found;
}
std::string issue(const std::string& initiators) {
  const std::vector<std::string> found = issues(initiators);
  return found.size() == 1 ? found[0] : std::to_string(found.size()) + " issues";
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_initiator_is_a_node_next_to_the_one_that_it_is_attached_to) {
  const Graph graph = build_graph(
      tiny({{"system.tlm_initiators",
             "[" + initiator("ext0", "sip0.cube0.r0c4", ", bw_gbs: 64, distance_mm: 1.5") + ", " +
                 initiator("ext0", "sip0.io0.io_noc") + "]"}}));
  const Node& node = graph.node(graph.at("sip0.cube0.ext0"));
  BOOST_TEST((node.kind == Role::tlm_initiator));
  BOOST_TEST(node.impl() == "builtin.tlm_initiator_bridge");
  BOOST_TEST(node.attributes().text("module") == "acme.dma");
  BOOST_TEST(node.at.cube == 0);
  for (const bool there : {true, false}) {
    const NodeId a = graph.at("sip0.cube0.ext0"), b = graph.at("sip0.cube0.r0c4");
    const Edge* edge = there ? graph.find_edge(a, b) : graph.find_edge(b, a);
    BOOST_REQUIRE(edge != nullptr);
    BOOST_TEST((edge->kind == EdgeKind::pe_to_router));
    BOOST_TEST(edge->bw_gbs->str() == "64");
    BOOST_TEST(edge->distance_mm.str() == "1.5");
  }
  const Edge* io = graph.find_edge(graph.at("sip0.io0.ext0"), graph.at("sip0.io0.io_noc"));
  BOOST_REQUIRE(io != nullptr);
  BOOST_TEST((io->kind == EdgeKind::io_internal));
  BOOST_TEST(!io->bw_gbs.has_value());  // default: unlimited
}

BOOST_AUTO_TEST_CASE(it_reaches_every_memory_and_lies_on_nobodys_way) {
  const Graph graph = build_graph(
      tiny({{"system.tlm_initiators", "[" + initiator("ext0", "sip0.cube0.r0c4") + "]"}}));
  const RouteFinder router(graph);
  const NodeId ext = graph.at("sip0.cube0.ext0");
  BOOST_TEST(names(graph, router.memory_path(ext, graph.at("sip0.cube0.hbm_ctrl.pe2"))) ==
             "sip0.cube0.ext0>sip0.cube0.r0c4>sip0.cube0.r1c4>sip0.cube0.hbm_ctrl.pe2");
  BOOST_TEST(names(graph, router.memory_path(ext, graph.at("sip0.cube0.pe2.pe_tcm"))) ==
             "sip0.cube0.ext0>sip0.cube0.r0c4>sip0.cube0.r1c4>sip0.cube0.pe2.pe_dma>sip0.cube0.pe2."
             "pe_tcm");
  for (NodeId memory = 0; memory < graph.nodes().size(); ++memory) {
    const Role kind = graph.node(memory).kind;
    if (kind != Role::hbm_ctrl && kind != Role::sram && kind != Role::pe_tcm &&
        kind != Role::m_cpu && kind != Role::io_cpu)
      continue;
    BOOST_TEST(router.memory_path(ext, memory).size() >= 3U);
    for (const NodeId node : router.memory_path(graph.at("sip0.io0.pcie_ep"), memory))
      BOOST_TEST(node != ext);
  }
}

BOOST_AUTO_TEST_CASE(the_export_shows_it) {
  const auto json = nlohmann::json::parse(topology_json(build_graph(
      tiny({{"system.tlm_initiators", "[" + initiator("ext0", "sip0.cube0.r0c4") + "]"}}))));
  bool found = false;
  for (const auto& node : json["nodes"]) {
    if (node["name"] != "sip0.cube0.ext0") continue;
    found = true;
    BOOST_TEST(node["kind"] == "tlm_initiator");
    BOOST_TEST(node["impl"] == "builtin.tlm_initiator_bridge");
    BOOST_TEST(node["attrs"]["module"] == "acme.dma");
    BOOST_TEST(node["attrs"]["max_outstanding"] == 8);
    BOOST_TEST(node["attrs"]["posted"] == false);
  }
  BOOST_TEST(found);
}

BOOST_AUTO_TEST_CASE(without_initiators_the_machine_is_as_it_was) {
  BOOST_TEST((topology_json(build_graph(tiny({{"system.tlm_initiators", "[]"}}))) ==
              topology_json(build_graph(tiny({})))));
  BOOST_TEST(topology_json(build_graph(tiny({}))).find("tlm") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_resolved_configuration_can_be_loaded_again) {
  const ComponentRegistry registry = with_modules();
  const MachineSpec spec = tiny(
      {{"system.tlm_initiators", "[" + initiator("ext0", "sip0.cube0.r0c4", ", bw_gbs: 64") + "]"},
       {"cube.components.sram", "{impl: builtin.tlm_target_bridge, attrs: {module: acme.dram}}"}});
  const TemporaryFolder directory;
  MachineSpec again =
      load_machine(directory.write("resolved.yaml", resolved_config(spec, registry)), {}, registry);
  again.source_path.clear();
  BOOST_TEST((topology_json(build_graph(again)) == topology_json(build_graph(spec))));
}

BOOST_AUTO_TEST_CASE(an_attachment_must_exist_and_be_a_router_or_an_io_noc) {
  const std::string key = "system.tlm_initiators.0.attach: ";
  BOOST_TEST(issue(initiator("ext0", "sip0.cube0.r0c9")) ==
             key +
                 "found 'sip0.cube0.r0c9', allowed is the name of a router of a cube, of an "
                 "io_noc or of the switch; did you mean 'sip0.cube0.r0c0'?");
  BOOST_TEST(issue(initiator("ext0", "sip0.cube0.r2c2"))
                 .rfind(key + "found 'sip0.cube0.r2c2', allowed is", 0) == 0U);  // HBM zone
  BOOST_TEST(issue(initiator("ext0", "sip0.cube0.m_cpu")).rfind(key, 0) == 0U);
}

BOOST_AUTO_TEST_CASE(ids_are_unique_in_their_scope_and_of_no_other_node) {
  BOOST_TEST(
      issue(initiator("ext0", "sip0.cube0.r0c0") + ", " + initiator("ext0", "sip0.cube0.r5c5")) ==
      "system.tlm_initiators.1.id: found 'ext0' a second time next to sip0.cube0.r5c5; ids are "
      "unique in their scope");
  for (const char* id : {"sram", "hbm_ctrl", "pe0", "r9c9", "ucie-N", "m_cpu"}) {
    BOOST_TEST(issue(initiator(id, "sip0.cube0.r0c0")) ==
               "system.tlm_initiators.0.id: found '" + std::string(id) +
                   "', which is or may be the name of another node");
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_module_is_an_error_with_the_nearest_name) {
  BOOST_TEST(issue("{id: ext0, attach: sip0.cube0.r0c0, bridge: {impl: "
                   "builtin.tlm_initiator_bridge, attrs: {module: acme.dna}}}") ==
             "system.tlm_initiators.0.bridge.attrs.module: found 'acme.dna', allowed is one of "
             "acme.dma; did you mean 'acme.dma'?");
  BOOST_TEST(
      issue("{id: ext0, attach: sip0.cube0.r0c0, bridge: {impl: builtin.tlm_initiator_bridge}}") ==
      "system.tlm_initiators.0.bridge.attrs.module: the key is missing; allowed is one of "
      "acme.dma");
  BOOST_TEST(
      issue("{id: ext0, bridge: {impl: builtin.tlm_initiator_bridge, attrs: {module: acme.dma}}}")
          .find("system.tlm_initiators.0.attach: the key is missing") == 0U);
}

BOOST_AUTO_TEST_CASE(without_modules_nothing_can_be_named) {
  ComponentRegistry registry;
  register_builtin_components(registry);
  try {
    load_machine(
        topology_path("topology.tiny.yaml"),
        {{"cube.components.sram", "{impl: builtin.tlm_target_bridge, attrs: {module: x}}"}},
        registry);
    BOOST_FAIL("accepted");
  } catch (const ConfigError& error) {
    BOOST_REQUIRE(error.issues().size() == 1U);
    BOOST_TEST(error.issues()[0].message == "found 'x', allowed is nothing, none is known");
  }
}

BOOST_AUTO_TEST_SUITE_END()
