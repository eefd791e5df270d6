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
  void responded(Payload&, const tlm::tlm_phase& phase) override { phases.push_back(phase); }
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
  std::string broken(const std::string& what) const {
    const std::string service = ServiceOf<Payload>::name;
    return fmt::format("user.to_{}_{}: the protocol with provider.from_user_{} is broken: {}",
                       name_of(ServiceOf<Payload>::provider), service, service, what);
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(protocol_monitor)

KERNBENCH_SYSTEMC_TEST(what_conforms_passes_unchanged) {
  Connection<SlotRequest> slot;
  SlotRequest request;
  BOOST_TEST(slot.user.to_provider.begin(request) == tlm::TLM_ACCEPTED);
  request.respond(tlm::BEGIN_RESP);
  BOOST_TEST(slot.monitors.unfinished() != "");
  slot.user.to_provider.end(request);
  BOOST_TEST(slot.provider.calls == 2);
  BOOST_TEST(slot.user.phases.size() == 1U);
  BOOST_TEST(slot.violations.empty());
  BOOST_TEST(slot.monitors.unfinished() == "");
}

KERNBENCH_SYSTEMC_TEST(a_request_that_is_refused_by_an_exception_has_not_begun) {
  Connection<SlotRequest> slot;
  slot.provider.refuses = true;
  SlotRequest request;
  BOOST_CHECK_THROW(slot.user.to_provider.begin(request), UsageError);
  slot.provider.refuses = false;
  slot.user.to_provider.begin(request);
  BOOST_TEST(slot.violations.empty());
}

KERNBENCH_SYSTEMC_TEST(an_initiator_that_begins_again_or_ends_what_it_does_not_hold_is_reported) {
  Connection<SlotRequest> slot;
  SlotRequest request, other;
  slot.user.to_provider.begin(request);
  slot.user.to_provider.begin(request);
  BOOST_TEST(slot.violations.back() == slot.broken("BEGIN_REQ for a payload that is under way"));
  slot.user.to_provider.end(other);
  BOOST_TEST(slot.violations.back() == slot.broken("END_RESP for a payload that holds nothing"));
  BOOST_TEST(slot.violations.size() == 2U);
}

KERNBENCH_SYSTEMC_TEST(a_provider_that_responds_out_of_order_is_reported) {
  Connection<TcmRequest> tcm;
  TcmRequest request;
  tcm.user.to_provider.begin(request);
  request.respond(tlm::BEGIN_RESP);  // without END_REQ
  BOOST_TEST(tcm.violations.back() ==
             tcm.broken("BEGIN_RESP for a payload that has not been taken, or twice"));
  request.respond(tlm::END_REQ);  // it has ended
  BOOST_TEST(tcm.violations.back() == tcm.broken("a response to a payload that is not under way"));
  tcm.user.to_provider.begin(request);
  request.respond(tlm::END_REQ);
  request.respond(tlm::END_REQ);
  BOOST_TEST(tcm.violations.back() == tcm.broken("END_REQ for a payload that has been taken"));
  request.respond(tlm::END_RESP);
  BOOST_TEST(tcm.violations.back() == tcm.broken("a phase that is not the provider's"));
  BOOST_TEST(tcm.violations.size() == 4U);
}

KERNBENCH_SYSTEMC_TEST(a_provider_that_keeps_what_the_call_completes_is_reported) {
  Connection<RegisterRequest> registers;
  RegisterRequest request;
  registers.user.to_provider.begin(request);
  BOOST_TEST(registers.violations.back() ==
             registers.broken("TLM_ACCEPTED, but the service is completed by the call"));
}

KERNBENCH_SYSTEMC_TEST(a_b_transport_that_waits_is_reported) {
  Connection<TranslationRequest> mmu;
  sc_core::sc_spawn([&mmu] {
    TranslationRequest request;
    mmu.user.to_provider.ask(request);
  });
  sc_core::sc_start(10, sc_core::SC_NS);
  BOOST_TEST(mmu.violations.back() == mmu.broken("a b_transport that waits"));
}

// --- Fabric

namespace {

std::string fault_of(MiniMachine& machine) {
  try {
    machine.run();
  } catch (const ModelError& error) {
    return error.what();
  }
  return "none";
}

// a -> b, flits of 16 B; the node a hands over as the test tells it.
struct Edge {
  Edge() {
    machine.connect("a", "b");
    machine.elaborate();
  }
  void at(Fs time, const std::function<void()>& action) {
    sc_core::sc_spawn([time, action] {
      sc_core::wait(Component::fs(time));
      action();
    });
  }
  MiniMachine machine{{"a", "b"}, 16};
  StubNode& a{machine.stub("a")};
  StubNode& b{machine.stub("b")};
};

}  // namespace

KERNBENCH_SYSTEMC_TEST(flits_that_are_left_out_are_reported) {
  Edge edge;
  Transaction& write = edge.machine.write("a", "b", 0, 48);
  edge.at(10, [&] {
    edge.a.send(write, 0, 1, 0, 10);
    edge.a.send(write, 2, 1, 0, 10);
  });
  BOOST_TEST(fault_of(edge.machine) ==
             "a.to_b: the protocol with a__to__b is broken: flit 2 where flit 1 is next");
}

KERNBENCH_SYSTEMC_TEST(a_message_of_another_edge_is_reported) {
  Edge edge;
  Transaction& write = edge.machine.write("a", "b", 0, 16);
  edge.at(10, [&] { edge.b.send(write, 0, 1, 0, 10); });
  BOOST_TEST(fault_of(edge.machine) ==
             "b.to_a: the protocol with b__to__a is broken: position 1 of the path is another "
             "edge");
}

KERNBENCH_SYSTEMC_TEST(an_instant_in_the_past_is_reported) {
  Edge edge;
  Transaction& write = edge.machine.write("a", "b", 0, 16);
  edge.at(10, [&] { edge.a.send(write, 0, 1, 0, 5); });
  BOOST_TEST(fault_of(edge.machine) ==
             "a.to_b: the protocol with a__to__b is broken: an arrival in the past");
}

KERNBENCH_SYSTEMC_TEST(flits_of_a_control_message_are_reported) {
  Edge edge;
  Transaction& read = edge.machine.read("a", "b", 0, 16);
  edge.at(10, [&] { edge.a.send(read, 0, 1, 0, 10); });
  BOOST_TEST(fault_of(edge.machine) ==
             "a.to_b: the protocol with a__to__b is broken: 1 flits handed over of a leg of 0");
}

BOOST_AUTO_TEST_SUITE_END()
