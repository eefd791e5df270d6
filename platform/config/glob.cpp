#include "platform/config/glob.h"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

#include "models/base/quote.h"

namespace kernbench {
namespace {

constexpr std::size_t longest_pattern = 200;  // a longer name is not a typing error

// A character class counts as one character.
std::string simplified(std::string_view pattern) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::size_t end = pattern[i] == '[' ? pattern.find(']', i + 2) : std::string_view::npos;
    text += end == std::string_view::npos ? pattern[i] : '?';
    if (end != std::string_view::npos) i = end;
  }
  return text;
}

// Edits of the pattern until it matches the name; characters matched by `*` cost nothing.
std::size_t glob_distance(std::string_view pattern, std::string_view name) {
  std::vector<std::size_t> row(name.size() + 1);
  for (std::size_t j = 0; j <= name.size(); ++j) row[j] = j;
  for (const char c : pattern) {
    std::size_t diagonal = row[0];
    row[0] += c == '*' ? 0 : 1;
    for (std::size_t j = 1; j <= name.size(); ++j) {
      const std::size_t above = row[j];
      if (c == '*') {
        row[j] = std::min(above, row[j - 1]);
      } else {
        const std::size_t same = diagonal + (c == '?' || c == name[j - 1] ? 0 : 1);
        row[j] = std::min({above + 1, row[j - 1] + 1, same});
      }
      diagonal = above;
    }
  }
  return row[name.size()];
}

}  // namespace

bool is_glob(std::string_view text) { return text.find_first_of("*?[") != std::string_view::npos; }

bool glob_matches(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), FNM_NOESCAPE) == 0;
}

bool glob_matches_scope(const std::string& pattern, const std::string& name) {
  for (std::size_t end = name.size(); end != std::string::npos;
       end = end == 0 ? std::string::npos : name.rfind('.', end - 1)) {
    if (glob_matches(pattern, name.substr(0, end))) return true;
  }
  return false;
}

std::vector<std::string> nearest_to_glob(std::string_view pattern,
                                         const std::vector<std::string>& names, std::size_t most) {
  if (pattern.size() > longest_pattern) return {};
  const std::string simple = simplified(pattern);
  const auto literal = static_cast<std::size_t>(
      std::count_if(simple.begin(), simple.end(), [](char c) { return c != '*' && c != '?'; }));
  const std::size_t bound = std::max(literal / 2, std::size_t{2});
  std::vector<std::pair<std::size_t, std::size_t>> found;  // distance, index
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t distance = glob_distance(simple, names[i]);
    if (distance <= bound) found.emplace_back(distance, i);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> nearest;
  for (const auto& [distance, index] : found) {
    if (nearest.size() == most || distance > found.front().first) break;
    nearest.push_back(names[index]);
  }
  return nearest;
}

std::string did_you_mean_of_glob(std::string_view pattern, const std::vector<std::string>& names) {
  const std::vector<std::string> nearest = nearest_to_glob(pattern, names, 3);
  if (nearest.empty()) return "";
  std::string text = "; did you mean ";
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    if (i > 0) text += i + 1 == nearest.size() ? " or " : ", ";
    text += quote(nearest[i]);
  }
  return text + '?';
}

}  // namespace kernbench
