// Forwarding node: router, switch, UCIe port or connection, IO chiplet network. One class, several
// names; its arbitration policy is a class (models/fabric/router_service.h).
//
// Timing of the built-in service (spec 2.4, models/fabric/serial_ingress.h): one serial server over
// one inbox in order of arrival. The first flit of a leg occupies it for overhead_ns and is
// forwarded then; later flits wait only for the server to be free. A control message is forwarded
// overhead_ns after its arrival and neither waits for nor occupies the server. Nothing is
// reassembled. Latency and occupancy apart, several servers: pipelined_router.h. With
// `buffer_flits` (spec 2.10) every virtual channel of an input has that many places: a flit that
// the server has forwarded keeps its place while it waits for a credit of the next node
// (credited_output.h) and until its last byte has left; then the credit is returned. Not modelled:
// output arbitration, messages that share a virtual channel and hold one another up, route
// decisions (the transaction carries its path).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "models/fabric/router_service.h"
#include "models/protocol/fabric_node.h"

namespace kernbench {

class PipelinedService;  // models/noc/pipelined_router.h

template <class Service>
class RouterNode final : public FabricNode {
 public:
  static constexpr const char* description = Service::description;
  static constexpr std::array roles{Role::router};
  using Parameters = typename Service::Parameters;
  static std::optional<ParameterFault> check(const Parameters& parameters) {
    return Service::check(parameters);
  }
  explicit RouterNode(const ComponentInit& init);
  InputBuffer input_buffer() const override { return buffer_; }

 private:
  void end_of_elaboration() override {
    server_of("busy").places = service_.servers(inputs(), outputs());
  }
  Fs next_due() const override { return service_.next_due(); }
  void serve() override;
  bool pass_directly(const Path& path, std::uint32_t position, DirectRoute& route) override;
  static constexpr bool is_serial = std::is_same_v<Service, SerialService>;
  static constexpr bool serves_runs = is_serial || std::is_same_v<Service, PipelinedService>;
  bool takes_runs() const override { return serves_runs && !buffer_.finite(); }
  void accepted(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival) override;
  void accepted_run(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival,
                    Fs spacing) override;
  void recalled(std::uint32_t port, Transaction& transaction, std::uint32_t position,
                std::uint32_t flit) override;
  static constexpr ServedRun no_run{{never_fs, nullptr, 0, 0, 0, 0, 0, 0}};
  std::uint32_t serve_run(ServedRun run, Fs at);
  void split_runs(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival);
  void withdraw(std::uint32_t output, std::uint32_t count);
  RunCounts counts() const;
  std::uint32_t follows_flits(const Arrival& message, Fs at) const;
  std::size_t depth(Fs now) const override { return FabricNode::depth(now) + service_.queued(); }
  const Arrival* in_service(Fs now) const override {
    const Arrival* queued = service_.first_queued();
    return queued != nullptr ? queued : FabricNode::in_service(now);
  }

  Service service_;
  InputBuffer buffer_;
  std::uint64_t transactions_ = 0;
  std::uint64_t flits_ = 0;
  std::uint64_t control_messages_ = 0;  // and those of direct_
  std::uint64_t busy_fs_ = 0;
  std::uint64_t waiting_fs_ = 0;
  std::uint64_t stalled_fs_ = 0;
  std::uint64_t longest_wait_fs_ = 0;
  DirectRoutes direct_;
  // The last run that has been handed over to each output; part of it may be announced for later.
  std::vector<ServedRun> announced_;
  Fs announced_until_ = 0;  // hand-over of the last of their flits
  RunCounts replaced_;      // of runs that are no longer in announced_
};

template <class Service>
RouterNode<Service>::RouterNode(const ComponentInit& init)
    : FabricNode(init, ArrivalQueue::Forwarding::cut_through),
      service_(arrivals_, init.attributes.as<Parameters>()) {
  const RouterParameters& parameters = init.attributes.as<Parameters>();
  if (*parameters.buffer_flits > 0)
    buffer_ = {*parameters.virtual_channels, *parameters.buffer_flits};
  add_statistic("transactions", "legs with data forwarded", Quantity::count, transactions_);
  add_count("flits", "flits forwarded", flits_, [this] { return flits_ + counts().flits; });
  add_count("control_messages", "control messages forwarded", control_messages_,
            [this] { return control_messages_ + direct_.messages(); });
  add_busy_time("busy", "time for which the server was held", busy_fs_,
                [this](Fs now) { return busy_fs_ + service_.held(now) + counts().busy_fs; },
                {Server::Kind::rate, service_.rate_attribute(), 1,
                 [this](Fs now) { return stalled_fs_ + service_.stalled(now); }});
  add_count(
      "waiting", "queueing time of flits at the server, summed", waiting_fs_,
      [this] { return waiting_fs_ + counts().waiting_fs; }, Quantity::time_fs);
  add_statistic("stalled", "queueing time of first flits of messages at the server, summed",
                Quantity::time_fs, stalled_fs_);
  add_count(
      "longest_wait", "longest queueing time of a flit at the server", longest_wait_fs_,
      [this] { return std::max(longest_wait_fs_, counts().longest_wait_fs); }, Quantity::time_fs,
      Merge::maximum);
  Observables to(*this);
  service_.observe(to);
}

template <class Service>
void RouterNode<Service>::serve() {
  const Fs at = now();
  const auto pass_on = [this, at](const Arrival& arrival, Fs start) {
    if constexpr (!is_serial) check_start(arrival, start, at);
    Transaction& transaction = *arrival.transaction;
    if (transaction.route().is_control()) {
      ++control_messages_;
      report_traversal(arrival, arrival.time);
      send(transaction, follows_flits(arrival, at), 0, arrival.position, at);
      return;
    }
    const Fs wait = start - arrival.time;
    ++flits_;
    if (arrival.is_first()) ++transactions_;
    busy_fs_ += service_.occupancy(arrival, at - start);
    waiting_fs_ += wait;
    if (arrival.is_first()) stalled_fs_ += wait;
    longest_wait_fs_ = std::max<std::uint64_t>(longest_wait_fs_, wait);
    report_traversal(arrival, start);
    if (buffer_.finite())
      return send_from({arrival.port, arrival.virtual_channel}, transaction, arrival.flit, 1,
                       arrival.position, at);
    send(transaction, arrival.flit, 1, arrival.position, at);
  };
  if constexpr (serves_runs) {
    const auto takes_runs = [this](const Arrival& flit) {
      return !buffer_.finite() &&
             output_takes_runs(flit.transaction->route().path->out_port(flit.position));
    };
    service_.serve(at, pass_on, takes_runs,
                   [this, at](const ServedRun& run) { return serve_run(run, at); });
  } else {
    service_.serve(at, pass_on);
  }
}

// --- Runs of flits
//
// Between two arrivals that affect them, later flits of a leg leave in at most two arithmetic
// sequences: while they are queued, and as they arrive. They are handed over as runs. An arrival
// that is announced later, and affects some of them, withdraws these and all behind.

template <class Service>
std::uint32_t RouterNode<Service>::serve_run(ServedRun run, Fs at) {
  Arrival& flits = run.flits;
  // A control message that leaves now follows the flits that precede it.
  if (const Arrival* message = arrivals_.control();
      message != nullptr && message->time + service_.overhead() <= at)
    flits.count = std::min(flits.count, flits_before(flits, *message));
  if (flits.count < 2) return 0;
  Transaction& transaction = *flits.transaction;
  run.for_each_pace([&](const BookedFlits& part, std::uint32_t index) {
    send_run(transaction, flits.flit + index, part.count, flits.position, part.start + run.latency,
             part.pace);
  });
  if (announced_.empty()) announced_.resize(outputs(), no_run);
  ServedRun& announced = announced_[transaction.route().path->out_port(flits.position)];
  announced.count(at, replaced_);
  announced = run;
  announced_until_ = std::max(announced_until_, run.last_hand_over());
  return flits.count;
}

template <class Service>
void RouterNode<Service>::split_runs(std::uint32_t port, Transaction& transaction, FlitRun run,
                                     Fs arrival) {
  if (transaction.route().is_control()) return;
  const Arrival other{arrival,   &transaction, arrivals_.upstream(port),
                      run.first, run.position, static_cast<std::uint16_t>(port)};
  for (std::uint32_t output = 0; output < announced_.size(); ++output) {
    const ServedRun& announced = announced_[output];
    if (announced.flits.count == 0) continue;
    const std::uint32_t kept = service_.unaffected(announced, other);
    if (kept == announced.flits.count) continue;
    const Arrival rest = announced.flits.from(kept);
    withdraw(output, kept);
    service_.put_back(rest, now());
  }
  rearm();
}

// Withdraws all but the first `count` flits of the run that has been announced to an output.
template <class Service>
void RouterNode<Service>::withdraw(std::uint32_t output, std::uint32_t count) {
  ServedRun& announced = announced_[output];
  Arrival& flits = announced.flits;
  recall(output, *flits.transaction, flits.position, flits.flit + count);
  flits.count = count;
  service_.withdraw(announced);
}

template <class Service>
void RouterNode<Service>::accepted(std::uint32_t port, Transaction& transaction, FlitRun run,
                                   Fs arrival) {
  if constexpr (serves_runs) {
    if (arrival <= announced_until_) split_runs(port, transaction, run, arrival);
  }
  FabricNode::accepted(port, transaction, run, arrival);
}

template <class Service>
void RouterNode<Service>::accepted_run(std::uint32_t port, Transaction& transaction, FlitRun run,
                                       Fs arrival, Fs spacing) {
  if constexpr (serves_runs) {
    if (arrival <= announced_until_) split_runs(port, transaction, run, arrival);
  }
  FabricNode::accepted_run(port, transaction, run, arrival, spacing);
}

template <class Service>
void RouterNode<Service>::recalled(std::uint32_t port, Transaction& transaction,
                                   std::uint32_t position, std::uint32_t flit) {
  FabricNode::recalled(port, transaction, position, flit);
  if constexpr (serves_runs) {
    const std::uint16_t output = transaction.route().path->out_port(position);
    if (output >= announced_.size()) return;
    const Arrival& flits = announced_[output].flits;
    if (flits.count > 0 && flits.transaction == &transaction && flits.last_time() > now() &&
        flits.flit + flits.count > flit)
      withdraw(output, flit > flits.flit ? flit - flits.flit : 0);
  }
}

// Of the flits in runs that have been forwarded.
template <class Service>
RunCounts RouterNode<Service>::counts() const {
  RunCounts counts = replaced_;
  for (const ServedRun& run : announced_) run.count(now(), counts);
  return counts;
}

// 1 for a control message that leaves at `at`, after a flit that is announced for the same instant
// and output; else 0.
template <class Service>
std::uint32_t RouterNode<Service>::follows_flits(const Arrival& message, Fs at) const {
  if (announced_until_ < at || announced_.empty()) return 0;
  const ServedRun& run = announced_[message.transaction->route().path->out_port(message.position)];
  const std::uint32_t left = run.handed_over_before(at + 1);
  if (left == run.handed_over_before(at)) return 0;
  return earlier(run.flits.from(left - 1), message) ? 1 : 0;
}

// Custom policies may access more of a message than the built-in one.
template <class Service>
bool RouterNode<Service>::pass_directly(const Path& path, std::uint32_t position,
                                        DirectRoute& route) {
  if constexpr (serves_runs) {
    route.delay += service_.overhead();
    if (!get_direct_route(path, position, route)) return false;
    direct_.add(route);
    return true;
  } else {
    return false;
  }
}

extern template class RouterNode<SerialService>;
using Router = RouterNode<SerialService>;

}  // namespace kernbench
