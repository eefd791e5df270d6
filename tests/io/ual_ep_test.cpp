// The UAL end point (spec 2.6), in femtoseconds as in pcie_ep_test: flits of 16 B, 10 fs of
// overhead, links of 4 fs per flit with 1 fs of propagation.
#include "models/io/ual_ep.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/fabric_stubs.h"
#include "tests/support/forked.h"

using namespace kernbench;
using kernbench::test::forked_value;
using kernbench::test::MiniMachine;
using kernbench::test::StubNode;

// What passes is the same at a UAL end point: stored and forwarded, or as by a router.
BOOST_AUTO_TEST_CASE(a_ual_end_point_passes_on_as_a_pcie_end_point_does) {
  for (const auto& [cut_through, first] :
       {std::pair{"false", Fs{128}}, std::pair{"true", Fs{120}}}) {
    const std::vector<Fs> times = forked_value([cut = cut_through] {
      MiniMachine machine({"a", "u", "z"}, 16);
      machine.add<UalEp>("u", {{"overhead_ns", "0.00001"}, {"cut_through", cut}});
      StubNode& a = machine.stub("a");
      StubNode& z = machine.stub("z");
      machine.connect("a", "u", {"4e6", 1});
      machine.connect("u", "z", {"4e6", 1});
      machine.elaborate();
      a.send_at(machine.write("a", "z", 0, 48), 100);
      machine.run();
      return z.times();
    });
    BOOST_TEST(times == (std::vector<Fs>{first, first + 4, first + 8}),
               boost::test_tools::per_element());
  }
}
