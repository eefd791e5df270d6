// Atomic operations of kernels on a PE without time: values, results, commands, what is refused.
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <limits>
#include <random>

#include "models/base/errors.h"
#include "platform/phase2/data_executor.h"
#include "sw/tl/recorder.h"
#include "tests/support/error_text.h"
#include "tests/tl/fake_pe.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(atomics)

namespace {

constexpr std::uint64_t base_address = 0x10000;
using Values = std::vector<double>;

// A tensor whose element i holds i + 1.
struct Memory {
  explicit Memory(std::int64_t elements, DType dtype = DType::i32, bool with_data = true)
      : pe(with_data), tensor(tl::TensorInfo::whole("x", base_address, Shape{elements}, dtype)) {
    if (!with_data) return;
    const tl::Handle values = tl.arange(1, elements + 1, dtype);
    tl.store(ptr(), values);
    pe.functional_model
        .resolve();  // time does not advance here: the store is of an earlier instant
    pe.commands.clear();
  }
  tl::Ptr ptr() const { return tl::Ptr(tensor); }
  // What is in memory now.
  Values values() { return tl.load(ptr(), tensor->shape, tensor->dtype).data(); }
  std::string text(std::size_t command) const { return tl::describe(pe.commands.at(command)); }

  FakePe pe;
  tl::Program tl{pe};
  tl::TensorInfoPtr tensor;
};

void check(const tl::Handle& found, const Values& expected) {
  BOOST_TEST(found.data() == expected, boost::test_tools::per_element());
}
void check(Memory& memory, const Values& expected) {
  BOOST_TEST(memory.values() == expected, boost::test_tools::per_element());
}

// Values that phase 2 computes: sums of one element each.
tl::Handle pending(Memory& memory, const std::vector<std::int32_t>& values) {
  constexpr std::uint64_t place = 0x90000;
  memory.pe.functional_model.memory().write_bytes(place, values.data(), 4 * values.size());
  const Shape shape{static_cast<std::int64_t>(values.size())};
  const tl::Handle known = memory.tl.load(tl::Ptr(place), shape, DType::i32);
  return memory.tl.sum(memory.tl.expand_dims(known, 1), 1, false);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_scalar_is_added_to_one_element_and_the_old_value_returned) {
  Memory m(4);
  const tl::Handle old = m.tl.atomic_add(m.ptr() + 8, 10);
  check(old, {3});
  BOOST_TEST(old.str() == "i32{1}");
  check(m, {1, 2, 13, 4});
  BOOST_TEST(m.text(0) == "atomic_add 0x10008 4");
}

BOOST_AUTO_TEST_CASE(each_operation_does_what_its_name_says) {
  const auto run = [](auto operation) {
    Memory m(4);
    const tl::Handle old = operation(m.tl, m.ptr(), m.tl.full({4}, 2, i32));
    check(old, {1, 2, 3, 4});
    return m.values();
  };
  using P = tl::Program;
  using Call = tl::Handle (P::*)(const tl::Ptr&, const tl::Operand&, CallSite);
  const auto of = [&](Call call) {
    return run([call](P& tl, const tl::Ptr& x, const tl::Handle& two) {
      return (tl.*call)(x, two, CallSite::here());
    });
  };
  BOOST_TEST(of(&P::atomic_add) == (Values{3, 4, 5, 6}), boost::test_tools::per_element());
  BOOST_TEST(of(&P::atomic_max) == (Values{2, 2, 3, 4}), boost::test_tools::per_element());
  BOOST_TEST(of(&P::atomic_min) == (Values{1, 2, 2, 2}), boost::test_tools::per_element());
  BOOST_TEST(of(&P::atomic_and) == (Values{0, 2, 2, 0}), boost::test_tools::per_element());
  BOOST_TEST(of(&P::atomic_or) == (Values{3, 2, 3, 6}), boost::test_tools::per_element());
  BOOST_TEST(of(&P::atomic_xor) == (Values{3, 0, 1, 6}), boost::test_tools::per_element());
  BOOST_TEST(of(&P::atomic_xchg) == (Values{2, 2, 2, 2}), boost::test_tools::per_element());
  const Values cas =
      run([](P& tl, const tl::Ptr& x, const tl::Handle& two) { return tl.atomic_cas(x, two, 9); });
  BOOST_TEST(cas == (Values{1, 9, 3, 4}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(integers_wrap_and_floats_round_once) {
  Memory m(1);
  m.tl.atomic_xchg(m.ptr(), std::numeric_limits<std::int32_t>::max());
  m.tl.atomic_add(m.ptr(), 1);
  check(m, {-2147483648.0});
  Memory half(1, DType::f16);
  half.tl.atomic_xchg(half.ptr(), 2048);
  half.tl.atomic_add(half.ptr(), 1);  // a tie: to even
  check(half, {2048});
  half.tl.atomic_add(half.ptr(), 3);
  check(half, {2052});
}

// Lanes at one element: each finds what the one before it has left.
BOOST_AUTO_TEST_CASE(lanes_at_one_element_act_sequentially) {
  Memory m(4);
  BOOST_CHECK_THROW(m.tl.atomic_add(m.ptr(), pending(m, {0, 1, 0, 1}), 1), PendingDataError);
  const tl::Handle places = m.tl.arange(0, 6) % 2;
  check(m.tl.atomic_add(m.ptr(), places, 10), {1, 2, 11, 12, 21, 22});
  check(m, {31, 32, 3, 4});
  check(m.tl.atomic_cas(m.ptr(), places * 0, 31, m.tl.arange(100, 106)),
        {31, 100, 100, 100, 100, 100});
}

BOOST_AUTO_TEST_CASE(masked_lanes_touch_nothing_and_return_0) {
  Memory m(4);
  const tl::Handle lanes = m.tl.arange(0, 4);
  check(m.tl.atomic_add(m.ptr(), lanes, m.tl.arange(10, 14), m.tl.ge(lanes, 2)), {0, 0, 3, 4});
  check(m, {1, 2, 15, 17});
  BOOST_TEST(m.text(1) == "atomic_add 0x10008 8");
  check(m.tl.atomic_add(m.ptr(), lanes, 1, m.tl.lt(lanes, 0)), {0, 0, 0, 0});
  check(m, {1, 2, 15, 17});
}

// Random offsets, masks and operands against one lane after the other.
BOOST_AUTO_TEST_CASE(random_lanes_against_a_loop) {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    Memory m(7);
    Values memory = m.values(), expected_old;
    const std::int64_t lanes = 1 + random() % 12;
    const auto draw = [&](std::uint32_t limit) {
      Values values;
      for (std::int64_t i = 0; i < lanes; ++i) values.push_back(random() % limit);
      return values;
    };
    const Values offsets = draw(7), mask = draw(2), operands = draw(1000);
    const tl::Ptr scratch{std::uint64_t{0x80000}};
    const auto block = [&](const Values& values) {
      const std::vector<std::int32_t> elements(values.begin(), values.end());
      m.pe.functional_model.memory().write_bytes(0x80000, elements.data(), 4 * elements.size());
      return m.tl.load(scratch, {lanes}, i32);
    };
    for (std::int64_t i = 0; i < lanes; ++i) {
      const auto lane = static_cast<std::size_t>(i);
      expected_old.push_back(mask[lane] != 0 ? memory[static_cast<std::size_t>(offsets[lane])] : 0);
      if (mask[lane] != 0) memory[static_cast<std::size_t>(offsets[lane])] += operands[lane];
    }
    check(m.tl.atomic_add(m.ptr(), block(offsets), block(operands), block(mask)), expected_old);
    check(m, memory);
  }
}

// Old value or operand not known: phase 2 computes the same, op by op.
BOOST_AUTO_TEST_CASE(pending_values_are_computed_by_phase_2_in_the_same_order) {
  Memory m(3);
  const tl::Handle places = m.tl.arange(0, 6) % 3;
  const tl::Handle old = m.tl.atomic_add(m.ptr(), places, pending(m, {1, 2, 3, 4, 5, 6}));
  BOOST_CHECK_THROW(old.data(), PendingDataError);
  const tl::Handle swapped = m.tl.atomic_cas(m.ptr(), m.tl.full({3}, 6, i32), -1);
  m.tl.atomic_xchg(m.ptr() + 4, 77);  // known again
  check(m.tl.load(m.ptr() + 4, {1}, i32), {77});
  const tl::Ptr out{std::uint64_t{0x20000}};
  m.tl.store(out, old);
  m.tl.store(out + 64, swapped);
  DataExecutor executor(m.pe.functional_model, 1);
  executor.run();
  const auto result = [&](std::uint64_t address, std::int64_t elements) {
    const std::vector<std::byte> bytes = executor.bytes(m.pe.functional_model.view(
        {{address, static_cast<std::uint64_t>(4 * elements)}}, Shape{elements}, DType::i32));
    std::vector<std::int32_t> values(static_cast<std::size_t>(elements));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  };
  using Ints = std::vector<std::int32_t>;
  BOOST_TEST(result(0x20000, 6) == (Ints{1, 2, 3, 2, 4, 6}), boost::test_tools::per_element());
  BOOST_TEST(result(0x20040, 3) == (Ints{6, 9, 12}), boost::test_tools::per_element());
  BOOST_TEST(result(base_address, 3) == (Ints{-1, 77, 12}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_kernel_may_branch_on_the_answer_to_known_integers) {
  Memory m(1);
  BOOST_TEST(m.tl.atomic_cas(m.ptr(), 0, 1).item() == 1);
  BOOST_TEST(m.tl.atomic_cas(m.ptr(), 1, 5).item() == 1);
  BOOST_TEST(m.tl.atomic_add(m.ptr(), 1).item() == 5);
  BOOST_TEST(m.tl.atomic_add(m.ptr(), m.tl.zeros({1}, i32)).index_values().at(0) == 6);
}

BOOST_AUTO_TEST_CASE(without_data_there_are_commands_only) {
  Memory m(4, DType::f32, false);
  const tl::Handle old = m.tl.atomic_add(m.ptr(), m.tl.full({4}, 1, f32));
  BOOST_TEST(m.text(0) == "atomic_add 0x10000 16");
  BOOST_CHECK_EXCEPTION(old.data(), UsageError, with_text("this run has no data"));
}

BOOST_AUTO_TEST_CASE(a_recording_names_the_operation) {
  const auto kernel = [](tl::Program& tl, tl::Ptr x) {
    tl.atomic_max(x, 3);
    tl.atomic_add(x, tl.arange(0, 4) * 2, 1);
    tl.atomic_cas(x, 0, 1);
  };
  const auto recording =
      tl::record(kernel, {}, tl::TensorInfo::whole("x", 0x1000, {8}, DType::i32));
  const std::vector<std::string> text = recording.at({0, 0, 0}).text();
  BOOST_TEST(text.at(0) == "atomic_max 0x1000 4");
  BOOST_TEST(text.at(4) == "atomic_add 0x1000 16 in 4 runs");
  BOOST_TEST(text.at(6) == "atomic_cas 0x1000 4");
}

BOOST_AUTO_TEST_CASE(what_is_refused_says_what_is_allowed) {
  Memory m(4), floats(4, DType::f16);
  BOOST_CHECK_EXCEPTION(floats.tl.atomic_max(floats.ptr(), 1), UsageError,
                        with_text("tl.atomic_max of f16 at x: allowed are i32, f32"));
  BOOST_CHECK_EXCEPTION(floats.tl.atomic_cas(floats.ptr(), 1, 2), UsageError,
                        with_text("tl.atomic_cas of f16 at x: allowed are i32"));
  BOOST_CHECK_EXCEPTION(m.tl.atomic_add(m.ptr(), m.tl.full({4}, 1, f32)), UsageError,
                        with_text("tl.atomic_add of f32 at x, which holds i32"));
  BOOST_CHECK_EXCEPTION(m.tl.atomic_add(tl::Ptr(std::uint64_t{0x10000}), 1), UsageError,
                        with_text("tl.atomic_add: 0x10000 has no dtype; use ptr.as(dtype)"));
  BOOST_CHECK_EXCEPTION(
      m.tl.atomic_add(m.ptr() + 2, 1), AccessFault,
      with_text("tl.atomic_add of i32 at x + 2: the address must be a multiple of 4"));
  BOOST_CHECK_EXCEPTION(m.tl.load(m.ptr() + 1, {2}, i32), AccessFault,
                        with_text("tl.load of i32 at x + 1: the address must be a multiple of 4"));
  BOOST_CHECK_EXCEPTION(m.tl.store(m.ptr() + 6, m.tl.full({1}, 1, i32)), AccessFault,
                        with_text("tl.store of i32 at x + 6: the address must be a multiple of 4"));
  BOOST_CHECK_EXCEPTION(m.tl.load(m.ptr() + 2, m.tl.arange(0, 2), i32), AccessFault,
                        with_text("tl.load of i32 at x + 2: the address must be a multiple of 4"));
  BOOST_CHECK_EXCEPTION(m.tl.load(m.tl.make_block_ptr(m.ptr() + 2, {2}, {1}, {0}, {2})),
                        AccessFault,
                        with_text("tl.load of i32 at x + 2: the address must be a multiple of 4"));
  BOOST_CHECK_EXCEPTION(
      m.tl.atomic_add(m.ptr() + 16, 1), AccessFault,
      with_text("tl.atomic_add: 4 bytes at x + 16 are not all inside tensor 'x'"));
  BOOST_CHECK_EXCEPTION(m.tl.atomic_add(m.ptr(), m.tl.arange(3, 5), 1), AccessFault,
                        with_text({"tl.atomic_add", "lane 1 of {2}, offset 4"}));
  BOOST_CHECK_EXCEPTION(
      m.tl.atomic_add(m.ptr(), m.tl.arange(0, 4), m.tl.arange(0, 3)), UsageError,
      with_text("tl.atomic_add of i32{3}: it does not broadcast to the {4} elements"));
  // After the accesses in flight there.
  const tl::Handle in_flight = m.tl.store_async(m.ptr(), m.tl.zeros({4}, i32));
  BOOST_CHECK_EXCEPTION(m.tl.atomic_add(m.ptr(), 1), UsageError,
                        with_text({"tl.atomic_add of 'x'", "tl.wait for it first"}));
  m.tl.wait(in_flight);
}

BOOST_AUTO_TEST_SUITE_END()
