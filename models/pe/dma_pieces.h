// Pieces of a PE_DMA access on the fabric: one for each memory, or channel of a memory, and a
// transaction for each piece. The piece of a strided access has all runs that lie there; that of an
// atomic access carries operands (spec 2.6).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/address/channel_interleave.h"
#include "models/base/small_vector.h"
#include "models/protocol/atomic_part.h"
#include "models/protocol/machine_description.h"
#include "models/protocol/transaction.h"

namespace kernbench {

struct DmaPiece {
  MemoryTarget place;          // one channel alone: the offset in the channel's own bytes
  std::uint64_t physical = 0;  // address of its first byte, 0 if not known
  std::uint64_t bytes = 0;
  std::uint64_t position = 0;  // position of its first byte in the access
  std::uint16_t channel = every_channel;
  std::shared_ptr<const FlitList> flits = nullptr;  // flits of several runs; null: contiguous
};
using DmaPieces = SmallVector<DmaPiece, 1>;
using TransactionHandles = SmallVector<TransactionHandle, 1>;  // by piece

// A contiguous physical range, cut where the memory changes. Throws AddressError or RoutingError.
void add_pieces(const MachineDescription& machine, std::uint64_t physical, std::uint64_t bytes,
                std::uint64_t position, DmaPieces& pieces);

// The pieces of the runs of one access, in its order, as one piece for each memory or channel, in
// the order in which the access reaches them.
DmaPieces merged(const DmaPieces& runs, std::uint32_t flit_bytes, const ChannelInterleave& hbm);

// Position in the access of the byte `behind` bytes after the first one of a contiguous piece: from
// one burst of a channel to its next the access goes round all channels.
std::uint64_t position_of(const DmaPiece& piece, std::uint64_t behind,
                          const ChannelInterleave& hbm);

struct FlitTurn {
  std::uint64_t position = 0;  // position of its first byte in the access
  std::uint32_t piece = 0;
  std::uint32_t flit = 0;
};

// Flits of all transactions, one transaction per piece, in the order of their bytes: requests for
// several channels then keep all of the channels busy, as a request to the partition as a whole
// does.
std::vector<FlitTurn> flits_in_order(const DmaPieces& pieces,
                                     const TransactionHandles& transactions,
                                     const ChannelInterleave& hbm);

// Bytes of an atomic access that each piece carries.
using AtomicParts = std::vector<std::shared_ptr<const AtomicPart>>;

// One part for each piece of `pieces`, which merged() creates from the `runs` of the access; for a
// contiguous access `runs` are the pieces themselves.
AtomicParts atomic_parts(const std::shared_ptr<const AtomicAccess>& access, const DmaPieces& runs,
                         const DmaPieces& pieces, const ChannelInterleave& hbm);

// Cuts the request leg of the piece: for each flit of the elements one of each operand.
void cut_operands(RouteExtension& route, const DmaPiece& piece, std::uint32_t flit_bytes,
                  const ChannelInterleave& hbm);

}  // namespace kernbench
