// Finite buffers of inputs and their credits (spec 2.10).
//
// A node declares the buffers of its inputs; assembly then puts a BufferedOutput between the
// sender and its link (models/noc/credited_output.h). A message holds a virtual channel of the
// receiver from its first flit to its last; a flit takes a place of that channel, which returns as
// a credit when the flit has left the receiver. Control messages take no place.
#pragma once

#include <cstdint>

#include "models/protocol/fabric_socket.h"

namespace kernbench {

class FabricNode;
class Services;

// Buffer of every input of a node.
struct InputBuffer {
  std::uint32_t virtual_channels = 0;
  std::uint32_t flits = 0;  // places of each virtual channel; 0: unlimited
  bool finite() const { return flits > 0; }
};

// Virtual channels that a message may hold: one half for requests, the other half for responses, so
// that neither waits for the other; a single channel is shared. Each half is divided among the
// classes of messages (Path::hop().channel_class), the last of which has the remainder.
struct ChannelRange {
  std::uint32_t first = 0, end = 0;
};
inline ChannelRange channels_of(Leg leg, std::uint32_t virtual_channels,
                                std::uint32_t channel_class = 0, std::uint32_t classes = 1) {
  if (virtual_channels < 2) return {0, virtual_channels};
  const std::uint32_t half = virtual_channels / 2;
  const ChannelRange of_leg =
      leg == Leg::request ? ChannelRange{0, half} : ChannelRange{half, virtual_channels};
  const std::uint32_t share = (of_leg.end - of_leg.first) / classes;
  const std::uint32_t first = of_leg.first + channel_class * share;
  return {first, channel_class + 1 == classes ? of_leg.end : first + share};
}

// Place in a buffer of the sending node, which defines the meaning of the numbers.
struct BufferPlace {
  static constexpr std::uint16_t none = 0xffff;
  std::uint16_t port = none;
  std::uint16_t virtual_channel = 0;
  bool taken() const { return port != none; }
};

// Statistics of one node, over its outputs.
struct CreditStatistics {
  std::uint64_t waiting_fs = 0;
  std::uint64_t stalled_flits = 0;
  std::uint64_t longest_queue = 0;
};

class Observables;

// Output between buffers, as FabricNode uses it.
class BufferedOutput : public FabricForward {
 public:
  virtual ~BufferedOutput() = default;
  // A run from a place of the node: FabricNode::left(place, ...) is called for each flit when the
  // link has been booked for it.
  virtual void put(Transaction& transaction, FlitRun run, BufferPlace place, Fs at) = 0;
  // Announces that `flits` places of a virtual channel of the receiver are free from the future
  // instant `at` on.
  virtual void credit(std::uint32_t virtual_channel, std::uint32_t flits, Fs at) = 0;
  virtual void declare_signals(Observables& to) = 0;

 protected:
  static Services& services_of(FabricNode& node);
  static CreditStatistics& statistics_of(FabricNode& node);
};

}  // namespace kernbench
