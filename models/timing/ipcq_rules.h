// The delays of IPCQ that are computed, not simulated (spec 8.1): accesses to ring slots, and
// credits on their side band.
//
// Every term is exact and rounded half up once; the sum is of rounded terms. A bandwidth of 0 is
// unlimited.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/base/units.h"
#include "models/protocol/path.h"

namespace kernbench {

struct SlotTier {
  Fs overhead = 0;
  Rational bw_gbs;
};

// The narrowest link of a path; 0 if all are unlimited.
inline Rational narrowest_gbs(const Path& path) {
  Rational narrowest;
  for (std::uint32_t i = 0; i < path.target_position(); ++i) {
    const Rational& bw = path.hop(i).bw_gbs;
    if (!bw.is_zero() && (narrowest.is_zero() || bw < narrowest)) narrowest = bw;
  }
  return narrowest;
}

// tier_overhead + n / tier_bw + n / (narrowest link from pe_dma to the bank).
inline Fs slot_access_fs(const SlotTier& tier, std::uint64_t bytes, const Path& to_bank) {
  return tier.overhead + transfer_fs(bytes, tier.bw_gbs) +
         transfer_fs(bytes, narrowest_gbs(to_bank));
}

// Latency from the receiver's pe_dma to the sender's: the overheads of all nodes on the path, both
// endpoints included, the propagations, and the credit's bytes over the narrowest link.
inline Fs credit_fs(const Path& path, std::uint64_t bytes) {
  return path.hop(0).overhead_fs + path.control_latency_fs() +
         transfer_fs(bytes, narrowest_gbs(path));
}

}  // namespace kernbench
