// The libraries of sw/: the table of allowed includes names every arrow between them, the arrows
// make no cycle, and CMake links the same.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "tests/layering/layering_rules.h"

namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(sw_arrows_test)

namespace {

const fs::path source_dir = KERNBENCH_SOURCE_DIR;
using Arrows = std::map<std::string, std::set<std::string>>;

// From each library of sw/ to those that it may include: "tl", "runtime".
Arrows arrows_of_table() {
  std::ifstream file(source_dir / "tests/layering/allowed_includes.txt");
  const kernbench::layering::Rules rules = kernbench::layering::parse_rules(file);
  Arrows arrows;
  for (const auto& rule : rules.libraries) {
    if (rule.library.rfind("sw/", 0) != 0) continue;
    std::set<std::string>& to = arrows[rule.library.substr(3)];
    for (const std::string& target : rule.may_include) {
      if (target.rfind("sw/", 0) == 0) to.insert(target.substr(3));
    }
  }
  return arrows;
}

std::set<std::string> linked_by(const std::string& library) {
  std::ifstream file(source_dir / "sw" / library / "CMakeLists.txt");
  std::set<std::string> linked;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    for (std::string word; words >> word;) {
      if (word.rfind("sw_", 0) == 0) linked.insert(word.substr(3));
    }
  }
  return linked;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_library_of_sw_has_its_own_line) {
  const Arrows arrows = arrows_of_table();
  for (const auto& entry : fs::directory_iterator(source_dir / "sw")) {
    if (entry.is_directory())
      BOOST_TEST(arrows.count(entry.path().filename().string()) == 1U, entry.path().string());
  }
  BOOST_TEST(arrows.count("*") == 0U);
}

BOOST_AUTO_TEST_CASE(the_arrows_inside_sw_have_no_cycle) {
  // Those that are left after those without arrows have been taken away again and again.
  Arrows left = arrows_of_table();
  for (std::size_t before = 0; before != left.size();) {
    before = left.size();
    std::set<std::string> done;
    for (const auto& [library, targets] : left) {
      if (targets.empty()) done.insert(library);
    }
    for (const std::string& library : done) left.erase(library);
    for (auto& entry : left) {
      for (const std::string& library : done) entry.second.erase(library);
    }
  }
  BOOST_TEST(left.empty(), "in a cycle: " << (left.empty() ? "" : left.begin()->first));
}

BOOST_AUTO_TEST_CASE(cmake_links_what_the_table_allows) {
  for (const auto& [library, targets] : arrows_of_table()) {
    std::set<std::string> linked = linked_by(library);
    linked.erase(library);  // its own name
    BOOST_TEST((linked == targets), "sw/" << library);
  }
}

BOOST_AUTO_TEST_SUITE_END()
