// all_reduce over the whole product of what it can be asked for: every algorithm, placement,
// reduction, element type and number of ranks equals the reference.
//
// Of each algorithm and number of ranks ctest runs a cover: every pair of placement and reduction,
// with element types in turn, so that every pair of these occurs too, and random triples. With
// KERNBENCH_WHOLE_PRODUCT set in the environment it runs all of them.
#include <cstdlib>
#include <random>

#include "tests/distributed/placed_patterns.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(all_reduce_product)

namespace {

constexpr std::size_t random_triples = 10;
constexpr std::chrono::minutes timeout{10};  // of the whole product on 16 ranks

struct Call {
  DPPolicy policy;
  ReduceOp op = ReduceOp::sum;
  DType dtype = DType::f16;
};

std::vector<ReduceOp> reductions() {
  std::vector<ReduceOp> all = every_reduction;
  all.insert(all.end(), {ReduceOp::band, ReduceOp::bor, ReduceOp::bxor});
  return all;
}

bool is_bitwise(ReduceOp op) {
  return op == ReduceOp::band || op == ReduceOp::bor || op == ReduceOp::bxor;
}

std::vector<Call> whole_product(int cubes) {
  std::vector<Call> calls;
  for (const DPPolicy& policy : placements(cubes)) {
    for (const ReduceOp op : reductions()) {
      for (const DType dtype : every_dtype)
        if (!is_bitwise(op) || dtype == DType::i32) calls.push_back({policy, op, dtype});
    }
  }
  return calls;
}

std::vector<Call> cover(int cubes, unsigned seed) {
  std::vector<Call> calls;
  std::size_t turn = seed;
  for (const DPPolicy& policy : placements(cubes)) {
    for (const ReduceOp op : reductions())
      calls.push_back({policy, op, is_bitwise(op) ? DType::i32 : every_dtype[turn++ % 4]});
  }
  const std::vector<Call> all = whole_product(cubes);
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < random_triples; ++i) calls.push_back(all[random() % all.size()]);
  return calls;
}

// 4 ranks have 4 cubes each, more ranks 2.
void check(const std::string& algorithm, int ranks) {
  const int mesh_h = ranks <= 4 ? 2 : 1;
  const bool whole = std::getenv("KERNBENCH_WHOLE_PRODUCT") != nullptr;
  const std::vector<Call> calls =
      whole ? whole_product(2 * mesh_h) : cover(2 * mesh_h, static_cast<unsigned>(ranks));
  forked(
      [&] {
        TorchMachine m("topology.tiny.yaml", sips("ring_1d", ranks, 1, 2, mesh_h));
        m.run([&](Torch& torch) {
          on_ranks(torch, {{"algorithm", algorithm}, {"slot_size", "32"}}, ranks, [&](int rank) {
            for (const Call& call : calls)
              check_all_reduce(torch, call.policy, call.dtype, call.op, rank, ranks);
          });
        });
        BOOST_TEST(m.distributed->collectives.size() == calls.size());
        BOOST_TEST(m.failures() == "", algorithm << " on " << ranks << " ranks: " << m.failures());
      },
      timeout);
}

void check_every_algorithm(int ranks) {
  for (const std::string& algorithm : every_algorithm) check(algorithm, ranks);
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_rank) { check_every_algorithm(1); }
BOOST_AUTO_TEST_CASE(two_ranks) { check_every_algorithm(2); }
BOOST_AUTO_TEST_CASE(three_ranks) { check_every_algorithm(3); }
BOOST_AUTO_TEST_CASE(four_ranks) { check_every_algorithm(4); }
BOOST_AUTO_TEST_CASE(six_ranks) { check_every_algorithm(6); }
BOOST_AUTO_TEST_CASE(nine_ranks) { check_every_algorithm(9); }
BOOST_AUTO_TEST_CASE(sixteen_ranks) { check_every_algorithm(16); }

BOOST_AUTO_TEST_CASE(the_algorithms_are_all_that_ship) {
  std::vector<std::string> names = shipped_algorithms().names(CollectiveOp::all_reduce);
  std::vector<std::string> expected = every_algorithm;
  std::sort(names.begin(), names.end());
  std::sort(expected.begin(), expected.end());
  BOOST_TEST(names == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
