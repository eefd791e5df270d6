// Formats of `kernbench list`.
#pragma once

#include <cstdint>

namespace kernbench {

enum class ListFormat : std::uint8_t { text, json, markdown };

inline ListFormat list_format(bool json, bool markdown) {
  return json ? ListFormat::json : markdown ? ListFormat::markdown : ListFormat::text;
}

}  // namespace kernbench
