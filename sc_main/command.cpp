#include "sc_main/command.h"

namespace kernbench {

std::string Invocation::line() const {
  static const std::string plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word)
      line += c == '\''   ? std::string("'\\''")
              : c == '\n' ? std::string("'$'\\n''")
                          : std::string(1, c);
    line += '\'';
  }
  return line;
}

}  // namespace kernbench
