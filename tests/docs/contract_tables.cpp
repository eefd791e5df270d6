#include "tests/docs/contract_tables.h"

#include <algorithm>
#include <regex>
#include <sstream>

namespace kernbench::docs {
namespace {

// Texts in back-quotes.
std::vector<std::string> in_backquotes(const std::string& text) {
  static const std::regex word("`([^`]+)`");
  std::vector<std::string> words;
  for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at)
    words.push_back((*at)[1]);
  return words;
}

std::string first_cell(const std::string& row) {
  const std::size_t end = row.find(" |", 2);
  return end == std::string::npos ? "" : row.substr(2, end - 2);
}

bool begins_with(const std::string& text, const std::string& begin) {
  return text.compare(0, begin.size(), begin) == 0;
}

}  // namespace

std::map<std::string, ContractTables> contract_tables(const std::string& text) {
  std::map<std::string, ContractTables> tables;
  std::vector<std::string> implementations;
  std::string kind;     // of the table that the line is in
  bool listed = false;  // the line is in a list of implementations
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (begins_with(line, "## ")) implementations.clear();
    listed = begins_with(line, "Implementations: ") || (listed && !line.empty());
    if (begins_with(line, "## ") || listed) {
      for (const std::string& name : in_backquotes(line)) {
        implementations.push_back(name);
        tables[name];
      }
    }
    if (line.empty() || line.front() != '|') {
      kind.clear();
    } else if (kind.empty()) {
      kind = first_cell(line);
    } else {
      for (const std::string& name : in_backquotes(first_cell(line))) {
        for (const std::string& implementation : implementations)
          tables[implementation][kind].push_back(name);
      }
    }
  }
  return tables;
}

bool matches(const std::string& pattern, const std::string& name) {
  static const std::regex number(R"(\{i\})"), word(R"(\{\w+\})");
  const std::string numbers = std::regex_replace(pattern, number, "[0-9]+");
  return std::regex_match(name, std::regex(std::regex_replace(numbers, word, "\\w+")));
}

std::vector<std::string> differences(const std::vector<std::string>& patterns,
                                     const std::set<std::string>& declared) {
  std::vector<std::string> found;
  for (const std::string& name : declared) {
    if (std::none_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches(pattern, name); }))
      found.push_back("lacks " + name);
  }
  for (const std::string& pattern : patterns) {
    if (std::none_of(declared.begin(), declared.end(),
                     [&](const std::string& name) { return matches(pattern, name); }))
      found.push_back("no " + pattern);
  }
  return found;
}

}  // namespace kernbench::docs
