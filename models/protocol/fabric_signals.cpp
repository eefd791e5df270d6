#include "models/protocol/fabric_signals.h"

#include <sysc/kernel/sc_spawn.h>
#include <sysc/kernel/sc_spawn_options.h>

#include <algorithm>
#include <string>
#include <utility>

#include "models/address/phys_addr.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/fabric_trace_observer.h"
#include "models/protocol/machine_services.h"

namespace kernbench {
namespace {

const SignalFormat::Labels& kinds() {
  static const auto names = std::make_shared<const std::vector<std::string>>(
      std::vector<std::string>{"idle", "read", "write", "message", "read_response",
                               "write_response", "message_response"});
  return names;
}

std::uint8_t kind_of(const Transaction& transaction) {
  const int kind = transaction.is_read() ? 1 : transaction.is_write() ? 2 : 3;
  return static_cast<std::uint8_t>(kind + (transaction.route().leg == Leg::response ? 3 : 0));
}

}  // namespace

FabricSignals::FabricSignals(FabricNode& node)
    : node_(node), watch_(FabricTraceObserver::of(machine_services(node.services()))),
      changes_("signals_event"),
      inbox_(node.add_signal("inbox", "flits and messages queued in the inbox",
                             SignalFormat::count("flits"), this)),
      serving_(node.add_signal("serving", "a message is in service, or is sent on a link",
                               SignalFormat::flag(), this)),
      transaction_(node.add_signal(
          "transaction",
          "id of the message in service: initiator's number above 32 bits of its count",
          SignalFormat::id(64), this)),
      kind_(node.add_signal("kind", "kind of the message in service",
                            SignalFormat::enumeration(kinds()), this)),
      address_(node.add_signal("address",
                               "physical address that the message in service reads or writes",
                               SignalFormat::address(PhysAddr::bits), this)),
      bytes_(node.add_signal("bytes", "bytes that the message in service reads or writes",
                             SignalFormat::bytes(), this)),
      source_(node.add_signal("source", "source node of the message in service",
                              SignalFormat::enumeration(watch_->node_names()), this)),
      destination_(node.add_signal("destination", "destination node of the message in service",
                                   SignalFormat::enumeration(watch_->node_names()), this)) {
  clear_message();
  outputs_.resize(node.outputs_.size());
  for (std::size_t port = 0; port < outputs_.size(); ++port) {
    if (node.has_link_[port]) add_output(port, node.outputs_[port]->basename());
  }
}

FabricSignals::~FabricSignals() {
  if (observed()) watch_->remove(node_.node());
}

void FabricSignals::add_output(std::size_t port, const char* socket) {
  const std::string name = socket;
  Output& output = outputs_[port];
  output.busy =
      &node_.add_signal(name + "_busy", "a flit occupies the link", SignalFormat::flag(), this);
  output.waiting = &node_.add_signal(name + "_waiting", "flits queued for the link",
                                     SignalFormat::count("flits"), this);
  output.bytes = &node_.add_signal(name + "_bytes", "bytes of the flit on the link",
                                   SignalFormat::bytes(), this);
  output.transaction =
      &node_.add_signal(name + "_transaction", "id of the message whose flit is on the link",
                        SignalFormat::id(64), this);
}

// --- Observation

void FabricSignals::begin_observation() {
  watch_->add(node_.node(), *this);
  if (!has_process_) {
    has_process_ = true;
    const Component::Scope scope(node_);
    sc_core::sc_spawn_options options;
    options.spawn_method();
    options.set_sensitivity(&changes_);
    options.dont_initialize();
    sc_core::sc_spawn([this] { update(); }, "signals", &options);
  }
  show();
}

void FabricSignals::end_observation() {
  watch_->remove(node_.node());
  changes_.cancel();
}

// --- Events

void FabricSignals::announced(Fs arrival) {
  if (!observed()) return;
  if (arrival <= Component::now()) return show();
  look_at(arrival);
}

void FabricSignals::served(const NodeTraversal& traversal) {
  const Fs now = Component::now();
  if (leaving_.until > now) return;
  stays_ = traversal.start == now;
  leaving_.message = message_of(*traversal.arrival.transaction);
}

void FabricSignals::left(const LinkTraversal& traversal, std::uint16_t output) {
  const RouteExtension& route = traversal.transaction.route();
  if (route.is_control() || traversal.start == traversal.end) return;
  const Leaving leaving{message_of(traversal.transaction), traversal.end};
  const bool behind =
      leaving_.until > Component::now() && leaving_.message.id != leaving.message.id;
  if (!behind) {
    leaving_ = leaving;
  } else if (next_.until <= leaving.until) {
    next_ = leaving;
  }
  stays_ = false;
  outputs_[output].flits.push_back(
      {traversal.start, traversal.end, leaving.message.id, route.bytes_of(traversal.run.first)});
  show();
}

void FabricSignals::look_at(Fs instant) {
  changes_.notify(Component::until(instant));  // an earlier one that is pending stays
}

// --- Values

void FabricSignals::show() {
  const Fs now = Component::now();
  inbox_.set(node_.depth(now));
  show_message(now);
  Fs next = node_.arrivals_.next_arrival(now);
  if (leaving_.until > now) next = std::min(next, leaving_.until);
  for (Output& output : outputs_) next = std::min(next, show_output(output, now));
  if (next != never_fs) look_at(next);
}

void FabricSignals::show_message(Fs now) {
  if (leaving_.until <= now && next_.until > now) leaving_ = std::exchange(next_, {});
  const Arrival* in_service = node_.in_service(now);
  const bool leaving = leaving_.until > now;
  serving_.set(in_service != nullptr || leaving ? 1 : 0);
  if (in_service != nullptr) {
    show(message_of(*in_service->transaction));
  } else if (leaving || stays_) {
    show(leaving_.message);
  } else {
    clear_message();
  }
}

void FabricSignals::show(const Message& message) {
  transaction_.set(message.id);
  kind_.set(message.kind);
  source_.set(message.source);
  destination_.set(message.destination);
  bytes_.set(message.in_memory ? message.bytes : 0);
  if (message.in_memory) {
    address_.set(message.address);
  } else {
    address_.clear();
  }
}

void FabricSignals::clear_message() {
  for (TraceSignal* signal : {&transaction_, &address_, &source_, &destination_}) signal->clear();
  for (TraceSignal* signal : {&kind_, &bytes_}) signal->set(0);
}

Fs FabricSignals::show_output(Output& output, Fs now) {
  RingBuffer<Flit>& flits = output.flits;
  if (flits.empty()) return never_fs;  // and shown as idle
  while (!flits.empty() && flits.front().end <= now) flits.pop_front();
  const bool busy = !flits.empty() && flits.front().start <= now;
  output.busy->set(busy ? 1 : 0);
  output.waiting->set(flits.size() - (busy ? 1 : 0));
  if (busy) {
    output.bytes->set(flits.front().bytes);
    output.transaction->set(flits.front().id);
    return flits.front().end;
  }
  output.bytes->set(0);
  output.transaction->clear();
  return flits.empty() ? never_fs : flits.front().start;
}

FabricSignals::Message FabricSignals::message_of(const Transaction& transaction) {
  const RouteExtension& route = transaction.route();
  Message message;
  message.id = route.key.number();
  message.kind = kind_of(transaction);
  message.in_memory = transaction.accesses_memory();
  message.address = transaction.get_address();
  message.bytes = transaction.get_data_length();
  message.source = route.path->source();
  message.destination = route.path->target();
  return message;
}

}  // namespace kernbench
