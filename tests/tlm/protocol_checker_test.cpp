// The checker itself: every breach of the base protocol that is planted is reported.
#include "tests/support/plain_tlm/protocol_checker.h"

#include <sysc/kernel/sc_spawn.h>

#include <boost/test/unit_test.hpp>
#include <functional>

#include "tests/support/forked.h"
#include "tests/support/plain_tlm/payload_pool.h"

using namespace kernbench::test;
using plain_tlm::ProtocolChecker;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;

BOOST_AUTO_TEST_SUITE(protocol_checker)

namespace {

// Both ends of a checker, played by the test.
struct Ends final : sc_core::sc_module,
                    private tlm::tlm_fw_transport_if<>,
                    private tlm::tlm_bw_transport_if<> {
  explicit Ends(const sc_core::sc_module_name& name)
      : sc_module(name), initiator("initiator"), target("target"), checker("checker") {
    initiator.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    target.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    initiator.bind(checker.from_initiator);
    checker.to_target.bind(target);
    sc_core::sc_spawn([this] { program(); }, "program");
  }

  // What the target answers to the forward path and the initiator to the backward one; may change
  // phase and delay.
  using Answer =
      std::function<tlm::tlm_sync_enum(tlm_generic_payload&, tlm_phase&, sc_core::sc_time&)>;
  Answer target_answers = [](tlm_generic_payload&, tlm_phase&, sc_core::sc_time&) {
    return tlm::TLM_ACCEPTED;
  };
  Answer initiator_answers = target_answers;
  std::function<void(tlm_generic_payload&, sc_core::sc_time&)> blocking =
      [](tlm_generic_payload& payload, sc_core::sc_time&) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
      };
  std::function<void()> program;

  tlm_generic_payload& payload() {
    tlm_generic_payload& taken = pool.take();
    plain_tlm::prepare(taken, tlm::TLM_WRITE_COMMAND, 0x100, data);
    return taken;
  }
  tlm::tlm_sync_enum forward(tlm_generic_payload& payload, tlm_phase phase,
                             sc_core::sc_time delay = sc_core::SC_ZERO_TIME) {
    return initiator->nb_transport_fw(payload, phase, delay);
  }
  tlm::tlm_sync_enum backward(tlm_generic_payload& payload, tlm_phase phase,
                              sc_core::sc_time delay = sc_core::SC_ZERO_TIME) {
    if (phase == tlm::BEGIN_RESP && sets_status) payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return target->nb_transport_bw(payload, phase, delay);
  }

  tlm::tlm_initiator_socket<> initiator;
  tlm::tlm_target_socket<> target;
  ProtocolChecker checker;
  plain_tlm::PayloadPool pool;
  std::vector<unsigned char> data = std::vector<unsigned char>(16, 1);
  bool sets_status = true;

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm_generic_payload& p, tlm_phase& phase,
                                     sc_core::sc_time& t) override {
    return target_answers(p, phase, t);
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm_generic_payload& p, tlm_phase& phase,
                                     sc_core::sc_time& t) override {
    return initiator_answers(p, phase, t);
  }
  void b_transport(tlm_generic_payload& p, sc_core::sc_time& t) override { blocking(p, t); }
  bool get_direct_mem_ptr(tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm_generic_payload& p) override { return p.get_data_length() + 1; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

// The text of the breach that the program causes, or "" without one.
std::string breach(const std::function<void(Ends&)>& program, bool expected = true) {
  return forked_value([&] {
    if (expected) expect_report("base_protocol");
    std::string found;
    Ends ends("ends");
    ends.program = [&] {
      try {
        program(ends);
        ends.checker.check_nothing_is_in_flight();
      } catch (const sc_core::sc_report& report) {
        const std::string text = report.get_msg();
        found = text.substr(text.find(": ") + 2);
      }
    };
    sc_core::sc_start();
    return found;
  });
}

void full_course(Ends& e, tlm_generic_payload& payload) {
  e.forward(payload, tlm::BEGIN_REQ);
  e.backward(payload, tlm::END_REQ);
  e.backward(payload, tlm::BEGIN_RESP);
  e.forward(payload, tlm::END_RESP);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_sound_course_has_no_breach) {
  BOOST_TEST(breach(
                 [](Ends& e) {
                   full_course(e, e.payload());
                   tlm_generic_payload& second = e.payload();
                   e.forward(second, tlm::BEGIN_REQ);
                   e.backward(second, tlm::BEGIN_RESP);  // implies END_REQ
                   e.forward(second, tlm::END_RESP);
                   tlm_generic_payload third;
                   plain_tlm::prepare(third, tlm::TLM_READ_COMMAND, 0, e.data);
                   sc_core::sc_time delay;
                   e.initiator->b_transport(third, delay);
                   BOOST_TEST(e.checker.ended() == 3U);
                 },
                 false) == "");
}

BOOST_AUTO_TEST_CASE(order_of_phases) {
  BOOST_TEST(breach([](Ends& e) { e.forward(e.payload(), tlm::END_RESP); }) ==
             "END_RESP of a transaction that is not outstanding");
  BOOST_TEST(breach([](Ends& e) { e.forward(e.payload(), tlm::END_REQ); }) ==
             "END_REQ on the forward path");
  BOOST_TEST(breach([](Ends& e) {
               tlm_generic_payload& payload = e.payload();
               e.forward(payload, tlm::BEGIN_REQ);
               e.forward(payload, tlm::END_RESP);
             }) == "END_RESP after BEGIN_REQ");
  BOOST_TEST(breach([](Ends& e) {
               tlm_generic_payload& payload = e.payload();
               e.forward(payload, tlm::BEGIN_REQ);
               e.backward(payload, tlm::END_REQ);
               e.backward(payload, tlm::END_REQ);
             }) == "END_REQ after END_REQ");
  BOOST_TEST(breach([](Ends& e) {
               tlm_generic_payload& payload = e.payload();
               full_course(e, payload);
               e.backward(payload, tlm::BEGIN_RESP);
             }) == "BEGIN_RESP of a transaction that is not outstanding");
}

BOOST_AUTO_TEST_CASE(one_request_at_a_time) {
  BOOST_TEST(breach([](Ends& e) {
               e.forward(e.payload(), tlm::BEGIN_REQ);
               e.forward(e.payload(), tlm::BEGIN_REQ);
             }) == "BEGIN_REQ before the END_REQ of the previous request");
}

BOOST_AUTO_TEST_CASE(one_response_at_a_time) {
  BOOST_TEST(breach([](Ends& e) {
               std::vector<tlm_generic_payload*> payloads{&e.payload(), &e.payload()};
               for (tlm_generic_payload* payload : payloads) {
                 e.forward(*payload, tlm::BEGIN_REQ);
                 e.backward(*payload, tlm::END_REQ);
               }
               for (tlm_generic_payload* payload : payloads) e.backward(*payload, tlm::BEGIN_RESP);
             }) == "BEGIN_RESP before the END_RESP of the response before");
}

BOOST_AUTO_TEST_CASE(attributes_stay_as_the_initiator_set_them) {
  const auto changed = [](const std::function<void(Ends&, tlm_generic_payload&)>& change) {
    return breach([&](Ends& e) {
      tlm_generic_payload& payload = e.payload();
      e.forward(payload, tlm::BEGIN_REQ);
      change(e, payload);
      e.backward(payload, tlm::END_REQ);
    });
  };
  BOOST_TEST(changed([](Ends&, tlm_generic_payload& p) { p.set_address(0x200); }) ==
             "the address changed in flight");
  BOOST_TEST(changed([](Ends&, tlm_generic_payload& p) { p.set_data_length(4); }) ==
             "the data length changed in flight");
  BOOST_TEST(changed([](Ends&, tlm_generic_payload& p) { p.set_streaming_width(4); }) ==
             "the streaming width changed in flight");
  BOOST_TEST(changed([](Ends& e, tlm_generic_payload&) { e.data[3] = 99; }) ==
             "the bytes of a write changed in flight");
  BOOST_TEST(changed([](Ends&, tlm_generic_payload& p) { p.set_command(tlm::TLM_READ_COMMAND); }) ==
             "the command changed in flight");
}

BOOST_AUTO_TEST_CASE(response_status) {
  BOOST_TEST(breach([](Ends& e) {
               tlm_generic_payload& payload = e.payload();
               payload.set_response_status(tlm::TLM_OK_RESPONSE);
               e.forward(payload, tlm::BEGIN_REQ);
             }) == "the response status is set before the request");
  BOOST_TEST(breach([](Ends& e) {
               e.sets_status = false;
               tlm_generic_payload& payload = e.payload();
               e.forward(payload, tlm::BEGIN_REQ);
               e.backward(payload, tlm::BEGIN_RESP);
             }) == "BEGIN_RESP without a response status");
  BOOST_TEST(breach([](Ends& e) {
               e.target_answers = [](tlm_generic_payload&, tlm_phase&, sc_core::sc_time&) {
                 return tlm::TLM_COMPLETED;
               };
               e.forward(e.payload(), tlm::BEGIN_REQ);
             }) == "TLM_COMPLETED without a response status");
  BOOST_TEST(breach([](Ends& e) {
               e.blocking = [](tlm_generic_payload&, sc_core::sc_time&) {};
               tlm_generic_payload payload;
               plain_tlm::prepare(payload, tlm::TLM_READ_COMMAND, 0, e.data);
               sc_core::sc_time delay;
               e.initiator->b_transport(payload, delay);
             }) == "b_transport returned without a response status");
}

BOOST_AUTO_TEST_CASE(payloads) {
  BOOST_TEST(breach([](Ends& e) {
               tlm_generic_payload payload;
               plain_tlm::prepare(payload, tlm::TLM_READ_COMMAND, 0, e.data);
               e.forward(payload, tlm::BEGIN_REQ);
             }) == "BEGIN_REQ with a payload that has no memory manager");
  BOOST_TEST(breach([](Ends& e) {
               tlm_generic_payload& payload = e.payload();
               e.forward(payload, tlm::BEGIN_REQ);
               e.backward(payload, tlm::END_REQ);
               e.forward(payload, tlm::BEGIN_REQ);
             }) == "a payload is taken again before its transaction has ended");
  BOOST_TEST(breach([](Ends& e) {
               tlm_generic_payload& payload = e.payload();
               e.forward(payload, tlm::BEGIN_REQ);
               payload.release();
               e.backward(payload, tlm::END_REQ);
             }) == "a payload without a reference");
  BOOST_TEST(breach([](Ends& e) { e.forward(e.payload(), tlm::BEGIN_REQ); }) ==
             "1 transactions have not ended");
}

BOOST_AUTO_TEST_CASE(annotated_times) {
  const sc_core::sc_time early = sc_core::SC_ZERO_TIME;
  BOOST_TEST(breach([early](Ends& e) {
               tlm_generic_payload& payload = e.payload();
               e.forward(payload, tlm::BEGIN_REQ, sc_core::sc_time(5, sc_core::SC_NS));
               e.backward(payload, tlm::END_REQ, early);
             }) == "END_REQ is earlier than BEGIN_REQ");
  BOOST_TEST(breach([early](Ends& e) {
               e.target_answers = [early](tlm_generic_payload&, tlm_phase& phase,
                                          sc_core::sc_time& delay) {
                 phase = tlm::END_REQ;
                 delay = early;
                 return tlm::TLM_UPDATED;
               };
               e.forward(e.payload(), tlm::BEGIN_REQ, sc_core::sc_time(5, sc_core::SC_NS));
             }) == "the annotated time shrank in a call");
}

BOOST_AUTO_TEST_CASE(what_the_answers_permit) {
  BOOST_TEST(breach([](Ends& e) {
               e.target_answers = [](tlm_generic_payload&, tlm_phase& phase, sc_core::sc_time&) {
                 phase = tlm::END_REQ;
                 return tlm::TLM_ACCEPTED;
               };
               e.forward(e.payload(), tlm::BEGIN_REQ);
             }) == "TLM_ACCEPTED with another phase: END_REQ");
  BOOST_TEST(breach([](Ends& e) {
               e.target_answers = [](tlm_generic_payload&, tlm_phase& phase, sc_core::sc_time&) {
                 phase = tlm::END_RESP;
                 return tlm::TLM_UPDATED;
               };
               e.forward(e.payload(), tlm::BEGIN_REQ);
             }) == "TLM_UPDATED to END_RESP by a target");
  BOOST_TEST(breach([](Ends& e) {
               tlm_generic_payload& payload = e.payload();
               e.forward(payload, tlm::BEGIN_REQ);
               e.initiator_answers = [](tlm_generic_payload&, tlm_phase&, sc_core::sc_time&) {
                 return tlm::TLM_COMPLETED;
               };
               e.backward(payload, tlm::END_REQ);
             }) == "TLM_COMPLETED to an END_REQ");
}

BOOST_AUTO_TEST_CASE(debug_transport_returns_no_more_than_asked_for) {
  BOOST_TEST(breach([](Ends& e) {
               tlm_generic_payload payload;
               plain_tlm::prepare(payload, tlm::TLM_READ_COMMAND, 0, e.data);
               e.initiator->transport_dbg(payload);
             }) == "transport_dbg returned more bytes than were asked for");
}

BOOST_AUTO_TEST_SUITE_END()
