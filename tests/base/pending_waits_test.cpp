// Who waits for what, and configuration errors reported together.
#include "models/base/pending_waits.h"

#include <boost/test/unit_test.hpp>
#include <string>

#include "models/base/errors.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(pending_waits_test)

BOOST_AUTO_TEST_CASE(waiters_are_listed_by_name_and_then_by_age) {
  PendingWaits pending_waits;
  pending_waits.open("sip0.cube1.pe0.pe_dma", "read", 30);
  pending_waits.open("sip0.cube0.pe0.pe_cpu", "second", 20);
  pending_waits.open("sip0.cube0.pe0.pe_cpu", "first", 10);
  const auto waiters = pending_waits.waiters();
  BOOST_REQUIRE(waiters.size() == 3u);
  BOOST_TEST(waiters[0].what == "first");
  BOOST_TEST(waiters[1].what == "second");
  BOOST_TEST(waiters[2].who == "sip0.cube1.pe0.pe_dma");
}

BOOST_AUTO_TEST_CASE(a_closed_obligation_is_no_longer_listed) {
  PendingWaits pending_waits;
  BOOST_TEST(!pending_waits.any());
  const auto first = pending_waits.open("a", "x", 0);
  const auto second = pending_waits.open("b", "y", 0);
  pending_waits.close(first);
  BOOST_TEST(pending_waits.any());
  BOOST_REQUIRE(pending_waits.waiters().size() == 1u);
  BOOST_TEST(pending_waits.waiters()[0].who == "b");
  pending_waits.close(second);
  BOOST_TEST(!pending_waits.any());
}

// A ticket goes from a wait with a made text to one with a given one, and back.
BOOST_AUTO_TEST_CASE(a_text_is_made_when_it_is_asked_for) {
  PendingWaits pending_waits;
  int command = 7;
  const auto text = [&command] { return "command " + std::to_string(command); };
  const auto ticket = pending_waits.open("a", text, 5);
  command = 8;
  BOOST_TEST(pending_waits.waiters().at(0).what == "command 8");
  BOOST_TEST(pending_waits.waiters().at(0).since == 5U);
  pending_waits.close(ticket);
  pending_waits.close(pending_waits.open("a", "x", 6, [] { return "full"; }));
  pending_waits.open("a", text, 9);
  BOOST_TEST(pending_waits.waiters().at(0).what == "command 8");
  BOOST_TEST(!pending_waits.waiters().at(0).state);
}

BOOST_AUTO_TEST_CASE(tickets_are_reused) {
  PendingWaits pending_waits;
  const auto first = pending_waits.open("a", "x", 0);
  pending_waits.close(first);
  BOOST_TEST(pending_waits.open("b", "y", 0) == first);
}

BOOST_AUTO_TEST_CASE(a_configuration_error_lists_every_fault_with_its_place) {
  const ConfigError error({{"topology.yaml", 12, 5, "cube.ucie.n_connections",
                            "found 0, allowed is an integer, at least 1"},
                           {"--set", 0, 0, "sip.cube_mesh.w", "found 'x'"},
                           {"ccl.yaml", 0, 0, "", "cannot be read"}});
  BOOST_TEST(error.what() == std::string("topology.yaml:12:5: cube.ucie.n_connections: found 0, "
                                         "allowed is an integer, at least 1\n"
                                         "--set: sip.cube_mesh.w: found 'x'\n"
                                         "ccl.yaml: cannot be read"));
  BOOST_TEST(error.issues().size() == 3u);
}

BOOST_AUTO_TEST_SUITE_END()
