// Algorithms of collectives on a MockRuntime: those that ship, with values.
#include "sw/mock/mock_collective.h"

#include <boost/test/unit_test.hpp>

#include "sw/collectives/algorithm_registry.h"
#include "tests/support/error_text.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(mock_collective)

namespace {

using Values = std::vector<double>;

// A mesh of 2 x 2 SIPs, with a tensor of 1500 f32 on two PEs of each: more than a slot of 4096 B
// on each of them.
struct Sips {
  Sips() : mock(of_sips()) {
    for (int sip = 0; sip < 4; ++sip) {
      const int first = sip * 2;
      tensors.push_back(mock.tensor("x", {1500}, DType::f32, {first, first + 1}));
      for (int pe = 0; pe < 2; ++pe) {
        Values values(1500);
        for (std::size_t i = 0; i < values.size(); ++i)
          values[i] = static_cast<double>(i) + 10000 * pe + sip;
        mock.write(tensors.back(), first + pe, values);
      }
    }
  }
  static MockSetup of_sips() {
    MockSetup setup;
    setup.sips = 4;
    setup.pes = 2;
    return setup;
  }
  // 4 (i + 10000 pe) + 0 + 1 + 2 + 3: all are integers below 2^24.
  void check_sums() {
    for (int sip = 0; sip < 4; ++sip) {
      for (int pe = 0; pe < 2; ++pe) {
        const Values values = mock.read(tensors[static_cast<std::size_t>(sip)], sip * 2 + pe);
        for (std::size_t i :
             {std::size_t{0}, std::size_t{1023}, std::size_t{1024}, std::size_t{1499}})
          BOOST_TEST(values.at(i) == 4 * (static_cast<double>(i) + 10000 * pe) + 6);
      }
    }
  }

  MockRuntime mock;
  std::vector<tl::TensorInfoPtr> tensors;
};

}  // namespace

BOOST_AUTO_TEST_CASE(all_reduce_algorithms_that_ship_sum_over_every_arrangement_of_sips) {
  const AlgorithmRegistry algorithms = shipped_algorithms();
  for (const std::string& name : algorithms.names(CollectiveOp::all_reduce)) {
    for (const char* topology : {"ring_1d", "torus_2d", "mesh_2d_no_wrap"}) {
      BOOST_TEST_CONTEXT(name << " on " << topology) {
        Sips sips;
        const bool is_ring = std::string(topology) == "ring_1d";
        const graphs::SipGrid grid{topology, 4, is_ring ? 4 : 2, is_ring ? 1 : 2};
        run_all_reduce(sips.mock, algorithms.find(name), sips.tensors, ReduceOp::sum, {}, grid);
        sips.check_sums();
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_collective_with_a_root_and_outputs_runs) {
  MockSetup setup;
  setup.sips = 3;
  MockRuntime mock(setup);
  const AlgorithmRegistry algorithms = shipped_algorithms();
  std::vector<CollectiveCall> calls(3);
  std::vector<tl::TensorInfoPtr> tensors;
  for (int rank = 0; rank < 3; ++rank) {
    tensors.push_back(mock.tensor("x", {5}, DType::f16, {rank}));
    mock.write(tensors.back(), rank, Values(5, rank));
    CollectiveCall& call = calls[static_cast<std::size_t>(rank)];
    call.inputs = {tensors.back()};
    call.root = 2;
  }
  run_collective(mock, algorithms.first_of(CollectiveOp::broadcast), calls);
  for (int rank = 0; rank < 3; ++rank)
    BOOST_TEST(mock.read(tensors[static_cast<std::size_t>(rank)], rank) == Values(5, 2));
}

BOOST_AUTO_TEST_CASE(calls_that_do_not_fit_are_refused) {
  Sips sips;
  const AlgorithmRegistry algorithms = shipped_algorithms();
  const CollectiveAlgorithm& lrab = algorithms.find("lrab_hierarchical_allreduce");
  BOOST_CHECK_EXCEPTION(run_all_reduce(sips.mock, lrab, {sips.tensors[0]}), UsageError,
                        with_text("1 calls for 4 SIPs; each has one"));
  BOOST_CHECK_EXCEPTION(run_collective(sips.mock, lrab, std::vector<CollectiveCall>(4)), UsageError,
                        with_text("call 0 has neither input nor output"));
  BOOST_CHECK_EXCEPTION(
      run_all_reduce(sips.mock, lrab, sips.tensors, ReduceOp::sum, {{"root_cube", "3"}}),
      UsageError, with_text("root_cube 3 is none of them"));
  BOOST_CHECK_EXCEPTION(
      run_all_reduce(sips.mock, lrab, sips.tensors, ReduceOp::sum, {{"root", "3"}}), UsageError,
      with_text("knows no key 'root'"));
}

BOOST_AUTO_TEST_SUITE_END()
