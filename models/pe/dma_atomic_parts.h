// The transactions of an atomic access: which of its bytes each of them carries, and the flits of
// its operands (spec 2.6).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/pe/dma_pieces.h"
#include "models/protocol/atomic_part.h"

namespace kernbench {

using AtomicParts = std::vector<std::shared_ptr<const AtomicPart>>;

// One for each piece of `pieces`, which are the `runs` of the access as merged() makes pieces of
// them; of a contiguous access `runs` are the pieces themselves.
AtomicParts atomic_parts(const std::shared_ptr<const AtomicAccess>& access, const DmaPieces& runs,
                         const DmaPieces& pieces, const ChannelInterleave& hbm);

// Cuts the request leg of the piece: for each flit of the elements one of each operand.
void cut_operands(RouteExtension& route, const DmaPiece& piece, std::uint32_t flit_bytes,
                  const ChannelInterleave& hbm);

}  // namespace kernbench
