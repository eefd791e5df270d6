#include "models/pe/dma_pieces.h"

#include <algorithm>

#include "models/protocol/memory_pieces.h"

namespace kernbench {

void add_pieces(const MachineDescription& machine, std::uint64_t physical, std::uint64_t bytes,
                std::uint64_t position, std::vector<DmaPiece>& pieces) {
  for (const MemoryPiece& piece : memory_pieces(machine, physical, bytes)) {
    pieces.push_back({piece.place, piece.physical, piece.nbytes,
                      position + (piece.physical - physical), every_channel});
  }
}

std::vector<FlitTurn> flits_in_order(const std::vector<DmaPiece>& pieces,
                                     const std::vector<TransactionHandle>& transactions,
                                     const ChannelInterleave& hbm) {
  std::vector<FlitTurn> turns;
  for (std::uint32_t i = 0; i < transactions.size(); ++i) {
    const RouteExtension& route = transactions[i]->route();
    const std::uint64_t before = route.offset % hbm.burst_bytes;  // in the first burst
    for (std::uint32_t flit = 0; flit < route.flits; ++flit) {
      const std::uint64_t from_burst = route.offset_of(flit) - (route.offset - before);
      // From one burst of a channel to its next the access goes round all channels.
      const std::uint64_t behind =
          route.channel == every_channel
              ? from_burst
              : from_burst / hbm.burst_bytes * hbm.round_bytes() + from_burst % hbm.burst_bytes;
      turns.push_back({pieces[i].position + behind - before, i, flit});
    }
  }
  std::sort(turns.begin(), turns.end(),
            [](const FlitTurn& a, const FlitTurn& b) { return a.position < b.position; });
  return turns;
}

}  // namespace kernbench
