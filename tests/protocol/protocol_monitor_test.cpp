// The monitors of the protocol (docs/contracts): what conforms passes unchanged, each kind of
// violation is reported with both ends.
#include <sysc/kernel/sc_spawn.h>

#include <boost/test/unit_test.hpp>
#include <memory>

#include "models/base/errors.h"
#include "models/protocol/pe_services.h"
#include "tests/support/fake_services.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(protocol_monitor)

namespace {

// A provider that answers as the test tells it.
template <class Payload>
class Provider final : public Component, private ServiceProvider<Payload> {
 public:
  explicit Provider(const ComponentInit& init) : Component(init) {}
  tlm::tlm_sync_enum answer = tlm::TLM_ACCEPTED;
  tlm::tlm_phase phase_of_answer = tlm::BEGIN_REQ;
  bool refuses = false;
  int calls = 0;

 private:
  tlm::tlm_sync_enum nb_transport_fw(Payload&, tlm::tlm_phase& phase) override {
    ++calls;
    if (refuses) throw UsageError("not this one");
    if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
    phase = phase_of_answer;
    return answer;
  }
  void b_transport(Payload&, sc_core::sc_time&) override { sc_core::wait(1, sc_core::SC_NS); }
  ServiceTarget<Payload> target_{*this, *this};
};

template <class Payload>
class User final : public Component, private ServiceListener<Payload> {
 public:
  explicit User(const ComponentInit& init) : Component(init) {}
  ServiceInitiator<Payload> to_provider{this};
  std::vector<tlm::tlm_phase> phases;

 private:
  void nb_transport_bw(Payload&, const tlm::tlm_phase& phase) override { phases.push_back(phase); }
};

template <class Payload>
struct Connection {
  Connection() {
    user.to_provider.bind_to(provider, ServiceOf<Payload>::provider, "user", &monitors);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  const Attributes none;
  FakeServices services;
  std::vector<std::string> violations;
  ProtocolMonitors monitors{[this](const sc_core::sc_object& where, const std::string& what) {
    violations.push_back(std::string(where.name()) + ": " + what);
  }};
  std::unique_ptr<Provider<Payload>> made_provider =
      make_component<Provider<Payload>>({"provider", 1, none, services});
  std::unique_ptr<User<Payload>> made_user =
      make_component<User<Payload>>({"user", 0, none, services});
  Provider<Payload>& provider = *made_provider;
  User<Payload>& user = *made_user;
  std::string held() const {
    std::string text;
    for (const std::string& line : monitors.held()) text += line + "\n";
    return text;
  }
  std::string broken(const std::string& what) const {
    const std::string service = ServiceOf<Payload>::name;
    return fmt::format("user.to_{}_{}: protocol violation towards provider.from_user_{}: {}",
                       name_of(ServiceOf<Payload>::provider), service, service, what);
  }
};

}  // namespace

KERNBENCH_SYSTEMC_TEST(what_conforms_passes_unchanged) {
  Connection<SlotRequest> slot;
  SlotRequest request;
  BOOST_TEST(slot.user.to_provider.nb_transport_fw(request) == tlm::TLM_ACCEPTED);
  request.respond(tlm::BEGIN_RESP);
  BOOST_TEST(slot.monitors.unfinished() != "");
  slot.user.to_provider.nb_transport_fw(request, tlm::END_RESP);
  BOOST_TEST(slot.provider.calls == 2);
  BOOST_TEST(slot.user.phases.size() == 1U);
  BOOST_TEST(slot.violations.empty());
  BOOST_TEST(slot.monitors.unfinished() == "");
}

KERNBENCH_SYSTEMC_TEST(a_request_that_is_refused_by_an_exception_has_not_begun) {
  Connection<SlotRequest> slot;
  slot.provider.refuses = true;
  SlotRequest request;
  BOOST_CHECK_THROW(slot.user.to_provider.nb_transport_fw(request), UsageError);
  slot.provider.refuses = false;
  slot.user.to_provider.nb_transport_fw(request);
  BOOST_TEST(slot.violations.empty());
}

KERNBENCH_SYSTEMC_TEST(an_initiator_that_begins_again_or_ends_what_it_does_not_hold_is_reported) {
  Connection<SlotRequest> slot;
  SlotRequest request, other;
  slot.user.to_provider.nb_transport_fw(request);
  slot.user.to_provider.nb_transport_fw(request);
  BOOST_TEST(slot.violations.back() == slot.broken("BEGIN_REQ for a payload that is in flight"));
  slot.user.to_provider.nb_transport_fw(other, tlm::END_RESP);
  BOOST_TEST(slot.violations.back() == slot.broken("END_RESP for a payload that holds nothing"));
  BOOST_TEST(slot.violations.size() == 2U);
}

KERNBENCH_SYSTEMC_TEST(a_provider_that_responds_out_of_order_is_reported) {
  Connection<TcmRequest> tcm;
  TcmRequest request;
  tcm.user.to_provider.nb_transport_fw(request);
  request.respond(tlm::BEGIN_RESP);  // without END_REQ
  BOOST_TEST(tcm.violations.back() ==
             tcm.broken("BEGIN_RESP for a payload that has not been accepted, or twice"));
  request.respond(tlm::END_REQ);  // it has ended
  BOOST_TEST(tcm.violations.back() == tcm.broken("a response to a payload that is not in flight"));
  tcm.user.to_provider.nb_transport_fw(request);
  request.respond(tlm::END_REQ);
  request.respond(tlm::END_REQ);
  BOOST_TEST(tcm.violations.back() == tcm.broken("END_REQ for a payload that has been accepted"));
  request.respond(tlm::END_RESP);
  BOOST_TEST(tcm.violations.back() == tcm.broken("a phase that is not the provider's"));
  BOOST_TEST(tcm.violations.size() == 4U);
}

KERNBENCH_SYSTEMC_TEST(a_provider_that_keeps_what_the_call_completes_is_reported) {
  Connection<RegisterRequest> registers;
  RegisterRequest request;
  registers.user.to_provider.nb_transport_fw(request);
  BOOST_TEST(registers.violations.back() ==
             registers.broken("TLM_ACCEPTED, but the service is completed by the call"));
}

KERNBENCH_SYSTEMC_TEST(a_provider_that_completes_a_request_before_its_phases_is_reported) {
  Connection<TcmRequest> tcm;
  tcm.provider.answer = tlm::TLM_COMPLETED;
  TcmRequest request;
  tcm.user.to_provider.nb_transport_fw(request);
  BOOST_TEST(tcm.violations.back() ==
             tcm.broken("TLM_COMPLETED to BEGIN_REQ, but END_REQ is pending"));
}

KERNBENCH_SYSTEMC_TEST(a_service_that_allows_it_is_completed_by_the_call) {
  Connection<BufferRequest> buffers;
  buffers.provider.answer = tlm::TLM_COMPLETED;
  BufferRequest request;
  BOOST_TEST(buffers.user.to_provider.nb_transport_fw(request) == tlm::TLM_COMPLETED);
  BOOST_TEST(buffers.violations.empty());
  BOOST_TEST(buffers.monitors.unfinished() == "");
}

KERNBENCH_SYSTEMC_TEST(requests_in_flight_are_listed_with_who_holds_them_and_what_is_missing) {
  Connection<TcmRequest> tcm;
  TcmRequest request;
  BOOST_TEST(tcm.held() == "");
  tcm.user.to_provider.nb_transport_fw(request);
  BOOST_TEST(tcm.held() ==
             "provider holds the request 'access' of user since 0 ns: END_REQ is missing\n");
  request.respond(tlm::END_REQ);
  BOOST_TEST(tcm.held() ==
             "provider holds the request 'access' of user since 0 ns: BEGIN_RESP is missing\n");
  request.respond(tlm::BEGIN_RESP);
  BOOST_TEST(tcm.held() == "");
}

KERNBENCH_SYSTEMC_TEST(what_an_initiator_holds_is_listed_as_its_own) {
  Connection<SlotRequest> slot;
  SlotRequest request;
  slot.user.to_provider.nb_transport_fw(request);
  request.respond(tlm::BEGIN_RESP);
  BOOST_TEST(slot.held() ==
             "user holds the grant of 'accel_slot' of provider since 0 ns: END_RESP is "
             "missing\n");
}

KERNBENCH_SYSTEMC_TEST(a_b_transport_that_waits_is_reported) {
  Connection<TranslationRequest> mmu;
  sc_core::sc_spawn([&mmu] {
    TranslationRequest request;
    mmu.user.to_provider.b_transport(request);
  });
  sc_core::sc_start(1, sc_core::SC_PS);
  BOOST_TEST(mmu.held() ==
             "provider holds the request 'translation' of user since 0 ns: the return from "
             "b_transport is missing\n");
  sc_core::sc_start(10, sc_core::SC_NS);
  BOOST_TEST(mmu.violations.back() == mmu.broken("a b_transport that calls wait()"));
}

// --- Fabric

namespace {

using Action = std::function<void(StubNode& node, Transaction& transaction)>;

// a -> b, flits of 16 B. How the run ends in which `node` does this at 10 fs with a write of so
// many bytes, or a read (0), without the ends of the edge where it has broken its protocol.
std::string fault_of(unsigned written, const Action& action, const std::string& node = "a") {
  MiniMachine machine{{"a", "b"}, 16};
  StubNode& a = machine.stub("a");
  StubNode& b = machine.stub("b");
  machine.connect("a", "b");
  machine.elaborate();
  Transaction& transaction =
      written > 0 ? machine.write("a", "b", 0, written) : machine.read("a", "b", 0, 16);
  sc_core::sc_spawn([&] {
    sc_core::wait(Component::fs(10));
    action(node == "a" ? a : b, transaction);
  });
  const std::string other = node == "a" ? "b" : "a";
  const std::string broken =
      fmt::format("{}.to_{}: protocol violation towards {}__to__{}: ", node, other, node, other);
  try {
    machine.run();
  } catch (const ModelError& error) {
    const std::string text = error.what();
    return text.rfind(broken, 0) == 0 ? text.substr(broken.size()) : text;
  }
  return "none";
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(flits_that_are_left_out_are_reported) {
  BOOST_TEST(fault_of(48, [](StubNode& a, Transaction& write) {
               a.send(write, 0, 1, 0, 10);
               a.send(write, 2, 1, 0, 10);
             }) == "flit 2 where flit 1 is next");
}

KERNBENCH_SYSTEMC_TEST(a_message_of_another_edge_is_reported) {
  const Action send = [](StubNode& b, Transaction& write) { b.send(write, 0, 1, 0, 10); };
  BOOST_TEST(fault_of(16, send, "b") == "position 1 of the path is another edge");
}

KERNBENCH_SYSTEMC_TEST(an_instant_in_the_past_is_reported) {
  const Action send = [](StubNode& a, Transaction& write) { a.send(write, 0, 1, 0, 5); };
  BOOST_TEST(fault_of(16, send) == "an arrival in the past");
}

KERNBENCH_SYSTEMC_TEST(flits_of_a_control_message_are_reported) {
  const Action send = [](StubNode& a, Transaction& read) { a.send(read, 0, 1, 0, 10); };
  BOOST_TEST(fault_of(0, send) == "1 flits handed over of a leg of 0");
}

KERNBENCH_SYSTEMC_TEST(a_control_message_that_passes_twice_is_reported) {
  const Action send_twice = [](StubNode& a, Transaction& read) {
    a.send_at(read, 10);
    a.send_at(read, 10);
  };
  BOOST_TEST(fault_of(0, send_twice) == "a control message that has passed already");
}

KERNBENCH_SYSTEMC_TEST(flits_of_a_message_that_has_passed_are_reported) {
  BOOST_TEST(fault_of(32, [](StubNode& a, Transaction& write) {
               a.send_at(write, 10);
               a.send_flit_at(write, 0, 10);
             }) == "a message that has passed already");
}

BOOST_AUTO_TEST_SUITE_END()
