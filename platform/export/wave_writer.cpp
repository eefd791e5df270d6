#include "platform/export/wave_writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace kernbench {

std::string range_of(const WaveVariable& variable) {
  if (variable.kind != WaveVariable::Kind::bits || variable.width <= 1) return "";
  return fmt::format("[{}:0]", variable.width - 1);
}

std::string full_name(const WaveVariable& variable) {
  return variable.scope + (variable.scope.empty() ? "" : ".") + without_blanks(variable.name);
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

void WaveWriter::header(const std::vector<WaveVariable>& variables) {
  std::vector<std::string_view> open;
  for (const WaveVariable& variable : variables) {
    const auto scope = parts_of(variable.scope);
    const auto both = std::mismatch(open.begin(), open.end(), scope.begin(), scope.end());
    for (auto part = both.first; part != open.end(); ++part) leave();
    for (auto part = both.second; part != scope.end(); ++part) enter(without_blanks(*part));
    open = scope;
    declare(variable);
    variables_.push_back(
        {variable.kind, variable.kind == WaveVariable::Kind::real ? 64U : variable.width});
  }
  for (std::size_t i = open.size(); i > 0; --i) leave();
  end_header();
}

}  // namespace kernbench
