#include "models/pe/virtual_channels.h"

#include <algorithm>

namespace kernbench {

VirtualChannels::Port& VirtualChannels::port_of(const Transaction& transaction,
                                                std::uint32_t position) {
  const Path& path = *transaction.route().path;
  const std::uint16_t number = path.out_port(position);
  if (number >= ports_.size()) ports_.resize(number + std::size_t{1});
  Port& port = ports_[number];
  if (!port.known) {
    port.service = ServiceTime(path.hop(position).bw_gbs, flit_bytes_);
    port.known = true;
  }
  return port;
}

std::uint32_t VirtualChannels::piece_of(const Port& port, VirtualChannel channel,
                                        const Waiting& head, Fs& service) const {
  const RouteExtension& route = head.transaction->route();
  std::uint64_t bytes = route.bytes_of(head.run.first);
  service = port.service.of(route.bytes_of(head.run.first));
  std::uint32_t flits = 1;
  while (channel == VirtualChannel::comm && flits < head.run.count) {
    const std::uint32_t next = route.bytes_of(head.run.first + flits);
    if (bytes + next > chunk_bytes_) break;
    bytes += next;
    service += port.service.of(next);
    ++flits;
  }
  return flits;
}

Fs VirtualChannels::next_due(Fs now) const {
  Fs due = never_fs;
  if (!both_) return due;  // no message waits: put() sends at once
  for (const Port& port : ports_) {
    if (!port.empty()) due = std::min(due, std::max(port.state.free_at, now));
  }
  return due;
}

std::size_t VirtualChannels::waiting(VirtualChannel channel) const {
  std::size_t runs = 0;
  if (!both_) return runs;
  for (const Port& port : ports_) runs += port.queues[static_cast<std::size_t>(channel)].size();
  return runs;
}

}  // namespace kernbench
