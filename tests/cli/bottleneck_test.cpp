// The times with twice as much of a resource that `run` tells (spec 11.3), against runs of machines
// that have it.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/cli/doubled_machine.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(bottleneck_test)

// Where the dependences of the operations alone make up the time, the gain is that of the
// simulation, to 5 %: a product with one read at a time, a walk along a list, a narrow TCM, a short
// array.
BOOST_AUTO_TEST_CASE(twice_as_much_gains_what_the_table_says) {
  struct Case {
    Run run;
    std::vector<std::string> resources;
  };
  Run narrow = gemm("128");
  narrow.settings = {{pe + "pe_tcm.attrs.read_bw_gbs", 64}};
  Run slow = gemm("128");
  slow.settings = {{pe + "pe_gemm.attrs.macs_per_cycle", 512}};
  const std::vector<Case> cases{
      {gemm("128"), {"pe_dma read_channel", "HBM", "PE links", "router", "pe_gemm gemm"}},
      {narrow, {"pe_tcm read", "pe_dma read_channel"}},
      {slow, {"pe_gemm gemm", "HBM"}},
      {{"walk", {"run", "--bench", "gather-walk", "--param", "steps=8"}}, {"router", "HBM"}}};
  for (const Case& each : cases) {
    const Json told = bottleneck_of(each.run, each.run.settings);
    const double window = told.at("window_ns").get<double>();
    for (const std::string& resource : each.resources) {
      const auto lever = std::find_if(levers().begin(), levers().end(), [&](const Lever& lever) {
        return lever.resource == resource;
      });
      const double simulated = simulated_gain(each.run, *lever, window),
                   said = told_gain(told, resource);
      BOOST_TEST(std::abs(said / simulated - 1) < 0.05, each.run.name
                                                            << ", " << resource << ": said " << said
                                                            << ", simulated " << simulated);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
