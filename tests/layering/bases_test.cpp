// Classes are composed of members: none has more than four direct bases.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(bases_test)

namespace {

const fs::path source_dir = KERNBENCH_SOURCE_DIR;
constexpr int most_bases = 4;

struct ClassHead {
  std::string name;
  int bases = 0;
};

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// Commas of a list of bases that separate two of them, not two arguments of a template.
int separators(const std::string& bases) {
  int depth = 0, found = 0;
  for (const char c : bases) {
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (c == ',' && depth == 0) ++found;
  }
  return found;
}

std::vector<ClassHead> classes_with_bases(const std::string& text) {
  static const std::regex comment("//[^\n]*");
  static const std::regex head("(class|struct)\\s+([\\w:]+)(\\s+final)?\\s*:\\s*([^{};()]+)\\{");
  const std::string code = std::regex_replace(text, comment, "");
  std::vector<ClassHead> found;
  for (std::sregex_iterator match(code.begin(), code.end(), head), end; match != end; ++match)
    found.push_back({(*match)[2].str(), separators((*match)[4].str()) + 1});
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(no_class_has_more_than_four_bases) {
  std::size_t classes = 0;
  for (const char* top : {"models", "platform", "sw", "sc_main"}) {
    for (const auto& entry : fs::recursive_directory_iterator(source_dir / top)) {
      const fs::path extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp") continue;
      for (const ClassHead& head : classes_with_bases(text_of(entry.path()))) {
        ++classes;
        BOOST_TEST(head.bases <= most_bases,
                   entry.path().string() << ": " << head.name << " has " << head.bases << " bases");
      }
    }
  }
  BOOST_TEST(classes > 50U);
}

BOOST_AUTO_TEST_CASE(bases_are_counted_with_those_of_templates_and_behind_comments) {
  const auto heads = classes_with_bases(
      "struct A final : B<int, C>,  // a, b\n  private D::E,\n  F, G, H {};\n"
      "enum class Kind : int { a, b };\nclass Plain {};\n");
  BOOST_REQUIRE(heads.size() == 2U);
  BOOST_TEST(heads[0].name == "A");
  BOOST_TEST(heads[0].bases == 5);
  BOOST_TEST(heads[1].bases == 1);  // the type of an enumeration
}

BOOST_AUTO_TEST_SUITE_END()
