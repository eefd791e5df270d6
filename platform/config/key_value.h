// A setting as text: "KEY=VALUE".
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace kernbench {

// Cut at the first '='; none without one, or with nothing before it.
inline std::optional<std::pair<std::string, std::string>> key_and_value(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

}  // namespace kernbench
