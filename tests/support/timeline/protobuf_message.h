// A message in the wire format of protocol buffers, field by field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/timeline/timeline_builder.h"

namespace kernbench::test {

struct ProtobufField {
  unsigned number = 0, wire_type = 0;
  std::uint64_t value = 0;  // of varint and fixed64
  std::string bytes;
};

class ProtobufMessage {
 public:
  // `rest`: how many bytes at the end are no whole field; null: there may be none.
  explicit ProtobufMessage(const std::string& bytes, std::size_t* rest = nullptr) : bytes_(bytes) {
    std::size_t whole = 0;
    try {
      while (at_ < bytes_.size()) {
        fields.push_back(next());
        whole = at_;
      }
    } catch (const TimelineFault&) {
      if (rest == nullptr) throw;
    }
    if (rest != nullptr) *rest = bytes_.size() - whole;
  }
  const ProtobufField* find(unsigned number) const {
    for (const ProtobufField& field : fields)
      if (field.number == number) return &field;
    return nullptr;
  }
  std::uint64_t number(unsigned field, std::uint64_t otherwise = 0) const {
    const ProtobufField* found = find(field);
    return found == nullptr ? otherwise : found->value;
  }
  std::string text(unsigned field) const {
    const ProtobufField* found = find(field);
    return found == nullptr ? "" : found->bytes;
  }
  std::vector<ProtobufField> fields;

 private:
  ProtobufField next() {
    ProtobufField field;
    const std::uint64_t key = varint();
    field.number = static_cast<unsigned>(key >> 3);
    field.wire_type = static_cast<unsigned>(key & 7);
    if (field.wire_type == 0) {
      field.value = varint();
    } else if (field.wire_type == 1) {
      require(bytes_.size() - at_ >= 8, "cut off", "fixed64");
      for (int i = 7; i >= 0; --i)
        field.value = field.value << 8 |
                      static_cast<unsigned char>(bytes_[at_ + static_cast<std::size_t>(i)]);
      at_ += 8;
    } else {
      require(field.wire_type == 2, "an unknown wire type", std::to_string(field.wire_type));
      const std::uint64_t length = varint();
      require(bytes_.size() - at_ >= length, "cut off", "bytes");
      field.bytes = bytes_.substr(at_, length);
      at_ += length;
    }
    return field;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      require(at_ < bytes_.size() && shift < 64, "cut off", "varint");
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }
  const std::string& bytes_;
  std::size_t at_ = 0;
};

}  // namespace kernbench::test
