// The check of the source tree against the table of allowed includes (allowed_includes.txt) and the
// habits that keep it true.
#pragma once

#include <filesystem>
#include <istream>
#include <string>
#include <vector>

namespace kernbench::layering {

// "models/noc", "sc_main", or "platform/*" for every library of a folder.
using LibraryPattern = std::string;

struct LibraryRule {
  LibraryPattern library;
  std::vector<LibraryPattern> may_include;
};

struct ExternalRule {
  std::string prefix;  // of the path between < and >
  bool only;           // true: for these libraries only; false: for all but these
  std::vector<LibraryPattern> libraries;
};

// Files whose paths begin with `prefix` include, of ours, nothing but what begins with one of
// these.
struct FilesRule {
  std::string prefix;
  std::vector<std::string> may_include;
};

struct Rules {
  std::vector<LibraryRule> libraries;
  std::vector<ExternalRule> externals;
  std::vector<FilesRule> files;
};

// Throws std::runtime_error that names the line.
Rules parse_rules(std::istream& text);

// Every fault below `root` as "file:line: what is wrong", in the order of the paths:
//   an include that the table does not allow, or that is not a path from the root
//   an include that a rule for single files does not allow
//   an include through which a library reaches, over headers of others, what it never may
//   a library that the table does not know
//   a source that no CMakeLists.txt in its folder or above lists
//   a folder with a CMakeLists.txt that the one above it does not add
//   a header without #pragma once
//   a test that defines BOOST_TEST_MODULE (main() is in tests/support)
//   a cycle in the arrows of the table
std::vector<std::string> check_layering(const std::filesystem::path& root, const Rules& rules);

}  // namespace kernbench::layering
