// Images share bytes, merge what continues, and resolve values only with a lookup.
#include "models/data/byte_image.h"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <vector>

#include "models/base/errors.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(byte_image_test)

namespace {

SharedBytes counting_bytes(std::uint64_t nbytes) {
  SharedBytes bytes = make_shared_bytes(nbytes, false);
  for (std::uint64_t i = 0; i < nbytes; ++i) bytes.get()[i] = static_cast<std::byte>(i);
  return bytes;
}

}  // namespace

BOOST_AUTO_TEST_CASE(slices_put_together_again_are_one_segment) {
  const ByteImage image = ByteImage::of(counting_bytes(100), 100);
  ByteImage again = image.slice(0, 30);
  again.append(image.slice(30, 70));
  BOOST_TEST(again.segments().size() == 1u);
  BOOST_TEST(again.segments()[0].data() == image.segments()[0].data());
  again.append(again);
  BOOST_TEST(again.nbytes() == 200u);
  BOOST_TEST(again.segments().size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_slice_beyond_the_end_is_a_model_error) {
  const ByteImage image = ByteImage::zeros(10);
  BOOST_CHECK_THROW(image.slice(5, 6), ModelError);
  BOOST_CHECK_THROW(image.slice(11, 0), ModelError);
  BOOST_TEST(image.slice(10, 0).segments().empty());
}

BOOST_AUTO_TEST_CASE(values_need_a_lookup) {
  ByteImage image = ByteImage::of(ValueRef{2, 4, 3});
  image.append(ByteImage::zeros(1));
  image.append(ByteImage::of(ValueRef{1, 0, 1}));
  BOOST_TEST(!image.known());
  BOOST_TEST((image.value_ids() == std::vector<ValueId>{1, 2}));
  std::vector<std::byte> out(5);
  BOOST_CHECK_THROW(image.copy_to(out.data()), PendingDataError);
  image.copy_to(out.data(), [](ValueId id) {
    SharedBytes bytes = counting_bytes(16);
    if (id == 1) bytes.get()[0] = std::byte{99};
    return bytes;
  });
  const std::vector<std::byte> expected{std::byte{4}, std::byte{5}, std::byte{6}, std::byte{0},
                                        std::byte{99}};
  BOOST_TEST((out == expected));
}

BOOST_AUTO_TEST_CASE(one_run_of_bytes_is_flat_already) {
  const SharedBytes bytes = counting_bytes(8);
  BOOST_TEST(ByteImage::of(bytes, 8).slice(2, 4).flatten().get() == bytes.get() + 2);
  ByteImage two = ByteImage::of(bytes, 8);
  two.append(ByteImage::zeros(1));
  BOOST_TEST(static_cast<int>(two.flatten().get()[8]) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
