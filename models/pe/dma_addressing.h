// Address resolution of a PE_DMA: from the address of an access to its pieces, one for each memory
// or channel of a memory (spec 3.3; ADR-0011 D-LA4).
//
// Timing: none here; an access pays `cost`. PE_MMU resolves physical addresses free of charge and
// virtual ones at the cost of a look-up, several runs at the cost of one. The BAAW stage, a table
// of segments, resolves logical addresses (address model la) for baaw_overhead_ns. Unlike in the
// source, a segment in one_to_one keeps the bytes where the partition's interleaving puts them, so
// that host and other models see one memory.
#pragma once

#include <cstdint>
#include <string>

#include "models/pe/dma_pieces.h"
#include "models/pe/segment_table.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/pe_services.h"

namespace kernbench {

// An access of a PE_DMA, resolved.
struct DmaAccess {
  DmaPieces pieces;
  AtomicParts atomic;  // parts of an atomic access, by piece
  Fs cost = 0;         // address resolution time, also of an access that ends in a fault
  std::string fault;   // empty: ok

  void clear() {
    pieces.clear();
    atomic.clear();
    cost = 0;
    fault.clear();
  }
};

class DmaAddressing final : private ServiceProvider<SegmentRequest> {
 public:
  // `dma` is the component of the sockets.
  DmaAddressing(Component& dma, MachineServices& machine, Fs baaw_overhead,
                std::uint32_t flit_bytes);

  // Resolves the stage of a task into `access`, which is clear. Address faults are its fault.
  void resolve(const TileTask& task, const Stage& stage, DmaAccess& access);

  // Carries out a SegmentInstall or SegmentRemove: all of its segments or none. AddressError or
  // RoutingError: a segment that overlaps, is not in one memory, or needs channels that the machine
  // does not have; one that is not installed.
  void change_segments(const Message* message);

  const ChannelInterleave& hbm() const { return hbm_; }

  struct Counts {
    std::uint64_t installed = 0, removed = 0, accesses = 0, misses = 0;
  };
  const Counts& segment_counts() const { return counts_; }

 private:
  void transport_dbg(SegmentRequest& request) override {
    request.ranges = segments_.look_up(request.address, request.nbytes);
  }

  void resolve_contiguous(const TileTask& task, const Stage& stage, DmaAccess& access);
  void resolve_runs(const TileTask& task, DmaAccess& access);
  // Pieces of one contiguous range, which begins at `position` of the access.
  void translate(const AddressRun& range, std::uint64_t position, DmaPieces& pieces, Fs& cost);
  bool is_logical(std::uint64_t address) const;
  // Throws AccessFault naming the first address without a segment.
  void add_segment_pieces(const AddressRuns& runs, DmaPieces& pieces);
  DmaPiece piece_of(const LogicalRequest& request) const;

  void install(const SegmentInstall& message);
  void remove(const SegmentRemove& message);
  void check_place(const BaawSegment& segment) const;

  Component& dma_;
  MachineServices& machine_services_;
  const MachineDescription& machine_;
  ChannelInterleave hbm_;
  Fs baaw_overhead_;
  std::uint32_t flit_bytes_;
  SegmentTable segments_;
  Counts counts_;
  ServiceTarget<SegmentRequest> look_ups_{dma_, *this};
  ServiceInitiator<TranslationRequest> to_mmu_;
};

}  // namespace kernbench
