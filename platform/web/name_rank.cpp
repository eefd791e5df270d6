#include "platform/web/name_rank.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace kernbench {
namespace {

int rank_of_word(const std::string& name, const std::string& word) {
  const auto is_equal = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  int rank = no_rank;
  for (auto at = name.begin();; ++at) {
    at = std::search(at, name.end(), word.begin(), word.end(), is_equal);
    if (at == name.end()) return rank;
    if (at == name.begin()) return 0;
    if (at[-1] == '.') return 1;
    rank = 2;
  }
}

}  // namespace

int search_rank(const std::string& name, const std::string& text) {
  std::istringstream words(text);
  int rank = 0;
  for (std::string word; words >> word;) rank = std::max(rank, rank_of_word(name, word));
  return rank;
}

}  // namespace kernbench
