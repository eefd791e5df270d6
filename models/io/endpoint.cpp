#include "models/io/endpoint.h"

#include <string>

#include "models/protocol/machine_services.h"

namespace kernbench {

Endpoint::Endpoint(const ComponentInit& init) : Endpoint(init, init.attributes.as<Parameters>()) {}

Endpoint::Endpoint(const ComponentInit& init, const Parameters& parameters)
    : FabricNode(init, *parameters.cut_through ? ArrivalQueue::Forwarding::cut_through
                                               : ArrivalQueue::Forwarding::store_and_forward),
      cut_through_(*parameters.cut_through),
      passing_(arrivals_, parameters.server.times(*parameters.overhead).latency) {
  const ServerParameters& server = parameters.server;
  if (cut_through_ && !server.are_defaults())
    servers_.emplace(arrivals_, server.times(*parameters.overhead), server.per());
  if (!cut_through_) return;
  add_busy_time(
      "busy", "time for which the server was held", busy_fs_,
      [this](Fs now) { return busy_fs_ + (servers_ ? servers_->held(now) : passing_.held(now)); },
      {Server::Kind::rate, server.rate_attribute(), 1, [this](Fs now) {
         return stalled_fs_ + (servers_ ? servers_->stalled(now) : passing_.stalled(now));
       }});
}

void Endpoint::end_of_elaboration() {
  if (servers_) server_of("busy").places = servers_->servers(inputs(), outputs());
}

std::optional<ParameterFault> Endpoint::check(const Parameters& parameters) {
  const ServerParameters& server = parameters.server;
  if (const auto fault = server.check(*parameters.overhead)) return fault;
  if (*parameters.cut_through) return std::nullopt;
  const auto without_server = [](const char* key, const std::string& found,
                                 const std::string& allowed) {
    return ParameterFault{key, "found " + found + ", allowed without cut_through is " + allowed +
                                   ": an end point that stores whole messages has no server"};
  };
  if (*server.occupancy > 0)
    return without_server("occupancy_ns", format_ns(*server.occupancy), "0");
  if (*server.flit_occupancy > 0)
    return without_server("flit_occupancy_ns", format_ns(*server.flit_occupancy), "0");
  if (server.per() != ServerPer::node) return without_server("servers", *server.servers, "node");
  return std::nullopt;
}

std::size_t Endpoint::depth(Fs now) const {
  return FabricNode::depth(now) + (servers_ ? servers_->filed() : 0);
}

const Arrival* Endpoint::in_service(Fs now) const {
  const Arrival* filed = servers_ ? servers_->first_filed() : nullptr;
  return filed != nullptr ? filed : FabricNode::in_service(now);
}

void Endpoint::serve() {
  if (settling_ || due() > now()) return;
  if (passing_.overhead() > 0) return pass_due();
  settling_ = true;
  services().end_of_timestep().ask_when_quiescent(*this, node());
}

void Endpoint::timestep_quiescent() {
  guarded(services(), *this, [this] {
    settling_ = false;
    pass_due();
    rearm();
    show();
  });
}

void Endpoint::pass_due() {
  const auto hand_over = [this](const Arrival& arrival, Fs start) { pass_on(arrival, start); };
  if (servers_) return servers_->serve(now(), hand_over);
  passing_.serve(now(), hand_over);
}

void Endpoint::pass_on(const Arrival& arrival, Fs start) {
  Transaction& transaction = *arrival.transaction;
  const std::uint32_t flits = transaction.route().flits;
  const bool starts_here = arrival.position == 0;
  const bool whole = starts_here || !cut_through_;
  if (!starts_here && (whole || arrival.flit + 1 >= flits)) ++passed_;
  report_traversal(arrival, start);
  if (flits == 0 && starts_here) {
    send_message(transaction);
  } else if (flits == 0) {
    send(transaction, 0, 0, arrival.position, now());
  } else if (whole) {
    send(transaction, 0, flits, arrival.position, now());
  } else {
    serve_flit(arrival, start);
  }
}

void Endpoint::serve_flit(const Arrival& flit, Fs start) {
  busy_fs_ += servers_ ? servers_->hold_of(flit) : now() - start;
  if (flit.is_first()) stalled_fs_ += start - flit.time;
  send(*flit.transaction, flit.flit, 1, flit.position, now());
}

}  // namespace kernbench
