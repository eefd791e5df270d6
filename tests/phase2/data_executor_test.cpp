// Phase 2 as a whole (spec 9): dependencies, memory afterwards, releasing, eager mode, errors.
#include "platform/phase2/data_executor.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <string>

#include "models/base/errors.h"
#include "platform/phase2/worker_pool.h"
#include "tests/phase2/phase2_fixture.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(data_executor_test)

namespace {

MathParams plus(double value) {
  MathParams params = math_of(MathOp::add);
  params.operands = {MathOperand::tensor(0), MathOperand::scalar(value)};
  return params;
}

}  // namespace

BOOST_AUTO_TEST_CASE(memory_holds_the_results_after_the_run) {
  FunctionalModel functional_model;
  const TensorValue a = tensor({1, 2, 3, 4}, {2, 2}, DType::f16);
  functional_model.store(a, {{0, 8}});
  const TensorValue loaded = functional_model.load({{0, 8}}, {2, 2}, DType::f16).value;
  functional_model.store(functional_model.gemm({}, {loaded, loaded}).value, {{100, 4}, {200, 4}});
  DataExecutor executor(functional_model, 2);
  executor.run();
  BOOST_TEST((doubles(executor.read({{100, 4}, {200, 4}}), DType::f16) ==
              std::vector<double>{7, 10, 15, 22}));
  BOOST_TEST((doubles(executor.read(0, 8), DType::f16) == std::vector<double>{1, 2, 3, 4}));
}

BOOST_AUTO_TEST_CASE(reused_places_do_not_mix_values) {
  FunctionalModel functional_model;
  std::vector<TensorValue> seen;
  TensorValue value = tensor({0, 0}, {2}, DType::f32);
  for (int i = 0; i < 50; ++i) {  // one slot, overwritten again and again
    functional_model.store(functional_model.math(plus(1), {value}).value, {{0, 8}});
    value = functional_model.load({{0, 8}}, {2}, DType::f32).value;
    seen.push_back(value);
  }
  DataExecutor executor(functional_model, 4);
  executor.run();
  for (std::size_t i = 0; i < seen.size(); ++i)
    BOOST_TEST(doubles(executor.bytes(seen[i]), DType::f32)[1] == static_cast<double>(i + 1));
}

BOOST_AUTO_TEST_CASE(partial_overwrites_slices_and_reinterpretation) {
  FunctionalModel functional_model;
  const TensorValue x =
      functional_model.math(plus(1), {tensor({1, 2, 3, 4}, {4}, DType::i32)}).value;  // 2 3 4 5
  functional_model.store(x, {{0, 16}});
  functional_model.store(functional_model.math(plus(10), {sliced(x, 1, 3)}).value,
                         {{8, 8}});                                // 13 14 at elements 2, 3
  functional_model.store(tensor({-1}, {1}, DType::i8), {{3, 1}});  // top byte of element 0
  const TensorValue all = functional_model.load({{0, 16}}, {4}, DType::i32).value;
  const TensorValue doubled = functional_model.math(math_of(MathOp::add), {all, all}).value;
  const TensorValue as_bytes = functional_model.load({{3, 6}}, {6}, DType::i8).value;
  DataExecutor executor(functional_model);
  executor.run();
  BOOST_TEST(
      (doubles(executor.bytes(doubled), DType::i32) == std::vector<double>{-33554428, 6, 26, 28}));
  BOOST_TEST(
      (doubles(executor.bytes(as_bytes), DType::i8) == std::vector<double>{-1, 3, 0, 0, 0, 13}));
}

BOOST_AUTO_TEST_CASE(operands_may_lie_at_odd_addresses) {
  FunctionalModel functional_model;
  const TensorValue a = tensor({1.5, 2.5, 3.5}, {3}, DType::f16);
  functional_model.store(a, {{65533, 6}});  // odd, and across a page
  const TensorValue loaded = functional_model.load({{65533, 6}}, {3}, DType::f16).value;
  BOOST_TEST((result_of(functional_model, functional_model.math(plus(1), {loaded}).value) ==
              std::vector<double>{2.5, 3.5, 4.5}));
}

BOOST_AUTO_TEST_CASE(a_run_goes_on_where_the_last_one_ended) {
  FunctionalModel functional_model;
  const TensorValue one = functional_model.math(plus(1), {tensor({0}, {1}, DType::f32)}).value;
  DataExecutor executor(functional_model, 2);
  executor.run();
  BOOST_TEST(doubles(executor.bytes(one), DType::f32)[0] == 1);
  const TensorValue two = functional_model.math(plus(1), {one}).value;
  BOOST_CHECK_THROW(executor.bytes(two), ModelError);
  executor.run();
  BOOST_TEST(doubles(executor.bytes(two), DType::f32)[0] == 2);
}

// Gemms of equal shape go in batches, large ones in blocks, between others: 40 of each of two
// shapes, and one of 8 blocks. Ones times i are K * i everywhere.
BOOST_AUTO_TEST_CASE(batches_and_blocks_come_to_the_same_on_any_number_of_threads) {
  for (const unsigned threads : {1U, 2U, 5U}) {
    FunctionalModel functional_model;
    std::vector<std::pair<TensorValue, double>> expected;
    const auto product = [&](std::int64_t m, std::int64_t k, std::int64_t n, double i) {
      const TensorValue c = functional_model
                                .gemm({}, {FunctionalModel::full({m, k}, DType::f32, 1),
                                           FunctionalModel::full({k, n}, DType::f32, i)})
                                .value;
      expected.emplace_back(c, static_cast<double>(k) * i);
      expected.emplace_back(functional_model.math(plus(i), {c}).value,
                            static_cast<double>(k) * i + i);
    };
    for (int i = 0; i < 40; ++i) {
      product(8, 16, 4, i);
      if (i == 20) product(1000, 3, 2000, i);
      product(4, 5, 9, i);
    }
    DataExecutor executor(functional_model, threads);
    executor.run();
    for (const auto& [value, element] : expected) {
      for (const double got : doubles(executor.bytes(value), DType::f32))
        BOOST_REQUIRE(got == element);
    }
  }
}

BOOST_AUTO_TEST_CASE(run_for_keeps_what_memory_holds_and_what_is_wanted) {
  FunctionalModel functional_model;
  TensorValue value = tensor({1}, {1}, DType::f32);
  std::vector<TensorValue> chain;
  for (int i = 0; i < 10; ++i)
    chain.push_back(value = functional_model.math(plus(1), {value}).value);
  functional_model.store(chain[4], {{0, 4}});
  functional_model.store(chain[9], {{4, 4}});
  DataExecutor executor(functional_model, 2);
  executor.run_for({chain[2].image});
  BOOST_TEST((doubles(executor.read(0, 8), DType::f32) == std::vector<double>{6, 11}));
  BOOST_TEST(doubles(executor.bytes(chain[2]), DType::f32)[0] == 4);
  BOOST_CHECK_THROW(executor.bytes(chain[3]), ModelError);
  functional_model.store(
      functional_model.math(plus(1), {functional_model.load({{0, 4}}, {1}, DType::f32).value})
          .value,
      {{0, 4}});
  executor.run_for({});
  BOOST_TEST((doubles(executor.read(0, 8), DType::f32) == std::vector<double>{7, 11}));
  BOOST_CHECK_THROW(executor.bytes(chain[2]), ModelError);  // wanted no more
  BOOST_CHECK_THROW(executor.bytes(chain[4]), ModelError);
}

BOOST_AUTO_TEST_CASE(eager_values_can_be_read_while_ops_are_recorded) {
  FunctionalModel functional_model;
  DataExecutor executor(functional_model, 2);
  TensorValue value = functional_model.math(plus(1), {tensor({0}, {1}, DType::f32)})
                          .value;  // recorded before eager mode starts
  executor.start_eager();
  for (int i = 1; i < 200; ++i) {
    functional_model.store(value, {{0, 4}});
    value = functional_model.math(plus(1), {functional_model.load({{0, 4}}, {1}, DType::f32).value})
                .value;
    if (i % 7 == 0) BOOST_TEST(doubles(functional_model.bytes(value), DType::f32)[0] == i + 1);
  }
  BOOST_TEST(doubles(functional_model.bytes(value), DType::f32)[0] == 200);
  BOOST_TEST(functional_model.known(value.image));
  executor.run();
  BOOST_TEST(doubles(executor.read(0, 4), DType::f32)[0] == 199);
}

BOOST_AUTO_TEST_CASE(without_an_executor_the_plane_is_deferred_again) {
  FunctionalModel functional_model;
  const TensorValue value = functional_model.math(plus(1), {tensor({0}, {1}, DType::f32)}).value;
  {
    DataExecutor executor(functional_model, 1);
    executor.start_eager();
    BOOST_TEST(doubles(functional_model.bytes(value), DType::f32)[0] == 1);
  }
  BOOST_CHECK_THROW(functional_model.bytes(value), PendingDataError);
}

BOOST_AUTO_TEST_CASE(the_error_of_an_op_reaches_the_caller_and_its_readers) {
  FunctionalModel functional_model;
  const TensorValue gone = functional_model.math(plus(1), {tensor({0}, {1}, DType::f32)}).value;
  DataExecutor executor(functional_model, 2);
  executor.run_for({});  // releases it
  const TensorValue reader = functional_model.math(plus(1), {gone}).value,
                    reader_of_reader = functional_model.math(plus(1), {reader}).value;
  const TensorValue healthy = functional_model.math(plus(1), {tensor({4}, {1}, DType::f32)}).value;
  functional_model.store(healthy, {{0, 4}});
  BOOST_CHECK_THROW(executor.run(), ModelError);
  BOOST_CHECK_THROW(executor.bytes(reader_of_reader), ModelError);
  BOOST_TEST(doubles(executor.read(0, 4), DType::f32)[0] == 5);
}

BOOST_AUTO_TEST_CASE(an_undefined_value_is_a_model_error) {
  FunctionalModel functional_model;
  functional_model.math(plus(1),
                        {TensorValue{ByteImage::of(ValueRef{99, 0, 4}), {1}, DType::f32, {}}});
  DataExecutor executor(functional_model);
  BOOST_CHECK_THROW(executor.run(), ModelError);
}

BOOST_AUTO_TEST_CASE(tasks_of_a_pool_may_submit_tasks) {
  WorkerPool pool(3);
  std::atomic<int> count{0};
  for (int i = 0; i < 10; ++i) {
    pool.submit([&] {
      for (int j = 0; j < 10; ++j) pool.submit([&] { ++count; });
    });
  }
  pool.wait_idle();
  BOOST_TEST(count == 100);
}

BOOST_AUTO_TEST_SUITE_END()
