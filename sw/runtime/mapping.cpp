#include "sw/runtime/mapping.h"

#include <algorithm>

namespace kernbench {
namespace {

bool by_segments(HostLink& link) { return link.port().machine().address_model == AddressModel::la; }

}  // namespace

BaawSegment segment_of(const MachineDescription& machine, const MmuEntry& entry) {
  BaawSegment segment{entry.va, entry.size, machine.hbm_mapping, {entry.pa}};
  if (segment.mode == HbmMapping::n_to_one) return segment;
  const ChannelInterleave hbm = machine.hbm_interleave;
  const std::uint64_t skew = entry.pa % hbm.burst_bytes;
  const std::uint64_t bursts = (skew + entry.size + hbm.burst_bytes - 1) / hbm.burst_bytes;
  for (std::uint64_t i = 1; i < std::min<std::uint64_t>(bursts, hbm.channels); ++i) {
    segment.pa_bases.push_back(entry.pa - skew + i * hbm.burst_bytes);
  }
  return segment;
}

std::shared_ptr<HostRequest> submit_map(HostLink& link, const Mapping& mapping,
                                        const std::string& tensor) {
  if (by_segments(link)) {
    SegmentInstall message;
    for (const MmuEntry& entry : mapping.entries)
      message.segments.push_back(segment_of(link.port().machine(), entry));
    message.targets = mapping.targets;
    return link.submit(std::move(message), "map " + tensor);
  }
  MmuMap message;
  message.entries = mapping.entries;
  message.targets = mapping.targets;
  return link.submit(std::move(message), "map " + tensor);
}

std::shared_ptr<HostRequest> submit_unmap(HostLink& link, const Mapping& mapping,
                                          const std::string& tensor) {
  if (by_segments(link)) {
    SegmentRemove message;
    for (const MmuEntry& entry : mapping.entries)
      message.segments.push_back({entry.va, entry.size});
    message.targets = mapping.targets;
    return link.submit(std::move(message), "unmap " + tensor);
  }
  MmuUnmap message;
  for (const MmuEntry& entry : mapping.entries)
    message.entries.push_back({entry.va, 0, entry.size});
  message.targets = mapping.targets;
  return link.submit(std::move(message), "unmap " + tensor);
}

}  // namespace kernbench
