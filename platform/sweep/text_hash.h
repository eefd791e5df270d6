// Hash of a text, as a name for what it determines.
#pragma once

#include <string>

namespace kernbench {

// Name-based UUID (RFC 4122, SHA-1), as 32 hexadecimal digits.
std::string text_hash(const std::string& text);

}  // namespace kernbench
