// The shipped topology with something wrong in it, and what is said of it.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "tests/topology/machines.h"

namespace kernbench::test {

struct BrokenFile {
  TemporaryFolder dir;
  std::string text = read_file(default_topology);

  // Replaces one occurrence, which must exist.
  void change(const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    BOOST_REQUIRE_MESSAGE(at != std::string::npos, "not in the file: " << from);
    text.replace(at, from.size(), to);
  }
  // Line of a piece of the (changed) text, from 1.
  int line_of(const std::string& piece) const {
    return 1 +
           static_cast<int>(std::count(
               text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(piece)), '\n'));
  }
  std::vector<ConfigIssue> issues(const std::vector<Override>& overrides = {}) {
    const std::string path = dir.write("machine.yaml", text);
    try {
      load_machine(path, overrides, registry());
    } catch (const ConfigError& error) {
      return error.issues();
    }
    return {};
  }
  ConfigIssue only_issue() {
    const std::vector<ConfigIssue> found = issues();
    for (const ConfigIssue& issue : found) BOOST_TEST_MESSAGE(issue.key << ": " << issue.message);
    BOOST_REQUIRE_EQUAL(found.size(), 1U);
    return found.front();
  }
  // The one issue's key and message.
  void expect(const std::string& key, const std::string& message) {
    const ConfigIssue issue = only_issue();
    BOOST_TEST(issue.key == key);
    BOOST_TEST(issue.message == message);
  }
  // The one issue of the shipped file with one key overridden: "key: message".
  std::string after(const std::string& key, const std::string& value) {
    const std::vector<ConfigIssue> found = issues({{key, value}});
    if (found.size() != 1) return std::to_string(found.size()) + " issues";
    return found.front().key + ": " + found.front().message;
  }
  // The same without "key: found ", where the issue is of that key and says so.
  std::string found_in(const std::string& key, const std::string& value) {
    const std::string text = after(key, value), begin = key + ": found ";
    return text.rfind(begin, 0) == 0 ? text.substr(begin.size()) : text;
  }
};

}  // namespace kernbench::test
