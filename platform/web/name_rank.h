// Rank of a name in the answer to a search.
#pragma once

#include <string>

namespace kernbench {

inline constexpr int no_rank = 3;

// Case-insensitive. 0: the name begins with the word; 1: a part of the name does; 2: the word is
// inside; 3: it is not. The rank of several words is that of the worst word.
int search_rank(const std::string& name, const std::string& text);

}  // namespace kernbench
