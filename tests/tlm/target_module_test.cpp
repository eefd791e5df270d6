// Plain TLM-2.0 targets: registration, names, addresses.
#include <boost/test/unit_test.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "models/base/errors.h"
#include "platform/assembly/describe_machine.h"
#include "platform/config/resolved_config.h"
#include "platform/topology/topology_json.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/whole_machine.h"
#include "tests/tlm/boundary_machine.h"
#include "tests/tlm/dram_target.h"

using namespace kernbench;
using namespace kernbench::test;

// Plain TLM-2.0 targets as they are registered and named in a configuration (spec 2.1).
BOOST_AUTO_TEST_SUITE(target_modules)

KERNBENCH_SYSTEMC_TEST(a_plain_memory_may_replace_an_hbm_controller) {
  ExternalModules modules;
  modules.add_target("acme.memory", &plain_tlm::LtMemory::socket);
  WholeMachine m("topology.tiny.yaml",
                 {{"cube.components.hbm_ctrl",
                   "{impl: builtin.tlm_target_bridge, attrs: {module: acme.memory}}"}},
                 without_data(modules));
  const RunResult result = m.run([&](HostPort& port) {
    const std::uint64_t address =
        PhysAddr::pe_hbm_addr(0, 0, 3, 0x80, std::uint64_t{6} << 30).encode();
    port.wait(*port.submit(memory_write({0, 0, 3}, address, pattern(64))));
  });
  BOOST_TEST(result.error == "");
  auto* memory =
      dynamic_cast<plain_tlm::LtMemory*>(sc_core::sc_find_object("sip0.cube0.hbm_ctrl.pe3.module"));
  BOOST_REQUIRE(memory != nullptr);
  BOOST_TEST(memory->requests.at(0).address == 0x80U);
  BOOST_TEST(part(memory->contents.bytes(), 0x80, 64) == pattern(64),
             boost::test_tools::per_element());
}

// Default constructed from its name alone, registered by its socket.
KERNBENCH_SYSTEMC_TEST(a_module_is_registered_by_its_socket) {
  ExternalModules modules;
  modules.add_target("acme.memory", &plain_tlm::LtMemory::socket);
  BOOST_TEST(error_of<UsageError>([&] {
               modules.add_target("acme.memory", &plain_tlm::LtMemory::socket);
             }) == "the external module 'acme.memory' is registered twice");
  WholeMachine m("topology.tiny.yaml",
                 {{"cube.components.sram",
                   "{impl: builtin.tlm_target_bridge, attrs: {module: acme.memory, size_mb: 1}}"}},
                 without_data(modules));
  const RunResult result = m.run([&](HostPort& port) {
    port.wait(*port.submit(memory_write({0, 0, 0}, sram_address(64), pattern(64))));
  });
  BOOST_TEST(result.error == "");
  BOOST_TEST(m.platform->machine().sram_bytes == 1U << 20);
  auto* memory =
      dynamic_cast<plain_tlm::LtMemory*>(sc_core::sc_find_object("sip0.cube0.sram.module"));
  BOOST_REQUIRE(memory != nullptr);
  BOOST_TEST(memory->requests.size() == 1U);
}

namespace {

class WrongPhase final : public sc_core::sc_module {
 public:
  explicit WrongPhase(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
    socket.register_nb_transport_fw(this, &WrongPhase::nb_transport_fw);
  }
  tlm_utils::simple_target_socket<WrongPhase> socket;

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                                     sc_core::sc_time&) {
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->nb_transport_bw(payload, phase, delay);
    return tlm::TLM_ACCEPTED;
  }
};

}  // namespace

KERNBENCH_SYSTEMC_TEST(an_initiators_phase_by_the_memory_ends_the_run) {
  ExternalModules modules;
  modules.add_target("test.wrong_phase", &WrongPhase::socket);
  WholeMachine m("topology.tiny.yaml",
                 {{"cube.components.sram",
                   "{impl: builtin.tlm_target_bridge, attrs: {module: test.wrong_phase}}"}},
                 without_data(modules));
  const RunResult result = m.run([&](HostPort& port) {
    port.wait(*port.submit(memory_write({0, 0, 0}, sram_address(64), pattern(64))));
  });
  BOOST_TEST(result.error.find("an initiator's phase on the backward path") != std::string::npos,
             result.error);
}

BOOST_AUTO_TEST_SUITE_END()

// Addresses of `system.tlm_targets` (spec 3.1): where ranges lie, and what is refused.
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
             at + "1.id: found 'a' a second time next to sip0.cube0.r5c5; ids are unique in their "
                  "scope");
  BOOST_TEST(issue(target("a", router, "", "depth_bytes: 4096")) ==
             at + "0.bridge.attrs.latency_ns: the key is missing; allowed is a number, 0 to "
                  "1000000000");
}

// A byte behind it has no memory: the layout tells so.
BOOST_AUTO_TEST_CASE(an_address_without_a_target_is_reported) {
  const MachineDescription machine = describe_machine(build_graph(spec_of(target("a", router))));
  BOOST_TEST(machine.name(machine.place_of(external(8191)).node) == "sip0.cube0.a");
  BOOST_TEST(error_of<RoutingError>([&] { machine.place_of(external(8192)); }) ==
             "no plain TLM-2.0 target of this machine serves the physical address 0x540000002000 "
             "(sip 0 die 21 EXTERNAL +0x2000)");
}

BOOST_AUTO_TEST_SUITE_END()
