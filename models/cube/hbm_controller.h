// HBM partition of one PE, connected to its router; its timing is a class
// (models/timing/hbm_timing.h).
//
// Flow (spec 2.5), independent of the timing. Write flits pass an inbox as in a router and then
// book the bursts they touch. A write commits at its latest finish: a posted write ends there, any
// other is acknowledged. A read books all its bursts in address order overhead_ns after its
// command; a response flit leaves when all bursts up to its last one have finished. Departures of
// one instant leave in order of the arrivals that caused them (a write's last flit). A read of
// several runs has the bursts that the runs touch, in their order, each once if consecutive runs
// share it. The operands of an atomic access pass the inbox as a write does. With the last operand
// the access takes effect and books, for each burst that its elements touch, a read and then a
// write; all flits of its response contend for the link at the latest finish. A request for one
// channel alone (LA in one_to_one) books that channel by the same policy, its offset counted in the
// channel's bytes. Not modelled here: values (MemoryStore holds them).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/errors.h"
#include "models/cube/hbm_channels.h"
#include "models/cube/hbm_services.h"
#include "models/data/debug_access.h"
#include "models/fabric/atomic_service.h"
#include "models/fabric/memory_service.h"
#include "models/fabric/serial_ingress.h"
#include "models/protocol/arrival_queue.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/machine_services.h"
#include "models/timing/pseudo_channel_timing.h"

namespace kernbench {

// Bytes of flits [first, end).
inline std::uint64_t bytes_of(const Transaction& transaction, std::uint32_t first,
                              std::uint32_t end) {
  std::uint64_t bytes = 0;
  for (std::uint32_t flit = first; flit < end; ++flit) bytes += transaction.route().bytes_of(flit);
  return bytes;
}

template <class Timing>
class HbmController final : public FabricNode {
 public:
  static constexpr const char* description = Timing::description;
  static constexpr std::array roles{Role::hbm_ctrl};
  struct Parameters : Timing::Parameters {
    using Timing::Parameters::Parameters;
    Param<std::uint32_t> flit_bytes{
        *this, Parameter::integer("flit_bytes", "size of a full flit", "B", "spec 2.2")
                   .range(1, 65536)
                   .from_machine()};
  };
  static std::optional<ParameterFault> check(const Parameters& parameters) {
    return Timing::check(parameters);
  }
  explicit HbmController(const ComponentInit& init)
      : HbmController(init, init.attributes.as<Parameters>()) {}

 private:
  using Pending = HbmServices<typename Timing::Read>;
  using Service = typename Pending::Service;

  HbmController(const ComponentInit& init, const Parameters& parameters);

  Fs next_due() const override {
    // Flits whose effect was deferred to that of a later one, which has been withdrawn, are due
    // now.
    const Fs arrivals = std::max(ingress_.deferred_due(), now());
    return std::min({arrivals, services_.next_due(), channels_.next_due()});
  }
  bool takes_runs() const override { return true; }
  void accepted(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival) override {
    FabricNode::accepted(port, transaction, run, arrival);
    rearm();  // next_due() may have been that of the last flit of a run that has become shorter
  }
  void accepted_run(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival,
                    Fs spacing) override {
    FabricNode::accepted_run(port, transaction, run, arrival, spacing);
    rearm();
  }
  void serve() override;
  void declare_signals() override {
    FabricNode::declare_signals();
    channels_.declare_signals(Observables(*this));
  }
  unsigned debug_access(tlm::tlm_generic_payload& payload, std::uint64_t /*offset*/) override {
    return kernbench::debug_access(machine_services(services()).data(), payload);
  }

  void write_flit(const Arrival& arrival, Fs start, Fs now);
  void read_command(const Arrival& arrival, Fs now);
  void atomic_flit(const Arrival& arrival, Fs start, Fs now);
  void update_burst(Service& service, std::uint64_t burst, Fs now);
  void leave(std::uint32_t index, Fs now);
  void schedule(Fs time, std::uint32_t index);
  void settle();
  std::uint64_t announced_bytes() const;
  void commit(std::uint32_t index, Fs now);
  template <class Booked>
  void book_runs(Service& service, const FlitList& flits, Fs now, Booked booked);

  SerialIngress ingress_;
  HbmInterleave interleave_;
  Timing timing_;
  std::uint32_t flit_bytes_;
  Pending services_;
  HbmChannels channels_;
  std::uint64_t reads_ = 0, writes_ = 0, bytes_read_ = 0, bytes_written_ = 0;
  std::uint64_t atomics_ = 0;
  // Flits [first, next_flit) of a read that have been handed over for instants after their call;
  // its service is closed once they have left.
  struct Announced {
    std::uint32_t service = 0, first = 0;
    Fs until = 0;  // hand-over of the last of them
    bool active = false;
  };
  Announced announced_;
};

template <class Timing>
HbmController<Timing>::HbmController(const ComponentInit& init, const Parameters& parameters)
    : FabricNode(init, ArrivalQueue::Forwarding::cut_through),
      ingress_(arrivals_, *parameters.overhead),
      interleave_(*parameters.num_pcs, *parameters.burst_bytes), timing_(parameters),
      flit_bytes_(*parameters.flit_bytes),
      channels_(*this, *parameters.num_pcs, *parameters.burst_bytes,
                init.services.observation().hbm_bookings) {
  add_statistic("reads", "reads booked", Quantity::count, reads_);
  add_statistic("writes", "writes committed", Quantity::count, writes_);
  add_count(
      "bytes_read", "bytes of response flits sent", bytes_read_,
      [this] { return bytes_read_ - announced_bytes(); }, Quantity::bytes);
  add_statistic("bytes_written", "bytes of writes committed", Quantity::bytes, bytes_written_);
  add_statistic("atomics", "atomic accesses committed", Quantity::count, atomics_);
  Observables to(*this);
  timing_.observe(to);
  channels_.before_reading([this] { settle(); });
  channels_.observe(to, [&](std::size_t channel, const std::string& name) {
    timing_.observe_channel(to, channel, name);
  });
}

template <class Timing>
void HbmController<Timing>::serve() {
  const Fs at = now();
  ingress_.serve_deferred(at, [this](const Arrival& arrival, Fs start, Fs time) {
    if (arrival.transaction->route().is_control()) {
      read_command(arrival, time);
    } else {
      write_flit(arrival, start, time);
    }
  });
  while (services_.next_due() <= at) {
    const std::uint32_t index = services_.take_first();
    if (services_[index].transaction->is_read()) {
      leave(index, at);
    } else {
      commit(index, at);
    }
  }
  channels_.serve(at);
}

template <class Timing>
void HbmController<Timing>::write_flit(const Arrival& arrival, Fs start, Fs now) {
  RouteExtension& route = arrival.transaction->route();
  if (__builtin_expect(route.atomic != nullptr, 0)) return atomic_flit(arrival, start, now);
  if (arrival.is_first()) route.target_tag = services_.open(*arrival.transaction);
  Service& service = services_[route.target_tag];
  const BurstRange bursts =
      interleave_.bursts_of(route.offset_of(arrival.flit), route.bytes_of(arrival.flit));
  report_traversal(arrival, start);
  for (std::uint64_t burst = bursts.first; burst <= bursts.last; ++burst) {
    const std::size_t channel = interleave_.channel_of(burst, route.channel);
    const HbmSlot slot = timing_.book(
        {channel, interleave_.index_of(burst, route.channel), HbmDirection::write}, now);
    service.commit = std::max(service.commit, slot.finish);
    channels_.booked(*arrival.transaction, channel, HbmDirection::write, now, slot, slot.finish);
  }
  if (arrival.flit + 1 < route.flits) return;
  service.cause = arrival;
  schedule(service.commit, route.target_tag);
}

// Books the bursts of write flits that have arrived by now.
template <class Timing>
void HbmController<Timing>::settle() {
  ingress_.serve_deferred(
      now(),
      [this](const Arrival& arrival, Fs start, Fs time) { write_flit(arrival, start, time); },
      true);
}

// Books the bursts of the elements, each once if consecutive runs share it.
template <class Timing>
void HbmController<Timing>::atomic_flit(const Arrival& arrival, Fs start, Fs now) {
  Transaction& transaction = *arrival.transaction;
  RouteExtension& route = transaction.route();
  if (arrival.is_first()) route.target_tag = services_.open(transaction);
  Service& service = services_[route.target_tag];
  report_traversal(arrival, start);
  if (arrival.flit + 1 < route.flits) return;
  carry_out_atomic(transaction, now);
  if (const FlitList* elements = route.atomic->elements.get()) {
    elements->for_each_burst(interleave_.burst_shift, [&](std::uint32_t, std::uint64_t burst) {
      update_burst(service, burst, now);
    });
  } else {
    const BurstRange bursts = interleave_.bursts_of(route.offset, transaction.get_data_length());
    for (std::uint64_t burst = bursts.first; burst <= bursts.last; ++burst)
      update_burst(service, burst, now);
  }
  service.cause = arrival;
  schedule(service.commit, route.target_tag);
}

template <class Timing>
void HbmController<Timing>::update_burst(Service& service, std::uint64_t burst, Fs now) {
  const std::uint16_t of = service.transaction->route().channel;
  const std::size_t channel = interleave_.channel_of(burst, of);
  for (const HbmDirection direction : {HbmDirection::read, HbmDirection::write}) {
    const HbmSlot slot = timing_.book({channel, interleave_.index_of(burst, of), direction}, now);
    service.commit = std::max(service.commit, slot.finish);
    channels_.booked(*service.transaction, channel, direction, now, slot, slot.finish);
  }
}

template <class Timing>
void HbmController<Timing>::read_command(const Arrival& arrival, Fs now) {
  Transaction& transaction = *arrival.transaction;
  if (!transaction.is_read() || transaction.get_data_length() == 0) {
    throw ModelError("a control message without a read has reached the memory");
  }
  const std::uint32_t index = services_.open(transaction);
  Service& service = services_[index];
  service.cause = arrival;
  RouteExtension& route = transaction.route();
  ++reads_;
  report_traversal(arrival, arrival.time);
  const auto booked = [&](std::size_t channel, const HbmSlot& first, Fs finish) {
    channels_.booked(transaction, channel, HbmDirection::read, now, first, finish);
  };
  if (route.list != nullptr) {
    book_runs(service, *route.list, now, booked);
  } else {
    service.read.book_all(timing_, interleave_, route.offset, transaction.get_data_length(), now,
                          route.channel, booked);
  }
  route.make_response();
  route.cut_flits(transaction.get_data_length(), flit_bytes_);
  service.flits = route.flits;
  if (route.list == nullptr) {
    service.ready.clear();
    for (std::uint32_t flit = 0; flit < route.flits; ++flit)
      service.ready.push_back(service.read.ready(route.offset_of(flit) + route.bytes_of(flit) - 1));
  }
  schedule(service.ready.front(), index);
}

// Books the bursts that the runs touch, in the order of the runs; a flit is ready when all bursts
// up to its last one have finished.
template <class Timing>
template <class Booked>
void HbmController<Timing>::book_runs(Service& service, const FlitList& flits, Fs now,
                                      Booked booked) {
  const std::uint16_t of = service.transaction->route().channel;
  service.ready.clear();
  Fs latest = now;
  std::uint32_t flit = 0;
  flits.for_each_burst(interleave_.burst_shift, [&](std::uint32_t at, std::uint64_t burst) {
    for (; flit < at; ++flit) service.ready.push_back(latest);
    const std::size_t channel = interleave_.channel_of(burst, of);
    const HbmSlot slot =
        timing_.book({channel, interleave_.index_of(burst, of), HbmDirection::read}, now);
    latest = std::max(latest, slot.finish);
    booked(channel, slot, slot.finish);
  });
  service.ready.resize(flits.size(), latest);
}

// A departure that precedes flits which have been handed over for later withdraws them.
template <class Timing>
void HbmController<Timing>::schedule(Fs time, std::uint32_t index) {
  if (announced_.active && announced_.until >= now() && services_.has_flits(index)) {
    Service& service = services_[announced_.service];
    std::uint32_t flit = service.next_flit;
    while (flit > announced_.first &&
           services_.precedes(time, index, service.ready[flit - 1], announced_.service))
      --flit;
    if (flit < service.next_flit) {
      Transaction& transaction = *service.transaction;
      const std::uint16_t port = transaction.route().path->out_port(0);
      bytes_read_ -= bytes_of(transaction, flit, service.next_flit);
      recall(port, transaction, 0, flit);
      services_.withdraw(announced_.service);
      service.next_flit = flit;
      services_.schedule(service.ready[flit], announced_.service);
      if (flit == announced_.first) {
        announced_.active = false;
      } else {
        announced_.until = service.ready[flit - 1];
      }
    }
  }
  services_.schedule(time, index);
}

template <class Timing>
std::uint64_t HbmController<Timing>::announced_bytes() const {
  if (!announced_.active || announced_.until <= now()) return 0;
  const Service& service = services_[announced_.service];
  std::uint32_t first = announced_.first;
  while (first < service.next_flit && service.ready[first] <= now()) ++first;
  return bytes_of(*service.transaction, first, service.next_flit);
}

// The flits that are ready leave now. Those that follow them, up to the first departure of another
// access, are handed over for the instants at which they are ready.
template <class Timing>
void HbmController<Timing>::leave(std::uint32_t index, Fs now) {
  if (announced_.active) {  // their instants have passed
    announced_.active = false;
    if (Service& past = services_[announced_.service]; past.next_flit == past.flits)
      services_.close(announced_.service);
  }
  Service& service = services_[index];
  Transaction& transaction = *service.transaction;
  const std::uint32_t flits = transaction.route().flits;
  const std::uint32_t first = service.next_flit;
  const bool runs = output_takes_runs(transaction.route().path->out_port(0));
  std::uint32_t next = first;
  do {
    const Fs at = service.ready[next];
    std::uint32_t end = next + 1;
    while (runs && end < flits && service.ready[end] == at) ++end;
    if (at > now && announced_.active == false) announced_ = {index, next, at, true};
    if (at > now) announced_.until = at;
    send_run(transaction, next, end - next, 0, std::max(at, now), 0);
    next = end;
  } while (runs && next < flits && services_.precedes_all(service.ready[next], index));
  bytes_read_ += bytes_of(transaction, first, next);
  service.next_flit = next;
  if (next < flits) {
    services_.schedule(service.ready[next], index);
  } else if (!announced_.active) {
    services_.close(index);
  }
}

template <class Timing>
void HbmController<Timing>::commit(std::uint32_t index, Fs now) {
  Transaction& transaction = *services_[index].transaction;
  // An acknowledgement follows a flit of the same instant that departs before it.
  const std::uint32_t follows_flit =
      announced_.active && services_.precedes(now, announced_.service, now, index) ? 1 : 0;
  services_.close(index);
  bytes_written_ += transaction.get_data_length();
  const auto reply = [&](Transaction& answer, std::uint32_t flit, std::uint32_t flits) {
    send(answer, flits == 0 ? follows_flit : flit, flits, 0, now);
  };
  if (__builtin_expect(is_atomic(transaction), 0)) {
    ++atomics_;
    bytes_read_ += transaction.get_data_length();
    return answer_atomic(transaction, flit_bytes_, reply);
  }
  ++writes_;
  answer_access(transaction, flit_bytes_, reply);
}

// The built-in controller: pseudo-channels are booked burst by burst.
extern template class HbmController<PseudoChannelTiming>;
using HbmCtrl = HbmController<PseudoChannelTiming>;

}  // namespace kernbench
