// Unit test of the kernel hello_send: two ranks on a mock runtime, no machine.
#define BOOST_TEST_MAIN
#include <boost/test/included/unit_test.hpp>
#include <string>
#include <vector>

#include "sw/collectives/shipped_graphs.h"
#include "sw/mock/mock_runtime.h"

using namespace kernbench;
using Values = std::vector<double>;

namespace acme {
void hello_send(tl::Program& tl, tl::Tensor data, tl::Tensor received);  // hello_send.cpp
}

namespace {

MockSetup two_pes() {
  MockSetup setup;
  setup.pes = 2;
  return setup;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_neighbour_stores_what_rank_0_has) {
  MockRuntime mock(two_pes());
  mock.connect(graphs::intra_pe_ring(0, 0, 2));
  const tl::TensorInfoPtr data = mock.tensor("data", {4}, DType::f16);
  const tl::TensorInfoPtr received = mock.tensor("received", {4}, DType::f16);
  mock.write(data, 0, {1, 2, 3, 4});
  mock.write(data, 1, {5, 6, 7, 8});

  mock.run(acme::hello_send, data, received);

  BOOST_TEST(mock.read(received, 0) == (Values{0, 0, 0, 0}));
  BOOST_TEST(mock.read(received, 1) == (Values{1, 2, 3, 4}));
}

// Rank 1 alone waits for ever: the error says for what.
BOOST_AUTO_TEST_CASE(a_neighbour_without_rank_0_is_a_deadlock) {
  MockRuntime mock(two_pes());
  mock.connect(graphs::intra_pe_ring(0, 0, 2));
  const tl::TensorInfoPtr data = mock.tensor("data", {4}, DType::f16);
  const auto rank_1 = [](tl::Program& tl, tl::Tensor data) {
    if (tl.program_id(0) == 1) acme::hello_send(tl, data, data);
  };
  BOOST_CHECK_EXCEPTION(mock.run(rank_1, data), MockError, [](const MockError& error) {
    return error.kind() == MockError::Kind::deadlock && error.rank() == 1 &&
           std::string(error.what()).find("a message in direction 'W' of sip0.cube0.pe0") !=
               std::string::npos;
  });
}
