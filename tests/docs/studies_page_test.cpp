// docs/studies.md and the plans of configs/sweeps: each plan is named, each figure of a study is
// drawn there.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "tests/docs/doc_rules.h"

using namespace kernbench::docs;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(studies_page)

namespace {

const fs::path root = KERNBENCH_SOURCE_DIR;

std::string page() { return read_text(root / "docs/studies.md"); }

std::set<std::string> stems_of(const fs::path& folder, const std::string& extension) {
  std::set<std::string> stems;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == extension) stems.insert(entry.path().stem());
  return stems;
}

// First group of each match of the pattern.
std::set<std::string> named_in(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at)
    names.insert((*at)[1]);
  return names;
}

std::set<std::string> plans_of_page() {
  return named_in(page(), "\nkernbench sweep ([\\w-]+) --out");
}

}  // namespace

// Plans that spec 10.3 describes are evaluations; all others are studies.
BOOST_AUTO_TEST_CASE(each_study_has_its_command_on_the_page) {
  const std::set<std::string> commands = plans_of_page();
  const std::string spec = read_text(root / "docs/spec/10-cli.md");
  std::size_t plans = 0;
  for (const std::string& plan : stems_of(root / "configs/sweeps", ".yaml")) {
    if (spec.find('`' + plan + '`') != std::string::npos) continue;
    ++plans;
    BOOST_TEST(commands.count(plan) == 1u, "docs/studies.md has no command of " << plan);
  }
  BOOST_TEST(plans == commands.size());
}

BOOST_AUTO_TEST_CASE(each_figure_of_a_study_is_a_picture_of_the_page) {
  std::set<std::string> figures;
  for (const std::string& plan : plans_of_page()) {
    const std::string text = read_text(root / "configs/sweeps" / (plan + ".yaml"));
    figures.merge(named_in(text, "\n  - name: ([\\w-]+)"));
  }
  BOOST_TEST(figures.size() >= 8u);
  BOOST_TEST(named_in(page(), "\\]\\(studies/([\\w-]+)\\.svg\\)") == figures,
             boost::test_tools::per_element());
  BOOST_TEST(stems_of(root / "docs/studies", ".svg") == figures, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
