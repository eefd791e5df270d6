// The JSON export (spec 10.1), read back with an independent parser; YAML text as JSON text.
#include "platform/topology/topology_json.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <regex>

#include "platform/config/yaml_text.h"
#include "tests/topology/machines.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(topology_json_export)

namespace {

nlohmann::json find(const nlohmann::json& list, const char* key, const std::string& value) {
  for (const auto& item : list) {
    if (item[key] == value) return item;
  }
  return {};
}

Graph tiny(std::vector<Override> overrides = {}) {
  return shipped_graph("topology.tiny.yaml", overrides, registry());
}

}  // namespace

BOOST_AUTO_TEST_CASE(numbers_booleans_and_strings_keep_their_types_and_keys_their_order) {
  BOOST_TEST(
      yaml_as_json("# said\nzeta: {n: 256, r: 0.1, text: mesh, on: true, quoted: \"12\"}\nalpha: "
                   "[1, a, {}]\n") ==
      R"({"zeta":{"n":256,"r":0.1,"text":"mesh","on":true,"quoted":"12"},"alpha":[1,"a",{}]})");
  BOOST_TEST(yaml_as_json("empty:\nversion: 1.0.0\n") == R"({"empty":null,"version":"1.0.0"})");
}

BOOST_AUTO_TEST_CASE(holds_every_node_and_edge_in_order) {
  const Graph machine = tiny();
  const auto json = nlohmann::json::parse(topology_json(machine));
  BOOST_TEST(json["flit_bytes"] == 256);
  BOOST_TEST(json["ns_per_mm"] == 0.1);
  BOOST_REQUIRE(json["nodes"].size() == machine.nodes().size());
  BOOST_REQUIRE(json["edges"].size() == machine.edges().size());
  for (std::size_t i = 1; i < json["nodes"].size(); ++i)
    BOOST_REQUIRE(json["nodes"][i - 1]["name"] < json["nodes"][i]["name"]);
  for (std::size_t i = 1; i < json["edges"].size(); ++i) {
    const auto& a = json["edges"][i - 1];
    const auto& b = json["edges"][i];
    BOOST_REQUIRE(std::make_pair(a["src"], a["dst"]) < std::make_pair(b["src"], b["dst"]));
  }
}

BOOST_AUTO_TEST_CASE(shows_every_attribute_that_affects_time_defaults_included) {
  const auto json = nlohmann::json::parse(
      topology_json(tiny({{"cube.components.hbm_ctrl.attrs.efficiency", "0.8"}})));
  const auto attrs = find(json["nodes"], "name", "sip0.cube0.hbm_ctrl.pe0")["attrs"];
  BOOST_TEST(attrs["overhead_ns"] == 0);
  BOOST_TEST(attrs["num_pcs"] == 8);
  BOOST_TEST(attrs["burst_bytes"] == 256);
  BOOST_TEST(attrs["switch_penalty_ns"] == 0);
  BOOST_TEST(attrs["efficiency"] == 0.8);
  BOOST_TEST(attrs["pc_bw_gbs"] == 25.6);  // 256 x 0.8 / 8
  BOOST_TEST(find(json["nodes"], "name", "sip0.io0.pcie_ep")["attrs"]["cut_through"] == false);
}

BOOST_AUTO_TEST_CASE(prints_decimals_exactly_and_unlimited_bandwidth_as_null) {
  const std::string text =
      topology_json(tiny({{"system.ns_per_mm", "0.1"}, {"cube.geometry.cube_mm.w", "17.3"}}));
  BOOST_TEST(text.find("\"ns_per_mm\": 0.1,") != std::string::npos);
  BOOST_TEST(text.find("\"x_mm\": 15.8,") != std::string::npos);  // 17.3 - 1.5
  // No binary fraction shows through.
  BOOST_TEST(!std::regex_search(text, std::regex("[0-9]\\.[0-9]*0000000")));
  const auto json = nlohmann::json::parse(text);
  const auto command = find(json["edges"], "kind", "command");
  BOOST_TEST(command["bw_gbs"].is_null());
  BOOST_TEST(command["distance_mm"] == 0);
}

BOOST_AUTO_TEST_CASE(is_the_same_byte_for_byte_every_time) {
  BOOST_TEST((topology_json(tiny()) == topology_json(tiny())));
}

BOOST_AUTO_TEST_SUITE_END()
