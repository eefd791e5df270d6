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
};

template <class Service>
RouterNode<Service>::RouterNode(const ComponentInit& init)
    : FabricNode(init, ArrivalQueue::Forwarding::cut_through),
      service_(arrivals_, init.attributes.as<Parameters>()) {
  const RouterParameters& parameters = init.attributes.as<Parameters>();
  if (*parameters.buffer_flits > 0)
    buffer_ = {*parameters.virtual_channels, *parameters.buffer_flits};
  add_statistic("transactions", "legs with data forwarded", Quantity::count, transactions_);
  add_statistic("flits", "flits forwarded", Quantity::count, flits_);
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
  service_.serve(at, [this, at](const Arrival& arrival, Fs start) {
    if constexpr (!std::is_same_v<Service, SerialService>) check_start(arrival, start, at);
    Transaction& transaction = *arrival.transaction;
    if (transaction.route().is_control()) {
      ++control_messages_;
      report_traversal(arrival, arrival.time);
      send(transaction, 0, 0, arrival.position, at);
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
  });
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
