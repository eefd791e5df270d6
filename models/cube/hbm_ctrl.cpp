#include "models/cube/hbm_ctrl.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "models/base/errors.h"
#include "models/data/debug_access.h"
#include "models/protocol/machine_services.h"

namespace kernbench {
namespace {

// burst_bytes / pc_bw with pc_bw = link_bw * efficiency / num_pcs, rounded once.
Fs burst_time(const HbmCtrl::Parameters& p) {
  return transfer_fs(std::uint64_t{*p.burst_bytes} * *p.num_pcs, *p.link_bw_gbs * *p.efficiency);
}

}  // namespace

std::optional<ParameterFault> HbmCtrl::check(const Parameters& parameters) {
  constexpr Fs longest = 1'000'000'000 * fs_per_ns;
  try {
    if (burst_time(parameters) <= longest) return std::nullopt;
  } catch (const std::overflow_error&) {  // too long, or too many digits
  }
  return ParameterFault{
      "efficiency",
      fmt::format("found {}, allowed is that a burst of {} B on one of {} pseudo-channels of a "
                  "link of {} GB/s takes at most 1e9 ns, exactly",
                  parameters.efficiency->str(), *parameters.burst_bytes, *parameters.num_pcs,
                  parameters.link_bw_gbs->str())};
}

HbmCtrl::HbmCtrl(const ComponentInit& init) : HbmCtrl(init, init.attributes.as<Parameters>()) {}

HbmCtrl::HbmCtrl(const ComponentInit& init, const Parameters& parameters)
    : FabricNode(init, ArrivalQueue::Forwarding::cut_through),
      ingress_(arrivals_, *parameters.overhead),
      state_(*parameters.num_pcs, *parameters.burst_bytes, burst_time(parameters),
             *parameters.switch_penalty),
      flit_bytes_(*parameters.flit_bytes), bookings_(init.services.observation().hbm_bookings),
      channel_statistics_(state_.channels.size()) {
  add_statistic("reads", "reads booked", Quantity::count, reads_);
  add_statistic("writes", "writes committed", Quantity::count, writes_);
  add_statistic("bytes_read", "bytes of flits that have left as answers", Quantity::bytes,
                bytes_read_);
  add_statistic("bytes_written", "bytes of writes committed", Quantity::bytes, bytes_written_);
  for (std::size_t pc = 0; pc < channel_statistics_.size(); ++pc) {
    const std::string name = fmt::format("pc{}", pc);
    add_busy_time(name + "_busy", "time that bursts took", channel_statistics_[pc].busy_fs,
                  [this, pc](Fs now) { return busy_until(pc, now); });
    add_statistic(name + "_switches", "changes of direction", Quantity::count,
                  channel_statistics_[pc].direction_switches);
    channel_signals_.push_back(
        &add_signal(name, "what the pseudo-channel does", 2, {"idle", "read", "write"}));
  }
}

Fs HbmCtrl::next_due() const {
  const Fs departure = departures_.empty() ? never_fs : departures_.front().time;
  return std::min({ingress_.next_due(), departure, shown_until_});
}

void HbmCtrl::serve() {
  ingress_.serve(now(), [this](const Arrival& arrival) {
    if (arrival.transaction->route().is_control()) {
      read_command(arrival);
    } else {
      write_flit(arrival);
    }
  });
  while (!departures_.empty() && departures_.front().time <= now()) {
    const std::uint32_t index = departures_.front().service;
    std::pop_heap(departures_.begin(), departures_.end(),
                  [this](const Departure& a, const Departure& b) { return later(a, b); });
    departures_.pop_back();
    if (services_[index].transaction->is_read()) {
      leave(index);
    } else {
      commit(index);
    }
  }
  if (shown_until_ <= now()) show_idle_channels();
}

unsigned HbmCtrl::debug_access(tlm::tlm_generic_payload& payload, std::uint64_t /*offset*/) {
  return kernbench::debug_access(machine_services(services()).data(), payload);
}

void HbmCtrl::write_flit(const Arrival& arrival) {
  RouteExtension& route = arrival.transaction->route();
  if (arrival.is_first()) route.target_tag = open_service(*arrival.transaction);
  Service& service = services_[route.target_tag];
  const BurstRange bursts =
      state_.bursts_of(route.offset_of(arrival.flit), route.bytes_of(arrival.flit));
  report_passage(arrival, arrival.is_first() ? now() - ingress_.overhead() : now());
  for (std::uint64_t burst = bursts.first; burst <= bursts.last; ++burst) {
    const std::size_t channel = state_.channel_of(burst, route.channel);
    count_booking(channel, HbmDirection::write, 1);
    const Fs finish = book(state_, channel, HbmDirection::write, now());
    service.commit = std::max(service.commit, finish);
    if (bookings_.observed()) report_booking(*arrival.transaction, channel, finish);
  }
  if (arrival.flit + 1 < route.flits) return;
  service.cause = arrival;
  schedule(service.commit, route.target_tag);
}

void HbmCtrl::read_command(const Arrival& arrival) {
  Transaction& transaction = *arrival.transaction;
  if (!transaction.is_read() || transaction.get_data_length() == 0) {
    throw ModelError("a control message without a read has reached the memory");
  }
  const std::uint32_t index = open_service(transaction);
  Service& service = services_[index];
  service.cause = arrival;
  RouteExtension& route = transaction.route();
  const BurstRange bursts = state_.bursts_of(route.offset, transaction.get_data_length());
  const std::uint64_t stride = state_.channels_of(route.channel);
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(bursts.count(), stride); ++i) {
    count_booking(state_.channel_of(bursts.first + i, route.channel), HbmDirection::read,
                  (bursts.count() - i + stride - 1) / stride);
  }
  service.read.book_all(state_, route.offset, transaction.get_data_length(), now(), route.channel);
  ++reads_;
  report_passage(arrival, arrival.time);
  if (bookings_.observed()) report_read(service, bursts.first);
  route.make_response();
  route.cut_flits(transaction.get_data_length(), flit_bytes_);
  schedule(flit_ready(service), index);
}

Fs HbmCtrl::flit_ready(Service& service) const {
  const RouteExtension& route = service.transaction->route();
  return service.read.ready(route.offset_of(service.next_flit) + route.bytes_of(service.next_flit) -
                            1);
}

void HbmCtrl::leave(std::uint32_t index) {
  Service& service = services_[index];
  Transaction& transaction = *service.transaction;
  const std::uint32_t flit = service.next_flit++;
  bytes_read_ += transaction.route().bytes_of(flit);
  if (service.next_flit < transaction.route().flits) {
    schedule(flit_ready(service), index);
  } else {
    close_service(index);
  }
  send(transaction, flit, 1, 0, now());
}

void HbmCtrl::commit(std::uint32_t index) {
  Transaction& transaction = *services_[index].transaction;
  close_service(index);
  ++writes_;
  bytes_written_ += transaction.get_data_length();
  if (transaction.route().posted) {
    transaction.route().listener->completed(transaction);
  } else {
    transaction.route().listener->committed(transaction);
    transaction.route().make_response();
    send(transaction, 0, 0, 0, now());
  }
}

std::uint32_t HbmCtrl::open_service(Transaction& transaction) {
  if (idle_services_.empty()) {
    idle_services_.push_back(static_cast<std::uint32_t>(services_.size()));
    services_.emplace_back();
  }
  const std::uint32_t index = idle_services_.back();
  idle_services_.pop_back();
  Service& service = services_[index];
  service.transaction = &transaction;
  service.commit = 0;
  service.next_flit = 0;
  return index;
}

bool HbmCtrl::later(const Departure& a, const Departure& b) const {
  if (a.time != b.time) return a.time > b.time;
  return earlier(services_[b.service].cause, services_[a.service].cause);
}

void HbmCtrl::schedule(Fs time, std::uint32_t service) {
  departures_.push_back({time, service});
  std::push_heap(departures_.begin(), departures_.end(),
                 [this](const Departure& a, const Departure& b) { return later(a, b); });
}

void HbmCtrl::count_booking(std::size_t channel, HbmDirection direction, std::uint64_t bursts) {
  ChannelStatistics& statistics = channel_statistics_[channel];
  statistics.busy_fs += bursts * state_.burst_time;
  if (changes_direction(state_.channels[channel], direction)) {
    ++statistics.direction_switches;
    const Fs free_at = std::max(now(), state_.channels[channel].available_at);
    statistics.ahead.add_gap(now(), free_at, free_at + state_.switch_penalty);
  }
  if (!channel_signals_[channel]->observed()) return;
  channel_signals_[channel]->set(static_cast<std::uint64_t>(direction));
  shown_until_ = now();  // looked at again at the end of serve()
}

void HbmCtrl::report_booking(const Transaction& transaction, std::size_t channel,
                             Fs first_finish) const {
  bookings_.write({*this, transaction, channel, std::uint32_t{1} << state_.burst_shift,
                   first_finish - state_.burst_time, first_finish,
                   state_.channels[channel].available_at});
}

void HbmCtrl::report_read(const Service& service, std::uint64_t first_burst) const {
  const std::uint16_t requested = service.transaction->route().channel;
  std::uint64_t burst = first_burst;
  for (const Fs first_finish : service.read.first_finishes())
    report_booking(*service.transaction, state_.channel_of(burst++, requested), first_finish);
}

Fs HbmCtrl::busy_until(std::size_t channel, Fs now) const {
  const ChannelStatistics& statistics = channel_statistics_[channel];
  return statistics.busy_fs - statistics.ahead.after(now, state_.channels[channel].available_at);
}

void HbmCtrl::show_idle_channels() {
  shown_until_ = never_fs;
  for (std::size_t channel = 0; channel < channel_signals_.size(); ++channel) {
    if (channel_signals_[channel]->value() == 0) continue;
    const Fs idle_at = state_.channels[channel].available_at;
    if (idle_at <= now()) {
      channel_signals_[channel]->set(0);
    } else {
      shown_until_ = std::min(shown_until_, idle_at);
    }
  }
}

}  // namespace kernbench
