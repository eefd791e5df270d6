#include "tests/layering/layering_rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace kernbench::layering {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> top_folders{"models",  "platform", "plugins",
                                                      "sc_main", "sw",       "tests"};
constexpr std::array<std::string_view, 3> folders_of_libraries{"models", "platform", "sw"};

template <class Range>
bool holds(const Range& range, std::string_view value) {
  return std::find(std::begin(range), std::end(range), value) != std::end(range);
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool matches(const LibraryPattern& pattern, const std::string& library) {
  if (pattern.size() < 2 || pattern.compare(pattern.size() - 2, 2, "/*") != 0)
    return pattern == library;
  return library.compare(0, pattern.size() - 1, pattern, 0, pattern.size() - 1) == 0;
}

bool matches_any(const std::vector<LibraryPattern>& patterns, const std::string& library) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const LibraryPattern& pattern) { return matches(pattern, library); });
}

// "models/noc" of "models/noc/link.h", "sc_main" of "sc_main/main.cpp"; a file directly in a folder
// of libraries is in that folder.
std::string library_of(const fs::path& relative) {
  auto part = relative.begin();
  std::string library = part->string();
  if (holds(folders_of_libraries, library) && std::distance(relative.begin(), relative.end()) > 2)
    library += '/' + (++part)->string();
  return library;
}

struct Include {
  std::string path;
  bool quoted;
};

// The include on this line; an empty path if there is none.
Include include_on(std::string_view line) {
  const auto skip_spaces = [&] {
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front())) != 0)
      line.remove_prefix(1);
  };
  const auto skip = [&](std::string_view token) {
    skip_spaces();
    if (line.substr(0, token.size()) != token) return false;
    line.remove_prefix(token.size());
    return true;
  };
  if (!skip("#") || !skip("include")) return {};
  skip_spaces();
  if (line.empty() || (line.front() != '"' && line.front() != '<')) return {};
  const bool quoted = line.front() == '"';
  const std::size_t end = line.find(quoted ? '"' : '>', 1);
  if (end == std::string_view::npos) return {};
  return {std::string(line.substr(1, end - 1)), quoted};
}

// Every include of a source, by the number of its line.
std::vector<std::pair<int, Include>> includes_of(const fs::path& path) {
  std::vector<std::pair<int, Include>> includes;
  std::istringstream lines(read(path));
  int number = 1;
  for (std::string line; std::getline(lines, line); ++number) {
    Include include = include_on(line);
    if (!include.path.empty()) includes.emplace_back(number, std::move(include));
  }
  return includes;
}

bool begins_with(const std::string& path, const std::string& prefix) {
  return path.compare(0, prefix.size(), prefix) == 0;
}

// What a CMakeLists.txt names: its words, without comments and quotes.
std::set<std::string> words_of(const fs::path& cmake_lists) {
  std::set<std::string> words;
  std::istringstream lines(read(cmake_lists));
  for (std::string line; std::getline(lines, line);) {
    line.resize(std::min(line.size(), line.find('#')));
    std::replace_if(
        line.begin(), line.end(),
        [](char c) { return c == '(' || c == ')' || c == '"' || c == ';'; }, ' ');
    std::istringstream in_line(line);
    for (std::string word; in_line >> word;) words.insert(word);
  }
  return words;
}

class Check {
 public:
  Check(const fs::path& root, const Rules& rules) : root_(root), rules_(rules) {}

  std::vector<std::string> run() {
    std::vector<fs::path> sources;
    for (const std::string_view top : top_folders) {
      if (!fs::is_directory(root_ / top)) continue;
      for (const auto& entry : fs::recursive_directory_iterator(root_ / top)) {
        const std::string extension = entry.path().extension().string();
        if (extension == ".h" || extension == ".cpp" || entry.path().filename() == "CMakeLists.txt")
          sources.push_back(entry.path().lexically_relative(root_));
      }
    }
    std::sort(sources.begin(), sources.end());
    check_arrows();
    for (const fs::path& source : sources)
      source.extension() == ".txt" ? check_added(source) : check(source);
    return std::move(faults_);
  }

 private:
  void fault(const fs::path& file, int line, const std::string& what) {
    faults_.push_back(file.generic_string() + (line > 0 ? ':' + std::to_string(line) : "") + ": " +
                      what);
  }

  void check(const fs::path& file) {
    const std::string library = library_of(file);
    const auto rule =
        std::find_if(rules_.libraries.begin(), rules_.libraries.end(),
                     [&](const LibraryRule& r) { return matches(r.library, library); });
    if (rule == rules_.libraries.end())
      fault(file, 0, "the table of allowed includes does not know the library " + library);
    bool pragma_once = false;
    bool test_module = false;
    std::istringstream lines(read(root_ / file));
    for (std::string line; std::getline(lines, line);) {
      pragma_once = pragma_once || line.rfind("#pragma once", 0) == 0;
      test_module = test_module || line.rfind("#define BOOST_TEST_MODULE", 0) == 0;
    }
    for (const auto& [number, include] : includes_of(root_ / file)) {
      if (!include.quoted) {
        check_external(file, number, library, include.path);
      } else if (rule != rules_.libraries.end()) {
        check_ours(file, number, library, *rule, include.path);
        check_files(file, number, include.path);
        check_reach(file, number, library, include.path);
      }
    }
    if (file.extension() == ".h" && !pragma_once) fault(file, 0, "a header without #pragma once");
    if (file.extension() == ".cpp" && !is_listed(file))
      fault(file, 0, "no CMakeLists.txt lists it");
    if (test_module)
      fault(file, 0, "BOOST_TEST_MODULE is defined; main() comes from tests/support");
  }

  void check_added(const fs::path& cmake_lists) {
    const fs::path folder = cmake_lists.parent_path();
    const fs::path above = root_ / folder.parent_path() / "CMakeLists.txt";
    if (fs::exists(above) && words_of(above).count(folder.filename()) == 0)
      fault(cmake_lists, 0, "the CMakeLists.txt above does not add its folder");
  }

  void check_ours(const fs::path& file, int line, const std::string& library,
                  const LibraryRule& rule, const std::string& path) {
    if (fs::path(path).lexically_normal() != fs::path(path) ||
        !holds(top_folders, fs::path(path).begin()->string())) {
      fault(file, line, "\"" + path + "\" is not a path from the root of the repository");
      return;
    }
    if (!fs::exists(root_ / path)) fault(file, line, "\"" + path + "\" does not exist");
    const std::string target = library_of(path);
    if (target != library && !matches_any(rule.may_include, target))
      fault(file, line, library + " may not include " + target + " (\"" + path + "\")");
  }

  void check_files(const fs::path& file, int line, const std::string& path) {
    for (const FilesRule& rule : rules_.files) {
      if (!begins_with(file.generic_string(), rule.prefix)) continue;
      const bool allowed =
          std::any_of(rule.may_include.begin(), rule.may_include.end(),
                      [&](const std::string& prefix) { return begins_with(path, prefix); });
      if (!allowed) fault(file, line, rule.prefix + "* may not include \"" + path + "\"");
    }
  }

  void check_external(const fs::path& file, int line, const std::string& library,
                      const std::string& path) {
    if (fs::exists(root_ / path) && holds(top_folders, fs::path(path).begin()->string())) {
      fault(file, line, "<" + path + "> is ours and is included with quotes");
    }
    for (const ExternalRule& rule : rules_.externals) {
      if (begins_with(path, rule.prefix) && matches_any(rule.libraries, library) != rule.only) {
        fault(file, line, library + " may not include <" + path + ">");
      }
    }
  }

  // Headers of libraries that the rule forbids it as well have faults of their own.
  void check_reach(const fs::path& file, int line, const std::string& library,
                   const std::string& path) {
    for (const ExternalRule& rule : rules_.externals) {
      if (rule.only || !matches_any(rule.libraries, library)) continue;
      std::set<std::string> seen;
      const std::string way = way_to(rule, path, seen);
      if (!way.empty()) fault(file, line, library + " may not reach " + way);
    }
  }

  // "models/protocol/path.h > ... > <systemc>" from a header of ours; empty: there is no way.
  std::string way_to(const ExternalRule& rule, const std::string& path,
                     std::set<std::string>& seen) {
    if (matches_any(rule.libraries, library_of(path)) || !seen.insert(path).second) return "";
    for (const Include& include : header(path)) {
      if (!include.quoted && begins_with(include.path, rule.prefix))
        return path + " > <" + include.path + ">";
      const std::string way = include.quoted ? way_to(rule, include.path, seen) : "";
      if (!way.empty()) return path + " > " + way;
    }
    return "";
  }

  const std::vector<Include>& header(const std::string& path) {
    const auto [found, is_new] = headers_.try_emplace(path);
    if (is_new && fs::exists(root_ / path)) {
      for (auto& [line, include] : includes_of(root_ / path))
        found->second.push_back(std::move(include));
    }
    return found->second;
  }

  void check_arrows() {
    for (const LibraryRule& rule : rules_.libraries) {
      std::set<std::string> seen;
      if (leads_to(rule, rule.library, seen))
        fault("allowed_includes.txt", 0, "the arrows lead from " + rule.library + " back to it");
    }
  }

  // Over at least one arrow to another library.
  bool leads_to(const LibraryRule& from, const std::string& library, std::set<std::string>& seen) {
    for (const LibraryRule& to : rules_.libraries) {
      if (to.library == from.library || !matches_any(from.may_include, to.library)) continue;
      if (to.library == library) return true;
      if (seen.insert(to.library).second && leads_to(to, library, seen)) return true;
    }
    return false;
  }

  bool is_listed(const fs::path& file) const {
    for (fs::path folder = file.parent_path();; folder = folder.parent_path()) {
      const fs::path cmake_lists = root_ / folder / "CMakeLists.txt";
      const fs::path relative = file.lexically_relative(folder.empty() ? "." : folder);
      const fs::path pattern = relative.parent_path() / "*.cpp";  // file(GLOB ... *.cpp)
      if (fs::exists(cmake_lists)) {
        const std::set<std::string> words = words_of(cmake_lists);
        if (words.count(relative.generic_string()) > 0 || words.count(pattern.generic_string()) > 0)
          return true;
      }
      if (folder.empty()) return false;
    }
  }

  const fs::path& root_;
  const Rules& rules_;
  std::vector<std::string> faults_;
  std::map<std::string, std::vector<Include>> headers_;  // of ours, once they were asked for
};

}  // namespace

Rules parse_rules(std::istream& text) {
  Rules rules;
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    line.resize(std::min(line.size(), line.find('#')));
    std::istringstream in_line(line);
    std::string kind;
    std::string name;
    std::string verb;
    if (!(in_line >> kind)) continue;
    in_line >> name >> verb;
    std::vector<LibraryPattern> libraries;
    for (std::string library; in_line >> library;) libraries.push_back(library);
    if (kind == "library" && verb == "->") {
      rules.libraries.push_back({name, libraries});
    } else if (kind == "external" && (verb == "only" || verb == "never")) {
      rules.externals.push_back({name, verb == "only", libraries});
    } else if (kind == "files" && verb == "->") {
      rules.files.push_back({name, libraries});
    } else {
      throw std::runtime_error("allowed_includes.txt:" + std::to_string(number) + ": not a rule");
    }
  }
  return rules;
}

std::vector<std::string> check_layering(const fs::path& root, const Rules& rules) {
  return Check(root, rules).run();
}

}  // namespace kernbench::layering
