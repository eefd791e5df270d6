// Freedom from routing deadlock (spec 2.10).
#include "platform/topology/channel_dependencies.h"

#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "models/base/errors.h"
#include "platform/topology/node_names.h"
#include "tests/support/error_text.h"
#include "tests/topology/machines.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(channel_dependencies)

namespace {

const std::vector<Override> by_phase{{"sip.cube_routes", "x_first"},
                                     {"system.channel_classes", "phases"}};

std::vector<Override> with(std::vector<Override> overrides, const std::vector<Override>& more) {
  overrides.insert(overrides.end(), more.begin(), more.end());
  return overrides;
}

// Virtual channels of all nodes: `channels` where the role has finite buffers.
template <class HasBuffers>
std::vector<std::uint32_t> channels_where(const Graph& graph, std::uint32_t channels,
                                          HasBuffers has_buffers) {
  std::vector<std::uint32_t> of_nodes;
  for (const Node& node : graph.nodes()) of_nodes.push_back(has_buffers(node.kind) ? channels : 0);
  return of_nodes;
}
bool forwards(Role kind) { return declared_role(kind) == Role::router || kind == Role::pcie_ep; }
bool is_mesh_router(Role kind) { return kind == Role::router; }

std::vector<std::string> cycle_of(const Graph& graph, const std::vector<std::uint32_t>& channels) {
  return dependency_cycle(graph, RouteFinder(graph), channels);
}

}  // namespace

// Cube 0 is at (0, 0), cube 5 at (1, 1) of the 4 x 4 mesh: x first leads through cube 1, and the
// reverse path, which responses take, through it along y.
BOOST_AUTO_TEST_CASE(phases_follow_the_cubes_of_a_path) {
  const Graph machine = graph(by_phase);
  const RouteFinder routes(machine);
  std::vector<NodeId> path = routes.memory_path(machine.at(node_names::engine(0, 0, 0, "pe_dma")),
                                                machine.at(node_names::hbm_ctrl(0, 5, 0)));
  const auto check = [&](ChannelPhase in_cube_1, int first_cube, int last_cube) {
    const std::vector<ChannelPhase> phases = channel_phases_of(machine, path);
    BOOST_REQUIRE(phases.size() + 1 == path.size());
    for (std::size_t hop = 0; hop < phases.size(); ++hop) {
      const int cube = machine.node(path[hop + 1]).at.cube;
      const ChannelPhase expected = cube == first_cube  ? ChannelPhase::source
                                    : cube == last_cube ? ChannelPhase::target
                                                        : in_cube_1;
      BOOST_TEST((cube == first_cube || cube == last_cube || cube == 1));
      BOOST_TEST((phases[hop] == expected));
    }
  };
  check(ChannelPhase::along_x, 0, 5);
  path = RouteFinder::reversed(path);
  check(ChannelPhase::along_y, 5, 0);
}

// A message from another SIP enters the first cube along y, and ends in it in the phase of a
// target.
BOOST_AUTO_TEST_CASE(a_message_from_an_io_chiplet_does_not_start_in_its_first_cube) {
  const Graph machine = graph(by_phase);
  const RouteFinder routes(machine);
  const auto phase_in_last_cube = [&](int cube) {
    const std::vector<NodeId> path =
        routes.memory_path(machine.at(node_names::engine(0, 0, 0, "pe_dma")),
                           machine.at(node_names::hbm_ctrl(1, cube, 0)));
    const std::vector<ChannelPhase> phases = channel_phases_of(machine, path);
    std::set<ChannelPhase> found;
    for (std::size_t hop = 0; hop < phases.size(); ++hop) {
      const Location& at = machine.node(path[hop + 1]).at;
      if (at.sip == 1 && at.cube >= 0) found.insert(phases[hop]);
    }
    return found;
  };
  BOOST_TEST((phase_in_last_cube(0) == std::set{ChannelPhase::target}));
  BOOST_TEST((phase_in_last_cube(4) == std::set{ChannelPhase::along_y, ChannelPhase::target}));
}

BOOST_AUTO_TEST_CASE(cubes_x_first_leave_the_row_of_the_source_once) {
  const Graph machine = graph(by_phase);
  const RouteFinder routes(machine);
  for (int from = 0; from < 16; ++from) {
    for (int to = 0; to < 16; ++to) {
      bool left = false;
      for (const NodeId node :
           routes.memory_path(machine.at(node_names::engine(0, from, 0, "pe_dma")),
                              machine.at(node_names::hbm_ctrl(0, to, 7)))) {
        const int cube = machine.node(node).at.cube;
        if (left) BOOST_TEST(cube % 4 == to % 4);
        left = left || cube / 4 != from / 4;
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(meshes_of_cubes_alone_have_no_cycle) {
  const Graph machine = graph();
  BOOST_TEST(cycle_of(machine, channels_where(machine, 2, is_mesh_router)).empty());
}

// One channel for both legs: row first meets column first.
BOOST_AUTO_TEST_CASE(requests_and_responses_in_one_channel_have_a_cycle) {
  const Graph machine = graph({{"system.sips.count", "1"}});
  BOOST_TEST(!cycle_of(machine, channels_where(machine, 1, is_mesh_router)).empty());
}

BOOST_AUTO_TEST_CASE(a_cycle_names_buffers_that_wait_for_one_another) {
  const Graph machine = graph({{"system.sips.count", "1"}});
  const std::vector<std::string> cycle = cycle_of(machine, channels_where(machine, 4, forwards));
  BOOST_REQUIRE(cycle.size() > 2);
  const auto source = [](const std::string& text) { return text.substr(0, text.find(" -> ")); };
  const auto target = [](const std::string& text) {
    const std::size_t start = text.find(" -> ") + 4;
    return text.substr(start, text.find(',') - start);
  };
  for (std::size_t i = 0; i < cycle.size(); ++i)
    BOOST_TEST(target(cycle[i]) == source(cycle[(i + 1) % cycle.size()]));
}

BOOST_AUTO_TEST_CASE(x_first_and_phases_both_are_needed) {
  for (const Override& one : by_phase) {
    const Graph machine = graph({{"system.sips.count", "1"}, one});
    BOOST_TEST(!cycle_of(machine, channels_where(machine, 8, forwards)).empty());
  }
}

// With all forwarding nodes of all SIPs finite, endpoints of PCIe included.
BOOST_AUTO_TEST_CASE(x_first_with_phases_has_no_cycle) {
  const Graph machine = graph(by_phase);
  BOOST_TEST(cycle_of(machine, channels_where(machine, 8, forwards)).empty());
}

RC_BOOST_PROP(x_first_with_phases_has_no_cycle_in_any_mesh, ()) {
  const int w = *rc::gen::inRange(1, 7);
  const int h = *rc::gen::inRange(1, 16 / w + 1);
  const auto number = [](int value) { return std::to_string(value); };
  const Graph machine = graph(
      with(by_phase, {{"system.sips.count", w * h > 4 ? "1" : "2"},
                      {"sip.cube_mesh.w", number(w)},
                      {"sip.cube_mesh.h", number(h)},
                      {"sip.io_chiplets.io0.cube_ports",
                       "[{cube: {xy: [0, 0]}, cube_side: N, phy: P0, distance_mm: 2.0}]"},
                      {"cube.ucie.n_connections", number(*rc::gen::inRange(1, 9))},
                      {"cube.pe_layout.pe_per_corner", "1"},
                      {"cube.memory_map.hbm_slices_per_cube", "4"},
                      {"cube.memory_map.hbm_pseudo_channels", "32"},
                      {"cube.geometry.cube_mm.w", number(*rc::gen::inRange(9, 30)) + ".0"},
                      {"cube.geometry.cube_mm.h", number(*rc::gen::inRange(12, 30)) + ".0"}}));
  RC_ASSERT(cycle_of(machine, channels_where(machine, 8, forwards)).empty());
}

namespace {

// Whether the paths of all pairs of nodes, each followed by itself, have a cycle.
bool has_cycle(const Graph& graph, const std::vector<std::uint32_t>& channels) {
  using Buffer = std::tuple<NodeId, NodeId, bool, ChannelPhase>;  // edge, response, class
  std::map<Buffer, std::set<Buffer>> next;
  const RouteFinder routes(graph);
  const bool classes = channel_classes_of(graph.spec()) > 1;
  const auto follow = [&](const std::vector<NodeId>& path, bool response) {
    const std::vector<ChannelPhase> phases = channel_phases_of(graph, path);
    std::optional<Buffer> previous;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      const std::uint32_t count = channels[path[i + 1]];
      const Buffer buffer{path[i], path[i + 1], response && count > 1,
                          classes ? phases[i] : ChannelPhase::source};
      if (previous && count > 0) next[*previous].insert(buffer);
      previous = count > 0 ? std::optional<Buffer>(buffer) : std::nullopt;
    }
  };
  for (NodeId from = 0; from < graph.nodes().size(); ++from) {
    const Role kind = graph.node(from).kind;
    if (kind != Role::pe_dma && kind != Role::pcie_ep && kind != Role::m_cpu) continue;
    for (NodeId to = 0; to < graph.nodes().size(); ++to) {
      const Role memory = graph.node(to).kind;
      if (memory != Role::hbm_ctrl && memory != Role::sram && memory != Role::pe_tcm) continue;
      const std::vector<NodeId> path = routes.memory_path(from, to);
      follow(path, false);
      follow(RouteFinder::reversed(path), true);
    }
  }
  // Buffers without a successor left are removed; those of a cycle remain.
  for (bool removed = true; removed;) {
    removed = false;
    for (auto each = next.begin(); each != next.end();) {
      const auto ended = [&](const Buffer& buffer) { return next.count(buffer) == 0; };
      const bool all = std::all_of(each->second.begin(), each->second.end(), ended);
      removed = removed || all;
      each = all ? next.erase(each) : std::next(each);
    }
  }
  return !next.empty();
}

}  // namespace

// Paths between SIPs are added in parts; a chiplet with two endpoints has several ports at the
// switch.
RC_BOOST_PROP(a_cycle_is_found_exactly_if_the_paths_of_all_pairs_have_one, ()) {
  std::vector<Override> set{{"system.sips.count", *rc::gen::element<std::string>("2", "3")},
                            {"sip.cube_mesh.w", *rc::gen::element<std::string>("1", "2")},
                            {"sip.cube_mesh.h", "1"},
                            {"sip.io_chiplets.io0.cube_ports",
                             "[{cube: {xy: [0, 0]}, cube_side: N, phy: P0, distance_mm: 2.0}]"},
                            {"cube.pe_layout.pe_per_corner", "1"},
                            {"cube.memory_map.hbm_slices_per_cube", "4"},
                            {"cube.memory_map.hbm_pseudo_channels", "32"}};
  if (*rc::gen::arbitrary<bool>()) set = with(set, by_phase);
  if (*rc::gen::arbitrary<bool>()) {
    set = with(set, {{"sip.io_chiplets.io0.components.ual_ep", "{impl: builtin.ual_ep}"},
                     {"sip.io_chiplets.io0.links.ual_ep_to_noc_bw_gbs", "192.0"},
                     {"system.links.io_ual_to_switch", "{bw_gbs: 128.0, distance_mm: 50.0}"}});
  }
  const Graph machine = graph(set);
  // Some kinds of nodes have buffers, with one channel or one per leg.
  std::map<Role, std::uint32_t> of_kind;
  for (const Node& node : machine.nodes()) {
    if (forwards(node.kind) && of_kind.count(node.kind) == 0)
      of_kind[node.kind] = *rc::gen::inRange<std::uint32_t>(0, 3);
  }
  std::vector<std::uint32_t> channels;
  for (const Node& node : machine.nodes())
    channels.push_back(forwards(node.kind) ? of_kind[node.kind] : 0);
  const bool expected = has_cycle(machine, channels);
  RC_CLASSIFY(expected);
  RC_ASSERT(cycle_of(machine, channels).empty() != expected);
}

BOOST_AUTO_TEST_CASE(a_machine_that_can_deadlock_is_refused_unless_accepted) {
  const std::vector<Override> one_sip{{"system.sips.count", "1"}};
  const std::vector<Override> one_cube{
      {"sip.cube_mesh.w", "1"},
      {"sip.cube_mesh.h", "1"},
      {"sip.io_chiplets.io0.cube_ports",
       "[{cube: {xy: [0, 0]}, cube_side: N, phy: P0, distance_mm: 2.0}]"}};
  const auto refusal = [&](const std::vector<Override>& overrides, std::uint32_t channels) {
    const Graph machine = graph(with(one_sip, overrides));
    return error_of([&] {
      check_buffers(machine, RouteFinder(machine), channels_where(machine, channels, forwards));
    });
  };
  const std::string refused = refusal({}, 4);
  BOOST_TEST(refused.find("finite buffers of this machine can deadlock: ") == 0U);
  BOOST_TEST(refused.find("sip.cube_routes: x_first") != std::string::npos);
  const std::string one_channel = refusal(one_cube, 1);
  BOOST_TEST(one_channel.find("virtual_channels of 2 or more, for requests and responses apart") !=
                 std::string::npos,
             one_channel);
  BOOST_TEST(refusal(one_cube, 2) == "");
  BOOST_TEST(refusal({{"system.cyclic_buffers", "accept"}}, 4) == "");
  BOOST_TEST(refusal(by_phase, 8) == "");
  BOOST_TEST(
      refusal(by_phase, 7)
          .find(" has 7 virtual channels; system.channel_classes: phases needs at least 8") !=
      std::string::npos);
  BOOST_TEST(refusal({}, 0) == "");
}

BOOST_AUTO_TEST_SUITE_END()
