// `kernbench new-component`: names, folders and kinds that are refused (spec 12); what it writes is
// built by the tests new_component_KIND.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "tests/plugins/examples.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(new_component)

namespace {

void check_refused(const Words& words, const std::string& part) {
  const ProgramResult result = kernbench_program(Words{"new-component"} + words);
  BOOST_TEST(result.status == 2, result.err);
  BOOST_TEST(result.err.find(part) != std::string::npos, result.err);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_name_is_a_word_of_lower_case_letters) {
  const TemporaryFolder folder;
  for (const char* name : {"", "Row", "1st", "row-hbm", "row__hbm", "row_", "../row", "a b",
                           "a_name_of_more_than_forty_letters_is_too_long"})
    check_refused({name, "--kind", "hbm", "--dir", folder.file("x")},
                  *name == '\0' ? "NAME is missing" : "allowed are at most 40 lower-case letters");
  BOOST_TEST(!folder.has("x"));
}

BOOST_AUTO_TEST_CASE(an_unknown_kind_is_refused_with_the_nearest) {
  const TemporaryFolder folder;
  check_refused({"test", "--kind", "hbm", "--dir", folder.file("x")},
                "which CMake has for a target of its own");
  check_refused({"mine", "--kind", "ruter", "--dir", folder.file("x")}, "did you mean 'router'?");
  check_refused({"mine", "--dir", folder.file("x")}, "--kind is missing");
  BOOST_TEST(!folder.has("x"));
}

BOOST_AUTO_TEST_CASE(a_folder_that_exists_is_left_alone) {
  const TemporaryFolder folder;
  folder.write("mine/notes.txt", "mine");
  check_refused({"mine", "--kind", "hbm", "--dir", folder.file("mine")}, "exists already");
  check_refused({"mine", "--kind", "hbm", "--dir", folder.file("mine/notes.txt/below")},
                "cannot be made");
  BOOST_TEST(folder.read("mine/notes.txt") == "mine");
  BOOST_TEST(!folder.has("mine/mine.cpp"));
}

BOOST_AUTO_TEST_CASE(no_word_of_a_template_is_left) {
  const std::string kinds = output_of({"new-component", "--list-kinds"});
  BOOST_TEST(std::count(kinds.begin(), kinds.end(), '\n') >= 17);
  for (std::size_t begin = 0; begin < kinds.size(); begin = kinds.find('\n', begin) + 1) {
    const std::string kind = kinds.substr(begin, kinds.find(' ', begin) - begin);
    const TemporaryFolder folder;
    output_of({"new-component", "row_thing", "--kind", kind, "--dir", folder.file("made")});
    for (const char* file : {"row_thing.cpp", "CMakeLists.txt", "test.cmake", "README.md"})
      BOOST_TEST(folder.read("made/" + std::string(file)) != "", kind << ": " << file);
    for (const auto& entry : std::filesystem::directory_iterator(folder.file("made"))) {
      const std::string file = entry.path().filename().string();
      BOOST_TEST(folder.read("made/" + file).find('@') == std::string::npos, kind << ": " << file);
    }
    BOOST_TEST(folder.read("made/CMakeLists.txt").find("row_thing") != std::string::npos);
  }
}

BOOST_AUTO_TEST_SUITE_END()
