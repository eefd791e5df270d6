// Products with an accumulator and batches of products: values and reference (spec 9).
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "models/base/errors.h"
#include "platform/phase2/verify.h"
#include "tests/phase2/phase2_fixture.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(dot)

namespace {

GemmParams accumulating() {
  GemmParams params;
  params.accumulates = true;
  return params;
}

TensorValue random_tensor(std::uint64_t seed, const Shape& shape, DType dtype) {
  Numbers numbers(seed);
  return tensor(is_float(dtype) ? numbers.uniform(shape.elements(), -1, 1)
                                : numbers.integers(shape.elements(), -100, 100),
                shape, dtype);
}

// {batch, rows, columns} as matrices below each other.
double at(const std::vector<double>& elements, const Shape& shape, std::int64_t batch,
          std::int64_t row, std::int64_t column) {
  return elements[static_cast<std::size_t>((batch * shape[1] + row) * shape[2] + column)];
}

}  // namespace

// 2^24 + (1 + 1): the product is summed by itself, so that both ones count. One by one onto the
// accumulator they would vanish.
BOOST_AUTO_TEST_CASE(the_product_is_summed_from_zero_and_then_added_once) {
  FunctionalModel functional_model;
  const TensorValue sum = functional_model
                              .gemm(accumulating(), {tensor({1, 1}, {1, 2}, DType::f16),
                                                     tensor({1, 1}, {2, 1}, DType::f16),
                                                     tensor({0x1p24}, {1, 1}, DType::f32)})
                              .value;
  BOOST_TEST((sum.dtype == DType::f32));
  BOOST_TEST(result_of(functional_model, sum) == std::vector<double>{0x1p24 + 2});
}

BOOST_AUTO_TEST_CASE(integers_accumulate_modulo_2_32) {
  FunctionalModel functional_model;
  const TensorValue sum = functional_model
                              .gemm(accumulating(), {tensor({100, 100}, {1, 2}, DType::i8),
                                                     tensor({1, 0, 1, 1}, {2, 2}, DType::i8),
                                                     tensor({0x1p31 - 1, 7}, {1, 2}, DType::i32)})
                              .value;
  BOOST_TEST((sum.dtype == DType::i32));
  BOOST_TEST(result_of(functional_model, sum) == (std::vector<double>{-0x1p31 + 199, 107}));
}

BOOST_AUTO_TEST_CASE(large_sums_are_accumulated_block_by_block) {
  for (const DType dtype : {DType::f32, DType::i32}) {
    FunctionalModel functional_model;
    const DType sums = is_float(dtype) ? DType::f32 : DType::i32;
    const TensorValue a = random_tensor(1, {300, 7}, dtype), b = random_tensor(2, {7, 1100}, dtype),
                      acc = random_tensor(3, {300, 1100}, sums);
    const TensorValue product = functional_model.gemm({}, {a, b}).value,
                      sum = functional_model.gemm(accumulating(), {a, b, acc}).value;
    DataExecutor executor(functional_model, 2);
    executor.run();
    const std::vector<double> p = doubles(executor.bytes(product), product.dtype),
                              s = doubles(executor.bytes(sum), sum.dtype), added = doubles(acc);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      const double expected =
          is_float(dtype) ? static_cast<float>(p[i] + added[i]) : p[i] + added[i];
      if (s[i] != expected) ++wrong;
    }
    BOOST_TEST(wrong == 0U);
  }
}

BOOST_AUTO_TEST_CASE(each_product_of_a_batch_is_that_of_its_matrices) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::i8, DType::i32}) {
    FunctionalModel functional_model;
    const Shape a_shape{3, 5, 7}, b_shape{3, 7, 4}, out{3, 5, 4};
    const TensorValue a = random_tensor(1, a_shape, dtype), b = random_tensor(2, b_shape, dtype);
    GemmParams params;
    params.out_dtype = is_float(dtype) ? DType::f32 : DType::i32;
    const std::vector<double> c =
        result_of(functional_model, functional_model.gemm(params, {a, b}).value, 2);
    const std::vector<double> x = doubles(a), y = doubles(b);
    for (std::int64_t batch = 0; batch < 3; ++batch) {
      for (std::int64_t row = 0; row < 5; ++row) {
        for (std::int64_t column = 0; column < 4; ++column) {
          double expected = 0;
          for (std::int64_t k = 0; k < 7; ++k)
            expected += at(x, a_shape, batch, row, k) * at(y, b_shape, batch, k, column);
          const double got = at(c, out, batch, row, column);
          BOOST_TEST(std::fabs(got - expected) <= (is_float(dtype) ? 1e-5 : 0));
        }
      }
    }
  }
}

// A batch whose products are more than a block each: rows of several products lie in no block.
BOOST_AUTO_TEST_CASE(a_batch_of_large_products_equals_the_products_one_by_one) {
  FunctionalModel functional_model;
  const TensorValue a = random_tensor(1, {2, 257, 3}, DType::f32),
                    b = random_tensor(2, {2, 3, 1025}, DType::f32);
  const TensorValue c = functional_model.gemm({}, {a, b}).value;
  std::vector<TensorValue> one_by_one;
  for (std::int64_t i = 0; i < 2; ++i) {
    one_by_one.push_back(functional_model
                             .gemm({}, {reshaped(sliced(a, i, i + 1), {257, 3}),
                                        reshaped(sliced(b, i, i + 1), {3, 1025})})
                             .value);
  }
  DataExecutor executor(functional_model, 3);
  executor.run();
  std::vector<std::byte> expected;
  for (const TensorValue& each : one_by_one) {
    const std::vector<std::byte> bytes = executor.bytes(each);
    expected.insert(expected.end(), bytes.begin(), bytes.end());
  }
  BOOST_TEST((executor.bytes(c) == expected));
}

BOOST_AUTO_TEST_CASE(the_reference_knows_accumulators_and_batches) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::i8, DType::i32}) {
    FunctionalModel functional_model;
    const DType sums = is_float(dtype) ? DType::f32 : DType::i32;
    const TensorValue a = random_tensor(1, {3, 5, 70}, dtype),
                      b = random_tensor(2, {3, 70, 4}, dtype),
                      acc = random_tensor(3, {3, 5, 4}, sums);
    functional_model.gemm({}, {a, b});
    const ValueId sum = functional_model.gemm(accumulating(), {a, b, acc}).op->outputs[0].id;
    DataExecutor executor(functional_model);
    executor.run();
    const auto values = [&](ValueId id) { return executor.computed(id); };
    const OpCheck check = check_ops(functional_model.ops(), values, 1);
    BOOST_TEST(check.failures.empty());
    BOOST_TEST(check.total() == 2U);

    // A sum without its accumulator is seen.
    GemmParams product;
    product.out_dtype = sums;
    const DataOpPtr plain = functional_model.gemm(product, {a, b}).op;
    DataExecutor again(functional_model);
    again.run();
    const SharedBytes forgotten = again.computed(plain->outputs[0].id);
    const Comparison wrong = check_op(*functional_model.defining_op(sum), forgotten.get(),
                                      [&](ValueId id) { return again.computed(id); });
    BOOST_TEST(!wrong.ok);
  }
}

BOOST_AUTO_TEST_CASE(an_accumulator_and_a_batch_do_not_go_with_an_epilogue) {
  FunctionalModel functional_model;
  GemmParams params = accumulating();
  params.epilogue.emplace_back();
  const TensorValue a = random_tensor(1, {2, 2}, DType::f32);
  BOOST_CHECK_THROW(functional_model.gemm(params, {a, a, a}), UsageError);
  BOOST_CHECK_THROW(functional_model.gemm(accumulating(), {a, a}), UsageError);
  BOOST_CHECK_THROW(
      functional_model.gemm(accumulating(), {a, a, random_tensor(1, {2, 2}, DType::f16)}),
      UsageError);
}

BOOST_AUTO_TEST_SUITE_END()
