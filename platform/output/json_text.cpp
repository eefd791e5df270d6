#include "platform/output/json_text.h"

#include <fmt/format.h>

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

// At least one decimal, like dump().
std::string decimal_ns(std::uint64_t fs, bool negative) {
  std::string text = fmt::format("{}{}.{:06}", negative ? "-" : "", fs / fs_per_ns, fs % fs_per_ns);
  while (text.back() == '0' && text[text.size() - 2] != '.') text.pop_back();
  return text;
}

Json ns_node(std::uint64_t fs, bool negative) {
  const double ns = negative ? -to_ns(fs) : to_ns(fs);
  constexpr std::uint64_t with_exponent = 100;  // "9.9e-05": two digits, exact
  Json number(ns);
  if (fs < with_exponent || number.dump() == decimal_ns(fs, negative)) return number;
  const std::string text = decimal_ns(fs, negative);
  return Json::binary(std::vector<std::uint8_t>(text.begin(), text.end()));
}

std::string plain_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string text_of(const Json& exact) {
  return {exact.get_binary().begin(), exact.get_binary().end()};
}

class Writer {
 public:
  explicit Writer(int indent) : indent_(indent) {}

  void write(const Json& value, int depth) {
    if (value.is_binary()) {
      text += text_of(value);
    } else if (!value.is_structured() || value.empty()) {
      text += plain_text(value);
    } else {
      write_members(value, depth);
    }
  }
  std::string text;

 private:
  void write_members(const Json& value, int depth) {
    text += value.is_array() ? '[' : '{';
    bool first = true;
    for (const auto& [key, member] : value.items()) {
      if (!first) text += ',';
      first = false;
      new_line(depth + 1);
      if (value.is_object()) text += plain_text(Json(key)) + (indent_ < 0 ? ":" : ": ");
      write(member, depth + 1);
    }
    new_line(depth);
    text += value.is_array() ? ']' : '}';
  }
  void new_line(int depth) {
    if (indent_ >= 0) text += '\n' + std::string(static_cast<std::size_t>(indent_ * depth), ' ');
  }

  int indent_;
};

}  // namespace

Json ns_json(Fs t) { return ns_node(t, false); }

Json signed_ns_json(std::int64_t fs) {
  const auto bits = static_cast<std::uint64_t>(fs);
  return fs < 0 ? ns_node(-bits, true) : ns_node(bits, false);
}

double to_double(const Json& number) {
  return number.is_binary() ? std::stod(text_of(number)) : number.get<double>();
}

std::string json_text(const Json& value, int indent) {
  Writer writer(indent);
  writer.write(value, 0);
  return std::move(writer.text);
}

}  // namespace kernbench
