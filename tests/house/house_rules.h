// The check of the source tree against the table of allowed includes (allowed_includes.txt) and the habits that keep it true.
#pragma once

#include <filesystem>
#include <istream>
#include <string>
#include <vector>

namespace kernbench::house {

// "models/noc", "sc_main", or "platform/*" for every box of a folder.
using BoxPattern = std::string;

struct BoxRule {
  BoxPattern box;
  std::vector<BoxPattern> may_include;
};

struct LibraryRule {
  std::string prefix;  // of what stands between < and >
  bool only;           // true: for these boxes only; false: for all but these
  std::vector<BoxPattern> boxes;
};

struct Rules {
  std::vector<BoxRule> boxes;
  std::vector<LibraryRule> libraries;
};

// Throws std::runtime_error that names the line.
Rules parse_rules(std::istream& text);

// Every fault below `root` as "file:line: what is wrong", in the order of the paths:
//   an include that the table does not allow, or that is not a path from the root
//   a box that the table does not know
//   a source that no CMakeLists.txt in its folder or above lists
//   a folder with a CMakeLists.txt that the one above it does not add
//   a header without #pragma once
//   a test that defines BOOST_TEST_MODULE (main() is in tests/support)
std::vector<std::string> check_house(const std::filesystem::path& root, const Rules& rules);

}  // namespace kernbench::house
