#include "models/pe/baaw.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "models/address/virtual_space.h"
#include "models/base/errors.h"

namespace kernbench {

void Baaw::install(const SegmentInstall& message) {
  std::size_t done = 0;
  try {
    for (const BaawSegment& segment : message.segments) {
      table_.install(segment);
      ++done;
      check_place(segment);
    }
  } catch (const Error&) {
    for (std::size_t i = 0; i < done; ++i)
      table_.remove(message.segments[i].la_base, message.segments[i].la_size);
    throw;
  }
  installed += done;
}

void Baaw::remove(const SegmentRemove& message) {
  std::set<std::uint64_t> bases;
  for (const SegmentRemove::Range& range : message.segments) {
    table_.check_installed(range.la_base, range.la_size);
    if (!bases.insert(range.la_base).second) {
      throw AddressError(
          fmt::format("the segment at {} is removed twice", format_address(range.la_base)));
    }
  }
  for (const SegmentRemove::Range& range : message.segments)
    table_.remove(range.la_base, range.la_size);
  removed += message.segments.size();
}

// Of a segment in the table. The first burst on every channel, then the last: what is between them
// lies there too.
void Baaw::check_place(const BaawSegment& segment) const {
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
  for (const PhysRange& range : table_.look_up(segment.la_base + segment.la_size - tail, tail)) {
    if (machine_.place_of(range.pa + range.nbytes - 1).node != memory) {
      throw AddressError(fmt::format("{} runs past the end of {}", which, machine_.name(memory)));
    }
  }
}

void Baaw::add_pieces(const AddressRuns& runs, DmaPieces& pieces) {
  ++accesses;
  std::uint64_t position = 0;
  try {
    for (const AddressRun& run : runs) {
      for (LogicalRequest request : table_.requests(run.address, run.nbytes)) {
        request.position += position;
        if (request.one_channel) {
          pieces.push_back(piece_of(request));
        } else {
          kernbench::add_pieces(machine_, request.pa, request.nbytes, request.position, pieces);
        }
      }
      position += run.nbytes;
    }
  } catch (const AccessFault&) {
    ++misses;
    throw;
  }
}

DmaPiece Baaw::piece_of(const LogicalRequest& request) const {
  const MemoryTarget place = machine_.place_of(request.pa);
  return {{place.node, hbm_.offset_in_channel(place.offset)},
          request.pa,
          request.nbytes,
          request.position,
          hbm_.channel_of(place.offset),
          nullptr};
}

}  // namespace kernbench
