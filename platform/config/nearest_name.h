// Known names in messages: the nearest one, and all of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernbench {

// Nearest of `known` (the first among equals), or "" if none is near enough.
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

// "; did you mean 'x'?" or "".
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

// "a, b, c"
std::string listed(const std::vector<std::string>& names, const char* if_empty);

}  // namespace kernbench
