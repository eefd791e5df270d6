#include "models/pe/dma_addressing.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/address/virtual_space.h"
#include "models/base/errors.h"
#include "models/pe/pe_identity.h"

namespace kernbench {

DmaAddressing::DmaAddressing(Component& dma, MachineServices& machine, Fs baaw_overhead,
                             std::uint32_t flit_bytes)
    : dma_(dma), machine_services_(machine), machine_(machine.machine()),
      hbm_(machine_.hbm_interleave), baaw_overhead_(baaw_overhead), flit_bytes_(flit_bytes),
      segments_(hbm_) {}

// --- Accesses

void DmaAddressing::resolve(const TileTask& task, const Stage& stage, DmaAccess& access) {
  try {
    if (stage.strided) {
      resolve_runs(task, access);
    } else {
      resolve_contiguous(task, stage, access);
    }
  } catch (const ModelError&) {
    throw;
  } catch (const MappingFault& fault) {
    const PeIdentity where(machine_services_, dma_.node(), PeEngine::pe_dma);
    access.fault = machine_.address_book->text_of(fault, where());
  } catch (const Error& fault) {  // AccessFault, AddressError, RoutingError
    access.fault = fault.what();
  }
}

void DmaAddressing::resolve_contiguous(const TileTask& task, const Stage& stage,
                                       DmaAccess& access) {
  if (is_logical(stage.address) && stage.bytes > 0) {
    access.cost = baaw_overhead_;
    add_segment_pieces({{stage.address, stage.bytes}}, access.pieces);
  } else {
    translate({stage.address, stage.bytes}, 0, access.pieces, access.cost);
  }
  if (task.atomic != nullptr)
    access.atomic = atomic_parts(task.atomic, access.pieces, access.pieces, hbm_);
}

void DmaAddressing::resolve_runs(const TileTask& task, DmaAccess& access) {
  const AddressRuns& runs = task.runs_of_stage();
  if (runs.empty()) return;
  DmaPieces pieces;
  if (is_logical(runs.front().address)) {
    access.cost = baaw_overhead_;
    add_segment_pieces(runs, pieces);
  } else {
    std::uint64_t position = 0;
    for (const AddressRun& run : runs) {
      translate(run, position, pieces, access.cost);
      position += run.nbytes;
    }
  }
  access.pieces = merged(pieces, flit_bytes_, hbm_);
  if (task.atomic != nullptr)
    access.atomic = atomic_parts(task.atomic, pieces, access.pieces, hbm_);
}

void DmaAddressing::translate(const AddressRun& range, std::uint64_t position, DmaPieces& pieces,
                              Fs& cost) {
  TranslationRequest found;
  found.address = range.address;
  found.nbytes = range.nbytes;
  cost = std::max(cost, to_mmu_.b_transport(found));
  std::uint64_t bytes = 0;
  for (const PhysRange& physical : found.ranges) {
    add_pieces(machine_, physical.pa, physical.nbytes, position + bytes, pieces);
    bytes += physical.nbytes;
  }
  if (bytes != range.nbytes)
    throw ModelError(fmt::format("the translation of {} bytes at {} has ranges of {} bytes",
                                 range.nbytes, range.address, bytes));
}

bool DmaAddressing::is_logical(std::uint64_t address) const {
  return machine_.address_model == AddressModel::la && is_virtual(address);
}

void DmaAddressing::add_segment_pieces(const AddressRuns& runs, DmaPieces& pieces) {
  ++counts_.accesses;
  std::uint64_t position = 0;
  try {
    for (const AddressRun& run : runs) {
      for (LogicalRequest request : segments_.requests(run.address, run.nbytes)) {
        request.position += position;
        if (request.one_channel) {
          pieces.push_back(piece_of(request));
        } else {
          add_pieces(machine_, request.pa, request.nbytes, request.position, pieces);
        }
      }
      position += run.nbytes;
    }
  } catch (const AccessFault&) {
    ++counts_.misses;
    throw;
  }
}

DmaPiece DmaAddressing::piece_of(const LogicalRequest& request) const {
  const MemoryTarget place = machine_.place_of(request.pa);
  return {{place.node, hbm_.offset_in_channel(place.offset)},
          request.pa,
          request.nbytes,
          request.position,
          hbm_.channel_of(place.offset),
          nullptr};
}

// --- Segments

void DmaAddressing::change_segments(const Message* message) {
  if (const auto* added = dynamic_cast<const SegmentInstall*>(message)) return install(*added);
  if (const auto* removed = dynamic_cast<const SegmentRemove*>(message)) return remove(*removed);
  throw ModelError("a message that is neither SegmentInstall nor SegmentRemove");
}

void DmaAddressing::install(const SegmentInstall& message) {
  std::size_t done = 0;
  try {
    for (const BaawSegment& segment : message.segments) {
      segments_.install(segment);
      ++done;
      check_place(segment);
    }
  } catch (const Error&) {
    for (std::size_t i = 0; i < done; ++i)
      segments_.remove(message.segments[i].la_base, message.segments[i].la_size);
    throw;
  }
  counts_.installed += done;
}

void DmaAddressing::remove(const SegmentRemove& message) {
  std::set<std::uint64_t> bases;
  for (const SegmentRemove::Range& range : message.segments) {
    segments_.check_installed(range.la_base, range.la_size);
    if (!bases.insert(range.la_base).second) {
      throw AddressError(
          fmt::format("the segment at {} is removed twice", format_address(range.la_base)));
    }
  }
  for (const SegmentRemove::Range& range : message.segments)
    segments_.remove(range.la_base, range.la_size);
  counts_.removed += message.segments.size();
}

// Checks a segment in the table by the first burst on every channel, then the last: the bursts
// between them are in the same memory.
void DmaAddressing::check_place(const BaawSegment& segment) const {
  const std::string which =
      fmt::format("segment of {} bytes at {}", segment.la_size, format_address(segment.la_base));
  if (segment.mode == HbmMapping::one_to_one && machine_.hbm_mapping != HbmMapping::one_to_one) {
    throw AddressError(
        which +
        " in one_to_one, but this machine has no channel links (hbm_mapping_mode is n_to_one)");
  }
  const NodeId memory = machine_.place_of(segment.pa_bases.front()).node;
  std::set<std::uint16_t> channels;
  for (const std::uint64_t pa : segment.pa_bases) {
    const MemoryTarget place = machine_.place_of(pa);
    if (place.node != memory)
      throw AddressError(fmt::format("{} lies in {} and in {}", which, machine_.name(memory),
                                     machine_.name(place.node)));
    if (!channels.insert(hbm_.channel_of(place.offset)).second) {
      throw AddressError(fmt::format("{} has two physical bases on channel {}", which,
                                     hbm_.channel_of(place.offset)));
    }
  }
  const std::uint64_t tail = std::min(segment.la_size, hbm_.round_bytes());
  for (const PhysRange& range : segments_.look_up(segment.la_base + segment.la_size - tail, tail)) {
    if (machine_.place_of(range.pa + range.nbytes - 1).node != memory) {
      throw AddressError(fmt::format("{} runs past the end of {}", which, machine_.name(memory)));
    }
  }
}

}  // namespace kernbench
