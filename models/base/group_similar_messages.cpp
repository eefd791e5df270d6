#include "models/base/group_similar_messages.h"

#include <algorithm>
#include <map>

namespace kernbench {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Replaces each decimal by one '#'.
std::string without_numbers(const std::string& text) {
  std::string masked;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_digit(text[i])) {
      masked += text[i++];
      continue;
    }
    masked += '#';
    while (i < text.size() &&
           (is_digit(text[i]) || (text[i] == '.' && i + 1 < text.size() && is_digit(text[i + 1]))))
      ++i;
  }
  return masked;
}

}  // namespace

std::vector<std::vector<std::size_t>> group_similar_messages(const std::vector<std::string>& texts,
                                                             std::size_t separate) {
  std::map<std::string, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < texts.size(); ++i) alike[without_numbers(texts[i])].push_back(i);
  std::vector<std::vector<std::size_t>> groups;
  for (auto& [masked, members] : alike) {
    if (members.size() > separate) {
      groups.push_back(std::move(members));
    } else {
      for (const std::size_t member : members) groups.push_back({member});
    }
  }
  std::sort(groups.begin(), groups.end());
  return groups;
}

std::string first_of(const std::vector<std::size_t>& group, const std::vector<std::string>& names,
                     std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(group.size(), most); ++i)
    text += (i == 0 ? "" : ", ") + names[group[i]];
  if (group.size() > most) text += " and " + std::to_string(group.size() - most) + " more";
  return text;
}

}  // namespace kernbench
