// "did you mean": the known name with the least edit distance.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernbench {

// The nearest of `known` (the first among equals), or "" if none is near enough to be meant.
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

// "; did you mean 'x'?" or "".
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

}  // namespace kernbench
