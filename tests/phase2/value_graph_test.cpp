// Random programs through a small memory: loads, stores over parts of earlier values, copies,
// views, reuse of blocks, arithmetic in all dtypes, reductions, products and casts. The values that
// the data functional_model records and phase 2 computes are those of a machine that does one thing
// after another (tests/support/plain_machine.h), byte for byte, on any number of threads, deferred
// or eager.
#include <rapidcheck.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <optional>

#include "models/base/errors.h"
#include "platform/phase2/verify.h"
#include "tests/phase2/phase2_fixture.h"
#include "tests/support/plain_machine.h"

using namespace kernbench;
using test::Action;
using test::ActionKind;
using test::PlainMachine;
using test::Step;

BOOST_AUTO_TEST_SUITE(value_graph_test)

namespace {

constexpr std::uint64_t base = MemoryStore::page_bytes - 100;  // across a page

PhysRanges place(std::size_t at, std::size_t count) {
  // In two ranges, as memory that is mapped page by page comes.
  const std::size_t first = count / 2;
  if (first == 0) return {{base + at, count}};
  return {{base + at, first}, {base + at + first, count - first}};
}

// What a program has recorded.
class Recorded {
 public:
  explicit Recorded(const PlainMachine& plain, bool eager = false)
      : plain_(plain), executor_(functional_model_, 2) {
    if (eager) executor_.start_eager();
    record();
  }

  // Within a limit of memory; a block goes behind its last use.
  Recorded(const PlainMachine& plain, bool eager, std::uint64_t limit_bytes)
      : plain_(plain), executor_(functional_model_, 2), keeps_blocks_(false) {
    functional_model_.live_values().keep(LiveValues::Keep::reachable);
    eager ? executor_.start_eager(limit_bytes) : executor_.start_deferred(limit_bytes);
    record();
  }

  FunctionalModel& functional_model() { return functional_model_; }
  DataExecutor& executor() { return executor_; }

  void expect_values_of(const DataExecutor& executor) const {
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      expect_bytes("block " + std::to_string(i), executor.bytes(blocks_[i]),
                   plain_.blocks()[i].bytes());
  }
  void expect_memory_of(const DataExecutor& executor) const {
    expect_bytes("memory", executor.read(base, PlainMachine::memory_bytes), plain_.memory());
  }
  const TensorValue* last_block() const { return blocks_.empty() ? nullptr : &blocks_.back(); }

 private:
  void record() {
    const std::vector<std::byte> first = PlainMachine::first_memory();
    functional_model_.memory().write_bytes(base, first.data(), first.size());
    const std::vector<Action>& actions = plain_.actions();
    for (std::size_t i = 0; i < actions.size(); ++i) {
      carry_out(actions[i]);
      if (!keeps_blocks_) forget_blocks_behind(i);
    }
  }

  void forget_blocks_behind(std::size_t done) {
    std::vector<bool> needed(blocks_.size());
    if (!needed.empty()) needed.back() = true;
    for (std::size_t i = done + 1; i < plain_.actions().size(); ++i) {
      for (const std::size_t operand : plain_.actions()[i].operands) {
        if (operand < needed.size()) needed[operand] = true;
      }
    }
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (!needed[i]) blocks_[i] = {};
    }
  }

  static void expect_bytes(const std::string& what, const std::vector<std::byte>& got,
                           const std::vector<std::byte>& expected) {
    const auto differ = std::mismatch(got.begin(), got.end(), expected.begin(), expected.end());
    if (got != expected)
      RC_FAIL(what + " differs in byte " + std::to_string(differ.first - got.begin()));
  }

  void carry_out(const Action& action) {
    const auto operand = [&](std::size_t i) -> const TensorValue& {
      return blocks_[action.operands[i]];
    };
    const Shape shape{action.rows, action.columns};
    switch (action.kind) {
      case ActionKind::load:
        return keep(functional_model_
                        .load(place(action.at, static_cast<std::size_t>(shape.elements()) *
                                                   size_of(action.dtype)),
                              shape, action.dtype)
                        .value);
      case ActionKind::make:
        return keep(FunctionalModel::full(shape, action.dtype, action.scalar));
      case ActionKind::store:
        functional_model_.store(operand(0), place(action.at, action.count));
        return;
      case ActionKind::copy:
        functional_model_.store(
            functional_model_.view(place(action.at, action.count),
                                   Shape{static_cast<std::int64_t>(action.count)}, DType::i8),
            place(action.to, action.count));
        return;
      case ActionKind::math:
      case ActionKind::reduce: {
        MathParams params = math_of(action.op);
        if (action.kind == ActionKind::reduce) params.axis = action.axis;
        std::vector<TensorValue> inputs;
        for (std::size_t i = 0; i < action.operands.size(); ++i) {
          params.operands.push_back(MathOperand::tensor(static_cast<int>(i)));
          inputs.push_back(operand(i));
        }
        if (action.has_scalar) params.operands.push_back(MathOperand::scalar(action.scalar));
        return keep(functional_model_.math(params, inputs).value);
      }
      case ActionKind::cast:
        return keep(functional_model_.converted(operand(0), action.dtype));
      case ActionKind::dot:
        return keep(functional_model_.gemm({}, {operand(0), operand(1)}).value);
      case ActionKind::transpose:
        return keep(transposed(operand(0)));
      case ActionKind::slice:
        return keep(sliced(operand(0), action.begin, action.end));
      case ActionKind::reshape:
        return keep(reshaped(operand(0), shape));
      case ActionKind::broadcast:
        return keep(broadcast_to(operand(0), shape));
      case ActionKind::read:
        return read(action.operands[0]);
    }
  }

  void keep(TensorValue value) {
    const test::Block& expected = plain_.blocks()[blocks_.size()];
    RC_ASSERT(value.shape == (Shape{expected.rows, expected.columns}));
    RC_ASSERT(value.dtype == expected.dtype);
    blocks_.push_back(std::move(value));
  }

  // As a kernel does that branches on a value. Deferred: only what was known from the start can be
  // read.
  void read(std::size_t block) {
    const std::string what = "block " + std::to_string(block) + ", read on the way,";
    if (functional_model_.known(blocks_[block].image)) {
      expect_bytes(what, functional_model_.bytes(blocks_[block]), plain_.blocks()[block].bytes());
    } else {
      RC_ASSERT_THROWS_AS(functional_model_.bytes(blocks_[block]), PendingDataError);
    }
  }

  const PlainMachine& plain_;
  FunctionalModel functional_model_;
  DataExecutor executor_;
  std::vector<TensorValue> blocks_;
  bool keeps_blocks_ = true;
};

// A property of programs; a counterexample is printed as its lines.
template <class Property>
bool holds(const char* name, Property property) {
  return rc::check(name, [&property] {
    const PlainMachine plain(*test::random_steps());
    RC_LOG() << plain.listing();
    property(plain);
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(random_programs_agree_with_a_machine_that_does_one_thing_after_another) {
  BOOST_TEST(holds("deferred, on one thread and on four", [](const PlainMachine& plain) {
    Recorded recorded(plain);
    DataExecutor one(recorded.functional_model(), 1), four(recorded.functional_model(), 4);
    one.run();
    four.run();
    for (const DataExecutor* executor : {&one, &four}) {
      recorded.expect_values_of(*executor);
      recorded.expect_memory_of(*executor);
    }
  }));
}

BOOST_AUTO_TEST_CASE(random_programs_that_are_read_on_the_way_agree_in_eager_mode) {
  BOOST_TEST(holds("eager", [](const PlainMachine& plain) {
    Recorded recorded(plain, true);
    recorded.executor().run();
    recorded.expect_values_of(recorded.executor());
    recorded.expect_memory_of(recorded.executor());
  }));
}

BOOST_AUTO_TEST_CASE(random_programs_leave_memory_and_what_is_wanted_when_values_are_released) {
  BOOST_TEST(holds("run_for", [](const PlainMachine& plain) {
    Recorded recorded(plain);
    const TensorValue* const wanted = recorded.last_block();
    DataExecutor executor(recorded.functional_model(), 2);
    executor.run_for(wanted ? std::vector<ByteImage>{wanted->image} : std::vector<ByteImage>{});
    recorded.expect_memory_of(executor);
    if (wanted) RC_ASSERT(executor.bytes(*wanted) == plain.blocks().back().bytes());
  }));
}

// A limit of 0 is exceeded by every operation: each is a slice of its own.
BOOST_AUTO_TEST_CASE(random_programs_give_the_same_bytes_within_any_limit_of_memory) {
  for (const bool eager : {false, true}) {
    for (const std::uint64_t limit :
         {std::uint64_t{0}, std::uint64_t{5000}, std::uint64_t{20000}}) {
      BOOST_TEST(holds(eager ? "eager within a limit" : "slices", [&](const PlainMachine& plain) {
        Recorded recorded(plain, eager, limit);
        const TensorValue* const wanted = recorded.last_block();
        DataExecutor& executor = recorded.executor();
        executor.run_for(wanted ? std::vector<ByteImage>{wanted->image} : std::vector<ByteImage>{});
        recorded.expect_memory_of(executor);
        if (wanted) RC_ASSERT(executor.bytes(*wanted) == plain.blocks().back().bytes());
      }));
    }
  }
}

BOOST_AUTO_TEST_CASE(random_programs_pass_the_check_of_every_operation) {
  BOOST_TEST(holds("--verify-data=ops", [](const PlainMachine& plain) {
    Recorded recorded(plain);
    recorded.executor().run();
    const DataExecutor& executor = recorded.executor();
    const OpCheck check = check_ops(
        recorded.functional_model().ops(),
        [&executor](ValueId id) { return executor.computed(id); }, 1);
    RC_ASSERT(check.total() == recorded.functional_model().ops().size());
    RC_ASSERT(check.failures.empty());
  }));
}

// The generator is worth something: most programs reach every kind of action.
BOOST_AUTO_TEST_CASE(random_programs_use_everything) {
  std::array<std::size_t, 13> seen{};
  rc::check("actions", [&seen] {
    const PlainMachine plain(*test::random_steps());
    for (const Action& action : plain.actions()) ++seen.at(static_cast<std::size_t>(action.kind));
  });
  for (std::size_t kind = 0; kind < seen.size(); ++kind)
    BOOST_TEST(seen[kind] > 20U, "kind " << kind << ": " << seen[kind]);
}

BOOST_AUTO_TEST_SUITE_END()
