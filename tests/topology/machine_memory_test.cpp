// What a machine costs of the host's memory: its parts are those of the graph.
#include "platform/topology/machine_memory.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "tests/topology/machines.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(machine_memory_test)

namespace {

void check_parts(const std::vector<Override>& overrides) {
  const MachineMemory memory = machine_memory(machine(overrides));
  const Graph built = graph(overrides);
  const auto links =
      std::count_if(built.edges().begin(), built.edges().end(),
                    [](const kernbench::Edge& edge) { return edge.kind != EdgeKind::pe_internal; });
  BOOST_TEST(memory.nodes == built.nodes().size());
  BOOST_TEST(memory.links == static_cast<std::uint64_t>(links));
}

const std::vector<Override> channels_of_their_own{
    {"cube.memory_map.hbm_mapping_mode", "one_to_one"}};

}  // namespace

BOOST_AUTO_TEST_CASE(parts_are_counted_as_the_graph_has_them) {
  check_parts({});
  check_parts({{"system.sips.count", "5"}});
  check_parts({{"sip.cube_mesh.w", "4"}, {"cube.ucie.n_connections", "2"}});
  check_parts(channels_of_their_own);
  check_parts(
      {{"system.tlm_initiators",
        "[{id: dma, attach: sip0.io0.io_noc, bridge: {impl: builtin.tlm_initiator_bridge}}]"}});
  check_parts({{"system.tlm_targets",
                "[{id: dram, attach: fabric.switch0, size_bytes: 4096, bridge: {impl: "
                "builtin.tlm_target_bridge, attrs: {size_mb: 1}}}]"}});
}

BOOST_AUTO_TEST_CASE(the_largest_machine_is_reported_in_terabytes_at_once) {
  std::vector<Override> overrides = channels_of_their_own;
  const std::vector<Override> extremes{{"system.sips.count", "16"},
                                       {"cube.memory_map.hbm_channels_per_pe", "4096"},
                                       {"cube.memory_map.hbm_pseudo_channels", "32768"},
                                       {"cube.memory_map.hbm_channel_bw_gbs", "0.0625"}};
  overrides.insert(overrides.end(), extremes.begin(), extremes.end());
  const MachineMemory memory = machine_memory(machine(overrides));
  BOOST_TEST(memory.pseudo_channels == 16U * 16 * 8 * 4096);
  BOOST_TEST(memory.bytes() > std::uint64_t{200} << 30);
}

BOOST_AUTO_TEST_SUITE_END()
