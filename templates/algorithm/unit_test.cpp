// Unit tests of @name@ on a mock runtime: values without a machine.
#define BOOST_TEST_MAIN
#include <boost/test/included/unit_test.hpp>
#include <string>
#include <vector>

#include "sw/mock/mock_collective.h"

using namespace kernbench;
using Values = std::vector<double>;

CollectiveAlgorithm @name@_algorithm();  // @name@.cpp

namespace {

// Five ranks, SIPs of one PE; rank r has 2^r in each of 3000 elements, 3 messages of f32.
struct Ranks {
  static constexpr int count = 5;
  Ranks() : mock(of_sips(count)) {
    for (int rank = 0; rank < count; ++rank) {
      tensors.push_back(mock.tensor("x", {3000}, DType::f32, {rank}));
      mock.write(tensors.back(), rank, Values(3000, 1 << rank));
    }
  }
  static MockSetup of_sips(int sips) {
    MockSetup setup;
    setup.sips = sips;
    return setup;
  }
  void all_reduce(ReduceOp op, const std::string& centre) {
    run_all_reduce(mock, @name@_algorithm(), tensors, op, {{"centre", centre}});
  }
  void check_all_have(double value) {
    for (int rank = 0; rank < count; ++rank)
      BOOST_TEST(mock.read(tensors.at(static_cast<std::size_t>(rank)), rank) ==
                 Values(3000, value));
  }

  MockRuntime mock;
  std::vector<tl::TensorInfoPtr> tensors;
};

}  // namespace

BOOST_AUTO_TEST_CASE(every_rank_has_the_sum) {
  for (const char* centre : {"0", "3"}) {
    Ranks ranks;
    ranks.all_reduce(ReduceOp::sum, centre);
    ranks.check_all_have(31);  // 1 + 2 + 4 + 8 + 16
  }
}

BOOST_AUTO_TEST_CASE(every_rank_has_the_largest) {
  Ranks ranks;
  ranks.all_reduce(ReduceOp::max, "4");
  ranks.check_all_have(16);
}

BOOST_AUTO_TEST_CASE(a_centre_that_is_no_rank_is_refused) {
  Ranks ranks;
  BOOST_CHECK_EXCEPTION(ranks.all_reduce(ReduceOp::sum, "5"), UsageError,
                        [](const UsageError& error) {
                          return std::string(error.what()).find("centre 5 is none of the 5 ranks") !=
                                 std::string::npos;
                        });
}
