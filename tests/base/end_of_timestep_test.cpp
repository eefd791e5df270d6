// The end of an instant (spec 5: requests of one instant are granted by a written order, however
// many deltas they took).
#include "models/base/end_of_timestep.h"

#include <boost/test/unit_test.hpp>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(end_of_timestep_test)

namespace {

struct Fixture : sc_core::sc_module {
  struct Listener final : EndOfTimestep::Listener {
    std::function<void()> action;
    void end_of_timestep() override { action(); }
    void timestep_quiescent() override { resolved(); }
    std::function<void()> resolved;
  };

  SC_HAS_PROCESS(Fixture);
  Fixture() : sc_module(sc_core::sc_module_name("fixture")), end("end_of_timestep") {
    SC_THREAD(run);
    for (const char* name : {"a", "b"}) {
      listeners.emplace_back();
      listeners.back().action = [this, name] { note(name); };
    }
  }

  void run() { body(); }
  void note(const std::string& what) {
    log.push_back(what + "@" + std::to_string(sc_core::sc_time_stamp().value()));
  }
  // Goes on in the next delta of the same instant.
  void next_delta() { wait(sc_core::SC_ZERO_TIME); }

  EndOfTimestep end;
  std::deque<Listener> listeners;
  std::function<void()> body;
  std::vector<std::string> log;
};

}  // namespace

KERNBENCH_SYSTEMC_TEST(clients_are_called_when_the_last_delta_of_the_instant_is_over_and_by_rank) {
  Fixture f;
  f.body = [&] {
    sc_core::wait(sc_core::sc_time::from_value(7));
    f.end.ask(f.listeners[1], 2);
    for (int i = 0; i < 5; ++i) f.next_delta();
    f.note("deltas");
    f.end.ask(f.listeners[0], 1);
    f.end.ask(f.listeners[1], 2);  // asking twice is asking once
  };
  sc_core::sc_start();
  BOOST_TEST(f.log == (std::vector<std::string>{"deltas@7", "a@7", "b@7"}),
             boost::test_tools::per_element());
}

// Behind all ends of the instant, also those that other ends ask for.
KERNBENCH_SYSTEMC_TEST(a_timestep_is_quiescent_when_no_listener_asks_for_its_end_any_more) {
  Fixture f;
  int rounds = 3;
  f.listeners[0].action = [&] {
    f.note("end");
    if (--rounds > 0) f.end.ask(f.listeners[0], 2);
  };
  f.listeners[0].resolved = [&] { f.note("resolved"); };
  f.listeners[1].resolved = [&] { f.note("resolved first"); };
  f.body = [&] {
    f.end.ask_when_quiescent(f.listeners[0], 2);
    f.end.ask_when_quiescent(f.listeners[1], 1);
    f.next_delta();
    f.end.ask(f.listeners[0], 2);
    sc_core::wait(sc_core::sc_time::from_value(3));
    f.end.ask_when_quiescent(f.listeners[0], 2);  // no listener asks for the end
  };
  sc_core::sc_start();
  BOOST_TEST(f.log == (std::vector<std::string>{"end@0", "end@0", "end@0", "resolved first@0",
                                                "resolved@0", "resolved@3"}),
             boost::test_tools::per_element());
}

// What a callback starts belongs to the same instant, and its end is awaited again.
KERNBENCH_SYSTEMC_TEST(what_a_callback_starts_ends_in_the_same_instant) {
  Fixture f;
  sc_core::sc_event go("go");
  f.listeners[0].action = [&] {
    f.note("a");
    go.notify(sc_core::SC_ZERO_TIME);
    f.end.ask(f.listeners[1], 1);
  };
  f.body = [&] {
    f.end.ask(f.listeners[0], 1);
    sc_core::wait(go);
    f.next_delta();
    f.note("woken");
    sc_core::wait(sc_core::sc_time::from_value(3));
    f.note("later");
  };
  sc_core::sc_start();
  BOOST_TEST(f.log == (std::vector<std::string>{"a@0", "woken@0", "b@0", "later@3"}),
             boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(of_several_instances_none_keeps_the_others_awake) {
  Fixture f;
  EndOfTimestep other("other");
  Fixture::Listener quiescent, end_of_other;
  quiescent.resolved = [&] { f.note("quiescent"); };
  end_of_other.action = [&] { f.note("other"); };
  f.body = [&] {
    sc_core::wait(sc_core::sc_time::from_value(7));
    f.end.ask_when_quiescent(quiescent, 1);
    other.ask_when_quiescent(quiescent, 1);
    f.next_delta();
    other.ask(end_of_other, 1);
    f.end.ask(f.listeners[0], 1);
  };
  sc_core::sc_start();
  // The ends of all, then quiescence, with the ranks of each instance apart.
  BOOST_TEST(f.log == (std::vector<std::string>{"a@7", "other@7", "quiescent@7", "quiescent@7"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
