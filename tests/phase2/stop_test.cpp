// Stop requests during phase 2: between operations, within a long one, in references.
#include "platform/phase2/stop.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <future>
#include <string>

#include "platform/phase2/verify.h"
#include "tests/phase2/phase2_fixture.h"
#include "tests/support/error_text.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(stop_test)

namespace {

// Says stop from the n-th time on that it is asked.
class StopAt {
 public:
  explicit StopAt(int n) : left_(std::make_shared<std::atomic<int>>(n)) {}
  bool operator()() const { return --*left_ < 0; }
  int asked_after() const { return -*left_; }

 private:
  std::shared_ptr<std::atomic<int>> left_;
};

constexpr int chain_length = 40;

// A chain, so that one operation is computed after the other.
TensorValue chain(FunctionalModel& functional_model) {
  TensorValue value = tensor({0, 1}, {2}, DType::f32);
  for (int i = 0; i < chain_length; ++i) {
    MathParams params = math_of(MathOp::add);
    params.operands = {MathOperand::tensor(0), MathOperand::scalar(1)};
    value = functional_model.math(std::move(params), {value}).value;
  }
  return value;
}

// Rows x 65600 x 1024: 256 rows of it are one block of more than 2^34 products.
constexpr std::int64_t depth = 65600, columns = 1024;
DataOpPtr gemm_of_rows(FunctionalModel& functional_model, std::int64_t rows, TensorValue& result) {
  Numbers numbers(7);
  const std::vector<double> row = numbers.integers(depth, -3, 3);
  std::vector<double> a;
  for (std::int64_t i = 0; i < rows; ++i) a.insert(a.end(), row.begin(), row.end());
  for (std::size_t i = 0; i < a.size(); i += 997)
    a[i] += 1.0 / static_cast<double>(1 + i / depth);  // rows differ
  IssuedOp op =
      functional_model.gemm({}, {tensor(a, {rows, depth}, DType::f32),
                                 FunctionalModel::full({depth, columns}, DType::f16, 0.3)});
  result = op.value;
  return op.op;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_stopped_run_reports_its_progress_and_can_continue) {
  for (const unsigned threads : {1U, 4U}) {
    FunctionalModel functional_model;
    const TensorValue last = chain(functional_model);
    DataExecutor executor(functional_model, threads);
    executor.stop_when(StopAt(12));
    const std::string text = test::error_of<StoppedError>([&] { executor.run(); });
    BOOST_TEST(text.find(" of 40 operations computed") != std::string::npos, text);
    BOOST_TEST(std::stoi(text) < 12, text);
    BOOST_CHECK_THROW(executor.bytes(last), ModelError);
  }
}

BOOST_AUTO_TEST_CASE(nothing_is_said_of_a_stop_behind_the_last_operation) {
  FunctionalModel functional_model;
  chain(functional_model);
  DataExecutor executor(functional_model, 2);
  std::atomic<bool> stop{false};
  executor.stop_when([&stop] { return stop.load(); });
  executor.run();
  stop = true;
  executor.run();
}

BOOST_AUTO_TEST_CASE(a_long_gemm_asks_within_its_block_and_its_bits_do_not_hang_on_it) {
  FunctionalModel functional_model;
  TensorValue whole, part;
  const DataOpPtr op = gemm_of_rows(functional_model, 256, whole);
  gemm_of_rows(functional_model, 64, part);
  const auto bytes = [](DataExecutor& executor, const TensorValue& value) {
    executor.run();
    return executor.bytes(value);
  };
  DataExecutor executor(functional_model, 1);
  const std::vector<std::byte> all = bytes(executor, whole), first = bytes(executor, part);
  BOOST_TEST((std::vector<std::byte>(
                  all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first.size())) == first));

  const StopAt third_strip(2);
  const auto job = make_job(*op, {}, third_strip);
  BOOST_TEST_REQUIRE(job->blocks() == 1U);
  BOOST_CHECK_THROW(job->run_block(0), StoppedError);
  BOOST_TEST(third_strip.asked_after() == 1);
}

BOOST_AUTO_TEST_CASE(the_check_of_operations_stops_between_and_within_references) {
  FunctionalModel functional_model;
  chain(functional_model);
  DataExecutor executor(functional_model, 1);
  executor.run();
  const ValueLookup values = [&executor](ValueId id) { return executor.computed(id); };
  const std::string text = test::error_of<StoppedError>(
      [&] { check_ops(functional_model.ops(), values, 1, StopAt(7)); });
  BOOST_TEST(text == "7 of 40 operations checked");

  FunctionalModel other;
  const TensorValue square = tensor(std::vector<double>(64 * 64, 1), {64, 64}, DType::f32);
  const DataOpPtr gemm = other.gemm({}, {square, square}).op;
  const std::vector<std::byte> output(64 * 64 * 4);
  BOOST_CHECK_THROW(check_op(*gemm, output.data(), {}, StopAt(3)), StoppedError);
}

BOOST_AUTO_TEST_CASE(a_comparison_stops) {
  const std::vector<std::byte> bytes(4);
  BOOST_CHECK_THROW(compare(bytes, DType::f32, {1}, {0}, 1, {}, StopAt(0)), StoppedError);
}

BOOST_AUTO_TEST_CASE(a_reference_that_ignores_the_stop_is_abandoned) {
  std::promise<void> end;
  const std::shared_future<void> ended = end.get_future().share();
  const auto never = [ended] {
    ended.wait();
    return std::vector<double>{1};
  };
  BOOST_CHECK_THROW(abandonable(never, StopAt(0)), StoppedError);
  end.set_value();
  BOOST_TEST((abandonable(never, StopAt(1 << 20)) == std::vector<double>{1}));
  BOOST_CHECK_THROW(
      abandonable([]() -> std::vector<double> { throw UsageError("no"); }, StopAt(1 << 20)),
      UsageError);
}

BOOST_AUTO_TEST_CASE(a_kernel_that_waits_for_a_value_is_stopped_too) {
  FunctionalModel functional_model;
  DataExecutor executor(functional_model, 1);
  executor.stop_when([] { return true; });
  executor.start_eager();
  const TensorValue last = chain(functional_model);
  BOOST_CHECK_THROW(functional_model.bytes(last), StoppedError);
}

BOOST_AUTO_TEST_SUITE_END()
