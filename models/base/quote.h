// A user's value as shown in a message: cut where it is long, and without characters that would
// control a terminal or look like a new line.
#pragma once

#include <string>
#include <string_view>

namespace kernbench {

// Shows control characters and invalid UTF-8 as \n, \t, \x1b, ...; of more than 200 bytes the first
// 120 and the last 40: "aaa...aaa (of 102400 bytes)".
std::string printable(std::string_view value);
std::string escaped(std::string_view value);  // as printable(), without the cut
// printable() in quotes: 'aaa...aaa' (of 102400 bytes).
std::string quote(std::string_view value);

}  // namespace kernbench
