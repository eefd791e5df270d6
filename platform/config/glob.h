// Globs over dotted names: `*` any characters, dots too; `?` one; `[...]` one of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernbench {

bool glob_matches(const std::string& pattern, const std::string& name);
// The name, or a scope around it: "sip0.cube0.pe0" matches all that is in the PE.
bool glob_matches_scope(const std::string& pattern, const std::string& name);

// The names that the fewest edits of the pattern would match, the first `most` of them; none if it
// would take too many to be meant.
std::vector<std::string> nearest_to_glob(std::string_view pattern,
                                         const std::vector<std::string>& names, std::size_t most);

// "; did you mean 'a', 'b' or 'c'?" or "".
std::string did_you_mean_of_glob(std::string_view pattern, const std::vector<std::string>& names);

}  // namespace kernbench
