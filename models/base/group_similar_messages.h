// Groups of texts that differ in their numbers only: messages of many ranks, PEs or outputs about
// the same thing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kernbench {

// Indices of similar texts, in ascending order; groups are ordered by their first members. A group
// with at most `separate` texts is split, so that each text is shown.
std::vector<std::vector<std::size_t>> group_similar_messages(const std::vector<std::string>& texts,
                                                             std::size_t separate = 4);

// "0, 1, 2, 3 and 252 more": up to `most` of the names of a group.
std::string first_of(const std::vector<std::size_t>& group, const std::vector<std::string>& names,
                     std::size_t most = 4);

}  // namespace kernbench
