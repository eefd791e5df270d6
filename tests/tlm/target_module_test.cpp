// Plain TLM-2.0 targets as they are registered and named in a configuration (spec 2.1).
#include <boost/test/unit_test.hpp>

#include "tests/support/forked.h"
#include "tests/support/whole_machine.h"
#include "tests/tlm/boundary_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(target_modules)

KERNBENCH_SYSTEMC_TEST(a_plain_memory_may_stand_in_the_place_of_an_hbm_controller) {
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
  BOOST_CHECK_EXCEPTION(modules.add_target("acme.memory", &plain_tlm::LtMemory::socket), UsageError,
                        [](const UsageError& error) {
                          return std::string(error.what()) ==
                                 "the external module 'acme.memory' is registered twice";
                        });
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
