#include "platform/output/line_width.h"

#include <algorithm>

namespace kernbench {
namespace {

// Column at which a continuation of the line begins.
std::size_t continuation_of(const std::string& line, std::size_t hang) {
  constexpr std::size_t most = 40;  // beyond it a second column is none
  const std::size_t first = std::min(line.find_first_not_of(' '), line_width / 2);
  const std::size_t gap = line.find("  ", first), second = line.find_first_not_of(' ', gap);
  return gap == std::string::npos || second > most ? first + hang : second;
}

std::string fitted_line(const std::string& line, std::size_t hang) {
  if (line.size() <= line_width) return line;
  const std::size_t begin = continuation_of(line, hang);
  const std::vector<std::string> parts = broken_at_blanks(line, line_width);
  if (parts.size() == 1) return line;
  const std::string rest = line.substr(line.find_first_not_of(' ', parts.front().size()));
  std::string text = parts.front();
  for (const std::string& part : broken_at_blanks(rest, line_width - begin))
    text += '\n' + std::string(begin, ' ') + part;
  return text;
}

}  // namespace

std::vector<std::string> broken_at_blanks(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (text.size() - begin > width) {
    std::size_t end = text.rfind(' ', begin + width);
    if (end == std::string::npos || text.find_first_not_of(' ', begin) > end)
      end = text.find(' ', begin + width);
    const std::size_t next = text.find_first_not_of(' ', end);
    if (next == std::string::npos) break;
    lines.push_back(text.substr(begin, text.find_last_not_of(' ', end) + 1 - begin));
    begin = next;
  }
  lines.push_back(text.substr(begin));
  return lines;
}

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    longest = std::max(longest, end - begin);
    begin = end + 1;
  }
  return longest;
}

std::string fitted(const std::string& text, std::size_t hang) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result += fitted_line(text.substr(begin, end - begin), hang);
    if (end < text.size()) result += '\n';
    begin = end + 1;
  }
  return result;
}

}  // namespace kernbench
