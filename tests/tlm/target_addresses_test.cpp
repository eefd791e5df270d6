// Addresses of `system.tlm_targets` (spec 3.1): where ranges lie, and what is refused.
#include <boost/test/unit_test.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "models/base/errors.h"
#include "platform/assembly/describe_machine.h"
#include "platform/config/resolved_config.h"
#include "platform/topology/topology_json.h"
#include "tests/support/temporary_folder.h"
#include "tests/tlm/dram_target.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(target_addresses)

namespace {

std::string issue(const std::string& targets) {
  try {
    spec_of(targets);
  } catch (const ConfigError& error) {
    if (error.issues().size() == 1) return error.issues()[0].key + ": " + error.issues()[0].message;
    return std::to_string(error.issues().size()) + " issues:\n" + error.what();
  }
  return "no issue";
}

}  // namespace

BOOST_AUTO_TEST_CASE(ranges_are_placed_and_exported_with_those_of_all_memories) {
  const MachineSpec spec =
      spec_of(target("a", router) + ", " + target("b", router, ", base_bytes: 8192") + ", " +
              target("c", "fabric.switch0"));
  const auto json = nlohmann::json::parse(topology_json(build_graph(spec)));
  std::map<std::string, std::pair<std::string, std::uint64_t>> ranges;
  for (const auto& node : json["nodes"]) {
    if (node.contains("address"))
      ranges[node["name"]] = {node["address"], node["size_bytes"].get<std::uint64_t>()};
  }
  BOOST_TEST(ranges.size() == 8U + 8U + 3U + 3U);  // hbm_ctrl, pe_tcm, sram m_cpu io_cpu, targets
  const auto range = [&](const char* name) { return ranges.at(name); };
  BOOST_TEST(range("sip0.cube0.a").first == "0x540000000000");  // die 21
  BOOST_TEST(range("sip0.cube0.b").first == "0x540000002000");
  BOOST_TEST(range("fabric.c").first == "0x540000004000");  // the lowest free place
  BOOST_TEST(range("fabric.c").second == 8192U);
  BOOST_TEST(range("sip0.cube0.hbm_ctrl.pe1").first == "0x2180000000");
  BOOST_TEST(range("sip0.cube0.sram").second == 32U << 20);
}

BOOST_AUTO_TEST_CASE(the_resolved_configuration_has_the_same_places) {
  ComponentRegistry registry;
  register_builtin_components(registry, with_dram());
  const MachineSpec spec = spec_of(target("a", router) + ", " + target("b", router));
  const std::string text = resolved_config(spec, registry);
  const TemporaryFolder folder;
  MachineSpec again = load_machine(folder.write("resolved.yaml", text), {}, registry);
  again.source_path.clear();
  BOOST_TEST(resolved_config(again, registry) == text);
  BOOST_TEST((topology_json(build_graph(again)) == topology_json(build_graph(spec))));
}

BOOST_AUTO_TEST_CASE(a_range_is_aligned_inside_the_window_and_of_one_target) {
  const std::string at = "system.tlm_targets.";
  BOOST_TEST(issue(target("a", router, ", base_bytes: 100")) ==
             at + "0.base_bytes: found 100, allowed is a multiple of 4096");
  BOOST_TEST(issue("{id: a, attach: sip0.cube0.r0c0, bridge: {impl: acme.dram, attrs: {latency_ns: "
                   "1}}, size_bytes: 5000}") ==
             at + "0.size_bytes: found 5000, allowed is a multiple of 4096");
  BOOST_TEST(issue(target("a", router, ", base_bytes: 4096") + ", " +
                   target("b", "fabric.switch0", ", base_bytes: 8192")) ==
             at + "1.base_bytes: found 8192 to 16383, which overlaps sip0.cube0.a with 4096 to "
                  "12287");
  BOOST_TEST(issue(target("a", router, ", base_bytes: 4398046507008")) ==
             at +
                 "0.base_bytes: found 4398046507008, allowed is that the 8192 bytes end within the "
                 "window of 4398046511104");
}

BOOST_AUTO_TEST_CASE(its_place_and_its_name_are_checked) {
  const std::string at = "system.tlm_targets.";
  BOOST_TEST(
      issue(target("a", "sip0.cube0.sram"))
          .rfind(at + "0.attach: found 'sip0.cube0.sram', allowed is the name of a router of a "
                      "cube, of an io_noc or of the switch",
                 0) == 0U);
  BOOST_TEST(issue(target("switch0", "fabric.switch0")) ==
             at + "0.id: found 'switch0', which is or may be the name of another node");
  BOOST_TEST(issue(target("a", router) + ", " + target("a", "sip0.cube0.r5c5")) ==
             at + "1.id: found 'a' a second time beside sip0.cube0.r5c5; ids are unique in their "
                  "scope");
  BOOST_TEST(issue(target("a", router, "", "depth_bytes: 4096")) ==
             at + "0.bridge.attrs.latency_ns: the key is missing; allowed is a number, 0 to "
                  "1000000000");
}

// A byte behind it has no memory: the layout tells so.
BOOST_AUTO_TEST_CASE(an_address_without_a_target_is_told_as_such) {
  const MachineDescription machine = describe_machine(build_graph(spec_of(target("a", router))));
  BOOST_TEST(machine.name(machine.place_of(external(8191)).node) == "sip0.cube0.a");
  BOOST_CHECK_EXCEPTION(machine.place_of(external(8192)), RoutingError,
                        [](const RoutingError& error) {
                          return std::string(error.what()) ==
                                 "no plain TLM-2.0 target of this machine serves the physical "
                                 "address 0x540000002000 (sip 0 die 21 EXTERNAL +0x2000)";
                        });
}

BOOST_AUTO_TEST_SUITE_END()
