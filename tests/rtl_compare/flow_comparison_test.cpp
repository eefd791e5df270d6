// Messages and accesses with an implementation and with the machine's own one.
#include "platform/rtl_compare/flow_comparison.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "platform/assembly/builtin_components.h"
#include "tests/rtl_compare/setting_overrides.h"
#include "tests/support/shipped_graph.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(flow_comparison)

namespace {

TimeComparison compare(const std::string& name, const std::vector<std::string>& attributes,
                       const std::vector<std::uint64_t>& sizes) {
  ComponentRegistry registry;
  register_builtin_components(registry);
  const ComparedDevice device(registry, name, attributes);
  FlowOptions options;
  options.sizes = sizes;
  const MachineSpec with = shipped_spec("topology.tiny.yaml", overrides_of(flow_settings(device)),
                                        registry),
                    without = shipped_spec("topology.tiny.yaml", {}, registry);
  return compare_flows(with, without, registry, device, options);
}

const ComparedWork& find(const TimeComparison& comparison, const std::string& name) {
  for (const ComparedWork& work : comparison.works) {
    if (work.name == name) return work;
  }
  throw std::logic_error("no work " + name);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_router_compared_with_itself_takes_the_same_times) {
  const TimeComparison found = compare("builtin.forwarding", {"overhead_ns=2"}, {256, 1024});
  BOOST_TEST(found.kind == "message");
  BOOST_TEST(found.models.at(0) == "builtin.forwarding");
  BOOST_TEST(found.works.size() == 2U * (2 * 8 + 2 * 64));
  for (const ComparedWork& work : found.works) {
    BOOST_TEST(work.time > 0U, work.name);
    BOOST_TEST(work.ratio(0) == 1, work.name);
  }
}

// Whole nanoseconds more for each message alone: so many for each router on its way.
BOOST_AUTO_TEST_CASE(a_slower_router_shows_in_every_message) {
  const TimeComparison found = compare("builtin.forwarding", {"overhead_ns=3"}, {256});
  std::size_t alone = 0;
  for (const ComparedWork& work : found.works) {
    if (work.group != "alone") continue;
    ++alone;
    BOOST_TEST(work.time > work.models[0], work.name);
    BOOST_TEST((work.time - work.models[0]) % fs_per_ns == 0U, work.name);
  }
  BOOST_TEST(alone == 16U);
  BOOST_TEST(found.ratios(0).max < 1.5);
}

// 1 ns more for each access of the SRAM; that of the machine takes 2.
BOOST_AUTO_TEST_CASE(a_slower_sram_shows_in_every_access) {
  const TimeComparison found = compare("builtin.sram", {"overhead_ns=3", "size_mb=32"}, {64, 4096});
  BOOST_TEST(found.kind == "access");
  BOOST_TEST(found.works.size() == 2U * (2 + 2 * 8));
  for (const char* name : {"read 64 B, pe0 > sram, alone", "write 4096 B, pe0 > sram, alone"}) {
    const ComparedWork& work = find(found, name);
    BOOST_TEST(work.time == work.models[0] + fs_per_ns, name);
  }
}

// Eight writes and eight reads of 1 MiB at once keep a port of some 128 GB/s busy for over 100 us:
// what comes behind them does not meet them.
BOOST_AUTO_TEST_CASE(requests_at_once_do_not_meet_those_before_them) {
  constexpr std::uint64_t mib = 1 << 20;
  const TimeComparison both = compare("builtin.sram", {}, {mib, 4 * mib}),
                       larger = compare("builtin.sram", {}, {4 * mib});
  Fs longest = 0;
  for (const ComparedWork& work : both.works) {
    if (work.sizes.front().second == mib) longest = std::max(longest, work.time);
  }
  BOOST_TEST(longest > 100'000 * fs_per_ns);
  for (const ComparedWork& work : larger.works)
    BOOST_TEST(find(both, work.name).time == work.time, work.name);
}

BOOST_AUTO_TEST_CASE(sizes_that_a_memory_does_not_hold_for_each_pe_are_refused) {
  ComponentRegistry registry;
  register_builtin_components(registry);
  const MachineSpec machine = shipped_spec("topology.tiny.yaml", {}, registry);
  const auto error = [&](const char* implementation, std::uint64_t bytes) -> std::string {
    try {
      check_flow_sizes(machine, ComparedDevice(registry, implementation, {}), {64, bytes});
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  BOOST_TEST(error("builtin.sram", 4194304) == "");
  BOOST_TEST(error("builtin.sram", 4194305) ==
             "--sizes: found 4194305, allowed is 1 to 4194304: 8 PEs share the 33554432 bytes of "
             "sip0.cube0.sram");
  BOOST_TEST(error("builtin.forwarding", 4194305) == "");  // partitions of HBM have GiB
}

BOOST_AUTO_TEST_SUITE_END()
