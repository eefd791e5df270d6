// TlmInitiatorBridge (spec 2.1): what it refuses, and modules that break the base protocol or are
// killed.
#include <boost/test/unit_test.hpp>

#include "platform/assembly/builtin_components.h"
#include "platform/topology/build_graph.h"
#include "platform/topology/load_machine.h"
#include "tests/support/forked.h"
#include "tests/tlm/boundary_machine.h"

using namespace kernbench;
using namespace kernbench::test;
using plain_tlm::LtInitiator;

BOOST_AUTO_TEST_SUITE(initiator_errors)

constexpr Fs read_end = 15 * ns + 4;  // of 512 B from an idle machine: initiator_bridge_test.cpp

// --- Errors become response status

namespace {

// Of one b_transport and one BEGIN_REQ with the same payload; both must agree, and take no time.
tlm::tlm_response_status refused(tlm::tlm_command command, std::uint64_t address,
                                 std::size_t length, const LtInitiator::Adjust& adjust = {}) {
  return static_cast<tlm::tlm_response_status>(forked_value([&] {
    BoundaryMachine m;
    LtInitiator::Result result;
    m.add_lt_initiator({[&](LtInitiator& i) {
      std::vector<unsigned char> data(length == 0 ? 1 : length);
      result = i.transport(command, address, data, fs(3), adjust);
      BOOST_TEST(sc_core::sc_time_stamp().value() == 0U);
      BOOST_TEST(result.delay.value() == 3U);
    }});
    m.build();
    m.run();
    BOOST_TEST(m.statistic("sip0.cube0.ext0", "errors") == 1U);
    return static_cast<int>(result.status);
  }));
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_address_without_a_memory_is_an_address_error) {
  BOOST_TEST(refused(tlm::TLM_READ_COMMAND, ~std::uint64_t{0}, 4) ==
             tlm::TLM_ADDRESS_ERROR_RESPONSE);  // does not decode
  BOOST_TEST(refused(tlm::TLM_READ_COMMAND, PhysAddr::hbm_addr(3, 0, 0).encode(), 4) ==
             tlm::TLM_ADDRESS_ERROR_RESPONSE);  // no such SIP
  BOOST_TEST(refused(tlm::TLM_WRITE_COMMAND, hbm_address(7, (std::uint64_t{6} << 30) - 4), 8) ==
             tlm::TLM_ADDRESS_ERROR_RESPONSE);  // its end
}

BOOST_AUTO_TEST_CASE(what_is_neither_read_nor_write_is_a_command_error) {
  BOOST_TEST(refused(tlm::TLM_IGNORE_COMMAND, hbm_address(0, 0), 4) ==
             tlm::TLM_COMMAND_ERROR_RESPONSE);
}

BOOST_AUTO_TEST_CASE(byte_enables_that_are_none_are_a_byte_enable_error) {
  unsigned char enables[] = {0xff, 0x10};
  for (const unsigned length : {0U, 2U}) {
    BOOST_TEST(refused(tlm::TLM_WRITE_COMMAND, hbm_address(0, 0), 4,
                       [&](tlm::tlm_generic_payload& payload) {
                         payload.set_byte_enable_ptr(enables);
                         payload.set_byte_enable_length(length);
                       }) == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  }
}

BOOST_AUTO_TEST_CASE(a_null_data_pointer_is_a_generic_error) {
  BOOST_TEST(refused(tlm::TLM_READ_COMMAND, hbm_address(0, 0), 8,
                     [](tlm::tlm_generic_payload& payload) { payload.set_data_ptr(nullptr); }) ==
             tlm::TLM_GENERIC_ERROR_RESPONSE);
}

BOOST_AUTO_TEST_CASE(a_streaming_width_below_the_length_is_a_burst_error) {
  BOOST_TEST(refused(tlm::TLM_WRITE_COMMAND, hbm_address(0, 0), 8,
                     [](tlm::tlm_generic_payload& payload) { payload.set_streaming_width(4); }) ==
             tlm::TLM_BURST_ERROR_RESPONSE);
  BOOST_TEST(refused(tlm::TLM_READ_COMMAND, hbm_address(0, 0), 0,
                     [](tlm::tlm_generic_payload& payload) { payload.set_data_length(0); }) ==
             tlm::TLM_BURST_ERROR_RESPONSE);
  BOOST_TEST(
      refused(tlm::TLM_READ_COMMAND, hbm_address(0, 0), 8, [](tlm::tlm_generic_payload& payload) {
        payload.set_data_length((64 << 20) + 1);  // max_length_bytes is 64 MiB
        payload.set_streaming_width((64 << 20) + 1);
      }) == tlm::TLM_BURST_ERROR_RESPONSE);
}

KERNBENCH_SYSTEMC_TEST(a_refused_begin_req_is_completed_at_once) {
  AtMachine m;
  const auto& requests = m.play({read_request(~std::uint64_t{0}, 4, 5 * ns, 2 * ns),
                                 read_request(hbm_address(0, 0), 512, 5 * ns)});
  BOOST_TEST(requests[0].status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  BOOST_TEST(requests[0].begin_resp.value() == 7 * ns);
  BOOST_TEST(requests[1].begin_resp.value() == 5 * ns + read_end);
  BOOST_TEST(m.script.payloads_left == 0U);
}

KERNBENCH_SYSTEMC_TEST(a_value_that_only_phase_2_knows_is_a_generic_error) {
  BoundaryMachine m;
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  m.play([&](LtInitiator& i) {
    m.data().memory().write_value(m.hbm(0, 256), {1, 0, 64});
    std::vector<unsigned char> data(16);
    status = i.transport(tlm::TLM_READ_COMMAND, m.hbm(0, 248), data).status;
  });
  BOOST_TEST(status == tlm::TLM_GENERIC_ERROR_RESPONSE);
}

KERNBENCH_SYSTEMC_TEST(dmi_is_refused) {
  BoundaryMachine m;
  m.play([&](LtInitiator& i) {
    std::vector<unsigned char> data = pattern(16);
    BOOST_TEST(!i.transport(tlm::TLM_WRITE_COMMAND, m.hbm(0), data).dmi_allowed);
    tlm::tlm_generic_payload payload;
    plain_tlm::prepare(payload, tlm::TLM_READ_COMMAND, m.hbm(0), data);
    tlm::tlm_dmi dmi;
    BOOST_TEST(!i.socket->get_direct_mem_ptr(payload, dmi));
    BOOST_TEST(dmi.get_dmi_ptr() == nullptr);
    BOOST_TEST(dmi.get_start_address() == 0U);
    BOOST_TEST(dmi.get_end_address() == ~sc_dt::uint64{0});
  });
}

// --- A module that breaks the base protocol

namespace {

class TwoAtOnce final : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  SC_HAS_PROCESS(TwoAtOnce);
  explicit TwoAtOnce(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
    socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    SC_THREAD(run);
  }
  tlm::tlm_initiator_socket<64> socket;

 private:
  void run() {
    for (int i = 0; i < 2; ++i) {
      tlm::tlm_generic_payload& payload = pool_.take();
      plain_tlm::prepare(payload, tlm::TLM_READ_COMMAND, hbm_address(0, 0), data_);
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      socket->nb_transport_fw(payload, phase, delay);
    }
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                     sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  std::vector<unsigned char> data_ = std::vector<unsigned char>(4);
  plain_tlm::PayloadPool pool_;
};

}  // namespace

// A module of another bus width, registered by its socket alone.
KERNBENCH_SYSTEMC_TEST(a_begin_req_before_the_last_end_req_ends_the_run) {
  ExternalModules modules;
  modules.add_initiator("test.two_at_once", &TwoAtOnce::socket);
  WholeMachine m("topology.tiny.yaml",
                 {{"system.tlm_initiators",
                   "[{id: x, attach: sip0.cube0.r5c5, bridge: {impl: builtin.tlm_initiator_bridge, "
                   "attrs: {module: test.two_at_once}}}]"}},
                 without_data(modules));
  const RunResult result = m.platform->run();
  BOOST_TEST(result.error ==
             "sip0.cube0.x at 0 ns: the module behind the bridge breaks the base protocol: "
             "BEGIN_REQ before the END_REQ of the previous request");
}

// Its payload is gone with its stack; transactions in flight in the fabric complete.
KERNBENCH_SYSTEMC_TEST(a_thread_may_be_killed_in_b_transport) {
  ExternalModules modules;
  sc_core::sc_process_handle* victim = nullptr;
  bool returned = false, other_returned = false;
  const std::vector<LtInitiator::Program> programs{[&](LtInitiator& i) {
                                                     sc_core::sc_process_handle me =
                                                         sc_core::sc_get_current_process_handle();
                                                     victim = &me;
                                                     i.read(hbm_address(0, 0), 512);
                                                     returned = true;
                                                   },
                                                   [&](LtInitiator& i) {
                                                     sc_core::wait(fs(3 * ns));
                                                     sc_core::sc_process_handle(*victim).kill();
                                                     i.read(hbm_address(0, 0), 512);
                                                     other_returned = true;
                                                   }};
  modules.add_initiator("test.lt", [&](const char* name, ExternalModules::TargetSocket& bridge) {
    auto made = std::make_unique<LtInitiator>(name, programs);
    made->socket.bind(bridge);
    return made;
  });
  WholeMachine m(
      "topology.tiny.yaml",
      {{"system.tlm_initiators",
        "[{id: x, attach: sip0.cube0.r0c0, bridge: {impl: builtin.tlm_initiator_bridge, attrs: "
        "{module: test.lt, max_outstanding: 1}}}]"}},
      without_data(modules));
  BOOST_TEST(m.platform->run().error == "");
  BOOST_TEST(!returned);
  BOOST_TEST(other_returned);
  BOOST_TEST(m.platform->pool().outstanding() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
