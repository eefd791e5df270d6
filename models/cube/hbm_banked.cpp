#include "models/cube/hbm_banked.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace kernbench {

HbmBanked::HbmBanked(const ComponentInit& init, const Parameters& p)
    : FabricNode(init, ArrivalQueue::Forwarding::cut_through), bursts_(1, *p.burst_bytes),
      map_(*p.mapping, p.field_bits()), ingress_(arrivals_, *p.overhead),
      flit_bytes_(*p.flit_bytes), pcs_per_bus_(std::clamp(*p.pcs_per_bus, 1U, *p.num_pcs)),
      channels_(*this, *p.num_pcs, *p.burst_bytes, init.services.observation().hbm_bookings) {
  add_statistic("reads", "reads queued", Quantity::count, reads_);
  add_statistic("writes", "writes committed", Quantity::count, writes_);
  add_statistic("bytes_read", "bytes of response flits sent", Quantity::bytes, bytes_read_);
  add_statistic("bytes_written", "bytes of writes committed", Quantity::bytes, bytes_written_);
  add_statistic("atomics", "atomic accesses committed", Quantity::count, atomics_);
  const HbmBankTiming timing = bank_timing(p);
  const bool has_buses = *p.pcs_per_bus != 0;
  if (has_buses) buses_.resize(*p.num_pcs / pcs_per_bus_);
  schedulers_.reserve(*p.num_pcs);
  for (std::uint32_t i = 0; i < *p.num_pcs; ++i)
    schedulers_.emplace_back(timing, p.queue_policy(), counts_,
                             has_buses ? &buses_[i / pcs_per_bus_] : nullptr);
  outstanding_.resize(*p.num_pcs);
  observe(Observables(*this), timing);
}

void HbmBanked::observe(Observables to, const HbmBankTiming& timing) {
  const auto count = [&to](const char* name, const char* description, const std::uint64_t& value) {
    to.add_statistic(name, description, Quantity::count, value);
  };
  const auto time = [&to](const char* name, const char* description, const std::uint64_t& value) {
    to.add_statistic(name, description, Quantity::time_fs, value);
  };
  count("row_hits", "bursts whose row was open", counts_.hits);
  count("row_misses", "bursts whose bank was closed", counts_.misses);
  count("row_conflicts", "bursts whose bank had another row open", counts_.conflicts);
  to.add_ratio("row_hit_rate", "row_hits / bursts on the data bus", [this](Fs) {
    const auto hits = static_cast<double>(counts_.hits);
    return Ratio::Parts{hits, hits + static_cast<double>(counts_.misses + counts_.conflicts)};
  });
  const double banks = timing.refresh == HbmRefresh::per_bank ? timing.banks() : 1;
  to.add_ratio(
      "refresh_share", "time of refreshes / elapsed time, over all banks",
      [this, banks, each = static_cast<double>(timing.rfc)](Fs now) {
        const double time =
            static_cast<double>(now) * banks * static_cast<double>(schedulers_.size());
        return Ratio::Parts{std::min(static_cast<double>(refreshes_until(now)) * each, time), time};
      });
  count("forwarded", "bursts read from a write queue", counts_.forwarded);
  count("activates", "rows opened", counts_.activates);
  count("precharges", "rows closed", counts_.precharges);
  const std::uint64_t banks_at_once =
      timing.refresh == HbmRefresh::per_bank ? 1 : static_cast<std::uint64_t>(timing.banks());
  add_count("bank_refreshes", "refreshes of a bank; one of all banks counts for each",
            counts_.refreshes,
            [this, banks_at_once] { return refreshes_until(now()) * banks_at_once; });
  count("drains", "drains of a write queue that was filled to write_high", counts_.drains);
  time("read_waiting", "time of bursts in read queues, summed", counts_.read_wait_fs);
  time("write_waiting", "time of bursts in write queues, summed", counts_.write_wait_fs);
  to.add_statistic("read_queue", "most bursts queued for reading at a pseudo-channel",
                   Quantity::count, counts_.read_depth, Merge::maximum);
  to.add_statistic("write_queue", "most bursts queued for writing at a pseudo-channel",
                   Quantity::count, counts_.write_depth, Merge::maximum);
  channels_.observe(
      to,
      [&](std::size_t channel, const std::string& name) {
        to.add_statistic(name + "_switches", "changes of direction", Quantity::count,
                         schedulers_[channel].switches());
      },
      "data_rate_gbps");
}

std::uint64_t HbmBanked::refreshes_until(Fs now) const {
  std::uint64_t count = counts_.refreshes;
  for (const HbmBankScheduler& scheduler : schedulers_) count += scheduler.refreshes_due(now);
  return count;
}

void HbmBanked::declare_signals() {
  FabricNode::declare_signals();
  Observables to(*this);
  channels_.declare_signals(to);
  for (std::size_t i = 0; i < schedulers_.size(); ++i) {
    const std::string name = "pc" + std::to_string(i);
    QueueSignals signals;
    signals.reads =
        &to.add_signal(name + "_reads", "bursts in the read queue", SignalFormat::count("bursts"));
    signals.writes = &to.add_signal(name + "_writes", "bursts in the write queue",
                                    SignalFormat::count("bursts"));
    signals.open_banks = &to.add_signal(name + "_open_banks", "banks with an open row",
                                        SignalFormat::count("banks"));
    signals.draining =
        &to.add_signal(name + "_draining", "writes precede reads", SignalFormat::flag());
    signals_of_queues_.push_back(signals);
  }
}

void HbmBanked::show_queues() {
  for (std::size_t i = 0; i < signals_of_queues_.size(); ++i) {
    const QueueSignals& signals = signals_of_queues_[i];
    signals.reads->set(schedulers_[i].read_depth());
    signals.writes->set(schedulers_[i].write_depth());
    signals.open_banks->set(schedulers_[i].open_banks());
    signals.draining->set(schedulers_[i].is_draining() ? 1 : 0);
  }
}

// --- Service

Fs HbmBanked::next_due() const {
  Fs due = std::min({ingress_.next_due(), services_.next_due(), channels_.next_due()});
  for (const HbmBankScheduler& scheduler : schedulers_) due = std::min(due, scheduler.next_due());
  return due;
}

void HbmBanked::serve() {
  const Fs at = now();
  ingress_.serve(at, [this, at](const Arrival& arrival, Fs start) {
    if (arrival.transaction->route().is_control()) {
      read_command(arrival, at);
    } else {
      staged_.push_back({arrival, start});
    }
  });
  do {
    accept_staged(at);
    while (services_.next_due() <= at) {
      const std::uint32_t index = services_.take_first();
      const Transaction& transaction = *services_[index].transaction;
      if (is_atomic(transaction)) {
        answer(index, at);
      } else if (transaction.is_read()) {
        leave(index, at);
      } else {
        commit(index, at);
      }
    }
    run_channels(at);
  } while (accept_staged(at) || services_.next_due() <= at);
  channels_.serve(at);
  if (!signals_of_queues_.empty()) show_queues();
}

// Round-robin over the pseudo-channels that share a row command bus.
void HbmBanked::run_channels(Fs now) {
  for (std::size_t first = 0; first < schedulers_.size(); first += pcs_per_bus_) {
    const std::size_t end = first + pcs_per_bus_;
    std::size_t next = first;
    for (std::size_t channel = first; channel < end; ++channel) {
      if (schedulers_[channel].had_row_bus_last()) next = channel + 1;
    }
    for (std::size_t channel = next; channel < end; ++channel) run_channel(channel, now);
    for (std::size_t channel = first; channel < next; ++channel) run_channel(channel, now);
  }
}

void HbmBanked::run_channel(std::size_t channel, Fs now) {
  if (schedulers_[channel].next_due() > now) return;
  schedulers_[channel].serve(
      now,
      [&](const HbmAccess& access, HbmDirection direction, const HbmSlot& slot) {
        served(channel, access, direction, slot, now);
      },
      [&](const HbmAccess& access, Fs finished) {
        finish(access.owner, access.part, now, finished);
        --outstanding_[channel];
      });
  if (outstanding_[channel] != 0 && schedulers_[channel].next_due() == never_fs)
    bursts_lost(channel);
}

void HbmBanked::served(std::size_t channel, const HbmAccess& access, HbmDirection direction,
                       const HbmSlot& slot, Fs now) {
  Service& service = services_[access.owner];
  if (direction == HbmDirection::read) {
    channels_.booked(*service.transaction, channel, direction, access.since, now, slot,
                     slot.finish);
  } else {
    channels_.written(service.read.id, service.read.address, channel, access.since, now, slot);
  }
  finish(access.owner, access.part, now, slot.finish);
  --outstanding_[channel];
}

HbmAccess HbmBanked::access_at(const HbmPlace& place, std::uint32_t service, std::uint32_t part,
                               Fs now) const {
  HbmAccess access;
  access.since = now;
  access.owner = service;
  access.part = part;
  access.row = place.row;
  access.bank = static_cast<std::uint16_t>(place.bank);
  access.column = static_cast<std::uint16_t>(place.column);
  return access;
}

void HbmBanked::burst_served_twice(std::uint32_t index) {
  throw ModelError(
      fmt::format("its scheduler has served a burst of the access {:#x} that is not outstanding",
                  services_[index].read.id));
}

void HbmBanked::bursts_lost(std::size_t channel) const {
  throw ModelError(fmt::format(
      "the scheduler of pseudo-channel {} has lost bursts: it has no further command, but has not "
      "served {} of those that it was passed",
      channel, outstanding_[channel]));
}

void HbmBanked::push_read(const HbmPlace& place, std::uint32_t service, std::uint32_t part,
                          Fs now) {
  schedulers_[place.channel].push_read(access_at(place, service, part, now), now);
  ++outstanding_[place.channel];
}

void HbmBanked::push_write(const HbmPlace& place, std::uint32_t service, bool whole, Fs now) {
  HbmAccess access = access_at(place, service, 0, now);
  access.whole = whole;
  schedulers_[place.channel].push_write(access, now);
  ++outstanding_[place.channel];
}

// --- Reads

void HbmBanked::read_command(const Arrival& arrival, Fs now) {
  Transaction& transaction = *arrival.transaction;
  if (!transaction.is_read() || transaction.get_data_length() == 0) {
    throw ModelError("a control message without a read has reached the memory");
  }
  const std::uint32_t index = services_.open(transaction);
  Service& service = services_[index];
  service.cause = arrival;
  ++reads_;
  report_traversal(arrival, arrival.time);
  RouteExtension& route = transaction.route();
  service.read.id = route.key.number();
  route.make_response();
  route.cut_flits(transaction.get_data_length(), flit_bytes_);
  service.read.begin(route.flits, now);
  std::uint64_t next = UINT64_MAX;  // after the latest burst
  for (std::uint32_t flit = 0; flit < route.flits; ++flit) {
    const BurstRange range = bursts_.bursts_of(route.offset_of(flit), route.bytes_of(flit));
    for (std::uint64_t burst = range.first + (range.first + 1 == next ? 1 : 0); burst <= range.last;
         ++burst) {
      const HbmPlace place = map_.decode(burst, route.channel);
      push_read(place, index, flit, now);
      service.read.add(flit);
    }
    next = range.last + 1;
  }
}

// A burst of the access is on the bus until `at`, or read from a queue.
void HbmBanked::finish(std::uint32_t index, std::uint32_t part, Fs now, Fs at) {
  Service& service = services_[index];
  HbmBurstsOfFlits& read = service.read;
  if (!read.finish(part, at)) burst_served_twice(index);
  if (service.transaction == nullptr) {  // a write that has committed
    if (read.outstanding() == 0) services_.close(index);
  } else if (is_atomic(*service.transaction)) {
    if (read.outstanding() == 0) depart(index, read.latest());
  } else if (service.transaction->is_read() && !read.departs && read.has(service.next_flit)) {
    depart(index, std::max(now, read.ready(service.next_flit)));
  }
}

void HbmBanked::depart(std::uint32_t index, Fs at) {
  services_[index].read.departs = true;
  services_.schedule(at, index);
}

void HbmBanked::leave(std::uint32_t index, Fs now) {
  Service& service = services_[index];
  Transaction& transaction = *service.transaction;
  const std::uint32_t flit = service.next_flit++;
  bytes_read_ += transaction.route().bytes_of(flit);
  service.read.departs = false;
  if (service.next_flit == transaction.route().flits) {
    services_.close(index);
  } else if (service.read.has(service.next_flit)) {
    depart(index, service.read.ready(service.next_flit));
  }
  send(transaction, flit, 1, 0, now);
}

// --- Writes

// Returns true if a burst has entered a queue.
bool HbmBanked::accept_staged(Fs now) {
  bool accepted = false;
  while (!staged_.empty()) {
    const Staged staged = staged_.front();
    const Arrival& arrival = staged.arrival;
    Transaction& transaction = *arrival.transaction;
    RouteExtension& route = transaction.route();
    if (arrival.is_first() && staged_bursts_ == 0) {
      route.target_tag = services_.open(transaction);
      HbmBurstsOfFlits& write = services_[route.target_tag].read;
      write.begin(1, now);
      write.id = route.key.number();
      write.address = transaction.get_address();
    }
    const std::uint64_t before = staged_bursts_;
    if (!is_atomic(transaction) && !accept_bursts(arrival, route.target_tag, now))
      return accepted || staged_bursts_ != before;
    accepted = true;
    staged_bursts_ = 0;
    staged_.pop_front();
    report_traversal(arrival, staged.start);
    if (arrival.flit + 1 < route.flits) continue;
    services_[route.target_tag].cause = arrival;
    if (is_atomic(transaction)) {
      atomic_operands(arrival, route.target_tag, now);
    } else {
      services_.schedule(now, route.target_tag);
    }
  }
  return accepted;
}

// False: a queue is full.
bool HbmBanked::accept_bursts(const Arrival& arrival, std::uint32_t service, Fs now) {
  const RouteExtension& route = arrival.transaction->route();
  const std::uint64_t begin = route.offset_of(arrival.flit);
  const std::uint64_t end = begin + route.bytes_of(arrival.flit);
  const BurstRange range = bursts_.bursts_of(begin, end - begin);
  for (; range.first + staged_bursts_ <= range.last; ++staged_bursts_) {
    const std::uint64_t burst = range.first + staged_bursts_;
    const HbmPlace place = map_.decode(burst, route.channel);
    HbmBankScheduler& scheduler = schedulers_[place.channel];
    if (!scheduler.has_room_for_write()) return false;
    const std::uint64_t first_byte = burst << bursts_.burst_shift;
    push_write(place, service, begin <= first_byte && first_byte + bursts_.burst_bytes() <= end,
               now);
    services_[service].read.add(0);
  }
  return true;
}

void HbmBanked::commit(std::uint32_t index, Fs now) {
  Service& service = services_[index];
  Transaction& transaction = *service.transaction;
  service.transaction = nullptr;  // its bursts are still in the queues
  if (service.read.outstanding() == 0) services_.close(index);
  ++writes_;
  bytes_written_ += transaction.get_data_length();
  answer_access(transaction, flit_bytes_, reply_at(now));
}

// --- Atomic accesses

// Reads the bursts of the elements, each once if consecutive runs share it.
void HbmBanked::atomic_operands(const Arrival& arrival, std::uint32_t index, Fs now) {
  Transaction& transaction = *arrival.transaction;
  const RouteExtension& route = transaction.route();
  HbmBurstsOfFlits& read = services_[index].read;
  carry_out_atomic(transaction, now);
  read.begin(1, now);
  read.changed.clear();
  const auto add = [&](std::uint64_t burst) {
    const HbmPlace place = map_.decode(burst, route.channel);
    read.changed.push_back(place);
    read.add(0);
    push_read(place, index, 0, now);
  };
  if (const FlitList* elements = route.atomic->elements.get()) {
    elements->for_each_burst(bursts_.burst_shift,
                             [&](std::uint32_t, std::uint64_t burst) { add(burst); });
  } else {
    const BurstRange range = bursts_.bursts_of(route.offset, transaction.get_data_length());
    for (std::uint64_t burst = range.first; burst <= range.last; ++burst) add(burst);
  }
}

// All bursts have arrived: queues the writes of the changed ones and answers.
void HbmBanked::answer(std::uint32_t index, Fs now) {
  Service& service = services_[index];
  Transaction& transaction = *service.transaction;
  service.transaction = nullptr;
  service.read.begin(1, now);
  for (const HbmPlace& place : service.read.changed) {
    push_write(place, index, true, now);
    service.read.add(0);
  }
  ++atomics_;
  bytes_read_ += transaction.get_data_length();
  bytes_written_ += transaction.get_data_length();
  answer_atomic(transaction, flit_bytes_, reply_at(now));
}

}  // namespace kernbench
