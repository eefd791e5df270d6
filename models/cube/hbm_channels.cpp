#include "models/cube/hbm_channels.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "models/protocol/fabric_node.h"

namespace kernbench {

void HbmChannels::check(std::size_t channel, Fs free_at, const HbmSlot& first, Fs finish) const {
  if (first.start >= free_at && finish >= first.start) return;
  throw ModelError(fmt::format(
      "the timing of {} books pseudo-channel {} from {} to {}, which is free from {} on",
      node_.name(), channel, format_ns(first.start), format_ns(finish), format_ns(free_at)));
}

void HbmChannels::report(const Transaction* transaction, std::size_t channel, const HbmSlot& first,
                         Fs finish) const {
  bookings_.write({node_, transaction, channel, burst_bytes_, first.start, first.finish, finish});
}

void HbmChannels::show(Channel& channel, const Transaction& transaction, HbmDirection direction,
                       Fs now, const HbmSlot& first, Fs finish) {
  if (!channel.signals->observed()) return;
  channel.signals->booked(transaction, direction, first.start, finish);
  shown_until_ = now;  // checked again at the end of serve()
}

void HbmChannels::update_signals(Fs now) {
  shown_until_ = never_fs;
  for (const Channel& channel : channels_) {
    if (channel.signals != nullptr)
      shown_until_ = std::min(shown_until_, channel.signals->update(now));
  }
}

}  // namespace kernbench
