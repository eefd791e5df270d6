// Rank of a name in the answer to a search.
#pragma once

#include <string>

namespace kernbench {

inline constexpr int no_rank = 3;

// 0: the name begins with the text; 1: a part of it does; 2: it is inside; 3: not at all. The rank
// of several words is that of the worst. Capital letters are equal to small ones.
int search_rank(const std::string& name, const std::string& text);

}  // namespace kernbench
