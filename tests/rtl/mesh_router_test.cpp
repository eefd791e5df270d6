// Routers in RTL in the mesh of a whole machine under all-to-all traffic.
#include <boost/test/unit_test.hpp>

#include "tests/traffic/all_to_all.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(mesh_router)

namespace {

const std::vector<Override> one_router{{"sip0.cube0.r1c2.impl", "rtl.router"}};
const std::vector<Override> adjacent_routers{{"sip0.cube0.r0c[1-4].impl", "rtl.router"},
                                             {"sip0.cube0.r1c[1-4].impl", "rtl.router"}};

}  // namespace

// A closed loop draws by completion, so that all machines carry the same requests.
BOOST_AUTO_TEST_CASE(links_carry_the_bytes_of_the_machine_without_rtl) {
  const Played plain = all_to_all({});
  BOOST_TEST(plain.stalls == 0U);
  for (const auto& overrides : {one_router, adjacent_routers}) {
    const Played rtl = all_to_all(overrides);
    BOOST_TEST(rtl.ended.size() == plain.ended.size());
    BOOST_TEST(rtl.bytes == plain.bytes, boost::test_tools::per_element());
    BOOST_TEST(rtl.stalls > 0U);
    BOOST_TEST((rtl.ended != plain.ended));
    const Played again = all_to_all(overrides);
    BOOST_TEST(again.ended == rtl.ended, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_SUITE_END()
