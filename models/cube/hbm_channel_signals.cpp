#include "models/cube/hbm_channel_signals.h"

#include <algorithm>
#include <vector>

#include "models/address/phys_addr.h"

namespace kernbench {

HbmChannelSignals::HbmChannelSignals(Observables to, const std::string& name, std::size_t index,
                                     std::size_t channels, std::uint32_t burst_bytes)
    : index_(index), channels_(channels), burst_bytes_(burst_bytes),
      state_(to.add_signal(name, "state of the pseudo-channel",
                           SignalFormat::enumeration({"idle", "read", "write"}), this)),
      queue_(to.add_signal(name + "_queue", "accesses queued for the pseudo-channel",
                           SignalFormat::count("accesses"), this)),
      transaction_(to.add_signal(
          name + "_transaction",
          "id of the access in progress: initiator's number above 32 bits of its count",
          SignalFormat::id(64), this)),
      address_(to.add_signal(
          name + "_address",
          "physical address of the access in progress, its first byte on this channel",
          SignalFormat::address(PhysAddr::bits), this)) {}

// Address of its first burst on this channel.
std::uint64_t HbmChannelSignals::address_of(const Transaction& transaction) const {
  const RouteExtension& route = transaction.route();
  if (route.channel != every_channel) return transaction.get_address();
  if (route.list != nullptr) return address_of_run(transaction);
  const std::uint64_t first = route.offset / burst_bytes_;
  const std::uint64_t behind = (index_ + channels_ - first % channels_) % channels_;
  if (behind == 0) return transaction.get_address();
  return transaction.get_address() + (first + behind) * burst_bytes_ - route.offset;
}

// address_of() for an access of several runs.
std::uint64_t HbmChannelSignals::address_of_run(const Transaction& transaction) const {
  const RouteExtension& route = transaction.route();
  for (std::uint32_t flit = 0; flit < route.list->size(); ++flit) {
    const FlitList::Flit& of = (*route.list)[flit];
    const std::uint64_t last = (of.offset + of.bytes - 1) / burst_bytes_;
    for (std::uint64_t burst = of.offset / burst_bytes_; burst <= last; ++burst) {
      if (burst % channels_ == index_)
        return transaction.get_address() - route.offset + std::max(of.offset, burst * burst_bytes_);
    }
  }
  return transaction.get_address();
}

Fs HbmChannelSignals::update(Fs now) {
  while (!accesses_.empty() && accesses_.front().finish <= now) accesses_.pop_front();
  const bool busy = !accesses_.empty() && accesses_.front().start <= now;
  queue_.set(accesses_.size() - (busy ? 1 : 0));
  if (busy) {
    const Access& access = accesses_.front();
    state_.set(static_cast<std::uint64_t>(access.direction));
    transaction_.set(access.id);
    address_.set(access.address);
    return access.finish;
  }
  state_.set(0);
  transaction_.clear();
  address_.clear();
  return accesses_.empty() ? never_fs : accesses_.front().start;
}

void HbmChannelSignals::end_observation() {
  while (!accesses_.empty()) accesses_.pop_front();
}

}  // namespace kernbench
