// BAAW: the stage of PE_DMA that turns logical addresses into requests to memories or channels
// (spec 3.3; ADR-0011 D-LA4).
//
// Timing: none here; PE_DMA pays baaw_overhead_ns for an access that goes through it. Unlike the
// source's, a segment in one_to_one keeps the bytes where the partition's interleaving puts them,
// so that host and other models see one memory.
#pragma once

#include <cstdint>
#include <vector>

#include "models/pe/dma_pieces.h"
#include "models/pe/segment_table.h"
#include "models/protocol/command.h"

namespace kernbench {

class Baaw {
 public:
  explicit Baaw(const MachineDescription& machine)
      : machine_(machine), hbm_(machine.hbm_interleave), table_(hbm_) {}

  // All segments of the message or none. Throws AddressError or RoutingError: a segment that
  // overlaps, does not lie in one memory, or needs channels that the machine does not have; one
  // that is not installed.
  void install(const SegmentInstall& message);
  void remove(const SegmentRemove& message);

  // Throws AccessFault naming the first address without a segment.
  void add_pieces(std::uint64_t address, std::uint64_t bytes, DmaPieces& pieces) {
    add_pieces({{address, bytes}}, pieces);
  }
  // The runs of one access.
  void add_pieces(const AddressRuns& runs, DmaPieces& pieces);
  PhysRanges look_up(std::uint64_t address, std::uint64_t bytes) const {
    return table_.look_up(address, bytes);
  }

  const ChannelInterleave& hbm() const { return hbm_; }

  // Statistics.
  std::uint64_t installed = 0, removed = 0, accesses = 0, misses = 0;

 private:
  void check_place(const BaawSegment& segment) const;
  DmaPiece piece_of(const LogicalRequest& request) const;

  const MachineDescription& machine_;
  ChannelInterleave hbm_;
  SegmentTable table_;
};

}  // namespace kernbench
