#include "models/pe/dma_pieces.h"

#include <algorithm>

#include "models/protocol/memory_pieces.h"

namespace kernbench {

void add_pieces(const MachineDescription& machine, std::uint64_t physical, std::uint64_t bytes,
                std::uint64_t position, DmaPieces& pieces) {
  for (const MemoryPiece& piece : memory_pieces(machine, physical, bytes)) {
    pieces.push_back({piece.place, piece.physical, piece.nbytes,
                      position + (piece.physical - physical), every_channel, nullptr});
  }
}

std::uint64_t position_of(const DmaPiece& piece, std::uint64_t behind,
                          const ChannelInterleave& hbm) {
  if (piece.channel == every_channel) return piece.position + behind;
  const std::uint64_t before =
      piece.place.offset % hbm.burst_bytes;  // bytes before it in the first burst
  const std::uint64_t from_burst = before + behind;
  return piece.position - before + from_burst / hbm.burst_bytes * hbm.round_bytes() +
         from_burst % hbm.burst_bytes;
}

namespace {

void add_to(FlitList& flits, const DmaPiece& run, const ChannelInterleave& hbm) {
  if (run.channel == every_channel) return flits.add(run.place.offset, run.bytes, run.position);
  for (std::uint64_t done = 0; done < run.bytes;) {
    const std::uint64_t at = run.place.offset + done;
    const std::uint64_t part = std::min(run.bytes - done, hbm.burst_bytes - at % hbm.burst_bytes);
    flits.add(at, part, position_of(run, done, hbm));
    done += part;
  }
}

// The order of flits for several channels follows from their places in the access; flits of a
// contiguous piece go round the channels.
bool is_contiguous(const DmaPiece& first, const FlitList& flits, const ChannelInterleave& hbm) {
  if (flits.runs() > 1) return false;
  for (std::uint32_t i = 0; first.channel != every_channel && i < flits.size(); ++i) {
    const std::uint64_t behind = flits[i].offset - first.place.offset;
    if (flits[i].position != position_of(first, behind, hbm)) return false;
  }
  return true;
}

}  // namespace

DmaPieces merged(const DmaPieces& runs, std::uint32_t flit_bytes, const ChannelInterleave& hbm) {
  DmaPieces pieces;
  std::vector<std::shared_ptr<FlitList>> lists;
  std::size_t at = 0;  // mostly where the last run was
  for (const DmaPiece& run : runs) {
    const auto is_there = [&run](const DmaPiece& piece) {
      return piece.place.node == run.place.node && piece.channel == run.channel;
    };
    if (at >= pieces.size() || !is_there(pieces[at]))
      at = static_cast<std::size_t>(std::find_if(pieces.begin(), pieces.end(), is_there) -
                                    pieces.begin());
    if (at == pieces.size()) {
      pieces.push_back(run);
      pieces.back().bytes = 0;
      lists.push_back(std::make_shared<FlitList>(flit_bytes));
    }
    pieces[at].bytes += run.bytes;
    add_to(*lists[at], run, hbm);
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (!is_contiguous(pieces[i], *lists[i], hbm)) pieces[i].flits = std::move(lists[i]);
  }
  return pieces;
}

std::vector<FlitTurn> flits_in_order(const DmaPieces& pieces,
                                     const TransactionHandles& transactions,
                                     const ChannelInterleave& hbm) {
  std::vector<FlitTurn> turns;
  for (std::uint32_t i = 0; i < transactions.size(); ++i) {
    const RouteExtension& route = transactions[i]->route();
    for (std::uint32_t flit = 0; flit < route.flits; ++flit) {
      const std::uint64_t position =
          route.list != nullptr ? (*route.list)[flit].position
                                : position_of(pieces[i], route.offset_of(flit) - route.offset, hbm);
      turns.push_back({position, i, flit});
    }
  }
  std::sort(turns.begin(), turns.end(),
            [](const FlitTurn& a, const FlitTurn& b) { return a.position < b.position; });
  return turns;
}

// --- Atomic accesses

namespace {

// Adds the places of a contiguous piece's bytes in the access, in its order.
void add_spans(AtomicSpans& spans, const DmaPiece& run, const ChannelInterleave& hbm) {
  if (run.channel == every_channel) return add_span(spans, {run.position, run.bytes});
  for (std::uint64_t done = 0; done < run.bytes;) {
    const std::uint64_t at = run.place.offset + done;
    const std::uint64_t part = std::min(run.bytes - done, hbm.burst_bytes - at % hbm.burst_bytes);
    add_span(spans, {position_of(run, done, hbm), part});
    done += part;
  }
}

}  // namespace

AtomicParts atomic_parts(const std::shared_ptr<const AtomicAccess>& access, const DmaPieces& runs,
                         const DmaPieces& pieces, const ChannelInterleave& hbm) {
  const bool merged = &runs != &pieces;
  AtomicParts parts;
  for (const DmaPiece& piece : pieces) {
    auto part = std::make_shared<AtomicPart>();
    part->access = access;
    part->elements = piece.flits;
    for (const DmaPiece& run : runs) {
      const bool is_here = merged
                               ? run.place.node == piece.place.node && run.channel == piece.channel
                               : &run == &piece;
      if (is_here) add_spans(part->spans, run, hbm);
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

void cut_operands(RouteExtension& route, const DmaPiece& piece, std::uint32_t flit_bytes,
                  const ChannelInterleave& hbm) {
  route.cut_flits(piece.bytes, flit_bytes);
  const std::uint32_t operands = operand_count(route.atomic->access->op);
  if (operands == 1) return;
  auto list = std::make_shared<FlitList>(flit_bytes);
  for (std::uint32_t flit = 0; flit < route.flits; ++flit) {
    const std::uint64_t at = route.offset_of(flit);
    const std::uint64_t position = route.list == nullptr
                                       ? position_of(piece, at - route.offset, hbm)
                                       : (*route.list)[flit].position;
    for (std::uint32_t i = 0; i < operands; ++i) list->add(at, route.bytes_of(flit), position);
  }
  route.list = std::move(list);
  route.cut_flits(piece.bytes * operands, flit_bytes);
}

}  // namespace kernbench
