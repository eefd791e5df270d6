// Data held by a run: reachable values, within a limit of memory (spec 9).
// Counts of values, operations, slices and waits, which do not depend on the host.
#include <boost/test/unit_test.hpp>
#include <memory>
#include <system_error>

#include "models/base/errors.h"
#include "platform/phase2/verify.h"
#include "tests/phase2/phase2_fixture.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(data_limit_test)

namespace {

constexpr std::uint64_t block_bytes = 4096;
constexpr PhysRange x_place{0, block_bytes}, y_place{1 << 20, block_bytes};
const Shape block_shape{1024};

std::uint64_t input_limit() { return 64 << 10; }

class Run {
 public:
  explicit Run(LiveValues::Keep keep = LiveValues::Keep::reachable, unsigned threads = 2,
               const WorkerPool::ThreadStarter& starter = &WorkerPool::start_thread)
      : executor(model, threads, starter) {
    model.live_values().keep(keep);
    const std::vector<std::byte> zeros(block_bytes);
    model.memory().write_bytes(x_place.pa, zeros.data(), block_bytes);
  }

  TensorValue load(const PhysRange& from) {
    return model.load({from}, block_shape, DType::i32).value;
  }
  void store(const TensorValue& value, const PhysRange& to) { model.store(value, {to}); }
  TensorValue plus_one(const TensorValue& value) {
    MathParams params = math_of(MathOp::add);
    params.operands = {MathOperand::tensor(0), MathOperand::scalar(1)};
    return model.math(std::move(params), {value}).value;
  }
  // out = x + 1: each launch overwrites what the one before has left.
  void overwrite(int launches) {
    for (int i = 0; i < launches; ++i) store(plus_one(load(x_place)), y_place);
  }
  // x = x + 1: each launch needs the one before.
  void chain(int launches) {
    for (int i = 0; i < launches; ++i) store(plus_one(load(x_place)), x_place);
  }
  std::int32_t first_of(const PhysRange& place) {
    executor.run_for({});
    return static_cast<std::int32_t>(doubles(executor.read({place}), DType::i32).front());
  }
  const LiveValues::Held& held() { return model.live_values().held(); }
  const LiveValues::Totals& totals() { return model.live_values().totals(); }

  FunctionalModel model;
  DataExecutor executor;
};

WorkerPool::ThreadStarter refuses() {
  return [](std::function<void()>) -> std::thread {
    throw std::system_error(EAGAIN, std::generic_category(), "thread");
  };
}

}  // namespace

BOOST_AUTO_TEST_CASE(unreachable_results_are_dropped) {
  for (const int launches : {2000, 4000}) {
    Run run;
    run.overwrite(launches);
    BOOST_TEST(run.held().values == 1U);  // what memory holds
    BOOST_TEST(run.totals().peak_values == 2U);
    BOOST_TEST(run.totals().dropped == static_cast<std::uint64_t>(launches - 1));
    BOOST_TEST(run.model.ops().size() == 1U);
    BOOST_TEST(run.first_of(y_place) == 1);
  }
}

BOOST_AUTO_TEST_CASE(an_operation_keeps_what_it_reads_alive) {
  Run run;
  TensorValue value = run.plus_one(run.plus_one(run.load(x_place)));
  BOOST_TEST(run.held().values == 2U);
  const TensorValue copy = value;
  value = {};
  BOOST_TEST(run.held().values == 2U);
  run.executor.run_for({copy.image});
  BOOST_TEST(doubles(run.executor.bytes(copy), DType::i32).front() == 2);
}

BOOST_AUTO_TEST_CASE(parts_of_a_value_keep_it_alive) {
  Run run;
  run.store(run.plus_one(run.load(x_place)), y_place);
  run.model.memory().clear(y_place.pa, block_bytes - 4);
  BOOST_TEST(run.held().values == 1U);
  run.model.memory().clear(y_place.pa + block_bytes - 4, 4);
  BOOST_TEST(run.held().values == 0U);
}

BOOST_AUTO_TEST_CASE(a_long_chain_goes_link_by_link_on_a_small_stack) {
  Run run;
  TensorValue value = FunctionalModel::zeros({4}, DType::i32);
  for (int i = 0; i < 300'000; ++i) value = run.plus_one(value);
  BOOST_TEST(run.held().values == 300'000U);
  value = {};
  BOOST_TEST(run.held().values == 0U);
  BOOST_TEST(run.held().bytes() == 0U);
}

BOOST_AUTO_TEST_CASE(records_of_dropped_operations_say_what_they_were) {
  Run run;
  DataOpPtr op;
  {
    MathParams params = math_of(MathOp::abs);
    const TensorValue first = run.plus_one(run.load(x_place));
    op = run.model.math(std::move(params), {first}).op;
  }
  BOOST_TEST(run.held().values == 0U);
  BOOST_TEST((input_ids(*op) == std::vector<ValueId>{1}));
  BOOST_TEST(describe(*op).find("in0=i32:1024") != std::string::npos, describe(*op));
}

BOOST_AUTO_TEST_CASE(a_chain_that_does_not_fit_is_computed_in_slices) {
  Run run, unlimited;
  run.executor.start_deferred(input_limit());
  run.chain(4000);
  unlimited.chain(4000);
  BOOST_TEST(unlimited.held().values == 4000U);
  // A quarter of the limit is for pending operations, 1 KiB and what they read each.
  BOOST_TEST(run.totals().peak_bytes <= input_limit() + 2 * block_bytes);
  BOOST_TEST(run.totals().peak_values <= 66U);
  BOOST_TEST(run.executor.pauses().slices > 50U);
  const std::uint64_t slices = run.executor.pauses().slices;
  Run again;
  again.executor.start_deferred(input_limit());
  again.chain(4000);
  BOOST_TEST(again.executor.pauses().slices == slices);
  BOOST_TEST(again.totals().peak_bytes == run.totals().peak_bytes);
  BOOST_TEST(run.first_of(x_place) == 4000);
  BOOST_TEST(unlimited.first_of(x_place) == 4000);
}

BOOST_AUTO_TEST_CASE(computed_slices_stay_pending_for_kernels_of_deferred_mode) {
  Run run;
  run.executor.start_deferred(0);
  const TensorValue value = run.plus_one(run.load(x_place));
  BOOST_TEST(run.executor.pauses().slices == 1U);
  BOOST_TEST(!run.model.known(value.image));
  BOOST_CHECK_THROW(run.model.bytes(value), PendingDataError);
}

BOOST_AUTO_TEST_CASE(values_that_stay_do_not_make_every_operation_a_slice) {
  Run run;
  run.executor.start_deferred(input_limit());
  std::vector<TensorValue> kept;
  for (int i = 0; i < 400; ++i) kept.push_back(run.plus_one(run.load(x_place)));
  // 1.6 MB are held, far beyond the limit: of it, 16 KiB may be pending, four operations of 5 KiB.
  BOOST_TEST(run.executor.pauses().slices >= 80U);
  BOOST_TEST(run.executor.pauses().slices <= 134U);
  std::vector<ByteImage> wanted;
  for (const TensorValue& value : kept) wanted.push_back(value.image);
  run.executor.run_for(wanted);
  for (const TensorValue& value : kept)
    BOOST_TEST(doubles(run.executor.bytes(value), DType::i32).back() == 1);
}

BOOST_AUTO_TEST_CASE(every_operation_is_checked_before_it_goes) {
  for (const bool eager : {false, true}) {
    Run run(LiveValues::Keep::everything);
    std::vector<std::uint64_t> checked;
    run.executor.check_computed([&](const std::vector<DataOpPtr>& ops) {
      for (const DataOpPtr& op : ops) checked.push_back(op->id);
      const OpCheck check = check_ops(
          ops, [&](ValueId id) { return run.executor.computed(id); }, 1);
      BOOST_TEST(check.failures.empty());
    });
    eager ? run.executor.start_eager(input_limit()) : run.executor.start_deferred(input_limit());
    run.overwrite(300);  // out of reach at once, but to be checked
    run.chain(300);
    BOOST_TEST(run.held().values < 100U);
    run.executor.run();
    for (const DataOpPtr& op : run.model.ops()) checked.push_back(op->id);
    std::sort(checked.begin(), checked.end());
    BOOST_TEST(checked.size() == 600U);
    BOOST_TEST((std::adjacent_find(checked.begin(), checked.end()) == checked.end()));
    BOOST_TEST(run.totals().dropped == 0U);
  }
}

// Without threads only a wait computes values, so that waits can be counted.
BOOST_AUTO_TEST_CASE(an_eager_run_waits_for_a_pool_that_falls_behind) {
  Run run(LiveValues::Keep::reachable, 2, refuses());
  run.executor.start_eager(input_limit());
  run.chain(1000);
  BOOST_TEST(run.executor.pauses().waits >= 15U);  // 64 KiB are 64 operations of 1 KiB
  BOOST_TEST(run.executor.pauses().waits <= 70U);
  BOOST_TEST(run.totals().peak_bytes <= input_limit() + 2 * block_bytes);
  BOOST_TEST(run.first_of(x_place) == 1000);
}

BOOST_AUTO_TEST_CASE(an_eager_run_frees_unreachable_values) {
  for (const int launches : {500, 1000}) {
    Run run;
    run.executor.start_eager(input_limit());
    run.overwrite(launches);
    run.chain(launches);
    BOOST_TEST(run.first_of(x_place) == launches);
    BOOST_TEST(run.first_of(y_place) == 1);
    BOOST_TEST(run.held().values <= 2U);
    BOOST_TEST(run.held().pending_bytes == 0U);
  }
}

BOOST_AUTO_TEST_SUITE_END()
