// Operations of the kernel API on a PE without time (spec 6): shapes, dtypes, masks, index blocks,
// views, messages, and what each gives.
#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "models/data/elements.h"
#include "models/data/functional_model.h"
#include "sw/tl/overlap.h"
#include "tests/support/error_text.h"
#include "tests/tl/eager_kernel.h"

using namespace kernbench;
using kernbench::test::EagerKernel;
using kernbench::test::FakePe;
using kernbench::test::with_text;

BOOST_AUTO_TEST_SUITE(operations_test)

namespace {

using Doubles = std::vector<double>;
using Integers = std::vector<std::int64_t>;

struct Kernel : EagerKernel {
  tl::Handle load(const std::vector<float>& values, const Shape& shape, DType dtype = f32) {
    const std::uint64_t at = next_;
    next_ += 0x1000;
    pe.functional_model.memory().write_bytes(at, values.data(), values.size() * 4);
    return tl.cast(tl.load(tl::Ptr(at), shape, f32), dtype);
  }

 private:
  std::uint64_t next_ = 0x1000;
};

}  // namespace

BOOST_AUTO_TEST_CASE(comparisons_are_masks_that_where_takes) {
  Kernel k;
  const tl::Handle x = k.load({1, 2, 3, 4}, {4});
  BOOST_TEST((x < 3).str() == "i8{4}");
  BOOST_TEST((x < 3).data() == (Doubles{1, 1, 0, 0}));
  BOOST_TEST((x <= 3).data() == (Doubles{1, 1, 1, 0}));
  BOOST_TEST((x > 3).data() == (Doubles{0, 0, 0, 1}));
  BOOST_TEST((x >= 3).data() == (Doubles{0, 0, 1, 1}));
  BOOST_TEST((x == 3).data() == (Doubles{0, 0, 1, 0}));
  BOOST_TEST((x != 3).data() == (Doubles{1, 1, 0, 1}));
  BOOST_TEST((3 < x).data() == (Doubles{0, 0, 0, 1}));
  BOOST_TEST(k.tl.where((x > 1) & (x < 4), x, 0.0).data() == (Doubles{0, 2, 3, 0}));
  BOOST_TEST(((x < 2) | (x > 3)).data() == (Doubles{1, 0, 0, 1}));
  BOOST_TEST(k.tl.sum(x > 1, 0).item() == 3);
  BOOST_TEST((-x).data() == (Doubles{-1, -2, -3, -4}));
}

// ~1 of integers is -2, which is true; of a mask it is its negation, however it was made.
BOOST_AUTO_TEST_CASE(the_inverse_of_a_mask_is_its_negation) {
  Kernel k;
  const tl::Handle x = k.load({1, 2, 3, 4}, {4}), mask = x > 2;
  BOOST_TEST(mask.is_mask());
  BOOST_TEST((~mask).data() == (Doubles{1, 1, 0, 0}));
  BOOST_TEST((~(mask & (x < 4))).data() == (Doubles{1, 1, 0, 1}));
  BOOST_TEST((~k.tl.reshape(mask, {2, 2})).data() == (Doubles{1, 1, 0, 0}));
  BOOST_TEST((~k.tl.where(mask, x < 4, 1)).data() == (Doubles{0, 0, 0, 1}));
  BOOST_TEST((~k.tl.cat({mask, mask})).data() == (Doubles{1, 1, 0, 0, 1, 1, 0, 0}));
  BOOST_TEST((~k.tl.sort(mask)).data() == (Doubles{1, 1, 0, 0}));
  BOOST_TEST((~k.tl.gather(mask, k.tl.arange(2, 4), 0)).data() == (Doubles{0, 0}));
  BOOST_TEST(k.tl.logical_not(x).data() == (Doubles{0, 0, 0, 0}));
  const tl::Handle integers = k.tl.cast(mask, i32);
  BOOST_TEST(!integers.is_mask());
  BOOST_TEST((~integers).data() == (Doubles{-1, -1, -2, -2}));
  BOOST_TEST(!(mask & 2).is_mask());
}

BOOST_AUTO_TEST_CASE(operators_of_integers_are_those_of_c) {
  Kernel k;
  const tl::Handle x = k.load({-7, -1, 0, 7}, {4}, i32);
  BOOST_TEST((x % 3).data() == (Doubles{-1, -1, 0, 1}));
  BOOST_TEST(k.tl.idiv(x, 2).data() == (Doubles{-3, 0, 0, 3}));
  BOOST_TEST((x / 2).data() == (Doubles{-3.5, -0.5, 0, 3.5}));
  BOOST_TEST((x << 1).data() == (Doubles{-14, -2, 0, 14}));
  BOOST_TEST((x >> 1).data() == (Doubles{-4, -1, 0, 3}));
  BOOST_TEST((x & 3).data() == (Doubles{1, 3, 0, 3}));
  BOOST_TEST((x ^ 1).data() == (Doubles{-8, -2, 1, 6}));
  BOOST_TEST((1 << k.tl.arange(0, 4)).data() == (Doubles{1, 2, 4, 8}));
  BOOST_TEST(k.tl.cdiv(k.tl.arange(0, 5), 2).data() == (Doubles{0, 1, 1, 2, 2}));
  BOOST_CHECK_THROW(k.load({1}, {1}) & 1, UsageError);
}

BOOST_AUTO_TEST_CASE(reductions_keep_their_axes_unless_told_otherwise) {
  Kernel k;
  const tl::Handle x = k.load({1, 2, 3, 4, 5, 6}, {2, 3});
  BOOST_TEST(k.tl.sum(x, 1).str() == "f32{2, 1}");
  BOOST_TEST(k.tl.sum(x, 1, false).str() == "f32{2}");
  BOOST_TEST(k.tl.sum(x, {0, 1}).str() == "f32{1, 1}");
  BOOST_TEST(k.tl.sum(x).data() == (Doubles{21}));
  BOOST_TEST(k.tl.max(x, {-1, 0}, false).str() == "f32{}");
  BOOST_TEST(k.tl.argmin(x, 1, true, false).data() == (Doubles{0, 0}));
  BOOST_CHECK_EXCEPTION(k.tl.sum(x, {1, -1}), UsageError, with_text("given twice"));
  const tl::ValuesAndIndices most = k.tl.max_with_indices(x, 1);
  BOOST_TEST(most.values.data() == (Doubles{3, 6}));
  BOOST_TEST(most.indices.data() == (Doubles{2, 2}));
  BOOST_TEST(most.indices.str() == "i32{2, 1}");
  BOOST_TEST(k.tl.min_with_indices(x, 0, true, false).values.data() == (Doubles{1, 2, 3}));
  BOOST_TEST(k.tl.all(x > 0).item() == 1);
  BOOST_TEST(k.tl.any(x > 6).item() == 0);
  BOOST_TEST(k.tl.xor_sum(k.tl.arange(0, 6), 0).item() == 1);
}

BOOST_AUTO_TEST_CASE(a_pair_of_values_and_indices_is_one_command) {
  Kernel k;
  const tl::Handle x = k.load({3, 1, 3, 2}, {1, 4});
  const std::size_t before = k.pe.commands.size();
  const tl::ValuesAndIndices best = k.tl.topk_with_indices(x, 2);
  BOOST_TEST(k.pe.commands.size() == before + 1);
  BOOST_TEST(best.values.data() == (Doubles{3, 3}));
  BOOST_TEST(best.indices.data() == (Doubles{0, 2}));  // ties: the lowest index first
  const auto& math = std::get<MathCommand>(k.pe.commands.back().what);
  BOOST_TEST(math.extent == 4);
  BOOST_TEST(math.kept == 2);
  BOOST_TEST(k.tl.topk(x, 3).data() == (Doubles{3, 3, 2}));
  BOOST_TEST(k.tl.sort(x).data() == (Doubles{1, 2, 3, 3}));
  BOOST_TEST(k.tl.sort_with_indices(x, -1, true).indices.data() == (Doubles{0, 2, 3, 1}));
  BOOST_CHECK_EXCEPTION(k.tl.topk(x, 5), UsageError, with_text("k is 5, and axis 1 has 4"));
}

BOOST_AUTO_TEST_CASE(blocks_are_put_together_and_taken_apart) {
  Kernel k;
  const tl::Handle a = k.load({1, 2}, {2}), b = k.load({3, 4}, {2});
  const tl::Handle joined = k.tl.join(a, b);
  BOOST_TEST(joined.str() == "f32{2, 2}");
  BOOST_TEST(joined.data() == (Doubles{1, 3, 2, 4}));
  const std::size_t before = k.pe.commands.size();
  const auto [left, right] = k.tl.split(joined);
  BOOST_TEST(left.str() == "f32{2}");
  BOOST_TEST(left.data() == a.data());
  BOOST_TEST(right.data() == b.data());
  BOOST_TEST(k.pe.commands.size() == before);  // views
  BOOST_TEST(k.tl.cat({a, b, a}).data() == (Doubles{1, 2, 3, 4, 1, 2}));
  BOOST_TEST(k.tl.flip(k.tl.cumsum(a)).data() == (Doubles{3, 1}));
  BOOST_TEST(k.tl.update(joined, k.tl.expand_dims(a, 0), {1, 0}).data() == (Doubles{1, 3, 1, 2}));
  BOOST_TEST(joined.data() == (Doubles{1, 3, 2, 4}));  // update has made a new block
  BOOST_TEST(k.tl.gather(joined, k.load({1, 0}, {1, 2}, i32), 0).data() == (Doubles{2, 3}));
  BOOST_TEST(k.tl.split(a).second.item() == 2);
  BOOST_CHECK_THROW(k.tl.split(k.tl.zeros({2, 3})), UsageError);
  BOOST_CHECK_THROW(k.tl.cat({}), UsageError);
}

BOOST_AUTO_TEST_CASE(views_of_any_axis_cost_nothing) {
  Kernel k;
  const tl::Handle x = k.load({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {2, 3, 2});
  const std::size_t before = k.pe.commands.size();
  const std::uint64_t used = k.pe.scratch().used_bytes();
  BOOST_TEST(k.tl.slice(x, 1, 0, 3, 2).str() == "f32{2, 2, 2}");
  BOOST_TEST(k.tl.slice(x, 1, 0, 3, 2).data() == (Doubles{0, 1, 4, 5, 6, 7, 10, 11}));
  BOOST_TEST(k.tl.slice(x, -1, 1, 2).data() == (Doubles{1, 3, 5, 7, 9, 11}));
  BOOST_TEST(k.tl.slice(k.tl.slice(x, 2, 1, 2), 1, 1, 3).data() == (Doubles{3, 5, 9, 11}));
  BOOST_TEST(k.tl.trans(x).str() == "f32{2, 2, 3}");
  BOOST_TEST(k.tl.permute(x, {2, 0, 1}).data() == (Doubles{0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11}));
  BOOST_TEST(k.tl.trans(x, {1, 0, 2}).str() == "f32{3, 2, 2}");
  BOOST_TEST(k.tl.expand_dims(x, 1).str() == "f32{2, 1, 3, 2}");
  BOOST_TEST(k.tl.expand_dims(k.tl.trans(x), -1).str() == "f32{2, 2, 3, 1}");
  BOOST_TEST(k.tl.ravel(x).str() == "f32{12}");
  BOOST_TEST(k.tl.view(x, {4, 3}).str() == "f32{4, 3}");
  BOOST_TEST(k.tl.bitcast(x, i32).at({0, 0, 1}) == 0x3f800000);
  BOOST_TEST(k.pe.commands.size() == before);
  BOOST_TEST(k.pe.scratch().used_bytes() == used);
  BOOST_CHECK_THROW(k.tl.permute(x, {0, 1, 1}), UsageError);
  BOOST_CHECK_THROW(k.tl.permute(x, {0, 1}), UsageError);
  BOOST_CHECK_THROW(k.tl.slice(x, 1, 0, 4), UsageError);
  BOOST_CHECK_THROW(k.tl.slice(x, 1, 0, 2, 0), UsageError);
  BOOST_CHECK_THROW(k.tl.bitcast(x, f16), UsageError);
  // The engine that reads the part gets its start address.
  const auto address_of = [&k](const tl::Handle& operand) {
    k.tl.exp(operand);
    return std::get<MathCommand>(k.pe.commands.back().what).operands.front().address;
  };
  BOOST_TEST(address_of(k.tl.slice(x, 1, 1, 2)) == address_of(x) + 2 * 4);
  BOOST_TEST(address_of(k.tl.slice(k.tl.slice(x, 1, 1, 3), 2, 1, 2)) == address_of(x) + 3 * 4);
}

BOOST_AUTO_TEST_CASE(casts_round_to_nearest_and_trunc_is_for_those_who_want_c) {
  Kernel k;
  const tl::Handle x = k.load({-2.5, -1.7, 1.5, 300}, {4});
  BOOST_TEST(k.tl.cast(x, i8).data() == (Doubles{-2, -2, 2, 127}));
  BOOST_TEST(k.tl.cast(k.tl.trunc(x), i32).data() == (Doubles{-2, -1, 1, 300}));
  BOOST_TEST(k.tl.floor(x).data() == (Doubles{-3, -2, 1, 300}));
  BOOST_TEST(k.tl.ceil(x).data() == (Doubles{-2, -1, 2, 300}));
}

BOOST_AUTO_TEST_CASE(random_numbers_follow_from_seed_and_offsets) {
  Kernel k;
  const tl::Handle offsets = k.tl.arange(0, 8);
  BOOST_TEST(k.tl.rand(5, offsets).data() == k.tl.rand(5, offsets).data());
  BOOST_TEST(k.tl.rand(5, offsets).data() != k.tl.rand(6, offsets).data());
  BOOST_TEST(k.tl.randint(0, offsets).data().front() == 0x6627e8d5);
  BOOST_TEST(k.tl.randn(5, offsets).str() == "f32{8}");
  BOOST_CHECK_THROW(k.tl.math(MathOp::rand, {offsets}), UsageError);
  BOOST_CHECK_THROW(k.tl.rand(5, offsets, 0), UsageError);
}

// `!` of a block is the truth of its one element, which is loaded here: no operation of PE_MATH.
BOOST_AUTO_TEST_CASE(a_kernel_may_branch_on_the_negation_of_a_loaded_value) {
  FakePe pe;
  tl::Program tl(pe);
  BOOST_TEST(!tl.load(tl::Ptr(std::uint64_t{0x1000}), {1}, f32));
  BOOST_TEST(pe.commands.size() == 1U);
}

// --- index blocks ---

// What follows from the kernel alone has values at issue, with data off as well.
BOOST_AUTO_TEST_CASE(index_blocks_go_through_element_wise_operations_in_every_data_mode) {
  for (const bool with_data : {false, true}) {
    FakePe pe(with_data);
    tl::Program tl(pe);
    const tl::Handle rows = tl.arange(0, 3), columns = tl.arange(0, 4);
    const tl::Handle offsets = tl.expand_dims(rows, 1) * 10 + tl.expand_dims(columns, 0);
    BOOST_TEST(offsets.index_values() == (Integers{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}));
    const tl::Handle mask = (offsets < 12) & (offsets % 2 == 0);
    BOOST_TEST(mask.index_values() == (Integers{1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0}));
    BOOST_TEST(tl.where(mask, offsets, -1).index_values() ==
               (Integers{0, -1, 2, -1, 10, -1, -1, -1, -1, -1, -1, -1}));
    BOOST_TEST(tl.slice(offsets, 1, 1, 4, 2).index_values() == (Integers{1, 3, 11, 13, 21, 23}));
    BOOST_TEST(tl.trans(offsets).index_values() ==
               (Integers{0, 10, 20, 1, 11, 21, 2, 12, 22, 3, 13, 23}));
    BOOST_TEST(tl.cast(tl.full({2}, 300, i32), i8).index_values() == (Integers{127, 127}));
    BOOST_TEST((tl.full({1}, 100, i8) + tl.full({1}, 100, i8)).index_values() == (Integers{-56}));
    BOOST_TEST((tl.full(Shape(), 3, i32) + tl.full(Shape(), 4, i32)).index_values() ==
               (Integers{7}));
    BOOST_TEST(pe.commands.size() == 10U);  // they cost what they cost
    for (const Command& command : pe.commands) BOOST_TEST((command.data != nullptr) == with_data);
    BOOST_CHECK_THROW((rows / 2).index_values(), UsageError);  // f32
    if (with_data) {
      BOOST_TEST(offsets.data() ==
                 (Doubles{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}));  // known: no phase 2
      BOOST_TEST(offsets.at({2, 1}) == 21);
      BOOST_CHECK_THROW(tl.sum(offsets, 0).index_values(), PendingDataError);
    } else {
      BOOST_CHECK_EXCEPTION(tl.sum(offsets, 0).index_values(), UsageError, with_text("--data"));
    }
  }
}

// Addresses follow from indices that the kernel has loaded; from i32 alone, as i8 are data.
BOOST_AUTO_TEST_CASE(element_wise_operations_on_loaded_integers_have_values_where_they_are_known) {
  FakePe pe;
  tl::Program tl(pe);
  const std::vector<std::int32_t> tokens{3, 0, 5};
  pe.functional_model.memory().write_bytes(0x1000, tokens.data(), 12);
  const auto load = [&](DType dtype) {
    return tl.load(tl::Ptr(std::uint64_t{0x1000}), {3}, dtype);
  };
  const tl::Handle offsets = tl.expand_dims(load(i32), 1) * 10 + tl.expand_dims(tl.arange(0, 2), 0);
  BOOST_TEST(offsets.index_values() == (Integers{30, 31, 0, 1, 50, 51}));
  BOOST_TEST((load(i32) > 0).index_values() == (Integers{1, 0, 1}));
  BOOST_TEST(tl.load_async(tl::Ptr(std::uint64_t{0x1000}), {3}, i32).index_values() ==
             (Integers{3, 0, 5}));
  BOOST_TEST((offsets - 1).at({2, 1}) == 50);
  BOOST_CHECK_THROW((load(i8) + 1).index_values(), PendingDataError);
  tl.store(tl::Ptr(std::uint64_t{0x2000}), tl.sum(load(i32)));
  const tl::Handle pending = tl.load(tl::Ptr(std::uint64_t{0x2000}), {1}, i32);
  BOOST_CHECK_EXCEPTION((pending + 1).index_values(), PendingDataError,
                        with_text("i32{1} are read at operations_test.cpp:"));
}

// The values at issue are those that phase 2 computes.
BOOST_AUTO_TEST_CASE(index_blocks_agree_with_phase_2) {
  FakePe pe;
  tl::Program tl(pe);
  const std::vector<MathOp> ops{
      MathOp::add, MathOp::sub,  MathOp::mul,         MathOp::maximum,     MathOp::minimum,
      MathOp::mod, MathOp::idiv, MathOp::eq,          MathOp::ne,          MathOp::lt,
      MathOp::le,  MathOp::gt,   MathOp::ge,          MathOp::logical_and, MathOp::logical_or,
      MathOp::shl, MathOp::shr,  MathOp::bitwise_and, MathOp::bitwise_or,  MathOp::bitwise_xor};
  for (const DType dtype : {i8, i32}) {
    const tl::Handle a = tl.expand_dims(tl.arange(-70, 60, dtype), 1) * 2,
                     b = tl.expand_dims(tl.arange(-9, 11, dtype), 0);
    for (const MathOp op : ops) {
      for (const tl::Operand& right : {tl::Operand(b), tl::Operand(-3)}) {
        const tl::Handle known = tl.math(op, {a, right});
        const DataOpPtr recorded = pe.functional_model.ops().back();
        DataExecutor executor(pe.functional_model, 1);
        executor.run();
        const std::vector<std::byte> bytes = executor.bytes(
            {ByteImage::of(ValueRef{recorded->outputs[0].id, 0, recorded->outputs[0].nbytes()}),
             known.shape(),
             known.dtype(),
             {}});
        Integers computed;
        for (std::size_t i = 0; i < bytes.size(); i += size_of(known.dtype()))
          computed.push_back(
              static_cast<std::int64_t>(read_element(bytes.data() + i, known.dtype())));
        BOOST_TEST(known.index_values() == computed);
      }
    }
  }
}

// --- messages ---

BOOST_AUTO_TEST_CASE(device_print_tells_values_when_they_are_known) {
  FakePe pe;
  tl::Program tl(pe);
  const std::vector<float> two{1.5F, -2};
  pe.functional_model.memory().write_bytes(0x1000, two.data(), 8);
  const tl::Handle x = tl.load(tl::Ptr(std::uint64_t{0x1000}), {2}, f32);
  tl.device_print("x ", x);
  BOOST_TEST(pe.printed.back() == "kernel '': x f32{2}: [1.5, -2]");
  tl.device_print("twice ", x + x);
  BOOST_TEST(pe.printed.size() == 1U);
  const std::vector<DeviceMessage> later = pe.functional_model.messages();
  BOOST_TEST(later.size() == 1U);
  BOOST_TEST(later[0].text == "twice ");
  BOOST_TEST(later[0].pe == "sip0.cube1.pe2");
  tl.device_print("sum", x + x);
  BOOST_TEST(pe.functional_model.messages().back().text == "sum: ");
  tl.device_print("", tl.arange(0, 100));
  BOOST_TEST(pe.printed.back().find("62, 63, ... 100 elements]") != std::string::npos);
  BOOST_TEST(pe.dispatches == 3U);  // the load and two sums: messages take no time
}

BOOST_AUTO_TEST_CASE(device_print_says_that_data_are_off) {
  FakePe pe(false);
  tl::Program tl(pe);
  tl.device_print("x ", tl.zeros({2}, f32));
  BOOST_TEST(pe.printed.back() ==
             "kernel '': x f32{2}: no values, this run has no data; use --data deferred or eager");
  tl.device_print("i ", tl.arange(0, 3) + 1);
  BOOST_TEST(pe.printed.back() == "kernel '': i i32{3}: [1, 2, 3]");
  tl.device_assert(tl.zeros({2}, f32), "unchecked");
  tl.device_assert(tl.zeros({2}, f32), "unchecked");
  BOOST_TEST(pe.printed.size() == 3U);  // said once
  BOOST_CHECK_THROW(tl.device_assert(tl.arange(0, 3) < 2, "checked all the same"),
                    DeviceAssertError);
}

BOOST_AUTO_TEST_CASE(device_assert_names_the_first_element_that_is_wrong) {
  Kernel k;
  const tl::Handle x = k.load({1, 2, 3, 4}, {2, 2});
  k.tl.device_assert(x > 0, "positive");
  BOOST_CHECK_EXCEPTION(
      k.tl.device_assert(x < 3, "small"), DeviceAssertError,
      with_text("tl.device_assert: small; element {1, 0} of i8{2, 2} is 0, and 1 more"));
  BOOST_CHECK_THROW(tl::Program::static_assert_(x.shape()[0] == 3, "three rows"), UsageError);
  BOOST_CHECK_NO_THROW(tl::Program::static_assert_(x.shape()[0] == 2, "two rows"));
}

// As data() does.
BOOST_AUTO_TEST_CASE(messages_and_index_values_wait_for_what_is_in_flight) {
  using Waits = std::vector<std::uint64_t>;
  FakePe pe;
  pe.completes_at_once = false;
  tl::Program tl(pe);
  const tl::Ptr at_1000(std::uint64_t{0x1000});
  tl.device_print("x ", tl.load_async(at_1000, {2}, f32));
  BOOST_TEST(pe.waits == (Waits{0}));
  BOOST_CHECK_THROW(tl.device_assert(tl.load_async(at_1000, {2}, f32)), DeviceAssertError);
  BOOST_TEST(pe.waits == (Waits{0, 1}));
  const tl::Overlap overlap(tl);
  const tl::Handle next = tl.arange(0, 2) + 1;
  BOOST_TEST(pe.waits.size() == 2U);
  BOOST_TEST(next.index_values() == (Integers{1, 2}));
  BOOST_TEST(pe.waits == (Waits{0, 1, 2}));
}

BOOST_AUTO_TEST_CASE(device_assert_of_a_pending_value_is_kept_for_phase_2) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Handle x = tl.load(tl::Ptr(std::uint64_t{0x1000}), {2}, f32);
  tl.device_assert(x + 1.0 > 2.0, "later");
  BOOST_TEST(pe.functional_model.messages().size() == 1U);
  BOOST_TEST((pe.functional_model.messages()[0].kind == DeviceMessage::Kind::assertion));
}

// Offsets, masks and rows are known with data off, too.
BOOST_AUTO_TEST_CASE(views_of_made_integers_are_index_blocks) {
  FakePe pe(false);
  tl::Program tl(pe);
  const tl::Handle six = tl.reshape(tl.arange(0, 6), {2, 3});
  BOOST_TEST(tl.trans(six).index_values() == (Integers{0, 3, 1, 4, 2, 5}));
  BOOST_TEST(tl.slice(tl.trans(six), 1, 3).index_values() == (Integers{1, 4, 2, 5}));
  BOOST_TEST(tl.broadcast_to(tl.slice(six, 1, 2), {2, 3}).index_values() ==
             (Integers{3, 4, 5, 3, 4, 5}));
  BOOST_TEST(tl.full({2}, 7, DType::i8).index_values() == (Integers{7, 7}));
  BOOST_CHECK_THROW(tl.zeros({2}, f16).index_values(), UsageError);
  tl.load(tl::Ptr(std::uint64_t{0x1000}), tl.trans(six), f16);
  BOOST_TEST(tl::describe(pe.commands.at(0)) == "dma_read 0x1000 12 in 6 runs");
}

BOOST_AUTO_TEST_SUITE_END()
