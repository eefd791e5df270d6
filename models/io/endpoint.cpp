#include "models/io/endpoint.h"

#include "models/protocol/machine_services.h"

namespace kernbench {

Endpoint::Endpoint(const ComponentInit& init) : Endpoint(init, init.attributes.as<Parameters>()) {}

Endpoint::Endpoint(const ComponentInit& init, const Parameters& parameters)
    : FabricNode(init, *parameters.cut_through ? ArrivalQueue::Forwarding::cut_through
                                               : ArrivalQueue::Forwarding::store_and_forward),
      cut_through_(*parameters.cut_through), passing_(arrivals_, *parameters.overhead) {}

void Endpoint::serve() {
  if (settling_ || passing_.next_due() > now()) return;
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
  passing_.serve(now(), [this](const Arrival& arrival, Fs /*start*/) { pass_on(arrival); });
}

void Endpoint::pass_on(const Arrival& arrival) {
  Transaction& transaction = *arrival.transaction;
  const std::uint32_t flits = transaction.route().flits;
  const bool starts_here = arrival.position == 0;
  const bool whole = starts_here || !cut_through_;
  if (!starts_here && (whole || arrival.flit + 1 >= flits)) ++passed_;
  report_traversal(arrival, whole || arrival.is_first() ? now() - passing_.overhead() : now());
  if (flits == 0 && starts_here) {
    send_message(transaction);
  } else if (flits == 0) {
    send(transaction, 0, 0, arrival.position, now());
  } else if (whole) {
    for (std::uint32_t flit = 0; flit < flits; ++flit)
      send(transaction, flit, 1, arrival.position, now());
  } else {
    send(transaction, arrival.flit, 1, arrival.position, now());
  }
}

}  // namespace kernbench
