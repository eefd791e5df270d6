#include "tests/docs/doc_rules.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

namespace kernbench::docs {
namespace {

namespace fs = std::filesystem;

using Matches = std::sregex_iterator;
const Matches no_more;

std::set<std::string> examples_of(const std::string& text) {
  static const std::regex first_line(R"(\n```cpp\n// ([\w./-]+)\n)");
  std::set<std::string> paths;
  for (Matches at(text.begin(), text.end(), first_line); at != no_more; ++at)
    paths.insert((*at)[1]);
  return paths;
}

// `name(` as a whole word, or `class name`, `struct name`.
bool has_name(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    if (at > 0 && is_word(text[at - 1])) continue;
    const std::size_t behind = at + name.size();
    if (behind < text.size() && text[behind] == '(') return true;
    const bool whole = behind == text.size() || !is_word(text[behind]);
    const std::string before = text.substr(at < 7 ? 0 : at - 7, at < 7 ? at : 7);
    if (whole && (before == "struct " ||
                  (before.size() >= 6 && before.substr(before.size() - 6) == "class ")))
      return true;
  }
  return false;
}

// As GitHub makes them: small letters, spaces to '-', without other signs.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    if (is_word(c) || c == '-')
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (c == ' ') anchor += '-';
  }
  return anchor;
}

bool has_heading(const std::string& text, const std::string& anchor) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of('#');
    if (begin == 0 || begin == std::string::npos || line[begin] != ' ') continue;
    if (anchor_of(line.substr(begin + 1)) == anchor) return true;
  }
  return false;
}

// Text without fences of code and without code in back-quotes.
std::string without_code(const std::string& text) {
  std::string prose;
  std::istringstream lines(text);
  bool in_fence = false;
  for (std::string line; std::getline(lines, line);) {
    const bool is_fence = line.compare(0, 3, "```") == 0;
    if (is_fence) in_fence = !in_fence;
    if (is_fence || in_fence) continue;
    bool in_code = false;
    for (const char c : line) {
      if (c == '`') in_code = !in_code;
      if (!in_code && c != '`') prose += c;
    }
    prose += '\n';
  }
  return prose;
}

}  // namespace

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Page> read_pages(const fs::path& root,
                             const std::function<bool(const std::string& path)>& wanted) {
  std::vector<Page> pages;
  for (auto at = fs::recursive_directory_iterator(root); at != fs::recursive_directory_iterator();
       ++at) {
    const std::string name = at->path().filename().string();
    if (name.front() == '.' || (at.depth() == 0 && name == "build")) {
      at.disable_recursion_pending();
      continue;
    }
    const std::string path = fs::relative(at->path(), root).generic_string();
    if (at->is_regular_file() && wanted(path)) pages.push_back({path, read_text(at->path())});
  }
  std::sort(pages.begin(), pages.end(),
            [](const Page& a, const Page& b) { return a.path < b.path; });
  return pages;
}

std::string place_of(const Page& page, std::size_t at) {
  const auto end = page.text.begin() + static_cast<std::ptrdiff_t>(at);
  return page.path + ":" + std::to_string(1 + std::count(page.text.begin(), end, '\n')) + ": ";
}

Faults check_paths(const Page& page, const fs::path& root) {
  static const std::regex path(
      R"((https?://\S+)|((?:[\w.-]+/)+[\w.-]*\w\.(?:cpp|h|md|txt|yaml|cmake|sh|svg))\b)");
  const std::set<std::string> examples = examples_of(page.text);
  const fs::path folder = (root / page.path).parent_path();
  Faults faults;
  for (Matches at(page.text.begin(), page.text.end(), path); at != no_more; ++at) {
    const std::string file = (*at)[2];
    if (file.empty() || file.compare(0, 6, "build/") == 0 || examples.count(file) != 0) continue;
    if (!fs::exists(root / file) && !fs::exists(folder / file))
      faults.push_back(place_of(page, static_cast<std::size_t>(at->position())) + "no file " +
                       file);
  }
  return faults;
}

Faults check_names(const Page& page, const fs::path& root) {
  static const std::regex reference(R"(`([\w.-]+/[\w./-]+):\s+([\w:<>~]+)`)");
  Faults faults;
  for (Matches at(page.text.begin(), page.text.end(), reference); at != no_more; ++at) {
    const std::string file = (*at)[1], name = (*at)[2];
    if (has_name(read_text(root / file), name)) continue;
    faults.push_back(place_of(page, static_cast<std::size_t>(at->position())) + "no " + name +
                     " in " + file);
  }
  return faults;
}

Faults check_links(const Page& page, const fs::path& root) {
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  Faults faults;
  for (Matches at(page.text.begin(), page.text.end(), link); at != no_more; ++at) {
    const std::string target = (*at)[1];
    if (target.find("://") != std::string::npos) continue;
    const std::size_t hash = target.find('#');
    const std::string file = target.substr(0, hash),
                      anchor = hash == std::string::npos ? "" : target.substr(hash + 1);
    const fs::path there =
        file.empty() ? root / page.path : (root / page.path).parent_path() / file;
    if (!fs::exists(there) || (!anchor.empty() && !has_heading(read_text(there), anchor)))
      faults.push_back(place_of(page, static_cast<std::size_t>(at->position())) +
                       "a link that leads nowhere: " + target);
  }
  return faults;
}

Faults check_quotes(const Page& page, const fs::path& root, const std::string& folder,
                    std::size_t& blocks) {
  const std::string opening = "```cpp\n// " + folder;
  Faults faults;
  for (std::size_t at = page.text.find(opening); at != std::string::npos;
       at = page.text.find(opening, at + 1)) {
    ++blocks;
    const std::size_t file = at + opening.size() - folder.size(),
                      first = page.text.find('\n', file) + 1;
    const std::string path = page.text.substr(file, first - 1 - file),
                      text = page.text.substr(first, page.text.find("```", first) - first);
    if (!fs::exists(root / path))
      faults.push_back(place_of(page, file) + "there is no " + path);
    else if (('\n' + read_text(root / path)).find('\n' + text) == std::string::npos)
      faults.push_back(place_of(page, file) + "not as it is in " + path);
  }
  return faults;
}

Faults check_index(const Page& index, const std::vector<std::string>& records) {
  Faults faults;
  for (const std::string& record : records) {
    const std::string link = "](" + record + ")";
    const std::size_t first = index.text.find(link);
    if (first == std::string::npos) {
      faults.push_back(index.path + ": does not list " + record);
    } else if (index.text.find(link, first + 1) != std::string::npos) {
      faults.push_back(index.path + ": lists " + record + " twice");
    }
  }
  return faults;
}

std::set<std::string> acronyms_of(const std::string& text) {
  static const std::regex word(R"(\b[A-Z][A-Z0-9]*[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*\b)");
  const std::string prose = without_code(text);
  std::set<std::string> words;
  for (Matches at(prose.begin(), prose.end(), word); at != no_more; ++at) words.insert(at->str());
  return words;
}

std::set<std::string> glossary_of(const std::string& text) {
  std::set<std::string> terms;
  const std::size_t begin = text.find("\n## Glossary\n");
  if (begin == std::string::npos) return terms;
  std::istringstream lines(text.substr(begin));
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, 2, "| ") != 0) continue;
    std::string cell = line.substr(2, line.find(" |") - 2);
    cell.erase(std::remove(cell.begin(), cell.end(), '`'), cell.end());
    std::replace(cell.begin(), cell.end(), ';', ',');
    std::istringstream parts(cell);
    for (std::string term; std::getline(parts >> std::ws, term, ',');) terms.insert(term);
  }
  return terms;
}

}  // namespace kernbench::docs
