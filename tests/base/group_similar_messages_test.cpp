// Messages that differ in numbers only are one group (spec 11.3).
#include "models/base/group_similar_messages.h"

#include <boost/test/unit_test.hpp>

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(group_similar_messages_test)

namespace {

using Group = std::vector<std::size_t>;
using Texts = std::vector<std::string>;

Texts failures(int count) {
  Texts texts;
  for (int i = 0; i < count; ++i)
    texts.push_back("sip0.cube" + std::to_string(i) + " at " + std::to_string(i) + ".25 ns: gone");
  return texts;
}

}  // namespace

BOOST_AUTO_TEST_CASE(texts_that_differ_in_numbers_only_are_one_group) {
  const auto groups = group_similar_messages(failures(256));
  BOOST_TEST_REQUIRE(groups.size() == 1U);
  BOOST_TEST(groups[0].size() == 256U);
  BOOST_TEST(groups[0].front() == 0U);
  BOOST_TEST(groups[0].back() == 255U);
}

BOOST_AUTO_TEST_CASE(a_few_texts_are_shown_one_by_one) {
  BOOST_TEST(group_similar_messages(failures(4)).size() == 4U);
  BOOST_TEST(group_similar_messages(failures(5)).size() == 1U);
  BOOST_TEST(group_similar_messages(failures(2), 1).size() == 1U);
  BOOST_TEST(group_similar_messages({}).empty());
}

// The other text keeps its position: after the group that begins before it.
BOOST_AUTO_TEST_CASE(groups_stand_in_the_order_of_their_first_texts) {
  Texts texts = failures(6);
  texts.insert(texts.begin() + 2, "another thing");
  const auto groups = group_similar_messages(texts);
  BOOST_TEST_REQUIRE(groups.size() == 2U);
  BOOST_TEST((groups[0] == Group{0, 1, 3, 4, 5, 6}));
  BOOST_TEST((groups[1] == Group{2}));
}

// "1.5" and "12" are one number each; a full stop behind a number is none of its digits.
BOOST_AUTO_TEST_CASE(a_number_is_a_decimal) {
  BOOST_TEST(group_similar_messages({"got 1.5", "got 12"}, 1).size() == 1U);
  BOOST_TEST(group_similar_messages({"got 1.", "got 1"}, 1).size() == 2U);
  BOOST_TEST(group_similar_messages({"rank1 a", "rank1 b"}, 1).size() == 2U);
}

BOOST_AUTO_TEST_CASE(the_first_names_stand_for_all) {
  const Texts names{"a", "b", "c", "d", "e", "f", "g"};
  BOOST_TEST(first_of({0, 1, 2, 3}, names) == "a, b, c, d");
  BOOST_TEST(first_of({0, 1, 2, 4, 5, 6}, names) == "a, b, c, e and 2 more");
  BOOST_TEST(first_of({}, names) == "");
}

BOOST_AUTO_TEST_SUITE_END()
