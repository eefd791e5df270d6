// Location of the virtual (and LA) address space: above every physical address, so that one integer
// identifies its space (spec 3.2).
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace kernbench {

inline constexpr std::uint64_t va_base = std::uint64_t{1} << 52;
inline constexpr std::uint64_t va_space_bytes = std::uint64_t{64} << 30;
inline constexpr unsigned virtual_address_bits = 53;
static_assert(va_base + va_space_bytes <= std::uint64_t{1} << virtual_address_bits);
inline constexpr bool is_virtual(std::uint64_t address) { return address >= va_base; }

// "0x10000000000000", for messages.
inline std::string format_address(std::uint64_t address) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

}  // namespace kernbench
