// gemm and its epilogues against plain loops in double precision (spec 5.3, 9).
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "platform/phase2/reference_functions.h"
#include "tests/phase2/phase2_fixture.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(gemm_test)

namespace {

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b,
                            std::int64_t m, std::int64_t k, std::int64_t n,
                            std::int64_t k_begin = 0, std::int64_t k_end = -1) {
  std::vector<double> c(static_cast<std::size_t>(m * n), 0.0);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t x = k_begin; x < (k_end < 0 ? k : k_end); ++x) {
      for (std::int64_t j = 0; j < n; ++j)
        c[static_cast<std::size_t>(i * n + j)] +=
            a[static_cast<std::size_t>(i * k + x)] * b[static_cast<std::size_t>(x * n + j)];
    }
  }
  return c;
}

void check_close(const std::vector<std::byte>& bytes, const TensorValue& value,
                 const std::vector<double>& reference, double factor = 1) {
  const Comparison comparison = compare(bytes, value.dtype, value.shape, reference, factor);
  BOOST_CHECK_MESSAGE(comparison.ok, failure_text("c", value.dtype, value.shape, comparison));
}

struct Problem {
  TensorValue a, b;
  std::int64_t m, k, n;
  std::vector<double> reference() const { return product(doubles(a), doubles(b), m, k, n); }
};

Problem random_problem(std::int64_t m, std::int64_t k, std::int64_t n, DType dtype) {
  Numbers numbers(static_cast<std::uint64_t>(m * 1000 + k * 10 + n));
  const double scale = 1 / std::sqrt(static_cast<double>(k));
  if (is_float(dtype))
    return {tensor(numbers.uniform(m * k, -1, 1), {m, k}, dtype),
            tensor(numbers.uniform(k * n, -scale, scale), {k, n}, dtype), m, k, n};
  return {tensor(numbers.integers(m * k, -128, 127), {m, k}, dtype),
          tensor(numbers.integers(k * n, -128, 127), {k, n}, dtype), m, k, n};
}

EpilogueOp step(EpilogueOp::Kind kind, EpilogueScope scope = EpilogueScope::output_tile,
                int input = -1, double factor = 1) {
  EpilogueOp op;
  op.kind = kind;
  op.scope = scope;
  op.input = input;
  op.factor = factor;
  return op;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_dtype_and_odd_extents) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::i8, DType::i32}) {
    for (const auto& extents : {std::array<std::int64_t, 3>{1, 1, 1},
                                {1, 5, 1},
                                {7, 1, 3},
                                {1, 64, 33},
                                {33, 65, 1},
                                {32, 64, 32},
                                {61, 127, 45}}) {
      const Problem problem = random_problem(extents[0], extents[1], extents[2], dtype);
      FunctionalModel functional_model;
      const TensorValue c = functional_model.gemm({}, {problem.a, problem.b}).value;
      DataExecutor executor(functional_model);
      executor.run();
      check_close(executor.bytes(c), c, problem.reference());
    }
  }
}

BOOST_AUTO_TEST_CASE(large_products_are_cut_into_blocks_and_put_together) {
  const Problem problem = random_problem(300, 70, 1100, DType::f32);
  FunctionalModel functional_model;
  const TensorValue c = functional_model.gemm({}, {problem.a, problem.b}).value;
  DataExecutor executor(functional_model, 3);
  executor.run();
  check_close(executor.bytes(c), c, problem.reference());
}

BOOST_AUTO_TEST_CASE(bytes_do_not_depend_on_the_number_of_threads) {
  const Problem problem = random_problem(700, 257, 1300, DType::bf16);
  FunctionalModel functional_model;
  GemmParams params;
  params.out_dtype = DType::f32;
  const TensorValue c = functional_model.gemm(params, {problem.a, problem.b}).value;
  std::vector<std::byte> first;
  for (const unsigned threads : {1u, 2u, 4u}) {
    DataExecutor executor(functional_model, threads);
    executor.run();
    if (first.empty()) first = executor.bytes(c);
    BOOST_TEST((executor.bytes(c) == first));
  }
}

BOOST_AUTO_TEST_CASE(transposes_by_flag_and_by_view_are_the_same) {
  const Problem problem = random_problem(9, 14, 5, DType::f16);
  FunctionalModel functional_model;
  const auto dense_transpose = [&functional_model](const TensorValue& value) {
    return functional_model.made_dense(transposed(value));
  };
  const TensorValue a_turned = dense_transpose(problem.a), b_turned = dense_transpose(problem.b);
  GemmParams both;
  both.transpose_a = both.transpose_b = true;
  GemmParams only_b;
  only_b.transpose_b = true;
  const std::vector<TensorValue> results{
      functional_model.gemm({}, {problem.a, problem.b}).value,
      functional_model.gemm(both, {a_turned, b_turned}).value,
      functional_model.gemm({}, {transposed(a_turned), transposed(b_turned)}).value,
      functional_model.gemm(only_b, {problem.a, transposed(problem.b)}).value};
  DataExecutor executor(functional_model);
  executor.run();
  for (const TensorValue& result : results)
    check_close(executor.bytes(result), result, problem.reference());
}

BOOST_AUTO_TEST_CASE(half_precision_accumulates_in_f32) {
  // 4096 products of 1: a bf16 accumulator would stop at 256, an f16 one at 2048.
  for (const DType dtype : {DType::bf16, DType::f16}) {
    FunctionalModel functional_model;
    const TensorValue c = functional_model
                              .gemm({}, {FunctionalModel::full({2, 4096}, dtype, 1),
                                         FunctionalModel::full({4096, 2}, dtype, 1)})
                              .value;
    BOOST_TEST(result_of(functional_model, c)[3] == 4096);
  }
}

BOOST_AUTO_TEST_CASE(the_result_is_rounded_once_to_nearest_even) {
  // 2048 + 1 is a tie of f16 (quantum 2): 2048; 2048 + 3 is a tie between 2050 and 2052: 2052.
  FunctionalModel functional_model;
  const TensorValue c = functional_model
                            .gemm({}, {tensor({1, 1}, {1, 2}, DType::f16),
                                       tensor({2048, 2048, 1, 3}, {2, 2}, DType::f16)})
                            .value;
  BOOST_TEST((result_of(functional_model, c) == std::vector<double>{2048, 2052}));
}

// An accumulator starts at 0, and 0 + -0 is 0, whatever the extents.
BOOST_AUTO_TEST_CASE(a_product_has_no_negative_zeros) {
  for (const std::int64_t extent : {1, 2, 5, 8, 40}) {
    for (const std::int64_t columns : {std::int64_t{1}, extent}) {
      FunctionalModel functional_model;
      const TensorValue c =
          functional_model
              .gemm({}, {FunctionalModel::zeros({extent, extent}, DType::f32),
                         FunctionalModel::full({extent, columns}, DType::f32, -4)})
              .value;
      for (const double zero : result_of(functional_model, c))
        BOOST_TEST(!std::signbit(zero), extent << " x " << columns);
    }
  }
}

BOOST_AUTO_TEST_CASE(i8_is_exact_at_its_extremes_and_beyond_24_bits) {
  FunctionalModel functional_model;
  const std::int64_t k = 5000;  // 128 * 128 * 5000 > 2^24
  const TensorValue c = functional_model
                            .gemm({}, {FunctionalModel::full({3, k}, DType::i8, -128),
                                       FunctionalModel::full({k, 2}, DType::i8, -128)})
                            .value;
  const TensorValue d = functional_model
                            .gemm({}, {FunctionalModel::full({3, k}, DType::i8, 127),
                                       FunctionalModel::full({k, 2}, DType::i8, -127)})
                            .value;
  BOOST_TEST(result_of(functional_model, c)[5] == 128.0 * 128 * 5000);
  BOOST_TEST(result_of(functional_model, d)[5] == -127.0 * 127 * 5000);
}

BOOST_AUTO_TEST_CASE(i32_wraps_and_i8_output_saturates) {
  FunctionalModel functional_model;
  const TensorValue wrapped = functional_model
                                  .gemm({}, {tensor({65536, 1}, {1, 2}, DType::i32),
                                             tensor({65536, 5}, {2, 1}, DType::i32)})
                                  .value;
  GemmParams narrow;
  narrow.out_dtype = DType::i8;
  const TensorValue saturated =
      functional_model
          .gemm(narrow, {tensor({100}, {1, 1}, DType::i8), tensor({-100}, {1, 1}, DType::i8)})
          .value;
  BOOST_TEST(result_of(functional_model, wrapped)[0] == 5);
  BOOST_TEST(result_of(functional_model, saturated)[0] == -128);
}

// Beyond one block (256 x 1024), panels of 16 and runs of 4 of K, and with either operand turned.
BOOST_AUTO_TEST_CASE(i32_products_are_exact_modulo_2_to_the_32) {
  for (const auto& [m, k, n] :
       {std::array<std::int64_t, 3>{1, 1, 1}, {5, 67, 9}, {260, 18, 1030}}) {
    Numbers numbers(static_cast<std::uint64_t>(m));
    const TensorValue a =
        tensor(numbers.integers(m * k, -2147483647, 2147483647), {m, k}, DType::i32);
    const TensorValue b =
        tensor(numbers.integers(k * n, -2147483647, 2147483647), {k, n}, DType::i32);
    const std::vector<double> x = doubles(a), y = doubles(b);
    FunctionalModel functional_model;
    const TensorValue a_turned = functional_model.made_dense(transposed(a)),
                      b_turned = functional_model.made_dense(transposed(b));
    const std::vector<TensorValue> products{
        functional_model.gemm({}, {a, b}).value,
        functional_model.gemm({}, {transposed(a_turned), b}).value,
        functional_model.gemm({}, {a, transposed(b_turned)}).value};
    for (const TensorValue& product : products) {
      const std::vector<double> got = result_of(functional_model, product, 2);
      for (std::int64_t i = 0; i < m * n; i += 7) {
        std::uint32_t sum = 0;
        for (std::int64_t l = 0; l < k; ++l) {
          sum += static_cast<std::uint32_t>(
                     static_cast<std::int64_t>(x[static_cast<std::size_t>(i / n * k + l)])) *
                 static_cast<std::uint32_t>(
                     static_cast<std::int64_t>(y[static_cast<std::size_t>(l * n + i % n)]));
        }
        BOOST_REQUIRE(got[static_cast<std::size_t>(i)] == static_cast<std::int32_t>(sum));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(nan_and_infinity_propagate) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  FunctionalModel functional_model;
  const TensorValue a =
      tensor({1, 1, infinity, 1, std::nan(""), 1, infinity, 1}, {4, 2}, DType::f16);
  const TensorValue b = tensor({1, -infinity}, {2, 1}, DType::f16);
  const std::vector<double> c =
      result_of(functional_model, functional_model.gemm({}, {a, b}).value);
  BOOST_TEST(c[0] == -infinity);
  BOOST_TEST(std::isnan(c[1]));  // inf - inf
  BOOST_TEST(std::isnan(c[2]));
  BOOST_TEST(std::isnan(c[3]));
}

BOOST_AUTO_TEST_CASE(an_epilogue_runs_in_list_order_before_the_conversion) {
  const Problem problem = random_problem(6, 8, 10, DType::f16);
  Numbers numbers(3);
  const TensorValue bias = tensor(numbers.uniform(10, -1, 1), {10}, DType::f16),
                    other = tensor(numbers.uniform(60, -1, 1), {6, 10}, DType::f32);
  GemmParams params;
  EpilogueOp clamp = step(EpilogueOp::Kind::clamp);
  clamp.low = -0.5;
  clamp.high = 1.5;
  params.epilogue = {step(EpilogueOp::Kind::bias, EpilogueScope::output_tile, 2),
                     step(EpilogueOp::Kind::relu),
                     step(EpilogueOp::Kind::scale, EpilogueScope::output_tile, -1, 3),
                     step(EpilogueOp::Kind::add, EpilogueScope::output_tile, 3),
                     step(EpilogueOp::Kind::mul, EpilogueScope::kernel, 2),
                     clamp};
  FunctionalModel functional_model;
  const TensorValue c = functional_model.gemm(params, {problem.a, problem.b, bias, other}).value;
  std::vector<double> reference = problem.reference();
  const std::vector<double> per_column = doubles(bias), per_element = doubles(other);
  for (std::size_t i = 0; i < reference.size(); ++i) {
    double x = std::max(0.0, reference[i] + per_column[i % 10]) * 3 + per_element[i];
    x = std::min(std::max(x, -0.5), 1.5);  // output_tile scope comes before kernel scope
    reference[i] = x * per_column[i % 10];
  }
  DataExecutor executor(functional_model);
  executor.run();
  check_close(executor.bytes(c), c, reference);
}

BOOST_AUTO_TEST_CASE(activation_epilogues) {
  const Problem problem = random_problem(5, 7, 11, DType::f32);
  const std::vector<double> x = problem.reference();
  const auto check = [&](EpilogueOp::Kind kind, auto function) {
    GemmParams params;
    params.epilogue = {step(kind)};
    FunctionalModel functional_model;
    const TensorValue c = functional_model.gemm(params, {problem.a, problem.b}).value;
    std::vector<double> reference;
    for (const double value : x) reference.push_back(function(value));
    DataExecutor executor(functional_model);
    executor.run();
    check_close(executor.bytes(c), c, reference);
  };
  check(EpilogueOp::Kind::relu, [](double v) { return std::max(v, 0.0); });
  check(EpilogueOp::Kind::gelu,
        [](double v) { return 0.5 * v * (1 + std::erf(v / std::sqrt(2.0))); });
  check(EpilogueOp::Kind::silu, [](double v) { return v / (1 + std::exp(-v)); });
  check(EpilogueOp::Kind::exp, [](double v) { return std::exp(v); });
}

BOOST_AUTO_TEST_CASE(k_tile_scope_applies_to_each_partial_product) {
  for (const DType dtype : {DType::f16, DType::i8}) {
    const std::int64_t m = 5, k = 20, n = 6, tile_k = 8;  // tiles of 8, 8, 4
    const Problem problem = random_problem(m, k, n, dtype);
    const TensorValue scales = tensor({0.5, -2, 3}, {3}, DType::f32);
    GemmParams params;
    params.tile_k = tile_k;
    params.out_dtype = DType::f32;
    params.epilogue = {step(EpilogueOp::Kind::dequant, EpilogueScope::k_tile, 2),
                       step(EpilogueOp::Kind::relu, EpilogueScope::k_tile),
                       step(EpilogueOp::Kind::dequant, EpilogueScope::output_tile, -1, 0.25)};
    FunctionalModel functional_model;
    const TensorValue c = functional_model.gemm(params, {problem.a, problem.b, scales}).value;
    std::vector<double> reference(static_cast<std::size_t>(m * n), 0.0);
    const std::vector<double> factors{0.5, -2, 3};
    for (std::size_t tile = 0; tile < 3; ++tile) {
      const auto begin = static_cast<std::int64_t>(tile) * tile_k;
      const std::vector<double> partial = product(doubles(problem.a), doubles(problem.b), m, k, n,
                                                  begin, std::min(begin + tile_k, k));
      for (std::size_t i = 0; i < partial.size(); ++i)
        reference[i] += std::max(0.0, partial[i] * factors[tile]);
    }
    for (double& value : reference) value *= 0.25;
    DataExecutor executor(functional_model);
    executor.run();
    check_close(executor.bytes(c), c, reference);
  }
}

BOOST_AUTO_TEST_CASE(tile_k_alone_changes_nothing) {
  const Problem problem = random_problem(40, 200, 30, DType::f16);
  FunctionalModel functional_model;
  GemmParams tiled;
  tiled.tile_k = 16;
  const TensorValue plain = functional_model.gemm({}, {problem.a, problem.b}).value,
                    with_tiles = functional_model.gemm(tiled, {problem.a, problem.b}).value;
  DataExecutor executor(functional_model);
  executor.run();
  BOOST_TEST((executor.bytes(plain) == executor.bytes(with_tiles)));
}

BOOST_AUTO_TEST_CASE(products_overflow_when_they_are_rounded_not_before) {
  // 65504 + 15.99 rounds down in f16, 65504 + 16 = 65520 is the first that does not: half a quantum
  // (32) above the largest.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  FunctionalModel functional_model;
  const TensorValue ones = tensor({1, 1}, {1, 2}, DType::f16);
  const TensorValue below =
      functional_model.gemm({}, {ones, tensor({65504, 15.9921875}, {2, 1}, DType::f16)}).value;
  const TensorValue above =
      functional_model.gemm({}, {ones, tensor({65504, 16}, {2, 1}, DType::f16)}).value;
  // 60000 + 60000 - 60000: f16 would be infinite on the way.
  const TensorValue back = functional_model
                               .gemm({}, {tensor({1, 1, -1}, {1, 3}, DType::f16),
                                          tensor({60000, 60000, 60000}, {3, 1}, DType::f16)})
                               .value;
  // The largest f32 squared leaves f32 itself.
  const TensorValue beyond = functional_model
                                 .gemm({}, {tensor({0x1.fffffep127}, {1, 1}, DType::f32),
                                            tensor({-2}, {1, 1}, DType::f32)})
                                 .value;
  // Denormal f16 times denormal f16 is 2^-48 in f32, and nothing in f16.
  GemmParams wide;
  wide.out_dtype = DType::f32;
  const TensorValue tiny = tensor({0x1p-24}, {1, 1}, DType::f16);
  const TensorValue kept = functional_model.gemm(wide, {tiny, tiny}).value,
                    lost = functional_model.gemm({}, {tiny, tiny}).value;
  BOOST_TEST(result_of(functional_model, below)[0] == 65504);
  BOOST_TEST(result_of(functional_model, above)[0] == infinity);
  BOOST_TEST(result_of(functional_model, back)[0] == reference_rounding(DType::f16, 60000));
  BOOST_TEST(result_of(functional_model, beyond)[0] == -infinity);
  BOOST_TEST(result_of(functional_model, kept)[0] == 0x1p-48);
  BOOST_TEST(result_of(functional_model, lost)[0] == 0);
}

BOOST_AUTO_TEST_SUITE_END()
