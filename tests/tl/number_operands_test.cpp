// Numbers as operands and as elements of the kernel API (docs/decisions/operation-semantics.md).
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "models/base/errors.h"
#include "tests/support/error_text.h"
#include "tests/tl/eager_kernel.h"

using namespace kernbench;
using kernbench::test::EagerKernel;
using kernbench::test::with_text;

BOOST_AUTO_TEST_SUITE(number_operands_test)

namespace {

using Doubles = std::vector<double>;

}  // namespace

BOOST_AUTO_TEST_CASE(floating_point_numbers_next_to_integers_and_masks_give_f32) {
  EagerKernel k;
  const tl::Handle x = k.tl.arange(-2, 2, i8), mask = x > 0;
  for (const tl::Handle& each :
       {x * 0.05, 0.5 + x, x - 2.0, mask * 0.5, k.tl.where(mask, x, 0.5), k.tl.maximum(x, 1.5),
        k.tl.fma(x, 2, 0.5), x % 2.5, k.tl.where(mask, mask, 0.0), x + tl::Half(1)})
    BOOST_TEST((each.dtype() == f32));
  BOOST_TEST((x * 0.5).data() == (Doubles{-1, -0.5, 0, 0.5}));
  BOOST_TEST((mask * 0.5).data() == (Doubles{0, 0, 0, 0.5}));
  BOOST_TEST(k.tl.exp2(k.tl.arange(0, 4) * -0.5).data().at(2) == 0.5);
  for (const tl::Handle& each : {x * 2, 2 + x, x << 1, k.tl.where(mask, x, 0), x * true, -x, x % 2})
    BOOST_TEST((each.dtype() == i8));
  BOOST_TEST((x > 0.5).is_mask());
  const auto is_refused = [](const auto& call) {
    BOOST_CHECK_EXCEPTION(call(), UsageError, with_text("takes integers only"));
  };
  is_refused([&] { return x & 0.5; });  // by the type of the number, not by its value
  is_refused([&] { return x & 2.0; });
  is_refused([&] { return k.tl.idiv(x, 2.0); });
  is_refused([&] { return k.tl.cdiv(x, 2.0); });
  BOOST_CHECK_EXCEPTION(k.tl.full({2}, 0.5, i8), UsageError,
                        with_text("0.5 for elements of i8; allowed are integers of 32 bits"));
  BOOST_TEST(k.tl.full({1}, 200, i8).data() == (Doubles{-56}));
}

BOOST_AUTO_TEST_CASE(two_integers_chosen_by_a_mask_are_i32) {
  EagerKernel k;
  const tl::Handle mask = k.tl.arange(-1, 2, i8) > 0;
  const tl::Handle chosen = k.tl.where(mask, 16777217, 0);
  BOOST_TEST((chosen.dtype() == i32));
  BOOST_TEST(chosen.data() == (Doubles{0, 0, 16777217}));
  const tl::Handle bits = k.tl.where(mask, 1, 0);
  BOOST_TEST(!bits.is_mask());
  BOOST_TEST((bits & mask).data() == (Doubles{0, 0, 1}));
  BOOST_TEST((k.tl.where(mask, 1, 0.5).dtype() == f32));
}

BOOST_AUTO_TEST_CASE(full_keeps_the_sign_of_zero_and_arange_fits_its_dtype) {
  EagerKernel k;
  BOOST_TEST(std::signbit(k.tl.full({1}, -0.0, f32).item()));
  BOOST_TEST(!std::signbit(k.tl.full({1}, 0.0, f32).item()));
  const std::int64_t end = std::int64_t{1} << 31;
  BOOST_TEST(k.tl.arange(end - 2, end).data() == (Doubles{2147483646, 2147483647}));
  BOOST_TEST(k.tl.arange(-128, 128, i8).data().front() == -128);
  BOOST_CHECK_EXCEPTION(k.tl.arange(end - 1, end + 1), UsageError,
                        with_text("of i32: allowed are -2147483648 to 2147483647"));
  BOOST_CHECK_THROW(k.tl.arange(0, 129, i8), UsageError);
}

BOOST_AUTO_TEST_SUITE_END()
