// Calls that Triton has and that are put together from others; forms of loads that are not dense.
#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "tests/support/error_text.h"
#include "tests/tl/eager_kernel.h"

using namespace kernbench;
using kernbench::test::EagerKernel;
using kernbench::test::with_text;

BOOST_AUTO_TEST_SUITE(triton_calls)

namespace {

using Doubles = std::vector<double>;
using Handles = std::vector<tl::Handle>;
using Texts = std::vector<std::string>;

// Memory at 0x1000: 0, 1, 2, ... in i32.
struct Kernel : EagerKernel {
  const tl::Ptr numbers = tl::Ptr(std::uint64_t{0x1000}).as(i32);

  Kernel() {
    for (std::int32_t i = 0; i < 64; ++i)
      pe.functional_model.memory().write_bytes(0x1000 + 4 * static_cast<std::uint64_t>(i), &i, 4);
  }
  tl::Handle row(std::int64_t extent) { return tl.load(numbers, {extent}, i32); }
};

tl::Handle minus(const tl::Handle& a, const tl::Handle& b) { return a - b; }
tl::Handle plus(const tl::Handle& a, const tl::Handle& b) { return a + b; }

// Of functions x -> slope * x + offset, one behind the other: associative, not commutative.
Handles composed(const Handles& a, const Handles& b) { return {a[0] * b[0], a[1] * b[0] + b[1]}; }

}  // namespace

BOOST_AUTO_TEST_CASE(a_reduction_by_a_function_keeps_the_order_of_its_elements) {
  Kernel k;
  for (std::int64_t extent = 1; extent <= 17; ++extent) {
    const tl::Handle slopes = k.row(extent) % 3 + 1, offsets = k.row(extent);
    double slope = 1, offset = 0;
    for (std::int64_t i = 0; i < extent; ++i) {
      slope *= static_cast<double>(i % 3 + 1);
      offset = offset * static_cast<double>(i % 3 + 1) + static_cast<double>(i);
    }
    const Handles made = k.tl.reduce({slopes, offsets}, 0, composed);
    BOOST_TEST(made.at(0).data() == (Doubles{slope}));
    BOOST_TEST(made.at(1).data() == (Doubles{offset}));
    BOOST_TEST(made.at(1).str() == "i32{1}");
  }
  const tl::Handle x = k.tl.reshape(k.row(6), {2, 3});
  BOOST_TEST(k.tl.reduce(x, 1, plus).data() == (Doubles{3, 12}));
  BOOST_TEST(k.tl.reduce(x, -1, plus, false).str() == "i32{2}");
  BOOST_TEST(k.tl.reduce(x, 0, minus).data() == (Doubles{-3, -3, -3}));
}

BOOST_AUTO_TEST_CASE(a_reduction_takes_a_round_for_each_halving) {
  Kernel k;
  const tl::Handle x = k.row(16);
  const std::size_t before = k.pe.commands.size();
  k.tl.reduce(x, 0, plus);
  BOOST_TEST(k.pe.commands.size() == before + 4);
}

BOOST_AUTO_TEST_CASE(a_scan_by_a_function_gives_every_prefix) {
  Kernel k;
  for (std::int64_t extent = 1; extent <= 9; ++extent) {
    const tl::Handle x = k.row(extent);
    BOOST_TEST(k.tl.associative_scan(x, 0, plus).data() == k.tl.cumsum(x).data());
    BOOST_TEST(k.tl.associative_scan(x, 0, plus, true).data() == k.tl.cumsum(x, 0, true).data());
  }
  const Handles made = k.tl.associative_scan({k.row(4) + 1, k.row(4)}, -1, composed);
  BOOST_TEST(made.at(0).data() == (Doubles{1, 2, 6, 24}));
  BOOST_TEST(made.at(1).data() == (Doubles{0, 1, 5, 23}));  // 0; * 2 + 1; * 3 + 2; * 4 + 3
  // From the end: element 3, then 2, ...
  BOOST_TEST(k.tl.associative_scan({k.row(3) + 1, k.row(3)}, 0, composed, true).at(1).data() ==
             (Doubles{5, 5, 2}));
}

BOOST_AUTO_TEST_CASE(functions_of_reductions_keep_shapes) {
  Kernel k;
  const auto drops = [&k](const tl::Handle& a, const tl::Handle&) { return k.tl.slice(a, 0, 1); };
  BOOST_CHECK_EXCEPTION(k.tl.reduce(k.row(4), 0, drops), UsageError,
                        with_text(Texts{"tl.reduce (triton_calls_test.cpp:", "i32{1} where {2}"}));
  BOOST_CHECK_EXCEPTION(k.tl.reduce(Handles{}, 0, composed), UsageError, with_text("no blocks"));
  BOOST_CHECK_THROW(k.tl.reduce(k.row(4), 1, plus), UsageError);
  BOOST_CHECK_THROW(k.tl.associative_scan({k.row(4), k.row(3)}, 0, composed), UsageError);
}

BOOST_AUTO_TEST_CASE(a_histogram_counts_what_is_in_its_bins) {
  Kernel k;
  const tl::Handle x = k.row(10) % 4;  // 0 1 2 3 0 1 2 3 0 1
  BOOST_TEST(k.tl.histogram(x, 4).data() == (Doubles{3, 3, 2, 2}));
  BOOST_TEST(k.tl.histogram(x, 2).str() == "i32{2}");
  BOOST_TEST(k.tl.histogram(x - 1, 3).data() == (Doubles{3, 2, 2}));
  BOOST_TEST(k.tl.histogram(x, 4, k.row(10) < 5).data() == (Doubles{2, 1, 1, 1}));
  BOOST_CHECK_THROW(k.tl.histogram(k.tl.zeros({4}), 4), UsageError);
  BOOST_CHECK_THROW(k.tl.histogram(x, 0), UsageError);
}

BOOST_AUTO_TEST_CASE(blocks_are_made_like_others_and_put_between_each_other) {
  Kernel k;
  const tl::Handle a = k.row(3), b = k.row(3) + 10;
  BOOST_TEST(k.tl.interleave(a, b).data() == (Doubles{0, 10, 1, 11, 2, 12}));
  BOOST_TEST(k.tl.interleave(k.tl.reshape(a, {3, 1}), b).str() == "i32{3, 6}");
  BOOST_TEST(k.tl.zeros_like(a).str() == "i32{3}");
  const auto [left, right] = k.tl.broadcast(k.tl.reshape(a, {3, 1}), b);
  BOOST_TEST(left.str() == "i32{3, 3}");
  BOOST_TEST(right.data() == (Doubles{10, 11, 12, 10, 11, 12, 10, 11, 12}));
  BOOST_TEST(a.to(f16).str() == "f16{3}");
  BOOST_TEST(k.tl.fdiv(a, 2.0).data() == k.tl.div_rn(a, 2.0).data());
  BOOST_TEST(k.tl.sqrt_rn(k.tl.full({1}, 9, f32)).item() == 3);
}

// The example of Triton's reference: 4 x 4 in groups of 2 rows.
BOOST_AUTO_TEST_CASE(swizzle2d_goes_down_the_columns_of_a_group) {
  const std::vector<std::vector<std::int64_t>> expected{
      {0, 2, 4, 6}, {1, 3, 5, 7}, {8, 10, 12, 14}, {9, 11, 13, 15}};
  for (std::int64_t place = 0; place < 16; ++place) {
    const auto [i, j] = tl::Program::swizzle2d(place / 4, place % 4, 4, 4, 2);
    BOOST_TEST(expected.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j)) == place);
  }
  BOOST_TEST(
      (tl::Program::swizzle2d(2, 1, 3, 2, 2) == std::pair<std::int64_t, std::int64_t>(2, 1)));
  BOOST_CHECK_THROW(tl::Program::swizzle2d(4, 0, 4, 4, 2), UsageError);
}

BOOST_AUTO_TEST_CASE(hints_have_no_effect_and_false_assumptions_are_errors) {
  Kernel k;
  const tl::Handle x = k.row(4);
  const std::size_t before = k.pe.commands.size();
  BOOST_TEST(k.tl.max_contiguous(k.tl.multiple_of(x, 4), 4).data() == x.data());
  BOOST_TEST(k.tl.max_constancy(12, 4) == 12);
  k.tl.debug_barrier();
  k.tl.assume(x.shape()[0] == 4);
  BOOST_TEST(k.pe.commands.size() == before);
  BOOST_CHECK_THROW(k.tl.assume(x.shape()[0] == 5), UsageError);
}

// --- loads

BOOST_AUTO_TEST_CASE(lanes_that_are_masked_off_have_the_values_of_a_block) {
  Kernel k;
  const tl::Handle lanes = k.tl.arange(0, 4), other = k.row(4) * -1;
  const tl::Masked masked{lanes < 2, other};
  const std::size_t before = k.pe.commands.size();
  const tl::Handle loaded = k.tl.load(k.numbers + 32, lanes, i32, masked);
  BOOST_TEST(loaded.data() == (Doubles{8, 9, -2, -3}));
  BOOST_TEST(loaded.str() == "i32{4}");
  BOOST_TEST(k.pe.commands.size() == before + 2);  // the load, and a pass of PE_MATH
  const tl::Handle halves = k.tl.load(k.numbers, lanes, i32, tl::Masked{lanes < 2, other / 2});
  BOOST_TEST(halves.str() == "i32{4}");  // as what is loaded
  const tl::Handle one = k.tl.full({1}, 7, i32);
  BOOST_TEST(k.tl.load(k.numbers, lanes, i32, tl::Masked{lanes < 1, one}).data() ==
             (Doubles{0, 7, 7, 7}));
  BOOST_CHECK_EXCEPTION(k.tl.load(k.numbers, lanes, i32, tl::Masked{lanes < 1, k.row(3)}),
                        UsageError, with_text("broadcast"));
  BOOST_CHECK_EXCEPTION(k.tl.load_async(k.numbers, lanes, i32, masked), UsageError,
                        with_text("tl.where(mask, loaded, other)"));
}

BOOST_AUTO_TEST_CASE(rows_are_gathered_and_scattered_concurrently_with_what_follows) {
  Kernel k;
  k.pe.completes_at_once = false;
  const tl::TensorDescriptor table = k.tl.make_tensor_descriptor(k.numbers, {8, 8}, {8, 1}, {1, 2});
  const tl::Handle rows = k.tl.arange(1, 3);
  const tl::Handle found = table.gather_async(rows, 4);
  BOOST_TEST(k.pe.waits.empty());
  BOOST_TEST(found.data() == (Doubles{12, 13, 20, 21}));
  BOOST_TEST(k.pe.waits.size() == 1U);
  const tl::Handle stored = table.scatter_async(found, k.tl.arange(0, 2));
  BOOST_CHECK_EXCEPTION(k.tl.load(k.numbers, {2}, i32), UsageError,
                        with_text(Texts{"what scatter_async (triton_calls_test.cpp:", "tl.wait"}));
  k.tl.wait(stored);
  BOOST_TEST(k.tl.load(k.numbers, {2}, i32).data() == (Doubles{12, 13}));
  BOOST_CHECK_EXCEPTION(table.scatter_async(found, k.tl.arange(0, 3)), UsageError,
                        with_text("scatter_async of i32{2, 2} to rows {3, 2}"));
}

// A view says how bytes in TCM are read: it needs none of them.
BOOST_AUTO_TEST_CASE(views_of_a_strided_load_in_flight_wait_for_nothing) {
  Kernel k;
  k.pe.completes_at_once = false;
  const tl::BlockPtr columns =
      k.tl.make_block_ptr(k.numbers, {3, 2}, {1, 8}, {0, 0}, {4, 2});  // padded
  const tl::Handle x = k.tl.load_async(columns, {{0}});
  const tl::Handle turned = k.tl.trans(x), part = k.tl.slice(turned, 1, 1, 3),
                   bits = k.tl.bitcast(k.tl.reshape(x, {2, 4}), f32);
  BOOST_TEST(turned.str() == "i32{2, 4}");
  BOOST_TEST(part.str() == "i32{2, 2}");
  BOOST_TEST(k.pe.waits.empty());
  BOOST_TEST(part.data() == (Doubles{1, 2, 9, 10}));
  BOOST_TEST(k.pe.waits.size() == 1U);
  BOOST_TEST(turned.data() == (Doubles{0, 1, 2, 0, 8, 9, 10, 0}));
  BOOST_TEST(x.data() == (Doubles{0, 8, 1, 9, 2, 10, 0, 0}));
  BOOST_TEST(k.tl.bitcast(bits, i32).data() == (Doubles{0, 8, 1, 9, 2, 10, 0, 0}));
  BOOST_TEST((part + 1).data() == (Doubles{2, 3, 10, 11}));
  BOOST_TEST(k.tl.trans(turned).data() == x.data());
  BOOST_TEST(k.pe.waits.size() == 2U);  // that of the addition
}

// Its value is a use like any other: what prints it comes after what makes it.
BOOST_AUTO_TEST_CASE(what_is_printed_has_been_waited_for) {
  Kernel k;
  k.pe.completes_at_once = false;
  const tl::Handle x = k.tl.load_async(k.numbers, {2}, i32),
                   y = k.tl.load_async(k.numbers, {2}, i32);
  k.tl.device_print("y = ", y);
  BOOST_TEST(k.pe.waits.size() == 1U);
  BOOST_TEST(k.pe.waits.back() == 1U);  // y alone
  BOOST_REQUIRE(k.pe.printed.size() == 1U);
  BOOST_TEST(k.pe.printed.front().find("0, 1") != std::string::npos, k.pe.printed.front());
  k.tl.device_assert(x < 2);
  BOOST_TEST(k.pe.waits.size() == 3U);  // x, and the comparison
}

BOOST_AUTO_TEST_SUITE_END()
