// A range of bytes as bursts of AXI4: INCR, at most 256 beats of the whole data width, none across
// a 4 KiB boundary. The first and the last beat may hold fewer bytes: by their strobes.
#pragma once

#include <cstdint>
#include <vector>

namespace kernbench {

struct Axi4Burst {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;

  unsigned beats(unsigned data_bytes) const {
    return static_cast<unsigned>((address % data_bytes + bytes + data_bytes - 1) / data_bytes);
  }
};

// The bytes of a burst that one beat moves.
struct Axi4Beat {
  std::uint64_t offset = 0;  // in the burst
  unsigned lane = 0;         // of the first byte
  unsigned bytes = 0;
};

std::vector<Axi4Burst> cut_bursts(std::uint64_t address, std::uint64_t bytes, unsigned data_bytes);
Axi4Beat beat_of(const Axi4Burst& burst, unsigned beat, unsigned data_bytes);

}  // namespace kernbench
