// Regions of interest: what was counted between two marks, and nothing else (spec 11.3).
#include "platform/observe/statistics_regions.h"

#include "tests/support/forked.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(statistics_regions_test)

// Three host writes of 256 bytes to the HBM of PE 0; marks before the second and the third.
KERNBENCH_SYSTEMC_TEST(a_region_counts_what_happens_between_its_reset_and_its_dump) {
  WholeMachine m("topology.tiny.yaml", {}, WholeMachine::Engines::builtin);
  StatisticsRegions regions(*m.platform);
  Fs second = 0, third = 0, end = 0;
  const RunResult result = m.run([&](HostPort& port) {
    const auto write = [&] {
      port.wait(
          *port.submit(memory_write({0, 0, 0}, m.hbm({0, 0, 0}), std::vector<std::uint8_t>(256))));
    };
    write();
    regions.dump("first", second = port.now());
    regions.reset(second);
    write();
    regions.dump("second", third = port.now());
    write();
    regions.dump("both", end = port.now());
    regions.reset(end);
    regions.dump("none", end);
  });
  BOOST_TEST(result.error == "");
  const auto& json = regions.json();
  BOOST_TEST(json.size() == 4U);
  const auto written = [&](std::size_t region) {
    return json[region]["totals"]["hbm_ctrl"]["bytes_written"].get<int>();
  };
  BOOST_TEST(json[0]["label"] == "first");
  BOOST_TEST(json[0]["from_ns"] == 0.0);
  BOOST_TEST(written(0) == 256);
  BOOST_TEST(written(1) == 256);
  BOOST_TEST(written(2) == 512);
  BOOST_TEST(json[2]["from_ns"].get<double>() == static_cast<double>(second) / 1e6);
  BOOST_TEST(json[2]["to_ns"].get<double>() == static_cast<double>(end) / 1e6);
  BOOST_TEST(json[1]["links"]["router_to_hbm"]["bytes"] == 256);
  BOOST_TEST(json[1]["links"]["router_to_hbm"]["flits"] == 1);
  BOOST_TEST(json[3]["totals"].empty());
  BOOST_TEST(json[3]["links"].empty());
  BOOST_TEST(!json[1]["totals"].contains("pe_gemm"));  // which did nothing
}

BOOST_AUTO_TEST_SUITE_END()
