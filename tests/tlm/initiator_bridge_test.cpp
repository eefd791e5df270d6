// TlmInitiatorBridge (spec 2.1, "the external TLM boundary"): a plain initiator on router r0c0 of
// the tiny machine, where PE 0's HBM partition is attached too.
//
// 512 B from the HBM's offset 0 are two flits. Links of 256 GB/s: 1 ns a flit, 1 fs of propagation;
// the router 2 ns; a burst 8 ns.
//   Write: flits at the router at 1 ns + 1 and 2 ns + 1 (fs); the first holds it until 3 ns + 1,
//       then both go on; at the HBM at 4 ns + 2 and
//   5 ns + 2; bursts on two channels finish at 12 ns + 2 and 13 ns + 2: commit. Acknowledgement:
//       router at 13 ns + 3, 2 ns, back at 15 ns + 4.
//   Read: command at the router at 1, through at 2 ns + 1, at the HBM at 2 ns + 2; both bursts out
//       at 10 ns + 2; flits at the router at
//   11 ns + 3 and 12 ns + 3; the first is through at 13 ns + 3, the second with it; back at 14 ns +
//       4 and 15 ns + 4.
#include <boost/test/unit_test.hpp>

#include "tests/support/forked.h"
#include "tests/tlm/boundary_machine.h"

using namespace kernbench;
using namespace kernbench::test;
using plain_tlm::AtRequest;
using plain_tlm::EndResp;
using plain_tlm::LtInitiator;

BOOST_AUTO_TEST_SUITE(initiator_bridge)

namespace {

constexpr Fs commit = 13 * ns + 2;
constexpr Fs write_end = 15 * ns + 4;
constexpr Fs read_end = 15 * ns + 4;

BoundaryMachine::Setting with(const std::string& bridge_attrs) {
  BoundaryMachine::Setting setting;
  setting.bridge_attrs = bridge_attrs;
  return setting;
}

}  // namespace

// --- b_transport

KERNBENCH_SYSTEMC_TEST(b_transport_writes_and_reads_memory_and_takes_the_fabrics_time) {
  BoundaryMachine m;
  Fs written = 0, read = 0;
  std::vector<unsigned char> got;
  m.play([&](LtInitiator& i) {
    BOOST_TEST(i.write(m.hbm(0), pattern(512)).status == tlm::TLM_OK_RESPONSE);
    written = sc_core::sc_time_stamp().value();
    got = i.read(m.hbm(0), 512);
    read = sc_core::sc_time_stamp().value();
  });
  BOOST_TEST(written == write_end);
  BOOST_TEST(read == write_end + read_end);
  BOOST_TEST(got == pattern(512), boost::test_tools::per_element());
  BOOST_TEST(m.stored(m.hbm(0), 512) == pattern(512), boost::test_tools::per_element());
  BOOST_TEST(m.statistic("sip0.cube0.ext0", "bytes_written") == 512U);
  BOOST_TEST(m.statistic("sip0.cube0.ext0", "bytes_read") == 512U);
}

KERNBENCH_SYSTEMC_TEST(b_transport_enters_after_the_annotated_delay_and_returns_none) {
  BoundaryMachine m;
  Fs written = 0;
  LtInitiator::Result result;
  m.play([&](LtInitiator& i) {
    std::vector<unsigned char> data = pattern(512);
    result = i.transport(tlm::TLM_WRITE_COMMAND, m.hbm(0), data, fs(7 * ns));
    written = sc_core::sc_time_stamp().value();
  });
  BOOST_TEST(written == 7 * ns + write_end);
  BOOST_TEST(result.delay == sc_core::SC_ZERO_TIME);
}

KERNBENCH_SYSTEMC_TEST(several_threads_may_be_in_b_transport) {
  BoundaryMachine m;
  std::vector<Fs> ends(2);
  // 256 B each, at disjoint channels: one flit of the second is one flit behind the first on the
  // link, as those of one write of 512 B; but it is a first flit, so the router holds it 2 ns more:
  // HBM at 6 ns + 2, commit at 14 ns + 2, answered at 16 ns + 4.
  m.add_lt_initiator({[&](LtInitiator& i) {
                        i.write(m.hbm(0), pattern(256));
                        ends[0] = sc_core::sc_time_stamp().value();
                      },
                      [&](LtInitiator& i) {
                        i.write(m.hbm(0, 256), pattern(256));
                        ends[1] = sc_core::sc_time_stamp().value();
                      }});
  m.build();
  m.run();
  BOOST_TEST(ends[0] == 14 * ns + 4);
  BOOST_TEST(ends[1] == 16 * ns + 4);
}

// --- nb_transport

KERNBENCH_SYSTEMC_TEST(end_req_comes_at_the_grant_and_begin_resp_at_completion) {
  AtMachine m;
  const auto& requests = m.play({write_request(hbm_address(0, 0), pattern(512)),
                                 read_request(hbm_address(0, 0), 512, 100 * ns)});
  BOOST_TEST(requests[0].end_req.value() == 0U);
  BOOST_TEST(requests[0].begin_resp.value() == write_end);
  BOOST_TEST(requests[1].end_req.value() == 100 * ns);
  BOOST_TEST(requests[1].begin_resp.value() == 100 * ns + read_end);
  BOOST_TEST(requests[1].data == pattern(512), boost::test_tools::per_element());
  BOOST_TEST(requests[1].status == tlm::TLM_OK_RESPONSE);
  BOOST_TEST(m.script.payloads_left == 0U);
}

KERNBENCH_SYSTEMC_TEST(begin_req_enters_after_its_annotated_delay) {
  AtMachine m;
  const auto& requests = m.play({write_request(hbm_address(0, 0), pattern(512), 3 * ns, 7 * ns)});
  BOOST_TEST(requests[0].called.value() == 3 * ns);
  BOOST_TEST(requests[0].end_req.value() == 10 * ns);
  BOOST_TEST(requests[0].begin_resp.value() == 10 * ns + write_end);
}

KERNBENCH_SYSTEMC_TEST(overhead_is_paid_between_grant_and_link) {
  AtMachine m(with("overhead_ns: 2.5"));
  const auto& requests = m.play({write_request(hbm_address(0, 0), pattern(512))});
  BOOST_TEST(requests[0].end_req.value() == 0U);
  BOOST_TEST(requests[0].begin_resp.value() == 2 * ns + ns / 2 + write_end);
}

KERNBENCH_SYSTEMC_TEST(several_requests_are_outstanding_up_to_max_outstanding) {
  AtMachine m(with("max_outstanding: 2"));
  for (unsigned i = 0; i < 3; ++i)
    m.script.requests.push_back(read_request(hbm_address(0, 256 * i), 256));
  m.run();
  const auto& requests = m.script.requests;
  // Commands of 0 and 1 leave at once. The flit of 0 is back at 10 ns + 2 at the HBM's link, 11 ns
  // + 3 at the router, 13 ns + 3, 14 ns + 4; that of 1 is queued at the link at the same time: 12
  // ns + 3 at the router, which it holds from 13 ns + 3 to 15 ns + 3; 16 ns + 4.
  BOOST_TEST(requests[0].begin_resp.value() == 14 * ns + 4);
  BOOST_TEST(requests[1].begin_resp.value() == 16 * ns + 4);
  BOOST_TEST(requests[1].end_req.value() == 0U);
  // The place that 0 leaves goes to 2 at that instant.
  BOOST_TEST(requests[2].end_req.value() == 14 * ns + 4);
  BOOST_TEST(requests[2].begin_resp.value() == 14 * ns + 4 + 14 * ns + 4);
}

KERNBENCH_SYSTEMC_TEST(with_max_outstanding_1_the_next_is_granted_when_the_last_has_ended) {
  AtMachine m(with("max_outstanding: 1"));
  m.script.end_resp_delay = fs(5 * ns);
  const auto& requests =
      m.play({read_request(hbm_address(0, 0), 512), read_request(hbm_address(0, 512), 512)});
  BOOST_TEST(requests[1].end_req.value() == read_end + 5 * ns);
}

BOOST_AUTO_TEST_CASE(a_begin_resp_waits_for_the_end_resp_of_the_response_before) {
  for (const EndResp end_resp :
       {EndResp::sent, EndResp::returned_updated, EndResp::returned_completed}) {
    forked([end_resp] {
      AtMachine m;
      m.script.end_resp = end_resp;
      m.script.end_resp_delay = fs(10 * ns);
      const auto& requests =
          m.play({read_request(hbm_address(0, 0), 256), read_request(hbm_address(0, 256), 256)});
      BOOST_TEST(requests[0].begin_resp.value() == 14 * ns + 4);
      BOOST_TEST(requests[1].begin_resp.value() == 24 * ns + 4);  // complete at 16 ns + 4
      BOOST_TEST(m.script.payloads_left == 0U);
    });
  }
}

// --- Commit

KERNBENCH_SYSTEMC_TEST(a_posted_write_ends_at_its_commit) {
  AtMachine m(with("posted: true"));
  const auto& requests = m.play({write_request(hbm_address(0, 0), pattern(512))});
  BOOST_TEST(requests[0].begin_resp.value() == commit);
  BOOST_TEST(m.stored(m.hbm(0), 512) == pattern(512), boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(a_write_takes_effect_at_its_commit) {
  BoundaryMachine m;
  bool before = true, after = false;
  m.add_lt_initiator({[&](LtInitiator& i) { i.write(m.hbm(0), pattern(512)); },
                      [&](LtInitiator&) {
                        sc_core::wait(fs(commit - 1));
                        before = m.stored(m.hbm(0), 512) == pattern(512);
                        sc_core::wait(fs(2));
                        after = m.stored(m.hbm(0), 512) == pattern(512);
                      }});
  m.build();
  m.run();
  BOOST_TEST(!before);
  BOOST_TEST(after);
}

KERNBENCH_SYSTEMC_TEST(a_read_is_sampled_at_its_completion) {
  BoundaryMachine m;
  std::vector<unsigned char> got;
  m.add_lt_initiator({[&](LtInitiator& i) { got = i.read(m.hbm(0), 512); },
                      [&](LtInitiator&) {
                        const std::vector<unsigned char> late = pattern(512, 99),
                                                         later = pattern(512, 3);
                        sc_core::wait(fs(read_end - 1));
                        m.data().memory().write_bytes(m.hbm(0), late.data(), 512);
                        sc_core::wait(fs(2));
                        m.data().memory().write_bytes(m.hbm(0), later.data(), 512);
                      }});
  m.build();
  m.run();
  BOOST_TEST(got == pattern(512, 99), boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(with_data_off_writes_are_ignored_and_reads_give_zeros) {
  BoundaryMachine m;
  std::vector<unsigned char> got;
  m.add_lt_initiator({[&](LtInitiator& i) {
    BOOST_TEST(i.write(m.hbm(0), pattern(512)).status == tlm::TLM_OK_RESPONSE);
    got = i.read(m.hbm(0), 512);
  }});
  BoundaryMachine::Setting setting;
  setting.data = false;
  m.build(setting);
  m.run();
  BOOST_TEST(got == std::vector<unsigned char>(512, 0), boost::test_tools::per_element());
}

// --- Several memories

KERNBENCH_SYSTEMC_TEST(an_access_that_lies_in_two_partitions_becomes_two_transactions) {
  BoundaryMachine m;
  std::vector<unsigned char> got;
  const std::uint64_t slice = std::uint64_t{6} << 30;
  m.play([&](LtInitiator& i) {
    BOOST_TEST(i.write(m.hbm(0, slice - 100), pattern(300)).status == tlm::TLM_OK_RESPONSE);
    got = i.read(m.hbm(0, slice - 100), 300);
  });
  BOOST_TEST(got == pattern(300), boost::test_tools::per_element());
  for (const char* hbm : {"sip0.cube0.hbm_ctrl.pe0", "sip0.cube0.hbm_ctrl.pe1"}) {
    BOOST_TEST(m.statistic(hbm, "writes") == 1U);
    BOOST_TEST(m.statistic(hbm, "reads") == 1U);
  }
  BOOST_TEST(m.statistic("sip0.cube0.hbm_ctrl.pe0", "bytes_written") == 100U);
  BOOST_TEST(m.statistic("sip0.cube0.hbm_ctrl.pe1", "bytes_written") == 200U);
}

KERNBENCH_SYSTEMC_TEST(every_memory_can_be_written_and_read) {
  BoundaryMachine m;
  std::size_t sound = 0;
  m.play([&](LtInitiator& i) {
    unsigned char first = 1;
    for (const MemoryArea area : {MemoryArea::hbm, MemoryArea::pe_tcm, MemoryArea::cube_sram,
                                  MemoryArea::mcpu_sram, MemoryArea::io_sram}) {
      const std::uint64_t address =
          m.address(area, area == MemoryArea::hbm || area == MemoryArea::pe_tcm ? 5 : 0, 0x140);
      BOOST_TEST(i.write(address, pattern(600, first)).status == tlm::TLM_OK_RESPONSE);
      if (i.read(address, 600) == pattern(600, first)) ++sound;
      ++first;
    }
  });
  BOOST_TEST(sound == 5U);
}

KERNBENCH_SYSTEMC_TEST(an_initiator_may_be_attached_to_the_io_chiplet) {
  BoundaryMachine m;
  std::vector<unsigned char> got;
  m.add_lt_initiator({[&](LtInitiator& i) {
    i.write(m.hbm(3), pattern(512));
    got = i.read(m.hbm(3), 512);
  }});
  BoundaryMachine::Setting setting;
  setting.attach = "sip0.io0.io_noc";
  m.build(setting);
  m.run();
  BOOST_TEST(got == pattern(512), boost::test_tools::per_element());
}

// --- Determinism

BOOST_AUTO_TEST_CASE(the_same_run_takes_the_same_times) {
  const auto times = [] {
    AtMachine m(with("max_outstanding: 5"));
    std::vector<AtRequest> requests;
    for (unsigned i = 0; i < 20; ++i) {
      requests.push_back(
          i % 3 == 0 ? write_request(hbm_address(i % 8, 700 * i), pattern(100 + 90 * i), i * ns)
                     : read_request(hbm_address(i % 5, 300 * i), 50 + 100 * i, i * ns, i % 4));
    }
    std::vector<Fs> all;
    for (const AtRequest& request : m.play(requests)) {
      BOOST_TEST(request.ended);
      all.push_back(request.end_req.value());
      all.push_back(request.begin_resp.value());
    }
    return all;
  };
  const std::vector<Fs> first = forked_value(times);
  BOOST_TEST(first == forked_value(times), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
