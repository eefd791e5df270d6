// Message in the wire format of protocol buffers, built field by field.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace kernbench {

class ProtobufText {
 public:
  ProtobufText& add(unsigned field, std::uint64_t value) {  // varint: integers, enumerations
    key(field, 0);
    varint(value);
    return *this;
  }
  ProtobufText& add_fixed64(unsigned field, std::uint64_t value) {
    key(field, 1);
    for (int shift = 0; shift < 64; shift += 8)
      bytes_ += static_cast<char>(static_cast<unsigned char>(value >> shift));
    return *this;
  }
  ProtobufText& add_double(unsigned field, double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return add_fixed64(field, bits);
  }
  ProtobufText& add(unsigned field, std::string_view text) {  // strings, bytes, messages
    key(field, 2);
    varint(text.size());
    bytes_ += text;
    return *this;
  }
  ProtobufText& add(unsigned field, const ProtobufText& message) {
    return add(field, std::string_view(message.bytes_));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void key(unsigned field, unsigned wire_type) {
    varint(static_cast<std::uint64_t>(field) << 3 | wire_type);
  }
  void varint(std::uint64_t value) {
    for (; value > 0x7f; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace kernbench
