#include "platform/export/wave_writer.h"

#include <fmt/format.h>

namespace kernbench {

std::string range_of(const WaveVariable& variable) {
  if (variable.kind != WaveVariable::Kind::bits || variable.width <= 1) return "";
  return fmt::format("[{}:0]", variable.width - 1);
}

std::string without_blanks(std::string_view text) {
  std::string token(text);
  std::replace_if(
      token.begin(), token.end(), [](unsigned char c) { return c <= ' ' || c == 0x7f; }, '_');
  return token;
}

std::vector<std::string_view> parts_of(std::string_view dotted) {
  std::vector<std::string_view> parts;
  while (!dotted.empty()) {
    const std::size_t dot = dotted.find('.');
    parts.push_back(dotted.substr(0, dot));
    dotted = dot == std::string_view::npos ? std::string_view() : dotted.substr(dot + 1);
  }
  return parts;
}

}  // namespace kernbench
