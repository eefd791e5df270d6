#include "models/io/pcie_ep.h"

#include <algorithm>

namespace kernbench {
namespace {

ArrivalQueue::Keep unit_of_passing(const ComponentInit& init) {
  return init.attributes.flag("cut_through") ? ArrivalQueue::Keep::every_flit : ArrivalQueue::Keep::last_flit;
}

}  // namespace

ParameterSchema PcieEp::schema() {
  return {
      Parameter::duration_ns("overhead_ns", "per message that is injected or passes through", "spec 2.6").default_val(0),
      Parameter::boolean("cut_through", "pass flits on as they come instead of whole messages", "spec 2.6").default_val(false),
  };
}

PcieEp::PcieEp(const ComponentInit& init)
    : FabricNode(init, unit_of_passing(init)), cut_through_(attributes().flag("cut_through")),
      passing_(arrivals_, ns_to_fs(attributes().decimal("overhead_ns"))) {
  add_statistic("injected", "transactions of the host that started here", Quantity::count, injected_);
  add_statistic("passed", "messages passed through", Quantity::count, passed_);
  add_statistic("completed", "responses that ended here", Quantity::count, completed_);
}

void PcieEp::inject(TransactionHandle transaction) {
  ++injected_;
  if (arrivals_.push_message(node(), *transaction, {}, now())) rearm();
}

void PcieEp::accepted(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival) {
  const RouteExtension& route = transaction.route();
  if (run.position < route.path->target_position()) {
    FabricNode::accepted(port, transaction, run, arrival);
    return;
  }
  const bool whole = run.first + run.count == route.flits;
  if (whole && responses_.push_message(arrivals_.upstream(port), transaction, run, arrival)) rearm();
}

Fs PcieEp::next_due() const {
  const Fs response = responses_.control() == nullptr ? never_fs : responses_.control()->time;
  return std::min(response, passing_.next_due());
}

void PcieEp::serve() {
  complete_responses();
  if (passing_.next_due() > now()) return;
  if (passing_.overhead() == 0 && settled_ != now()) {
    // What leaves at this instant may be issued at this instant by processes that have not run yet: let them, for the tie rule.
    settled_ = now();
    return;
  }
  passing_.serve(now(), [this](const Arrival& arrival) { pass_on(arrival); });
}

void PcieEp::complete_responses() {
  while (responses_.control() != nullptr && responses_.control()->time <= now()) {
    const Arrival arrival = *responses_.control();
    responses_.pop_control();
    ++completed_;
    report_passage(arrival, arrival.time);
    arrival.transaction->route().owner->completed(*arrival.transaction);
  }
}

void PcieEp::pass_on(const Arrival& arrival) {
  Transaction& transaction = *arrival.transaction;
  const std::uint32_t flits = transaction.route().flits;
  const bool starts_here = arrival.position == 0;
  const bool whole = starts_here || !cut_through_;
  if (!starts_here && (whole || arrival.flit + 1 >= flits)) ++passed_;
  report_passage(arrival, whole || arrival.is_first() ? now() - passing_.overhead() : now());
  if (flits == 0) {
    send(transaction, 0, 0, arrival.position, now());
  } else if (whole) {
    for (std::uint32_t flit = 0; flit < flits; ++flit) send(transaction, flit, 1, arrival.position, now());
  } else {
    send(transaction, arrival.flit, 1, arrival.position, now());
  }
}

}  // namespace kernbench
