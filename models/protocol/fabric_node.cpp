#include "models/protocol/fabric_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "models/base/component_fault.h"
#include "models/base/errors.h"
#include "models/protocol/fabric_calendar.h"
#include "models/protocol/fabric_signals.h"
#include "models/protocol/machine_services.h"

namespace kernbench {

[[noreturn]] void not_inside_the_fabric(const char* call) {
  throw ModelError(fmt::format(
      "{} does not run inside the fabric; it belongs to the external TLM boundary (spec 2.1)",
      call));
}

[[noreturn]] void not_taken(const char* call) {
  throw ModelError(fmt::format("{} at an end of the fabric that accepts single flits", call));
}

class FabricNode::Input final : public FabricForward {
 public:
  Input(FabricNode& node, std::uint32_t port, NodeId upstream, const std::string& peer)
      : node_(node), port_(port), socket(("from_" + peer).c_str()) {
    socket.bind(*this);
    node.arrivals_.add_port(upstream);
  }

  // Errors of the node name it, not the sender whose call it is in.
  void accept(Transaction& transaction, FlitRun run, Fs arrival) override try {
    RouteExtension& route = transaction.route();
    if (run.count > 0 && run.position == route.path->target_position()) {
      if (run.first != route.ended_flits) return node_.refuse_flits(transaction, run);
      route.ended_flits += run.count;
    }
    if (node_.signals_ != nullptr) return accept_and_show(transaction, run, arrival);
    node_.accepted(port_, transaction, run, arrival);
  } catch (...) {
    rethrow_from(node_);
  }
  // Each traversal is an event while one of its kind is observed, and signals show each flit.
  bool takes_runs() const override {
    const Observation& observed = node_.observation_;
    return node_.takes_runs() && node_.signals_ == nullptr && !observed.single_flits &&
           !observed.link_traversals.observed() && !observed.node_traversals.observed() &&
           !observed.hbm_bookings.observed();
  }
  void accept_run(Transaction& transaction, FlitRun run, Fs arrival, Fs spacing) override try {
    RouteExtension& route = transaction.route();
    if (run.position == route.path->target_position()) {
      if (run.first != route.ended_flits) return node_.refuse_flits(transaction, run);
      route.ended_flits += run.count;
    }
    node_.accepted_run(port_, transaction, run, arrival, spacing);
  } catch (...) {
    rethrow_from(node_);
  }
  void recall(Transaction& transaction, std::uint32_t position, std::uint32_t flit) override try {
    RouteExtension& route = transaction.route();
    if (position == route.path->target_position()) route.ended_flits = flit;
    node_.recalled(port_, transaction, position, flit);
  } catch (...) {
    rethrow_from(node_);
  }
  bool get_direct_route(const Path& path, std::uint32_t position, DirectRoute& route) override {
    if (position != path.target_position()) return node_.pass_directly(path, position, route);
    route.target = this;
    return true;
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
    return node_.transport_debug(payload);
  }

 private:
  void accept_and_show(Transaction& transaction, FlitRun run, Fs arrival) {
    node_.accepted(port_, transaction, run, arrival);
    node_.signals_->announced(arrival);
  }

  FabricNode& node_;
  std::uint32_t port_;

 public:
  FabricTargetSocket socket;  // last: it is large
};

class FabricNode::Output final : public FabricBackward {
 public:
  Output(FabricNode& node, std::size_t port) : node_(node), port_(port) {}
  void credit(std::uint32_t virtual_channel, std::uint32_t flits, Fs at) override {
    BufferedOutput* output = node_.buffered_[port_].get();
    if (output == nullptr) throw ModelError("a credit for an output without credit flow control");
    output->credit(virtual_channel, flits, at);
  }

 private:
  FabricNode& node_;
  std::size_t port_;
};

Services& BufferedOutput::services_of(FabricNode& node) { return node.services(); }

CreditStatistics& BufferedOutput::statistics_of(FabricNode& node) {
  if (node.credit_statistics_ != nullptr) return *node.credit_statistics_;
  node.credit_statistics_ = std::make_unique<CreditStatistics>();
  const CreditStatistics& counts = *node.credit_statistics_;
  node.add_statistic("credit_waiting", "stall time of flits without a credit, summed",
                     Quantity::time_fs, counts.waiting_fs);
  node.add_statistic("credit_stalls", "flits stalled for a credit", Quantity::count,
                     counts.stalled_flits);
  node.add_statistic("credit_queue", "maximum number of flits stalled for credits at one output",
                     Quantity::count, counts.longest_queue, Merge::maximum);
  return *node.credit_statistics_;
}

FabricNode::FabricNode(const ComponentInit& init, ArrivalQueue::Forwarding forwarding)
    : Component(init), calendar_(machine_services(init.services).calendar()), arrivals_(forwarding),
      observation_(init.services.observation()) {}

FabricNode::~FabricNode() = default;

FabricTargetSocket& FabricNode::add_input(NodeId upstream, const std::string& peer) {
  const Scope scope(*this);
  const auto port = static_cast<std::uint32_t>(inputs_.size());
  inputs_.push_back(std::make_unique<Input>(*this, port, upstream, peer));
  return inputs_.back()->socket;
}

FabricInitiatorSocket& FabricNode::add_output(const std::string& peer, bool has_link) {
  const Scope scope(*this);
  outputs_.push_back(std::make_unique<FabricInitiatorSocket>(("to_" + peer).c_str()));
  outputs_sinks_.push_back(std::make_unique<Output>(*this, outputs_sinks_.size()));
  outputs_.back()->bind(*outputs_sinks_.back());
  links_.push_back(nullptr);
  output_takes_runs_.push_back(-1);
  buffered_.push_back(nullptr);
  has_link_.push_back(has_link);
  return *outputs_.back();
}

void FabricNode::buffer_output(std::unique_ptr<BufferedOutput> output) {
  links_.back() = output.get();
  buffered_.back() = std::move(output);
}

void FabricNode::send_from(BufferPlace place, Transaction& transaction, std::uint32_t flit,
                           std::uint32_t count, std::uint32_t position, Fs at) {
  const std::uint16_t port = transaction.route().path->out_port(position);
  if (BufferedOutput* output = buffered_[port].get())
    return output->put(transaction, {flit, count, position + 1}, place, at);
  send(transaction, flit, count, position, at);
  left(place, at);
}

void FabricNode::send_message(Transaction& transaction) {
  const Path& path = *transaction.route().path;
  if (transaction.route().host_control && !observation_.link_traversals.observed() &&
      !observation_.node_traversals.observed()) {
    std::unique_ptr<DirectRoute>& direct = direct_routes_[&path];
    if (direct == nullptr) {
      direct = std::make_unique<DirectRoute>();
      if (!get_direct_route(path, 0, *direct)) *direct = {};
    }
    if (direct->target != nullptr) {
      ++direct->messages;
      return direct->target->accept(transaction, {0, 0, path.target_position()},
                                    now() + direct->delay);
    }
  }
  send(transaction, 0, 0, 0, now());
}

bool FabricNode::get_direct_route(const Path& path, std::uint32_t position, DirectRoute& route) {
  return link_of(path.out_port(position))->get_direct_route(path, position + 1, route);
}

void FabricNode::return_credit(BufferPlace place, Fs at) {
  inputs_[place.port]->socket->credit(place.virtual_channel, 1, at);
}

FabricForward* FabricNode::find_link(std::uint32_t port) {
  return links_[port] = outputs_[port]->operator->();
}

void FabricNode::accepted(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival) {
  if (arrivals_.push(port, transaction, run, arrival)) rearm();
}

void FabricNode::accepted_run(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival,
                              Fs spacing) {
  if (arrivals_.push_run(port, transaction, run, arrival, spacing)) rearm();
}

void FabricNode::recalled(std::uint32_t port, Transaction& transaction, std::uint32_t /*position*/,
                          std::uint32_t flit) {
  arrivals_.recall(port, transaction, flit);
}

bool FabricNode::find_output_takes_runs(std::uint32_t port) {
  output_takes_runs_[port] = link_of(port)->takes_runs() ? 1 : 0;
  return output_takes_runs_[port] != 0;
}

// Behind a second link, transactions that pass contend with those that start here.
bool FabricNode::direct_outputs_take_runs() const {
  std::size_t links = 0;
  for (std::size_t port = 0; port < outputs_.size(); ++port) {
    if (has_link_[port] ? ++links > 1 : !(*outputs_[port])->takes_runs()) return false;
  }
  return true;
}

void FabricNode::send_run(Transaction& transaction, std::uint32_t flit, std::uint32_t count,
                          std::uint32_t position, Fs at, Fs spacing) {
  const RouteExtension& route = transaction.route();
  if (count == 0 || flit >= route.flits || count > route.flits - flit)
    throw ComponentFault(
        *this,
        fmt::format("it hands over {} flits of a {} from flit {} on: allowed is 1 to {}", count,
                    access_name(transaction), flit, route.flits - std::min(flit, route.flits)));
  if (at < now())
    throw ComponentFault(*this, in_the_past("the hand-over of a run of flits", at) +
                                    fmt::format(", {}", format_ns(now())));
  if (count > 1 && spacing > (never_fs / 2 - std::min(at, never_fs / 2)) / (count - 1))
    throw ComponentFault(
        *this, fmt::format("{} flits are handed over with a spacing of {}: the last one would be "
                           "beyond half of time, {}",
                           count, format_ns(spacing), format_ns(never_fs / 2)));
  const std::uint16_t port = route.path->out_port(position);
  if ((count > 1 || at > now()) && output_takes_runs(port))
    return link_of(port)->accept_run(transaction, {flit, count, position + 1}, at, spacing);
  for (std::uint32_t i = 0; i < count; ++i)
    link_of(port)->accept(transaction, {flit + i, 1, position + 1}, at + i * spacing);
}

unsigned FabricNode::transport_debug(tlm::tlm_generic_payload& payload) {
  const auto* route = payload.get_extension<RouteExtension>();
  if (route == nullptr || route->path == nullptr) return 0;
  const std::vector<PathHop>& hops = route->path->hops();
  const auto here = std::find_if(hops.begin(), hops.end(),
                                 [this](const PathHop& hop) { return hop.node == node(); });
  if (here == hops.end()) return 0;
  if (here + 1 == hops.end()) return debug_access(payload, route->offset);
  return (*outputs_[here->out_port])->transport_dbg(payload);
}

void FabricNode::declare_signals() {
  Component::declare_signals();
  signals_ = std::make_unique<FabricSignals>(*this);
  Observables to(*this);
  for (const auto& output : buffered_) {
    if (output != nullptr) output->declare_signals(to);
  }
}

void FabricNode::refuse_flits(const Transaction& transaction, FlitRun run) {
  const RouteExtension& route = transaction.route();
  const MachineDescription& machine = machine_services(services()).machine();
  std::string way;
  for (const PathHop& hop : route.path->hops())
    way += (way.empty() ? "" : " > ") + machine.name(hop.node);
  machine_services(services())
      .fatal(
          *this,
          fmt::format("flit {} of a {} has arrived instead of flit {} of {}: a node of its path "
                      "has lost, repeated or reordered flits, {}; --check-protocol finds the node",
                      run.first, access_name(transaction), route.ended_flits, route.flits, way));
}

void FabricNode::update_signals() { signals_->update(); }

void FabricNode::write_traversal(const Arrival& arrival, Fs start) const {
  observation_.node_traversals.write({*this, arrival, start});
}

void FabricNode::rearm() {
  const Fs due = next_due();
  if (due >= armed_) return;
  const Fs at = now();
  if (due < at) return machine_services(services()).fatal(*this, in_the_past("next_due()", due));
  armed_ = due;
  expect_work(due);
  calendar_.add(*this, due, at);
}

void FabricNode::wake() {
  armed_ = 0;
  if (!guarded(services(), *this, [this] { serve(); })) return;
  show();
  armed_ = never_fs;
  rearm();
}

}  // namespace kernbench
