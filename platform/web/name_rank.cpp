#include "platform/web/name_rank.h"

#include <algorithm>
#include <cctype>

namespace kernbench {

int search_rank(const std::string& name, const std::string& text) {
  const auto is_equal = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  int rank = no_rank;
  for (auto at = name.begin();; ++at) {
    at = std::search(at, name.end(), text.begin(), text.end(), is_equal);
    if (at == name.end() && !text.empty()) return rank;
    if (at == name.begin()) return 0;
    if (at == name.end() || at[-1] == '.') return 1;
    rank = 2;
  }
}

}  // namespace kernbench
