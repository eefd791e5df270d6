// Unit tests of mesh_allreduce on a mock runtime: the kernel on PEs, the algorithm on SIPs.
#define BOOST_TEST_MAIN
#include <boost/test/included/unit_test.hpp>
#include <string>
#include <vector>

#include "sw/collectives/shipped_graphs.h"
#include "sw/mock/mock_collective.h"

using namespace kernbench;
using Values = std::vector<double>;

namespace acme {
void mesh_allreduce(tl::Program& tl, tl::Tensor data, int columns);  // mesh_allreduce.cpp
CollectiveAlgorithm mesh_algorithm();                                // mesh_allreduce.cpp
}  // namespace acme

// A mesh of 3 x 2 PEs: rank r has r + 1 in its elements, so that each gets 1 + 2 + ... + 6 = 21.
// 10 elements of f16 in slots of 8 bytes: three messages, the last of 2 elements.
BOOST_AUTO_TEST_CASE(every_pe_of_a_mesh_has_the_sum) {
  MockSetup setup;
  setup.pes = 6;
  setup.slot_bytes = 8;
  MockRuntime mock(setup);
  mock.connect(graphs::intra_mesh(0, 0, 6));
  const tl::TensorInfoPtr x = mock.tensor("x", {10}, DType::f16);
  for (int rank = 0; rank < 6; ++rank) mock.write(x, rank, Values(10, rank + 1));
  mock.run(acme::mesh_allreduce, x, 3);
  for (int rank = 0; rank < 6; ++rank) BOOST_TEST(mock.read(x, rank) == Values(10, 21));
}

BOOST_AUTO_TEST_CASE(the_algorithm_sums_over_every_arrangement_of_sips) {
  const CollectiveAlgorithm algorithm = acme::mesh_algorithm();
  for (const graphs::SipGrid& grid :
       {graphs::SipGrid{"ring_1d", 6}, graphs::SipGrid{"torus_2d", 6, 3, 2},
        graphs::SipGrid{"mesh_2d_no_wrap", 6, 2, 3}}) {
    MockSetup setup;
    setup.sips = 6;
    MockRuntime mock(setup);
    std::vector<tl::TensorInfoPtr> tensors;
    for (int rank = 0; rank < 6; ++rank) {
      tensors.push_back(mock.tensor("x", {3}, DType::f32, {rank}));
      mock.write(tensors.back(), rank, Values(3, 1 << rank));
    }
    run_all_reduce(mock, algorithm, tensors, ReduceOp::sum, {}, grid);
    for (int rank = 0; rank < 6; ++rank)  // 1 + 2 + 4 + ... + 32
      BOOST_TEST(mock.read(tensors.at(static_cast<std::size_t>(rank)), rank) == Values(3, 63));
  }
}

// Rows of one PE make a column of four: rank 2 has no neighbour in the direction of the next row.
BOOST_AUTO_TEST_CASE(a_wrong_extent_is_found) {
  MockSetup setup;
  setup.pes = 4;
  MockRuntime mock(setup);
  mock.connect(graphs::intra_mesh(0, 0, 4));
  const tl::TensorInfoPtr x = mock.tensor("x", {4}, DType::f32);
  BOOST_CHECK_EXCEPTION(
      mock.run(acme::mesh_allreduce, x, 1), MockError, [](const MockError& error) {
        return error.rank() == 2 &&
               std::string(error.what())
                       .find("no queue pair in direction 'intra_S'; there are intra_E, intra_N") !=
                   std::string::npos;
      });
}
