// The machine `hw` (spec 2.10): each of its numbers has a source or is an assumption, in a comment
// on its line, or in the list of inherited numbers.
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "platform/config/config_tree.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(hw_sources_test)

namespace {

const std::string file = KERNBENCH_SOURCE_DIR "/configs/topology.hw.yaml";

struct Comments {
  std::set<std::string> sources{"assumption"};   // names
  std::map<std::string, std::string> inherited;  // key: source
  std::vector<std::string> lines{""};            // comment of each line; from 1
};

Comments read_comments() {
  Comments comments;
  std::ifstream in(file);
  std::map<std::string, std::string> rows;  // of the list in front of which the last heading is
  for (std::string line; std::getline(in, line);) {
    static const std::regex row(R"(#   (\S+)   *(\S.*))"), comment(R"([^#]*# *(.*))");
    std::smatch match;
    if (std::regex_match(line, match, row)) {
      rows[match[1]] = match[2];
    } else if (line == "# Numbers inherited from topology.yaml:") {
      for (const auto& [name, text] : rows) comments.sources.insert(name);
      rows.clear();
    }
    comments.lines.push_back(std::regex_match(line, match, comment) ? match[1].str() : "");
  }
  comments.inherited = rows;
  return comments;
}

bool has_source(const Comments& comments, const std::string& text) {
  return comments.sources.count(text.substr(0, text.find_first_of(": "))) == 1;
}

bool is_number(const ConfigNode& node) {
  static const std::regex number(R"(-?[0-9]+(\.[0-9]*)?)");
  return node.kind == ConfigNode::Kind::scalar && !node.quoted &&
         std::regex_match(node.text, number);
}

// Entry of the list for a key: the key, or a section around it; empty: none.
std::string entry_of(const std::map<std::string, std::string>& list, std::string key) {
  while (list.count(key) == 0) {
    const std::size_t dot = key.rfind('.');
    if (dot == std::string::npos) return "";
    key.resize(dot);
  }
  return key;
}

using Visit = std::function<void(const std::string& key, const ConfigNode& number)>;

void visit_numbers(const std::string& key, const ConfigNode& node, const Visit& visit) {
  if (is_number(node)) return visit(key, node);
  for (const ConfigNode& item : node.items) visit_numbers(key, item, visit);
  for (const ConfigEntry& entry : node.entries) {
    if (!entry.former_impl.empty()) continue;  // of an implementation that `hw` replaces
    visit_numbers(key.empty() ? entry.key : key + '.' + entry.key, entry.value, visit);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_number_has_a_source_or_is_an_assumption) {
  std::vector<ConfigIssue> issues;
  const ConfigNode root = load_config_tree(file, issues);
  BOOST_REQUIRE(issues.empty());
  const Comments comments = read_comments();
  BOOST_TEST_REQUIRE(comments.sources.size() > 4U);
  std::set<std::string> used;
  visit_numbers("", root, [&](const std::string& key, const ConfigNode& number) {
    if (number.place.file == file) {
      const std::string& comment = comments.lines.at(static_cast<std::size_t>(number.place.line));
      BOOST_TEST(has_source(comments, comment),
                 key << ", line " << number.place.line << ": '" << comment << "'");
      return;
    }
    const std::string entry = entry_of(comments.inherited, key);
    BOOST_TEST(!entry.empty(), "no source of the inherited " << key);
    if (!entry.empty()) BOOST_TEST(has_source(comments, comments.inherited.at(entry)), entry);
    used.insert(entry);
  });
  for (const auto& [entry, source] : comments.inherited)
    BOOST_TEST(used.count(entry) == 1U, "no number is inherited from " << entry);
}

BOOST_AUTO_TEST_SUITE_END()
