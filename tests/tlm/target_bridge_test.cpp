// TlmTargetBridge (spec 2.1, "the external TLM boundary"): a plain memory that replaces the SRAM
// at r3c0, a plain initiator on that router.
//
// Links of 256 GB/s (initiator) and 128 GB/s (memory), 1 fs of propagation each; the router takes 2
// ns. For 256 B, one flit:
//   Write: at the router at 1 ns + 1 (fs), through at 3 ns + 1, at the bridge at 5 ns + 2:
//       BEGIN_REQ. After BEGIN_RESP the acknowledgement
//   is at the router 1 fs later, through after 2 ns, back after 1 fs.
//   Read: the command at the router at 1, through at 2 ns + 1, at the bridge at 2 ns + 2:
//       BEGIN_REQ. After BEGIN_RESP the flit is at the
//   router 2 ns and 1 fs later, through after 2 ns, back after 1 ns and 1 fs.
#include <boost/test/unit_test.hpp>

#include "tests/support/forked.h"
#include "tests/tlm/boundary_machine.h"

using namespace kernbench;
using namespace kernbench::test;
using plain_tlm::AtAnswer;
using plain_tlm::AtRequest;
using plain_tlm::AtScript;
using plain_tlm::LtInitiator;

BOOST_AUTO_TEST_SUITE(target_bridge)

namespace {

constexpr Fs write_begin_req = 5 * ns + 2;
constexpr Fs read_begin_req = 2 * ns + 2;
constexpr Fs message_back = 2 * ns + 2;
constexpr Fs flit_back = 5 * ns + 2;
constexpr const char* bridge = "sip0.cube0.sram";

BoundaryMachine::Setting next_to_sram(const std::string& target_attrs = "overhead_ns: 0") {
  BoundaryMachine::Setting setting;
  setting.attach = "sip0.cube0.r3c0";
  setting.target_attrs = target_attrs;
  return setting;
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(a_write_begins_after_its_last_flit_and_a_read_after_its_command) {
  BoundaryMachine m;
  Fs written = 0, read = 0;
  std::vector<unsigned char> got;
  m.add_lt_memory();  // 30 ns
  m.play(next_to_sram(), [&](LtInitiator& i) {
    BOOST_TEST(i.write(m.sram(0x100), pattern(256)).status == tlm::TLM_OK_RESPONSE);
    written = sc_core::sc_time_stamp().value();
    sc_core::wait(fs(1000 * ns - written));
    got = i.read(m.sram(0x100), 256);
    read = sc_core::sc_time_stamp().value() - 1000 * ns;
  });
  BOOST_REQUIRE(m.lt_memory->requests.size() == 2U);
  BOOST_TEST(m.lt_memory->requests[0].begin_req.value() == write_begin_req);
  BOOST_TEST(written == write_begin_req + 30 * ns + message_back);
  BOOST_TEST(m.lt_memory->requests[1].begin_req.value() == 1000 * ns + read_begin_req);
  BOOST_TEST(read == read_begin_req + 30 * ns + flit_back);
  BOOST_TEST(got == pattern(256), boost::test_tools::per_element());
}

// 1024 B are 4 flits: the last is at the router at 4 ns + 1, behind the first, which is through at
// 3 ns + 1. On the 128 GB/s link from 3 ns + 1: 8 ns for all. The whole answer is queued at the
// link at once: 8 ns on it, then the router's 2 ns for the first flit have long passed.
KERNBENCH_SYSTEMC_TEST(the_response_goes_as_an_srams_does_the_whole_of_it_at_once) {
  BoundaryMachine m;
  Fs written = 0, read = 0;
  m.add_lt_memory();
  m.play(next_to_sram(), [&](LtInitiator& i) {
    i.write(m.sram(), pattern(1024));
    written = sc_core::sc_time_stamp().value();
    sc_core::wait(fs(1000 * ns - written));
    i.read(m.sram(), 1024);
    read = sc_core::sc_time_stamp().value() - 1000 * ns;
  });
  BOOST_TEST(m.lt_memory->requests[0].begin_req.value() == 11 * ns + 2);
  BOOST_TEST(written == 11 * ns + 2 + 30 * ns + message_back);
  // Last flit: 8 ns + 1 fs to the router, no wait there (the first left at 4 ns + 1 fs), 1 ns + 1
  // fs.
  BOOST_TEST(read == read_begin_req + 30 * ns + 9 * ns + 2);
}

KERNBENCH_SYSTEMC_TEST(the_memory_sees_the_local_offset_and_the_bytes) {
  BoundaryMachine m;
  m.add_lt_memory();
  m.play(next_to_sram(), [&](LtInitiator& i) { i.write(m.sram(0x1234), pattern(100)); });
  BOOST_TEST(m.lt_memory->requests.at(0).address == 0x1234U);
  BOOST_TEST(m.lt_memory->requests.at(0).length == 100U);
  BOOST_TEST(part(m.lt_memory->contents.bytes(), 0x1234, 100) == pattern(100),
             boost::test_tools::per_element());
  BOOST_TEST(m.stored(m.sram(0x1234), 100) == pattern(100), boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(overhead_is_paid_before_begin_req) {
  BoundaryMachine m;
  m.add_lt_memory();
  m.play(next_to_sram("overhead_ns: 4"), [&](LtInitiator& i) { i.write(m.sram(), pattern(256)); });
  BOOST_TEST(m.lt_memory->requests.at(0).begin_req.value() == write_begin_req + 4 * ns);
}

// The second flit is a first one too: the router holds it from 3 ns + 1 to 5 ns + 1; at the bridge
// at 7 ns + 2.
KERNBENCH_SYSTEMC_TEST(requests_go_to_the_memory_one_at_a_time) {
  BoundaryMachine m;
  AtScript script;
  m.add_at_initiator(script);
  m.add_at_memory(AtAnswer::four_phases, 3 * ns, 20 * ns);
  m.build(next_to_sram());
  for (unsigned i = 0; i < 2; ++i)
    script.requests.push_back(
        {tlm::TLM_WRITE_COMMAND, sram_address(256 * i), pattern(256), fs(0), fs(0)});
  m.run();
  const Fs answered = write_begin_req + 23 * ns;
  BOOST_TEST(m.at_memory->most_at_once == 1U);
  BOOST_TEST(m.at_memory->end_resps.at(0).value() ==
             answered);  // END_RESP at the instant of BEGIN_RESP
  BOOST_TEST(m.at_memory->requests.at(1).begin_req.value() == answered);
  BOOST_TEST(script.requests[0].begin_resp.value() == answered + message_back);
  BOOST_TEST(script.requests[1].begin_resp.value() == answered + 23 * ns + message_back);
}

BOOST_AUTO_TEST_CASE(early_answers_of_the_memory_take_the_same_time) {
  for (const AtAnswer answer :
       {AtAnswer::four_phases, AtAnswer::three_phases, AtAnswer::updated_to_end_req,
        AtAnswer::updated_to_response, AtAnswer::completed}) {
    forked([answer] {
      BoundaryMachine m;
      AtScript script;
      m.add_at_initiator(script);
      m.add_at_memory(answer, 3 * ns, 20 * ns);
      m.build(next_to_sram());
      script.requests = {{tlm::TLM_WRITE_COMMAND, sram_address(0), pattern(256), fs(0), fs(0)},
                         {tlm::TLM_READ_COMMAND, sram_address(0), std::vector<unsigned char>(256),
                          fs(1000 * ns), fs(0)}};
      m.run();
      BOOST_TEST(script.requests[0].begin_resp.value() == write_begin_req + 23 * ns + message_back);
      BOOST_TEST(script.requests[1].begin_resp.value() ==
                 1000 * ns + read_begin_req + 23 * ns + flit_back);
      BOOST_TEST(script.requests[1].data == pattern(256), boost::test_tools::per_element());
      BOOST_TEST(m.at_memory->end_resps.size() == (answer == AtAnswer::completed ? 0U : 2U));
    });
  }
}

// --- Errors

KERNBENCH_SYSTEMC_TEST(the_memorys_error_status_comes_back_without_data) {
  BoundaryMachine m;
  tlm::tlm_response_status write_status{}, read_status{};
  Fs written = 0, read = 0;
  m.add_lt_memory(1024);
  m.play(next_to_sram(), [&](LtInitiator& i) {
    std::vector<unsigned char> data = pattern(256);
    write_status = i.transport(tlm::TLM_WRITE_COMMAND, m.sram(1024), data).status;
    written = sc_core::sc_time_stamp().value();
    sc_core::wait(fs(1000 * ns - written));
    read_status = i.transport(tlm::TLM_READ_COMMAND, m.sram(1024), data).status;
    read = sc_core::sc_time_stamp().value() - 1000 * ns;
  });
  BOOST_TEST(write_status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  BOOST_TEST(written == write_begin_req + 30 * ns + message_back);
  BOOST_TEST(read_status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  BOOST_TEST(read == read_begin_req + 30 * ns + message_back);
  BOOST_TEST(m.stored(m.sram(1024), 256) == std::vector<unsigned char>(256, 0),
             boost::test_tools::per_element());
  BOOST_TEST(m.statistic(bridge, "errors") == 2U);
}

KERNBENCH_SYSTEMC_TEST(an_error_fails_the_hosts_request) {
  BoundaryMachine m;
  m.add_lt_memory(1024);
  m.build();
  Completion write, read;
  const RunResult result = m.run_program([&](HostPort& port) {
    const auto first = port.submit(memory_write({0, 0, 0}, m.sram(2048), pattern(256)));
    port.wait(*first);
    write = first->response().completion;
    const auto second = port.submit(memory_read({0, 0, 0}, m.sram(2048), 256));
    port.wait(*second);
    read = second->response().completion;
  });
  BOOST_TEST(result.error == "");
  BOOST_TEST(!write.ok);
  BOOST_TEST(write.error_code == "TLM_ADDRESS_ERROR_RESPONSE");
  BOOST_TEST(!read.ok);
  BOOST_TEST(m.stored(m.sram(2048), 256) == std::vector<unsigned char>(256, 0),
             boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(a_transaction_that_failed_is_clean_when_it_is_used_again) {
  BoundaryMachine m;
  m.add_lt_memory(1024);
  m.build();
  bool failed = false, sound = false;
  m.run_program([&](HostPort& port) {
    const auto first = port.submit(memory_write({0, 0, 0}, m.sram(2048), pattern(256)));
    port.wait(*first);
    failed = !first->response().completion.ok;
    const auto second = port.submit(memory_write({0, 0, 0}, m.hbm(0), pattern(256)));
    port.wait(*second);
    sound = second->response().completion.ok;
  });
  BOOST_TEST(failed);
  BOOST_TEST(sound);
  BOOST_TEST(m.platform().pool().allocated() == 2U);  // inside and outside the bridge
}

KERNBENCH_SYSTEMC_TEST(an_error_fails_the_pe_dmas_request) {
  BoundaryMachine m;
  m.add_lt_memory(1024);
  m.build();
  const Completion completion = m.dma({false, m.sram(2048), 256});
  BOOST_TEST(!completion.ok);
  BOOST_TEST(completion.error_message.find("sip0.cube0.sram answered TLM_ADDRESS_ERROR_RESPONSE") !=
                 std::string::npos,
             completion.error_message);
}

// --- Values

KERNBENCH_SYSTEMC_TEST(the_hosts_writes_reach_the_memory_and_the_store) {
  BoundaryMachine m;
  m.add_lt_memory();
  m.build();
  const RunResult result = m.run_program([&](HostPort& port) {
    const auto bytes = port.submit(memory_write({0, 0, 0}, m.sram(0x40), pattern(300)));
    auto fill = host_message<MemoryWrite>();
    fill->dst = {0, 0, 0};
    fill->pa = m.sram(0x1000);
    fill->nbytes = 6;
    fill->source = FillPattern{FillPattern::Kind::u16, 0xbeef};
    const auto filled = port.submit(std::shared_ptr<const MemoryWrite>(fill));
    port.wait(*bytes);
    port.wait(*filled);
  });
  BOOST_TEST(result.error == "");
  const std::vector<unsigned char> beef{0xef, 0xbe, 0xef, 0xbe, 0xef, 0xbe};
  BOOST_TEST(part(m.lt_memory->contents.bytes(), 0x40, 300) == pattern(300),
             boost::test_tools::per_element());
  BOOST_TEST(m.stored(m.sram(0x40), 300) == pattern(300), boost::test_tools::per_element());
  BOOST_TEST(part(m.lt_memory->contents.bytes(), 0x1000, 6) == beef,
             boost::test_tools::per_element());
  BOOST_TEST(m.stored(m.sram(0x1000), 6) == beef, boost::test_tools::per_element());
}

// A kernel's store is in the memory store when its DMA is in flight (spec 9).
KERNBENCH_SYSTEMC_TEST(a_pe_dmas_write_brings_what_the_store_holds) {
  BoundaryMachine m;
  m.add_lt_memory();
  m.build();
  const std::vector<unsigned char> stored = pattern(256);
  m.data().memory().write_bytes(m.sram(), stored.data(), stored.size());
  BOOST_TEST(m.dma({true, m.sram(), 256}).ok);
  BOOST_TEST(part(m.lt_memory->contents.bytes(), 0, 256) == stored,
             boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(values_that_only_phase_2_knows_reach_the_memory_as_zeros) {
  BoundaryMachine m;
  m.add_lt_memory();
  m.build();
  m.data().memory().write_value(m.sram(), {1, 0, 256});
  BOOST_TEST(m.dma({true, m.sram(), 256}).ok);
  BOOST_TEST(m.lt_memory->requests.size() == 1U);
  BOOST_TEST(part(m.lt_memory->contents.bytes(), 0, 256) == std::vector<unsigned char>(256, 0),
             boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(a_plain_initiator_reads_the_memorys_own_bytes_with_data_off_too) {
  BoundaryMachine m;
  std::vector<unsigned char> got, other;
  m.add_lt_memory();
  m.add_lt_initiator({[&](LtInitiator& i) {
    other = i.read(m.sram(0x200), 3);
    i.write(m.sram(), pattern(256));
    got = i.read(m.sram(), 256);
  }});
  BoundaryMachine::Setting setting = next_to_sram();
  setting.data = false;
  m.build(setting);
  m.lt_memory->contents.bytes().at(0x201) = 7;
  m.run();
  BOOST_TEST(other == (std::vector<unsigned char>{0, 7, 0}), boost::test_tools::per_element());
  BOOST_TEST(got == pattern(256), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
