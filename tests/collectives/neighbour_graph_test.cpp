// Which direction of the peer a direction is joined with (spec 8.1, ADR-0025 D1).
#include "sw/collectives/neighbour_graph.h"

#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <sstream>

#include "models/base/errors.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(neighbour_graph)

namespace {

std::string pe_name(PeId pe) {
  return std::to_string(pe.sip) + "." + std::to_string(pe.cube) + "." + std::to_string(pe.pe);
}

// "0.0.0 E - 1.0.0 W", one line for each end.
std::vector<std::string> pairs_of(const NeighbourGraph& graph) {
  std::vector<std::string> lines;
  for (const QueuePairEnd& end : queue_pairs(graph))
    lines.push_back(pe_name(end.pe) + " " + end.direction + " - " + pe_name(end.peer) + " " +
                    end.peer_direction);
  return lines;
}

std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

constexpr PeId a{0, 0, 0}, b{1, 0, 0}, c{0, 0, 1};

}  // namespace

BOOST_AUTO_TEST_CASE(the_opposite_of_a_direction_is_the_other_end_of_its_axis) {
  const std::map<std::string, std::string> known{{"E", "W"},
                                                 {"W", "E"},
                                                 {"N", "S"},
                                                 {"S", "N"},
                                                 {"intra_E", "intra_W"},
                                                 {"global_N", "global_S"},
                                                 {"group1/E", "group1/W"},
                                                 {"group1/ring_W", "group1/ring_E"}};
  for (const auto& [direction, expected] : known)
    BOOST_TEST(opposite(direction).value_or("none") == expected);
  for (const char* name : {"", "parent", "child0", "NE", "WEST", "_", "x_"})
    BOOST_TEST(!opposite(name).has_value(), name);
}

// In byte order of all names `child0` would be joined with the `rank0` of a group.
BOOST_AUTO_TEST_CASE(directions_are_joined_within_their_scope) {
  const PeId a{0, 0, 0}, b{1, 0, 0};
  NeighbourGraph graph, of_group;
  graph.connect(a, "child0", b).connect(b, "parent", a);
  of_group.connect(a, "rank1", b).connect(b, "rank0", a);
  graph.add(of_group.with_prefix("group1/")).add(of_group.with_prefix("group10/"));
  std::map<std::string, std::string> joined;
  for (const QueuePairEnd& end : queue_pairs(graph))
    if (end.pe == a) joined[end.direction] = end.peer_direction;
  const std::map<std::string, std::string> expected{
      {"child0", "parent"}, {"group1/rank1", "group1/rank0"}, {"group10/rank1", "group10/rank0"}};
  BOOST_TEST((joined == expected));
}

// Both directions of each lead to the other: with the first match instead of the opposite name,
// what goes out at E would come in at E.
BOOST_AUTO_TEST_CASE(in_a_ring_of_two_east_is_joined_with_west) {
  NeighbourGraph graph;
  graph.connect(a, "E", b).connect(a, "W", b).connect(b, "E", a).connect(b, "W", a);
  BOOST_TEST(
      pairs_of(graph) == (std::vector<std::string>{"0.0.0 E - 1.0.0 W", "0.0.0 W - 1.0.0 E",
                                                   "1.0.0 E - 0.0.0 W", "1.0.0 W - 0.0.0 E"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_direction_without_an_opposite_is_joined_with_any_that_leads_back) {
  NeighbourGraph tree;
  tree.connect(a, "child0", b)
      .connect(a, "child1", c)
      .connect(b, "parent", a)
      .connect(c, "parent", a);
  BOOST_TEST(pairs_of(tree) == (std::vector<std::string>{
                                   "0.0.0 child0 - 1.0.0 parent", "0.0.0 child1 - 0.0.1 parent",
                                   "0.0.1 parent - 0.0.0 child1", "1.0.0 parent - 0.0.0 child0"}),
             boost::test_tools::per_element());
}

// E - W is taken by the opposite rule; of the rest, north and up lead there, down and left back: in
// byte order.
BOOST_AUTO_TEST_CASE(what_the_opposite_rule_leaves_is_joined_in_byte_order) {
  NeighbourGraph graph;
  graph.connect(a, "E", b).connect(a, "up", b).connect(a, "north", b);
  graph.connect(b, "left", a).connect(b, "W", a).connect(b, "down", a);
  BOOST_TEST(pairs_of(graph) ==
                 (std::vector<std::string>{"0.0.0 E - 1.0.0 W", "0.0.0 north - 1.0.0 down",
                                           "0.0.0 up - 1.0.0 left", "1.0.0 W - 0.0.0 E",
                                           "1.0.0 down - 0.0.0 north", "1.0.0 left - 0.0.0 up"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_direction_to_which_nothing_leads_back_is_an_error_that_names_it) {
  NeighbourGraph graph;
  graph.connect(a, "E", b);
  BOOST_TEST(error_of([&] { queue_pairs(graph); }) ==
             "direction 'E' of sip0.cube0.pe0 leads to sip1.cube0.pe0, which has no direction left "
             "that leads back");
  graph.connect(b, "W", a).connect(b, "far", a);
  BOOST_TEST(error_of([&] { queue_pairs(graph); }).find("direction 'far' of sip1.cube0.pe0") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_direction_leads_to_one_peer_and_not_to_its_own_pe) {
  NeighbourGraph graph;
  graph.connect(a, "E", b);
  BOOST_TEST(
      error_of([&] { graph.connect(a, "E", c); }) ==
      "direction 'E' of sip0.cube0.pe0 leads to sip1.cube0.pe0 already, not to sip0.cube0.pe1");
  BOOST_TEST(error_of([&] { graph.connect(a, "N", a); }) ==
             "direction 'N' of sip0.cube0.pe0 leads to the PE itself");
  BOOST_TEST(error_of([&] { graph.connect(a, "", b); }) ==
             "a direction of sip0.cube0.pe0 without a name");
  NeighbourGraph same, other;
  same.connect(a, "E", b).connect(a, "W", c);
  graph.add(same);
  BOOST_TEST(graph.neighbours(a).size() == 2u);
  other.connect(a, "W", b);
  BOOST_TEST(error_of([&] { graph.add(other); }).find("leads to sip0.cube0.pe1 already") !=
             std::string::npos);
}

// Whatever the names: if as many directions lead there as back, the ends form pairs, and the
// opposite name is preferred.
RC_BOOST_PROP(every_end_is_the_other_end_of_its_other_end, ()) {
  const std::vector<std::string> names{
      "E", "N", "S", "W", "child0", "child1", "global_E", "global_W", "intra_N", "parent", "x"};
  NeighbourGraph graph;
  const auto joins = *rc::gen::inRange(1, 12);
  for (int i = 0; i < joins; ++i) {
    const PeId from{0, 0, *rc::gen::inRange(0, 4)}, to{0, 0, *rc::gen::inRange(0, 4)};
    const std::string there = *rc::gen::elementOf(names), back = *rc::gen::elementOf(names);
    if (from == to || graph.neighbours(from).count(there) != 0 ||
        graph.neighbours(to).count(back) != 0)
      continue;
    graph.connect(from, there, to).connect(to, back, from);
  }
  const std::vector<QueuePairEnd> ends = queue_pairs(graph);
  std::map<std::pair<PeId, std::string>, QueuePairEnd> by_end;
  for (const QueuePairEnd& end : ends) by_end[{end.pe, end.direction}] = end;
  std::size_t directions = 0;
  for (const auto& entry : graph.pes()) directions += entry.second.size();
  RC_ASSERT(ends.size() == directions && by_end.size() == directions);
  for (const QueuePairEnd& end : ends) {
    const QueuePairEnd& other = by_end.at({end.peer, end.peer_direction});
    RC_ASSERT(other.peer == end.pe && other.peer_direction == end.direction);
    const auto back = opposite(end.direction);
    const auto& theirs = graph.neighbours(end.peer);
    if (back && theirs.count(*back) != 0 && theirs.at(*back) == end.pe)
      RC_ASSERT(end.peer_direction == *back);
  }
}

BOOST_AUTO_TEST_SUITE_END()
