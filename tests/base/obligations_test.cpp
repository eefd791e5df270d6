// Who waits for what, and configuration errors reported together.
#include "models/base/obligations.h"

#include <boost/test/unit_test.hpp>
#include <string>

#include "models/base/errors.h"

using namespace kernbench;

BOOST_AUTO_TEST_CASE(waiters_are_listed_by_name_and_then_by_age) {
  Obligations obligations;
  obligations.open("sip0.cube1.pe0.pe_dma", "read", 30);
  obligations.open("sip0.cube0.pe0.pe_cpu", "second", 20);
  obligations.open("sip0.cube0.pe0.pe_cpu", "first", 10);
  const auto waiters = obligations.waiters();
  BOOST_REQUIRE(waiters.size() == 3u);
  BOOST_TEST(waiters[0].what == "first");
  BOOST_TEST(waiters[1].what == "second");
  BOOST_TEST(waiters[2].who == "sip0.cube1.pe0.pe_dma");
}

BOOST_AUTO_TEST_CASE(a_closed_obligation_is_no_longer_listed) {
  Obligations obligations;
  BOOST_TEST(!obligations.any());
  const auto first = obligations.open("a", "x", 0);
  const auto second = obligations.open("b", "y", 0);
  obligations.close(first);
  BOOST_TEST(obligations.any());
  BOOST_REQUIRE(obligations.waiters().size() == 1u);
  BOOST_TEST(obligations.waiters()[0].who == "b");
  obligations.close(second);
  BOOST_TEST(!obligations.any());
}

BOOST_AUTO_TEST_CASE(tickets_are_reused) {
  Obligations obligations;
  const auto first = obligations.open("a", "x", 0);
  obligations.close(first);
  BOOST_TEST(obligations.open("b", "y", 0) == first);
}

BOOST_AUTO_TEST_CASE(a_configuration_error_lists_every_fault_with_its_place) {
  const ConfigError error({{"topology.yaml", 12, 5, "cube.ucie.n_connections", "found 0, allowed is an integer, at least 1"},
                           {"--set", 0, 0, "sip.cube_mesh.w", "found 'x'"},
                           {"ccl.yaml", 0, 0, "", "cannot be read"}});
  BOOST_TEST(error.what() == std::string("topology.yaml:12:5: cube.ucie.n_connections: found 0, allowed is an integer, at least 1\n"
                                         "--set: sip.cube_mesh.w: found 'x'\n"
                                         "ccl.yaml: cannot be read"));
  BOOST_TEST(error.issues().size() == 3u);
}
