#include "models/rtl/axi4_bursts.h"

#include <algorithm>

namespace kernbench {

std::vector<Axi4Burst> cut_bursts(std::uint64_t address, std::uint64_t bytes, unsigned data_bytes) {
  constexpr std::uint64_t boundary = 4096, most_beats = 256;
  std::vector<Axi4Burst> bursts;
  for (const std::uint64_t end = address + bytes; address < end;) {
    const std::uint64_t by_boundary = (address / boundary + 1) * boundary;
    const std::uint64_t by_beats = (address / data_bytes + most_beats) * data_bytes;
    const std::uint64_t until = std::min({end, by_boundary, by_beats});
    bursts.push_back({address, until - address});
    address = until;
  }
  return bursts;
}

Axi4Beat beat_of(const Axi4Burst& burst, unsigned beat, unsigned data_bytes) {
  const std::uint64_t word = (burst.address / data_bytes + beat) * data_bytes;
  const std::uint64_t begin = std::max(burst.address, word);
  const std::uint64_t end = std::min(burst.address + burst.bytes, word + data_bytes);
  return {begin - burst.address, static_cast<unsigned>(begin - word),
          static_cast<unsigned>(end - begin)};
}

}  // namespace kernbench
