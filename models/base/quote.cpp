#include "models/base/quote.h"

#include <fmt/format.h>

#include <cstddef>

namespace kernbench {
namespace {

constexpr std::size_t most_bytes = 200, head_bytes = 120, tail_bytes = 40;

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

// Bytes of the printable UTF-8 character that begins here; 0: there is none.
std::size_t printable_bytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t size = first >= 0xc2 && first < 0xe0   ? 2
                           : first >= 0xe0 && first < 0xf0 ? 3
                           : first >= 0xf0 && first < 0xf5 ? 4
                                                           : 0;
  if (size == 0 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if (!continues(text[i])) return 0;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  if (first == 0xc2 && second < 0xa0) return 0;  // further control characters
  if ((first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90))
    return 0;  // overlong encoding
  if ((first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90))
    return 0;  // beyond Unicode
  return size;
}

std::string escape_of(char c) {
  switch (c) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default: {
      constexpr const char* digits = "0123456789abcdef";
      const auto value = static_cast<unsigned char>(c);
      return {'\\', 'x', digits[value >> 4U], digits[value & 15U]};
    }
  }
}

std::string between(const char* mark, std::string_view value) {
  if (value.size() <= most_bytes) return mark + escaped(value) + mark;
  std::size_t head = head_bytes, tail = value.size() - tail_bytes;
  while (head > 0 && continues(value[head])) --head;
  while (tail < value.size() && continues(value[tail])) ++tail;
  return fmt::format("{}{}...{}{} (of {} bytes)", mark, escaped(value.substr(0, head)),
                     escaped(value.substr(tail)), mark, value.size());
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t size = printable_bytes(text);
    result += size > 0 ? std::string(text.substr(0, size)) : escape_of(text[0]);
    text.remove_prefix(size > 0 ? size : 1);
  }
  return result;
}

std::string printable(std::string_view value) { return between("", value); }

std::string quote(std::string_view value) { return between("'", value); }

}  // namespace kernbench
