// Philox 4x32 (J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): four
// words of a counter, enciphered with a key.
#pragma once

#include <array>
#include <cstdint>

namespace kernbench {

using PhiloxWords = std::array<std::uint32_t, 4>;

inline PhiloxWords philox4x32(PhiloxWords counter, std::uint64_t key, int rounds) {
  auto low_key = static_cast<std::uint32_t>(key), high_key = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t a = std::uint64_t{0xd2511f53} * counter[0],
                        b = std::uint64_t{0xcd9e8d57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ low_key, static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ high_key, static_cast<std::uint32_t>(a)};
    low_key += 0x9e3779b9;
    high_key += 0xbb67ae85;
  }
  return counter;
}

}  // namespace kernbench
