// Views of a value: no bytes move, and the elements come out in the order of the shape.
#include "models/data/tensor_value.h"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <vector>

#include "models/base/errors.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(tensor_value_test)

namespace {

TensorValue counting(const Shape& shape) {  // i8: 0, 1, 2, ...
  std::vector<std::int8_t> elements;
  for (std::int64_t i = 0; i < shape.elements(); ++i)
    elements.push_back(static_cast<std::int8_t>(i));
  return {ByteImage::copy_of(elements.data(), elements.size()), shape, DType::i8, {}};
}

std::vector<int> elements_of(const TensorValue& value) {
  std::vector<int> elements;
  for (const std::byte byte : dense_bytes(value)) elements.push_back(static_cast<int>(byte));
  return elements;
}

}  // namespace

BOOST_AUTO_TEST_CASE(trans_swaps_the_axes_and_twice_is_the_same) {
  const TensorValue value = counting({2, 3});
  const TensorValue turned = transposed(value);
  BOOST_TEST((turned.shape == Shape{3, 2}));
  BOOST_TEST((elements_of(turned) == std::vector<int>{0, 3, 1, 4, 2, 5}));
  BOOST_TEST(transposed(turned).dense());
  BOOST_TEST(transposed(counting({1, 5})).dense());
  BOOST_TEST((transposed(counting({2, 3, 4})).shape == Shape{2, 4, 3}));  // the last two axes
  BOOST_CHECK_THROW(transposed(counting({2})), UsageError);
}

BOOST_AUTO_TEST_CASE(slices_are_contiguous_rows) {
  BOOST_TEST((elements_of(sliced(counting({4, 2}), 1, 3)) == std::vector<int>{2, 3, 4, 5}));
  BOOST_TEST(
      (elements_of(sliced(transposed(counting({2, 3})), 1, 3)) == std::vector<int>{1, 4, 2, 5}));
  BOOST_CHECK_THROW(sliced(counting({4, 2}), 2, 5), UsageError);
  BOOST_CHECK_THROW(sliced(counting({4, 2}), 2, 2), UsageError);
  BOOST_CHECK_THROW(sliced(counting({}), 0, 1), UsageError);
}

BOOST_AUTO_TEST_CASE(broadcast_repeats_without_copying) {
  const TensorValue row = counting({3});
  const TensorValue wide = broadcast_to(row, {2, 3});
  BOOST_TEST(wide.image.nbytes() == 3u);
  BOOST_TEST((elements_of(wide) == std::vector<int>{0, 1, 2, 0, 1, 2}));
  BOOST_TEST(
      (elements_of(broadcast_to(counting({2, 1}), {2, 3})) == std::vector<int>{0, 0, 0, 1, 1, 1}));
  BOOST_TEST((elements_of(broadcast_to(counting({}), {2, 2})) == std::vector<int>{0, 0, 0, 0}));
  BOOST_CHECK_THROW(broadcast_to(row, {3, 2}), UsageError);
  BOOST_CHECK_THROW(broadcast_to(counting({2, 3}), {3}), UsageError);
}

BOOST_AUTO_TEST_CASE(reshape_keeps_the_elements_and_needs_dense_ones) {
  BOOST_TEST(
      (elements_of(reshaped(counting({2, 3}), {3, 2})) == std::vector<int>{0, 1, 2, 3, 4, 5}));
  BOOST_CHECK_THROW(reshaped(counting({2, 3}), {5}), UsageError);
  BOOST_CHECK_THROW(reshaped(transposed(counting({2, 3})), {6}), UsageError);
}

BOOST_AUTO_TEST_CASE(a_slice_of_broadcast_rows_stays_within_the_image) {
  const TensorValue wide = broadcast_to(counting({3}), {4, 3});
  BOOST_TEST((elements_of(sliced(wide, 2, 4)) == std::vector<int>{0, 1, 2, 0, 1, 2}));
  BOOST_TEST(sliced(wide, 3, 4).dense());
}

BOOST_AUTO_TEST_SUITE_END()
