#include "models/pe/dma_atomic_parts.h"

#include <algorithm>

namespace kernbench {
namespace {

// Where the bytes of a contiguous piece stand in the access, in its order.
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
