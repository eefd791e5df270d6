#include "platform/observe/hbm_shadow.h"

#include <algorithm>

#include "models/timing/service_time.h"

namespace kernbench {
namespace {

HbmState state_of(const Attributes& attributes) {
  const auto num_pcs = static_cast<std::uint32_t>(attributes.integer("num_pcs"));
  const auto burst_bytes = static_cast<std::uint32_t>(attributes.integer("burst_bytes"));
  const Rational usable_gbs = attributes.decimal("link_bw_gbs") * attributes.decimal("efficiency");
  return {num_pcs, burst_bytes, transfer_fs(std::uint64_t{burst_bytes} * num_pcs, usable_gbs),
          ns_to_fs(attributes.decimal("switch_penalty_ns"))};
}

}  // namespace

HbmShadow::HbmShadow(const Attributes& attributes)
    : state_(state_of(attributes)), occupied_(state_.channels.size()) {}

std::vector<HbmShadow::Bursts> HbmShadow::book_read(const Transaction& transaction, Fs now) {
  const RouteExtension& route = transaction.route();
  const BurstRange bursts = state_.bursts_of(route.offset, transaction.get_data_length());
  const std::uint64_t stride = state_.channels_of(route.channel);
  std::vector<Bursts> booked;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(stride, bursts.count()); ++i) {
    booked.push_back(book_channel(transaction, state_.channel_of(bursts.first + i, route.channel),
                                  HbmDirection::read, now,
                                  (bursts.count() - i + stride - 1) / stride));
  }
  return booked;
}

std::vector<HbmShadow::Bursts> HbmShadow::book_write_flit(const Transaction& transaction,
                                                          std::uint32_t flit, Fs now) {
  const RouteExtension& route = transaction.route();
  const BurstRange bursts = state_.bursts_of(route.offset_of(flit), route.bytes_of(flit));
  std::vector<Bursts> booked;
  for (std::uint64_t burst = bursts.first; burst <= bursts.last; ++burst)
    booked.push_back(book_channel(transaction, state_.channel_of(burst, route.channel),
                                  HbmDirection::write, now, 1));
  return booked;
}

BurstRange HbmShadow::bursts_of(const Transaction& transaction, std::uint32_t flit) const {
  const RouteExtension& route = transaction.route();
  const std::uint64_t first = state_.bursts_of(route.offset, transaction.get_data_length()).first;
  const BurstRange bursts = state_.bursts_of(route.offset_of(flit), route.bytes_of(flit));
  return {bursts.first - first, bursts.last - first};
}

HbmShadow::Bursts HbmShadow::book_channel(const Transaction& transaction, std::size_t channel,
                                          HbmDirection direction, Fs now, std::uint64_t bursts) {
  const Fs first_finish = book(state_, channel, direction, now, bursts);
  const Fs finish = state_.channels[channel].available_at;
  occupied_[channel].forget_until(now);
  occupied_[channel].add(transaction, first_finish - state_.burst_time, finish);
  return {channel, first_finish, finish};
}

}  // namespace kernbench
