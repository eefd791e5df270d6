// Globs over dotted names: `*` any characters including dots; `?` one; `[...]` one of a set.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernbench {

bool glob_matches(const std::string& pattern, const std::string& name);
// Matches the name or an enclosing scope: "sip0.cube0.pe0" matches everything in the PE.
bool glob_matches_scope(const std::string& pattern, const std::string& name);

// Names that the fewest edits of the pattern would match, the first `most` of them. None if too
// many edits are needed for a typing error.
std::vector<std::string> nearest_to_glob(std::string_view pattern,
                                         const std::vector<std::string>& names, std::size_t most);

// "; did you mean 'a', 'b' or 'c'?" or "".
std::string did_you_mean_of_glob(std::string_view pattern, const std::vector<std::string>& names);

}  // namespace kernbench
