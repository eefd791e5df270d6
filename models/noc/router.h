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
  bool takes_runs() const override {
    constexpr bool pops_flits = is_serial || std::is_same_v<Service, PipelinedService>;
    return pops_flits && !buffer_.finite();
  }
  void accepted(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival) override;
  void accepted_run(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival,
                    Fs spacing) override;
  void recalled(std::uint32_t port, Transaction& transaction, std::uint32_t position,
                std::uint32_t flit) override;
  bool serve_run(const Arrival& run, Fs at);
  bool interferes(const Arrival& other, std::uint32_t output) const;
  void split_runs(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival);
  void withdraw(std::uint32_t output, std::uint32_t flit);
  std::uint64_t announced_flits() const;
  std::uint32_t follows_flits(const Arrival& message) const;
  Fs overhead() const {
    if constexpr (is_serial) return service_.overhead();
    return 0;
  }
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
  // Flits that have been handed over to an output for instants after their call, by output: later
  // flits of one leg, which leave as they arrive.
  std::vector<Arrival> announced_;
  Fs announced_until_ = 0;  // arrival of the last of them
};

template <class Service>
RouterNode<Service>::RouterNode(const ComponentInit& init)
    : FabricNode(init, ArrivalQueue::Forwarding::cut_through),
      service_(arrivals_, init.attributes.as<Parameters>()) {
  const RouterParameters& parameters = init.attributes.as<Parameters>();
  if (*parameters.buffer_flits > 0)
    buffer_ = {*parameters.virtual_channels, *parameters.buffer_flits};
  add_statistic("transactions", "legs with data forwarded", Quantity::count, transactions_);
  add_count("flits", "flits forwarded", flits_, [this] { return flits_ - announced_flits(); });
  add_count("control_messages", "control messages forwarded", control_messages_,
            [this] { return control_messages_ + direct_.messages(); });
  add_busy_time("busy", "time for which the server was held", busy_fs_,
                [this](Fs now) { return busy_fs_ + service_.held(now); },
                {Server::Kind::rate, service_.rate_attribute(), 1,
                 [this](Fs now) { return stalled_fs_ + service_.stalled(now); }});
  add_statistic("waiting", "queueing time of flits at the server, summed", Quantity::time_fs,
                waiting_fs_);
  add_statistic("stalled", "queueing time of first flits of messages at the server, summed",
                Quantity::time_fs, stalled_fs_);
  add_statistic("longest_wait", "longest queueing time of a flit at the server", Quantity::time_fs,
                longest_wait_fs_, Merge::maximum);
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
      send(transaction, follows_flits(arrival), 0, arrival.position, at);
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
  if constexpr (is_serial) {
    service_.serve(at, pass_on, [this, at](const Arrival& run) { return serve_run(run, at); });
  } else {
    service_.serve(at, pass_on);
  }
}

// --- Runs of flits
//
// Later flits of a leg have no service time: they leave as they arrive, or those that have arrived
// by now, together. They are handed over as a run up to the first arrival at another port that
// affects them: the first flit of a leg, which holds the server, or a flit for the same output. A
// flit that is announced later, and arrives before one of them, withdraws the rest of the run.

template <class Service>
bool RouterNode<Service>::interferes(const Arrival& other, std::uint32_t output) const {
  if constexpr (is_serial) {
    if (other.is_first() && service_.overhead() > 0) return true;
  }
  return other.transaction->route().path->out_port(other.position) == output;
}

template <class Service>
bool RouterNode<Service>::serve_run(const Arrival& run, Fs at) {
  Transaction& transaction = *run.transaction;
  const std::uint16_t output = transaction.route().path->out_port(run.position);
  if (!output_takes_runs(output)) return false;
  std::uint32_t count = arrivals_.flits_before_interference(
      [this, output](const Arrival& other) { return interferes(other, output); });
  // A control message that leaves now follows the flits that precede it.
  if (const Arrival* message = arrivals_.control();
      message != nullptr && message->time + overhead() <= at)
    count = std::min(count, flits_before(run, *message));
  if (count < 2) return false;
  const std::uint32_t present = flits_until(run.time, run.spacing, count, at + 1);
  flits_ += count;
  waiting_fs_ += present * (at - run.time) - run.spacing * present * (present - 1) / 2;
  longest_wait_fs_ = std::max<std::uint64_t>(longest_wait_fs_, at - run.time);
  send_run(transaction, run.flit, present, run.position, at, 0);
  if (count > present) {
    Arrival rest = run;
    rest.flit += present;
    rest.count = count - present;
    rest.time += present * run.spacing;
    send_run(transaction, rest.flit, rest.count, rest.position, rest.time, rest.spacing);
    if (announced_.empty()) announced_.resize(outputs());
    announced_[output] = rest;
    announced_until_ = std::max(announced_until_, rest.last_time());
  }
  arrivals_.take(count);
  return true;
}

template <class Service>
void RouterNode<Service>::split_runs(std::uint32_t port, Transaction& transaction, FlitRun run,
                                     Fs arrival) {
  if (transaction.route().is_control()) return;
  const Arrival other{arrival,   &transaction, arrivals_.upstream(port),
                      run.first, run.position, static_cast<std::uint16_t>(port)};
  for (std::uint32_t output = 0; output < announced_.size(); ++output) {
    const Arrival& announced = announced_[output];
    if (announced.transaction == nullptr || announced.port == port ||
        announced.last_time() < arrival || !interferes(other, output))
      continue;
    const std::uint32_t before = flits_before(announced, other);
    if (before == announced.count) continue;
    Arrival rest = announced;
    rest.flit += before;
    rest.count -= before;
    rest.time += before * rest.spacing;
    withdraw(output, rest.flit);
    arrivals_.put_back(rest);
  }
  rearm();
}

// Withdraws the flits from `flit` on that have been announced to an output.
template <class Service>
void RouterNode<Service>::withdraw(std::uint32_t output, std::uint32_t flit) {
  Arrival& announced = announced_[output];
  flit = std::max(flit, announced.flit);
  const std::uint32_t kept = flit - announced.flit;
  flits_ -= announced.count - kept;
  recall(output, *announced.transaction, announced.position, flit);
  announced.count = kept;
  if (kept == 0) announced.transaction = nullptr;
}

template <class Service>
void RouterNode<Service>::accepted(std::uint32_t port, Transaction& transaction, FlitRun run,
                                   Fs arrival) {
  if (arrival <= announced_until_) split_runs(port, transaction, run, arrival);
  FabricNode::accepted(port, transaction, run, arrival);
}

template <class Service>
void RouterNode<Service>::accepted_run(std::uint32_t port, Transaction& transaction, FlitRun run,
                                       Fs arrival, Fs spacing) {
  if (arrival <= announced_until_) split_runs(port, transaction, run, arrival);
  FabricNode::accepted_run(port, transaction, run, arrival, spacing);
}

template <class Service>
void RouterNode<Service>::recalled(std::uint32_t port, Transaction& transaction,
                                   std::uint32_t position, std::uint32_t flit) {
  FabricNode::recalled(port, transaction, position, flit);
  const std::uint16_t output = transaction.route().path->out_port(position);
  if (output >= announced_.size()) return;
  const Arrival& announced = announced_[output];
  if (announced.transaction == &transaction && announced.last_time() > now() &&
      announced.flit + announced.count > flit)
    withdraw(output, flit);
}

// Flits in flits_ that have not been forwarded.
template <class Service>
std::uint64_t RouterNode<Service>::announced_flits() const {
  const Fs at = now();
  std::uint64_t flits = 0;
  for (const Arrival& run : announced_) {
    if (run.transaction != nullptr)
      flits += run.count - flits_until(run.time, run.spacing, run.count, at + 1);
  }
  return flits;
}

// 1 for a control message without service that leaves after a flit that is announced for the same
// instant and output; else 0.
template <class Service>
std::uint32_t RouterNode<Service>::follows_flits(const Arrival& message) const {
  if (overhead() > 0 || announced_until_ < message.time) return 0;
  const std::uint16_t output = message.transaction->route().path->out_port(message.position);
  Arrival flit = announced_[output];
  flit.time = message.time;
  return flit.transaction != nullptr && earlier(flit, message) ? 1 : 0;
}

// Custom policies may access more of a message than the built-in one.
template <class Service>
bool RouterNode<Service>::pass_directly(const Path& path, std::uint32_t position,
                                        DirectRoute& route) {
  if constexpr (std::is_same_v<Service, SerialService> ||
                std::is_same_v<Service, PipelinedService>) {
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
