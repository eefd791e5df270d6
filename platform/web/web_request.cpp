#include "platform/web/web_request.h"

#include <fmt/format.h>

#include "models/base/quote.h"
#include "platform/output/json_text.h"

namespace kernbench {

std::optional<std::uint64_t> parse_number(const std::string& text, std::uint64_t most) {
  if (text.empty() || text.size() > 20) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (most - std::min(most, digit)) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return value <= most ? std::optional(value) : std::nullopt;
}

std::vector<std::string> WebRequest::parts() const {
  std::vector<std::string> parts;
  for (std::size_t at = 1; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    parts.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

const std::string& WebRequest::text(const std::string& name) const {
  static const std::string none;
  const auto found = parameters.find(name);
  return found == parameters.end() ? none : found->second;
}

const std::string& WebRequest::required(const std::string& name) const {
  const std::string& value = text(name);
  if (value.empty()) throw WebError(400, fmt::format("the parameter {} is missing", name));
  return value;
}

std::uint64_t WebRequest::number(const std::string& name, std::uint64_t absent, std::uint64_t least,
                                 std::uint64_t most) const {
  const std::string& value = text(name);
  if (value.empty()) return absent;
  const auto number = parse_number(value, most);
  if (!number || *number < least)
    throw WebError(400, fmt::format("{}: found {}, allowed is a whole number from {} to {}", name,
                                    quote(value), least, most));
  return *number;
}

std::optional<Fs> WebRequest::time(const std::string& name) const {
  if (text(name).empty()) return std::nullopt;
  return number(name, 0, 0, INT64_MAX);
}

WebAnswer json_answer(const nlohmann::ordered_json& json, int status) {
  return {status, "application/json", json_text(json)};
}

WebAnswer error_answer(int status, const std::string& text) {
  return json_answer({{"error", text}}, status);
}

}  // namespace kernbench
