// Algorithms as registered objects: what a registry takes, finds and refuses, and what an algorithm
// checks of a call (spec 8.2).
#include "sw/collectives/algorithm_registry.h"

#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "tests/support/error_text.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(algorithm_registry)

namespace {

CollectiveAlgorithm algorithm(const std::string& name) {
  return {name,
          "for a test",
          CollectiveOp::all_reduce,
          {"ring_1d", "torus_2d"},
          "one shard",
          {},
          [](const CollectiveCall& call) {
            return std::string(call.layout.members.size() == 1 ? "" : "there are others");
          },
          [](const CollectiveCall&) { return NeighbourGraph(); },
          [](const CollectiveCall&) { return tl::KernelCall(); }};
}

void refused(const CollectiveAlgorithm& wrong, const std::string& text) {
  AlgorithmRegistry registry;
  BOOST_CHECK_EXCEPTION(registry.add(wrong), UsageError, with_text(text));
  BOOST_TEST(registry.algorithms().empty());
}

// Of `shards` equal ones on PE 0 of the first cubes.
CollectiveCall call_of(int shards, const std::string& sip_topology) {
  tl::TensorInfo tensor = *tl::TensorInfo::whole("x", 0x1000, {shards, 8}, DType::f16);
  tensor.blocks.clear();
  for (int cube = 0; cube < shards; ++cube) {
    tl::Block block;
    block.where = {0, cube, 0};
    block.shape = {1, 8};
    block.offset = static_cast<std::uint64_t>(cube) * 16;
    tensor.blocks.push_back(block);
  }
  CollectiveCall call;
  call.inputs.push_back(std::make_shared<const tl::TensorInfo>(tensor));
  call.layout = ShardLayout::of(tensor);
  call.group.grid.topology = sip_topology;
  return call;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_algorithms_that_ship_are_there_by_name) {
  const AlgorithmRegistry registry = shipped_algorithms();
  std::vector<std::string> names;
  for (const CollectiveAlgorithm& each : registry.algorithms()) {
    names.push_back(each.name);
    BOOST_TEST(&registry.find(each.name) == &each);
    BOOST_TEST(!each.layout.empty(), each.name);
  }
  const std::vector<std::string> expected{"hierarchical_allreduce",
                                          "lrab_hierarchical_allreduce",
                                          "ring_all_gather",
                                          "ring_all_to_all",
                                          "ring_allreduce",
                                          "ring_broadcast",
                                          "ring_gather",
                                          "ring_reduce",
                                          "ring_reduce_scatter",
                                          "ring_scatter",
                                          "send_recv",
                                          "tree_allreduce"};
  BOOST_TEST(names == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_operation_has_an_algorithm) {
  const AlgorithmRegistry registry = shipped_algorithms();
  for (int op = 0; op <= static_cast<int>(CollectiveOp::send_recv); ++op)
    BOOST_TEST(!registry.names(static_cast<CollectiveOp>(op)).empty(),
               name_of(static_cast<CollectiveOp>(op)));
  BOOST_TEST(registry.first_of(CollectiveOp::broadcast).name == "ring_broadcast");
  BOOST_CHECK_EXCEPTION(AlgorithmRegistry().first_of(CollectiveOp::reduce), UsageError,
                        with_text("no algorithm for reduce"));
}

BOOST_AUTO_TEST_CASE(an_unknown_name_is_an_error_that_lists_the_names) {
  AlgorithmRegistry registry;
  registry.add(algorithm("b"));
  registry.add(algorithm("a"));
  BOOST_CHECK_EXCEPTION(registry.find("c"), UsageError,
                        with_text("unknown algorithm 'c'; there are a, b"));
}

BOOST_AUTO_TEST_CASE(what_is_no_algorithm_is_not_registered) {
  for (const char* name : {"", "Ring", "ring-allreduce", "1st", "_ring", "r\xC3\xADng"})
    refused(algorithm(name), "is not snake_case");
  const auto without = [](const std::function<void(CollectiveAlgorithm&)>& change) {
    CollectiveAlgorithm changed = algorithm("a");
    change(changed);
    return changed;
  };
  refused(without([](CollectiveAlgorithm& a) { a.description.clear(); }),
          "algorithm 'a' needs a description");
  refused(without([](CollectiveAlgorithm& a) { a.sip_topologies.clear(); }),
          "algorithm 'a' names no SIP topology");
  refused(without([](CollectiveAlgorithm& a) { a.graph = nullptr; }),
          "algorithm 'a' has no neighbour graph");
  refused(without([](CollectiveAlgorithm& a) { a.kernel = nullptr; }),
          "algorithm 'a' has no kernel");
}

BOOST_AUTO_TEST_CASE(a_name_is_taken_once) {
  AlgorithmRegistry registry;
  registry.add(algorithm("a"));
  BOOST_CHECK_EXCEPTION(registry.add(algorithm("a")), UsageError,
                        with_text("algorithm 'a' is registered twice"));
}

BOOST_AUTO_TEST_CASE(an_algorithm_says_which_topologies_and_layouts_it_expects) {
  const CollectiveAlgorithm a = algorithm("a");
  BOOST_CHECK_NO_THROW(a.check(call_of(1, "torus_2d")));
  BOOST_CHECK_EXCEPTION(
      a.check(call_of(1, "mesh_2d_no_wrap")), UsageError,
      with_text("a does not work on the SIP topology mesh_2d_no_wrap, but on ring_1d, torus_2d"));
  BOOST_CHECK_EXCEPTION(a.check(call_of(2, "ring_1d")), UsageError,
                        with_text("a expects one shard; tensor 'x' has 2 shards of 8 elements on "
                                  "pe 0 of cubes 0 1: there are others"));
}

// --- Parameters of an algorithm

BOOST_AUTO_TEST_CASE(ranks_of_pes_are_counted_through_all_cubes_of_all_sips) {
  RankGroup ranks;
  ranks.unit = RankUnit::pe;
  ranks.cube_mesh_w = 3;
  ranks.cube_mesh_h = 2;
  ranks.pes = 8;
  BOOST_TEST((ranks.place(0, 0, 0) == PeId{0, 0, 0}));
  BOOST_TEST((ranks.place(11, 0, 0) == PeId{0, 1, 3}));
  BOOST_TEST((ranks.place(48 + 47, 0, 0) == PeId{1, 5, 7}));
  ranks.unit = RankUnit::sip;
  BOOST_TEST((ranks.place(3, 4, 5) == PeId{3, 4, 5}));
}

BOOST_AUTO_TEST_CASE(a_layout_knows_its_lanes_and_the_rectangle_that_its_cubes_fill) {
  ShardLayout layout;
  layout.members = {{5, 0, 8, 0}, {5, 3, 8, 1}, {6, 0, 8, 2},  {6, 3, 8, 3},
                    {9, 0, 8, 4}, {9, 3, 8, 5}, {10, 0, 8, 6}, {10, 3, 8, 7}};
  BOOST_TEST(layout.lanes() == (std::vector<int>{0, 3}));
  BOOST_TEST(layout.cubes() == (std::vector<int>{5, 6, 9, 10}));
  BOOST_TEST(layout.same_lanes());
  BOOST_TEST(layout.equal_shards());
  const auto rectangle = layout.rectangle(4);  // in 4 x 4 cubes: the four in the middle
  BOOST_REQUIRE(rectangle.has_value());
  BOOST_TEST((rectangle->x == 1 && rectangle->y == 1 && rectangle->w == 2 && rectangle->h == 2));
  BOOST_TEST(!layout.rectangle(3).has_value());  // cubes 5 6 9 10 of rows of three
  BOOST_TEST(layout.str() == "8 shards of 8 elements on pe 0 3 of cubes 5 6 9 10");
  layout.members[1].pe = 2;
  BOOST_TEST(!layout.same_lanes());
  BOOST_TEST(layout.str() == "8 shards of 8 elements on different PEs of cubes 5 6 9 10");
  layout.members[0].elements = 9;
  BOOST_TEST(!layout.equal_shards());
  BOOST_TEST(ShardLayout().str() == "no shards");
}

BOOST_AUTO_TEST_CASE(reductions_have_names) {
  BOOST_TEST(reduce_op_names() == (std::vector<std::string>{"sum", "max", "min", "prod", "avg",
                                                            "band", "bor", "bxor"}),
             boost::test_tools::per_element());
  for (const std::string& name : reduce_op_names())
    BOOST_TEST(name_of(parse_reduce_op(name)) == name);
  BOOST_CHECK_EXCEPTION(parse_reduce_op("mean"), UsageError, with_text("sum, max, min, prod, avg"));
}

BOOST_AUTO_TEST_SUITE_END()
