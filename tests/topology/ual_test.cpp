// A second way between SIPs, over UAL: optional in an IO chiplet (ADR-0003 D2, spec 1.3, 2.7).
#include <boost/test/unit_test.hpp>

#include "platform/topology/route_finder.h"
#include "platform/topology/topology_json.h"
#include "tests/config/broken_file.h"
#include "tests/topology/machines.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(ual_test)

namespace {

const std::string io = "sip.io_chiplets.io0.", link_key = "system.links.io_ual_to_switch",
                  noc_key = "links.ual_ep_to_noc_bw_gbs";

std::vector<Override> with_ual(const std::string& distance_mm) {
  return {{io + "components.ual_ep", "{impl: builtin.ual_ep, attrs: {overhead_ns: 3.0}}"},
          {io + noc_key, "192.0"},
          {link_key, "{bw_gbs: 128.0, distance_mm: " + distance_mm + "}"}};
}

std::string way_between_sips(const Graph& machine) {
  const RouteFinder router(machine);
  std::string kinds;
  for (const NodeId id : router.memory_path(machine.at("sip0.cube0.pe0.pe_dma"),
                                            machine.at("sip1.cube0.hbm_ctrl.pe0"))) {
    const Role kind = machine.node(id).kind;
    if (kind == Role::pcie_ep || kind == Role::ual_ep || kind == Role::fabric_switch)
      kinds += (kinds.empty() ? "" : " ") + std::string(name_of(kind));
  }
  return kinds;
}

// The issues of the shipped file with these keys, "key: message" each.
struct UalFile : BrokenFile {
  std::string all(const std::vector<Override>& overrides) {
    std::string text;
    for (const ConfigIssue& issue : issues(overrides))
      text += (text.empty() ? "" : "\n") + issue.key + ": " + issue.message;
    return text;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(ual, UalFile)

BOOST_AUTO_TEST_CASE(the_default_machine_has_none) {
  const Graph machine = graph();
  BOOST_TEST(!machine.find("sip0.io0.ual_ep").has_value());
  BOOST_TEST(way_between_sips(machine) == "pcie_ep switch pcie_ep");
}

BOOST_AUTO_TEST_CASE(it_is_between_io_noc_and_the_switch_of_every_sip) {
  const Graph machine = graph(with_ual("25.0"));
  for (const std::string sip : {"sip0", "sip1"}) {
    const NodeId ual = machine.at(sip + ".io0.ual_ep");
    BOOST_TEST((machine.node(ual).kind == Role::ual_ep));
    BOOST_TEST(machine.node(ual).attributes().decimal("overhead_ns").str() == "3");
    for (const std::string& peer : {sip + ".io0.io_noc", std::string("fabric.switch0")}) {
      const Edge* there = machine.find_edge(ual, machine.at(peer));
      const Edge* back = machine.find_edge(machine.at(peer), ual);
      BOOST_REQUIRE(there != nullptr);
      BOOST_REQUIRE(back != nullptr);
      const bool to_switch = peer == "fabric.switch0";
      BOOST_TEST(there->bw_gbs->str() == (to_switch ? "128" : "192"));
      BOOST_TEST(back->bw_gbs->str() == there->bw_gbs->str());
      BOOST_TEST(there->distance_mm.str() == (to_switch ? "25" : "0"));
      BOOST_TEST(name_of(there->kind) == (to_switch ? "ual" : "io_internal"));
    }
  }
  const std::string json = topology_json(machine);
  BOOST_TEST(
      json.find(
          "{\"name\": \"sip1.io0.ual_ep\", \"kind\": \"ual_ep\", \"impl\": \"builtin.ual_ep\"") !=
      std::string::npos);
  BOOST_TEST(json.find("\"dst\": \"sip1.io0.ual_ep\", \"kind\": \"ual\", \"bw_gbs\": 128, "
                       "\"distance_mm\": 25") != std::string::npos);
}

// The weights are the lengths, 50 mm for PCIe; of equal ones the name decides.
BOOST_AUTO_TEST_CASE(traffic_between_sips_takes_the_shorter_way) {
  BOOST_TEST(way_between_sips(graph(with_ual("49.999"))) == "ual_ep switch ual_ep");
  BOOST_TEST(way_between_sips(graph(with_ual("50.0"))) == "pcie_ep switch pcie_ep");
  BOOST_TEST(way_between_sips(graph(with_ual("50.001"))) == "pcie_ep switch pcie_ep");
}

BOOST_AUTO_TEST_CASE(the_host_goes_in_by_pcie) {
  const Graph machine = graph(with_ual("0"));
  const RouteFinder router(machine);
  for (const NodeId id :
       router.memory_path(machine.at("sip0.io0.pcie_ep"), machine.at("sip0.cube5.hbm_ctrl.pe3")))
    BOOST_TEST((machine.node(id).kind != Role::ual_ep));
}

BOOST_AUTO_TEST_CASE(its_links_are_needed_with_it) {
  BOOST_TEST(all({with_ual("25.0")[0]}) ==
             link_key + ".bw_gbs: the key is missing; an IO chiplet with a ual_ep needs it\n" +
                 link_key +
                 ".distance_mm: the key is missing; an IO chiplet with a ual_ep needs it\n" +
                 "sip.io_chiplets.0." + noc_key +
                 ": the key is missing; an IO chiplet with a ual_ep needs it");
  std::vector<Override> half = with_ual("25.0");
  half[2].value = "{bw_gbs: 128.0}";
  BOOST_TEST(all(half) ==
             link_key + ".distance_mm: the key is missing; an IO chiplet with a ual_ep needs it");
}

BOOST_AUTO_TEST_CASE(its_links_mean_nothing_without_it) {
  BOOST_TEST(all({with_ual("25.0")[1]}) == "sip.io_chiplets.0." + noc_key +
                                               ": found a link of a ual_ep, which this chiplet is "
                                               "without; allowed with components.ual_ep");
  BOOST_TEST(all({with_ual("25.0")[2]}) == link_key +
                                               ": found a link of a ual_ep, which every IO chiplet "
                                               "is without; allowed with components.ual_ep");
}

BOOST_AUTO_TEST_CASE(its_implementation_is_one_of_its_role) {
  std::vector<Override> wrong = with_ual("25.0");
  wrong[0].value = "{impl: builtin.pcie_ep}";
  BOOST_TEST(all(wrong).find("components.ual_ep.impl: found 'builtin.pcie_ep', which is not made "
                             "for this place; allowed are those with the "
                             "role ual_ep: builtin.ual_ep") != std::string::npos,
             all(wrong));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
