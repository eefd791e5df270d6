// Arbiter of the virtual channels of a pe_dma for a link (spec 2.6), and the only code that changes
// its state.
//
// Whenever the link is free, the channel that was not served last is served first: one flit of
// vc_compute, or one chunk of vc_comm. With one channel in use this is first come, first served.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/base/units.h"

namespace kernbench {

enum class VirtualChannel : std::uint8_t { compute, comm };

struct ChannelArbiterState {
  Fs free_at = 0;  // end of service of all that was handed over
  VirtualChannel last =
      VirtualChannel::comm;  // served last; vc_compute is first at the start of a run
};

// At least one of the channels waits.
inline VirtualChannel next_channel(const ChannelArbiterState& state, bool compute_waits,
                                   bool comm_waits) {
  if (compute_waits != comm_waits)
    return compute_waits ? VirtualChannel::compute : VirtualChannel::comm;
  return state.last == VirtualChannel::compute ? VirtualChannel::comm : VirtualChannel::compute;
}

// Grants `service` of the link to the channel at `now`.
inline void serve(ChannelArbiterState& state, VirtualChannel channel, Fs now, Fs service) {
  state.last = channel;
  state.free_at = std::max(state.free_at, now) + service;
}

}  // namespace kernbench
