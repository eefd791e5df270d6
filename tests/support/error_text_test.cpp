// What a predicate on an error's message accepts.
#include "tests/support/error_text.h"

#include <stdexcept>

using kernbench::test::with_text;

BOOST_AUTO_TEST_SUITE(error_text)

namespace {

const std::runtime_error error("a load of 'x' before tl.wait");

}  // namespace

BOOST_AUTO_TEST_CASE(one_part_of_each_type_of_text) {
  const std::string part = "load";
  BOOST_TEST(with_text(part)(error));
  BOOST_TEST(with_text("load")(error));
  BOOST_TEST(with_text<std::runtime_error>("load")(error));
  BOOST_TEST(!with_text("store")(error));
}

BOOST_AUTO_TEST_CASE(two_literals_are_two_parts) {
  BOOST_TEST(with_text({"load", "tl.wait"})(error));
  BOOST_TEST(!with_text({"load", "store"})(error));
  BOOST_TEST(!with_text({"store", "load"})(error));
}

BOOST_AUTO_TEST_CASE(literals_and_texts_are_parts_side_by_side) {
  const std::string part = "'x'";
  BOOST_TEST(with_text({"load", part, "tl.wait"})(error));
  BOOST_TEST(!with_text({"load", part, "store"})(error));
  BOOST_TEST(!with_text({part, "'y'"})(error));
}

BOOST_AUTO_TEST_SUITE_END()
