// Timed events of the SystemC kernel: the latest one, and those whose time has wrapped round.
#include "models/base/pending_events.h"

#include <sysc/kernel/sc_spawn.h>

#include <boost/test/unit_test.hpp>
#include <systemc>

#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(pending_events)

KERNBENCH_SYSTEMC_TEST(the_latest_event_is_that_of_all_that_are_pending) {
  sc_core::sc_event near{"near"}, far{"far"}, cancelled{"cancelled"};
  near.notify(5, sc_core::SC_NS);
  far.notify(7, sc_core::SC_NS);
  cancelled.notify(9, sc_core::SC_NS);
  cancelled.cancel();
  BOOST_TEST(latest_pending_event() == sc_core::sc_time(7, sc_core::SC_NS).value());
  BOOST_TEST(!any_event_in_the_past());
}

// In the delta cycle behind the wait, before SystemC ends it.
KERNBENCH_SYSTEMC_TEST(waits_and_events_beyond_the_end_of_time_are_due_in_the_past) {
  sc_core::sc_event event{"event"};
  std::vector<std::string> names;
  sc_core::sc_spawn([] { sc_core::wait(5, sc_core::SC_NS), sc_core::wait(sc_core::sc_max_time()); },
                    "waits_for_ever");
  sc_core::sc_spawn(
      [&] {
        sc_core::wait(5, sc_core::SC_NS);
        event.notify(sc_core::sc_max_time());
        sc_core::wait(sc_core::SC_ZERO_TIME);
        if (any_event_in_the_past()) names = events_in_the_past();
      },
      "looks");
  sc_core::sc_start(10, sc_core::SC_NS);
  BOOST_TEST(names == (std::vector<std::string>{"event", "waits_for_ever"}),
             boost::test_tools::per_element());
  BOOST_TEST(!any_event_in_the_past());
}

BOOST_AUTO_TEST_SUITE_END()
