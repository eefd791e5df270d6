// From YAML to a tree: what is refused in a file is refused in the value of --set, by the same
// conversion.
#include <boost/test/unit_test.hpp>

#include "tests/config/broken_file.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_FIXTURE_TEST_SUITE(config_yaml, BrokenFile)

BOOST_AUTO_TEST_SUITE(config_yaml_test)

BOOST_AUTO_TEST_CASE(an_alias_that_contains_itself_is_an_error) {
  const auto first = [&](const std::vector<ConfigIssue>& found) {
    BOOST_REQUIRE(!found.empty());
    return found.front().message;
  };
  BOOST_TEST(first(issues({{"cube", "&a [*a]"}})) == "nested more than 32 levels deep");
  BOOST_TEST(first(issues({{"cube.components", "&a {b: *a}"}})) ==
             "nested more than 32 levels deep");
  change("corners: [NW", "corners: &a [*a, NW");
  BOOST_TEST(first(issues()) == "nested more than 32 levels deep");
}

// 2^20 values in 20 short lists.
BOOST_AUTO_TEST_CASE(aliases_that_multiply_are_an_error) {
  std::string bomb = "[&a0 [x, x]";
  for (int i = 1; i < 20; ++i)
    bomb += ", &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + ", *a" +
            std::to_string(i - 1) + "]";
  const std::vector<ConfigIssue> found = issues({{"cube.placement", bomb + "]"}});
  BOOST_REQUIRE(found.size() == 1U);
  BOOST_TEST(found[0].message == "more than 100000 values, aliases counted at each use");
}

BOOST_AUTO_TEST_CASE(deep_nesting_is_an_error) {
  const std::string open(200, '['), close(200, ']');
  const std::vector<ConfigIssue> found = issues({{"cube.placement", open + close}});
  BOOST_REQUIRE(!found.empty());
  BOOST_TEST(found[0].message == "nested more than 32 levels deep");
  BOOST_TEST(!issues({{"cube.placement", std::string(100'000, '[')}}).empty());
}

BOOST_AUTO_TEST_CASE(a_key_given_twice_in_a_value_is_an_error) {
  const std::vector<ConfigIssue> found =
      issues({{"cube.components.router", "{impl: builtin.noc, impl: builtin.forwarding}"}});
  BOOST_REQUIRE(found.size() == 1U);
  BOOST_TEST(found[0].file ==
             "--set cube.components.router={impl: builtin.noc, impl: builtin.forwarding}");
  BOOST_TEST(found[0].key == "cube.components.router.impl");
  BOOST_TEST(found[0].message == "the key is given twice in the same section");
}

BOOST_AUTO_TEST_CASE(a_key_that_is_no_word_is_an_error) {
  const std::vector<ConfigIssue> found = issues({{"cube.components.router", "{[1, 2]: 3}"}});
  BOOST_REQUIRE(found.size() == 1U);
  BOOST_TEST(found[0].key == "cube.components.router");
  BOOST_TEST(found[0].message == "found a key that is not a plain word");
}

BOOST_AUTO_TEST_CASE(a_file_is_one_document) {
  text += "---\nsystem: {flit_bytes: 128}\n";
  const ConfigIssue issue = only_issue();
  BOOST_TEST(issue.message == "found a second document; a file is one");
  BOOST_TEST(issue.line == line_of("---"));
}

BOOST_AUTO_TEST_CASE(merge_keys_lend_what_a_section_does_not_have_itself) {
  std::vector<ConfigIssue> found;
  const ConfigNode root = load_config_tree(
      dir.write("merged.yaml",
                "base: &base {a: 1, b: 2}\nother: &other {b: 3, c: 4}\n"
                "one: {<<: *base, b: 5}\ntwo: {<<: [*base, *other], d: 6}\nbad: {<<: 7}\n"),
      found);
  const auto text = [&](const char* section, const char* key) {
    const ConfigNode* value = root.find(section)->find(key);
    return value == nullptr ? "-" : value->text;
  };
  BOOST_TEST(text("one", "a") + text("one", "b") + text("one", "c") == "15-");
  BOOST_TEST(text("two", "a") + text("two", "b") + text("two", "c") + text("two", "d") == "1246");
  BOOST_REQUIRE(found.size() == 1U);
  BOOST_TEST(found[0].key == "bad.<<");
  BOOST_TEST(found[0].message == "found '7', allowed is a section, or a list of them");
}

// yaml-cpp gives out a document that begins so again and again.
BOOST_AUTO_TEST_CASE(what_begins_no_value_is_an_error) {
  for (const char* broken :
       {", a\n", "] a\n", "} a\n", ",\n", "a: b\n, c\n", "[a, b]]\n", "{a: b}}\n", "- a\n, b\n",
        "a: ,\n", "? ,\n", "--- ,\n", "&x ,\n", "!!str ]\n"}) {
    text = broken;
    const ConfigIssue issue = only_issue();
    BOOST_TEST((issue.message.rfind("not valid YAML: ", 0) == 0U ||
                issue.message == "found a second document; a file is one"),
               broken << ": " << issue.message);
  }
}

BOOST_AUTO_TEST_CASE(a_file_without_an_end_is_an_error) {
  std::vector<ConfigIssue> found;
  load_config_tree("/dev/zero", found);
  BOOST_REQUIRE(found.size() == 1U);
  BOOST_TEST(found[0].message == "more than 16 MiB");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
