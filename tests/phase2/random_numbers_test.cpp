// Random numbers: Philox by its known answers, and the values that Triton makes of its words.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "platform/phase2/math_functions.h"
#include "tests/phase2/random_tensors.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(random_numbers_test)

// Known answers of the authors (Random123, kat_vectors, philox4x32 10).
BOOST_AUTO_TEST_CASE(philox_gives_the_published_numbers) {
  BOOST_TEST((philox4x32({0, 0, 0, 0}, 0, 10) ==
              PhiloxWords{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t ones = 0xffffffff;
  BOOST_TEST((philox4x32({ones, ones, ones, ones}, ~std::uint64_t{0}, 10) ==
              PhiloxWords{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  BOOST_TEST((philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822,
                         10) == PhiloxWords{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

BOOST_AUTO_TEST_CASE(random_numbers_are_those_of_triton) {
  Numbers numbers(59);
  const TensorValue offsets = tensor(numbers.integers(4000, -2000, 2000000), {40, 100}, DType::i32);
  MathParams params = math_of(MathOp::randint);
  params.seed = 0x123456789abcdef0;
  const std::vector<double> integers = checked(params, {offsets}), x = doubles(offsets);
  params.op = MathOp::rand;
  const std::vector<double> uniform = checked(params, {offsets});
  params.op = MathOp::randn;
  const std::vector<double> normal = checked(params, {offsets});
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const PhiloxWords words = philox4x32(
        {static_cast<std::uint32_t>(static_cast<std::int64_t>(x[i])), 0, 0, 0}, params.seed, 10);
    BOOST_TEST(integers[i] == static_cast<std::int32_t>(words[0]));
    // uint_to_uniform_float: where(x < 0, -x - 1, x) * 4.6566127342e-10, in f32
    const auto word = static_cast<std::int32_t>(words[0]);
    const float expected =
        static_cast<float>(word < 0 ? -(word + 1) : word) * static_cast<float>(4.6566127342e-10);
    BOOST_TEST(uniform[i] == static_cast<double>(expected));
    BOOST_TEST((uniform[i] >= 0 && uniform[i] < 1));
    sum += normal[i];
    squares += normal[i] * normal[i];
  }
  const auto n = static_cast<double>(x.size());
  BOOST_TEST(std::fabs(sum / n) < 0.08);
  BOOST_TEST(std::fabs(squares / n - 1) < 0.1);
  params.op = MathOp::randint;
  params.seed = 0;
  BOOST_TEST(checked(params, {tensor({0}, {1}, DType::i32)})[0] == 0x6627e8d5);
}

BOOST_AUTO_TEST_SUITE_END()
