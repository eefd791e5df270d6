// Lines of the console: at most 120 columns, broken at blanks.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kernbench {

constexpr std::size_t line_width = 120;

// Lines of at most `width` characters, at least one; only a longer word makes a longer line. Text
// that fits is returned as it is, with the blanks at its ends.
std::vector<std::string> broken_at_blanks(const std::string& text, std::size_t width = line_width);
std::size_t longest_word(const std::string& text);

// The lines of `text`, those that are too long continued below their second column, as of
// "  name    text", or else `hang` columns behind the start of their first word.
std::string fitted(const std::string& text, std::size_t hang = 0);

}  // namespace kernbench
