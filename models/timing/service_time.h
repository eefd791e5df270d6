// Service time of a number of bytes on a resource of a given bandwidth.
//
// Rule (spec 2.2): bytes / bandwidth is computed from the decimal bandwidth exactly and rounded
// half up to femtoseconds once per delay; a full flit is rounded beforehand, the short first and
// last flits when they arrive. No bandwidth (0) means no time.
#pragma once

#include <cstdint>

#include "models/base/units.h"

namespace kernbench {

class ServiceTime {
 public:
  ServiceTime() = default;  // unlimited
  // Throws std::overflow_error for a bandwidth with more digits than 128-bit arithmetic holds,
  // std::domain_error if it is negative.
  ServiceTime(const Rational& bw_gbs, std::uint32_t full_bytes);

  Fs of(std::uint32_t bytes) const { return bytes == full_bytes_ ? full_ : exact(bytes); }
  // Inverse of of(): the fewest bytes of which full flits and one short one take `time`; 0 without
  // a bandwidth.
  std::uint64_t bytes_in(Fs time) const;

 private:
  Fs exact(std::uint32_t bytes) const;

  Fs full_ = 0;
  std::uint32_t full_bytes_ = 0;
  unsigned __int128 fs_per_byte_num_ = 0;
  unsigned __int128 fs_per_byte_den_ = 1;
};

}  // namespace kernbench
