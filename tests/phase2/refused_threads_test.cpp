// A host that refuses threads: phase 2 goes on with those that it got, and gives the same bytes.
#include <boost/test/unit_test.hpp>
#include <memory>
#include <system_error>

#include "platform/phase2/worker_pool.h"
#include "tests/phase2/phase2_fixture.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(refused_threads_test)

namespace {

WorkerPool::ThreadStarter grants(int threads) {
  return [left = std::make_shared<int>(threads)](std::function<void()> body) {
    if ((*left)-- <= 0) throw std::system_error(EAGAIN, std::generic_category(), "thread");
    return std::thread(std::move(body));
  };
}

// Independent gemms of several blocks and chains behind them.
std::vector<TensorValue> record(FunctionalModel& functional_model) {
  Numbers numbers(3);
  std::vector<TensorValue> results;
  for (int i = 0; i < 6; ++i) {
    const TensorValue a = tensor(numbers.uniform(300 * 40, -1, 1), {300, 40}, DType::f16),
                      b = tensor(numbers.uniform(40 * 1100, -1, 1), {40, 1100}, DType::f16);
    MathParams exp = math_of(MathOp::exp);
    results.push_back(
        functional_model.math(std::move(exp), {functional_model.gemm({}, {a, b}).value}).value);
  }
  return results;
}

std::vector<std::vector<std::byte>> results_with(const WorkerPool::ThreadStarter& starter,
                                                 bool eager, unsigned expected_threads) {
  FunctionalModel functional_model;
  DataExecutor executor(functional_model, 4, starter);
  BOOST_TEST(executor.threads() == expected_threads);
  if (eager) executor.start_eager();
  const std::vector<TensorValue> values = record(functional_model);
  if (!eager) executor.run();
  std::vector<std::vector<std::byte>> bytes;
  for (const TensorValue& value : values)
    bytes.push_back(eager ? functional_model.bytes(value) : executor.bytes(value));
  return bytes;
}

}  // namespace

BOOST_AUTO_TEST_CASE(results_do_not_depend_on_the_threads_that_the_host_grants) {
  const auto expected = results_with(&WorkerPool::start_thread, false, 4);
  for (const bool eager : {false, true}) {
    BOOST_TEST((results_with(grants(3), eager, 3) == expected));
    BOOST_TEST((results_with(grants(1), eager, 1) == expected));
    BOOST_TEST((results_with(grants(0), eager, 1) == expected));
  }
}

BOOST_AUTO_TEST_CASE(a_pool_without_threads_runs_its_tasks_in_a_wait) {
  WorkerPool pool(4, grants(0));
  BOOST_TEST(pool.threads() == 0U);
  std::vector<int> order;
  pool.submit([&] {
    order.push_back(1);
    pool.submit([&] { order.push_back(3); });
  });
  pool.submit([&] { order.push_back(2); });
  BOOST_TEST(order.empty());
  pool.wait_idle();
  BOOST_TEST((order == std::vector<int>{1, 2, 3}));
}

BOOST_AUTO_TEST_SUITE_END()
