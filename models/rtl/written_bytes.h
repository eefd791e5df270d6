// What a memory in RTL must hold: the bytes that have been written to it by its pins.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

namespace kernbench {

class WrittenBytes {
 public:
  void set(std::uint64_t offset, const unsigned char* bytes, std::uint64_t count);
  // They are not known any more.
  void forget(std::uint64_t offset, std::uint64_t count);
  // Null: not known.
  std::optional<unsigned char> at(std::uint64_t offset) const;

  struct Comparison {
    std::uint64_t equal = 0;                  // known bytes that are the same
    std::optional<std::uint64_t> difference;  // offset of the first one that is not
  };
  // Up to the first difference; bytes that are not known are left out.
  Comparison compare(std::uint64_t offset, const unsigned char* bytes, std::uint64_t count) const;

 private:
  static constexpr std::uint64_t page_bytes = 4096;
  struct Page {
    std::array<unsigned char, page_bytes> bytes;
    std::array<bool, page_bytes> known{};
  };

  std::map<std::uint64_t, std::unique_ptr<Page>> pages_;  // by offset / page_bytes
};

}  // namespace kernbench
