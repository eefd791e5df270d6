#include "models/rtl/rtl_router.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "models/protocol/machine_services.h"

namespace kernbench {
namespace {

constexpr unsigned shortest_path = 3;  // cycles

// Cycles without a handshake after which the block counts as stalled.
constexpr unsigned quiet_before_sleep = 32;

}  // namespace

std::optional<ParameterFault> RtlRouter::check(const Parameters& parameters) {
  const Fs most = shortest_path * *parameters.block.clock_period;
  if (*parameters.overhead <= most) return std::nullopt;
  return ParameterFault{
      "overhead_ns", fmt::format("found {}, allowed is at most {} periods of the clock, {}",
                                 format_ns(*parameters.overhead), shortest_path, format_ns(most))};
}

RtlRouter::RtlRouter(const ComponentInit& init) : RtlRouter(init, built_router()) {}

RtlRouter::RtlRouter(const ComponentInit& init, MakeRouterModel make)
    : FabricNode(init, ArrivalQueue::Forwarding::cut_through),
      model_(make(*this, init.services, init.attributes.as<Parameters>().block, *this)),
      pins_(model_->pins()), inputs_(pins_.shape().ports), outputs_(pins_.shape().ports) {
  for (Input& input : inputs_) input.control_credits = pins_.shape().buffer_flits;
  add_statistic("transactions", "legs with data forwarded", Quantity::count, transactions_);
  add_statistic("flits", "flits forwarded", Quantity::count, data_flits_);
  add_statistic("control_messages", "control messages forwarded", Quantity::count,
                control_messages_);
  add_statistic("inside", "time of flits from arrival to hand-over, summed", Quantity::time_fs,
                time_inside_);
  add_statistic("longest_inside", "longest time of a flit from arrival to hand-over",
                Quantity::time_fs, longest_inside_, Merge::maximum);
}

InputBuffer RtlRouter::input_buffer() const {
  const RouterShape& shape = pins_.shape();
  if (inputs() > shape.ports || outputs() > shape.ports)
    throw UsageError(fmt::format("'{}' has more than {} neighbours: a router in RTL has {} ports",
                                 name(), shape.ports, shape.ports));
  return {shape.virtual_channels, shape.buffer_flits};
}

void RtlRouter::declare_signals() {
  FabricNode::declare_signals();
  model_->block().declare_signals();
}

// --- Fabric

Fs RtlRouter::next_due() const {
  const Arrival* flit = arrivals_.data();
  Fs due = std::min(arrivals_.control_due(), flit == nullptr ? never_fs : flit->time);
  if (quiet_cycles_ < quiet_before_sleep) return due;
  for (const Output& output : outputs_) {
    if (!output.freed.empty()) due = std::min(due, std::max(output.freed.front().at, now()));
  }
  return due;
}

void RtlRouter::serve() {
  const Fs at = now();
  arrivals_.take_control(at, 0, [this](const Arrival& arrival) { take(arrival); });
  while (arrivals_.data() != nullptr && arrivals_.data()->time <= at) {
    const Arrival flit = *arrivals_.data();
    arrivals_.pop_data();
    take(flit);
  }
  quiet_cycles_ = 0;
  model_->block().work();
}

// Queues an arrival for the pins of its port.
void RtlRouter::take(const Arrival& arrival) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(flits_.size()));
    flits_.emplace_back();
  }
  const std::uint32_t tag = unused_.back();
  unused_.pop_back();
  const RouteExtension& route = arrival.transaction->route();
  flits_[tag] = {arrival, 0, route.path->out_port(arrival.position), true};
  ++inside_;
  Input& input = inputs_[arrival.port];
  (route.is_control() ? input.control : input.data).push_back(tag);
}

// A place of an output is free: its credit is sent to the block.
void RtlRouter::left(BufferPlace place, Fs at) {
  outputs_[place.port].freed.insert_sorted(
      {at, place.virtual_channel}, [](const Place& a, const Place& b) { return a.at < b.at; });
  quiet_cycles_ = 0;
  if (!at_edge_) model_->block().work();
}

// --- Block

bool RtlRouter::sample() {
  at_edge_ = true;
  bool alive = false;
  for (unsigned port = 0; port < pins_.shape().ports; ++port) {
    alive = sample_input(port) || alive;
    alive = sample_output(port) || alive;
  }
  at_edge_ = false;
  quiet_cycles_ = alive ? 0 : quiet_cycles_ + 1;
  if (quiet_cycles_ == quiet_before_sleep) rearm();
  return alive;
}

bool RtlRouter::sample_input(unsigned port) {
  Input& input = inputs_[port];
  const bool taken = input.driven != nullptr;
  if (taken) {
    flits_[input.driven->front()].taken = now();
    if (input.driven == &input.control) --input.control_credits;
    input.driven->pop_front();
    input.driven = nullptr;
  }
  const std::uint64_t credits = pins_.credits(port);
  const unsigned control = pins_.shape().virtual_channels;
  for (unsigned channel = 0; credits >> channel != 0; ++channel) {
    if ((credits >> channel & 1) == 0) continue;
    if (channel == control) {
      ++input.control_credits;
    } else {
      return_credit({static_cast<std::uint16_t>(port), static_cast<std::uint16_t>(channel)}, now());
    }
  }
  return taken || credits != 0;
}

bool RtlRouter::sample_output(unsigned port) {
  Output& output = outputs_[port];
  const bool credits = output.driven != 0;
  if (credits) sample_credits(output);
  if (!pins_.gives_flit(port)) return credits;
  go_on(port, pins_.flit(port));
  return true;
}

// First place of each channel whose credit has been at the pins.
void RtlRouter::sample_credits(Output& output) {
  for (std::size_t i = output.freed.size(); i > 0; --i) {
    const Place place = output.freed.front();
    output.freed.pop_front();
    const std::uint64_t bit = std::uint64_t{1} << place.channel;
    if ((output.driven & bit) == 0) {
      output.freed.push_back(place);
      continue;
    }
    output.driven &= ~bit;
    --places_taken_;
  }
}

void RtlRouter::go_on(unsigned port, const PinFlit& flit) {
  check(port, flit);
  const auto tag = static_cast<std::uint32_t>(flit.tag);
  Inside& inside = flits_[tag];
  const Arrival arrival = inside.arrival;
  report_traversal(arrival, inside.taken);
  inside.live = false;
  unused_.push_back(tag);
  --inside_;
  ++places_taken_;
  const Fs at = now();
  const BufferPlace place{static_cast<std::uint16_t>(port),
                          static_cast<std::uint16_t>(flit.channel)};
  Transaction& transaction = *arrival.transaction;
  if (transaction.route().is_control()) {
    ++control_messages_;
    send(transaction, 0, 0, arrival.position, at);
    return left(place, at);
  }
  ++data_flits_;
  if (arrival.is_first()) ++transactions_;
  time_inside_ += at - arrival.time;
  longest_inside_ = std::max<std::uint64_t>(longest_inside_, at - arrival.time);
  send_from(place, transaction, arrival.flit, 1, arrival.position, at);
}

// Checks that the block outputs the flits that were its inputs.
void RtlRouter::check(unsigned port, const PinFlit& flit) const {
  RtlBlock& block = model_->block();
  if (flit.tag >= flits_.size() || !flits_[flit.tag].live)
    block.fail(
        fmt::format("out_tag of port {} is {}, a flit that is not in the router", port, flit.tag));
  const Inside& inside = flits_[flit.tag];
  if (inside.out != port)
    block.fail(
        fmt::format("a flit for output {} has left by output {} (out_valid)", inside.out, port));
  const PinFlit given = at_pins(static_cast<std::uint32_t>(flit.tag));
  if (given.head != flit.head || given.tail != flit.tail || given.route != flit.route)
    block.fail(
        fmt::format("out_head, out_tail or out_route of port {} differs from the input: {}, "
                    "{}, {} instead of {}, {}, {}",
                    port, flit.head, flit.tail, flit.route, given.head, given.tail, given.route));
}

PinFlit RtlRouter::at_pins(std::uint32_t tag) const {
  const Inside& inside = flits_[tag];
  const RouteExtension& route = inside.arrival.transaction->route();
  if (route.is_control()) return {pins_.shape().virtual_channels, true, true, inside.out, tag};
  return {inside.arrival.virtual_channel, inside.arrival.is_first(),
          inside.arrival.flit + 1 == route.flits, inside.out, tag};
}

void RtlRouter::drive() {
  pins_.clear();
  for (unsigned port = 0; port < pins_.shape().ports; ++port) {
    drive_input(port);
    drive_credits(port);
  }
}

void RtlRouter::drive_input(unsigned port) {
  Input& input = inputs_[port];
  input.driven = nullptr;
  if (!input.control.empty() && input.control_credits > 0) {
    input.driven = &input.control;
  } else if (!input.data.empty()) {
    input.driven = &input.data;
  }
  if (input.driven != nullptr) pins_.drive(port, at_pins(input.driven->front()));
}

// Drives one credit of each channel at a time.
void RtlRouter::drive_credits(unsigned port) {
  Output& output = outputs_[port];
  output.driven = 0;
  const Fs at = now();
  for (std::size_t i = 0; i < output.freed.size() && output.freed[i].at <= at; ++i)
    output.driven |= std::uint64_t{1} << output.freed[i].channel;
  if (output.driven != 0) pins_.drive_credits(port, output.driven);
}

// Awaited pin. Null: the block is empty, or nothing moves until a credit arrives.
const char* RtlRouter::awaited() const {
  bool credits = false;
  for (const Output& output : outputs_) {
    if (output.driven != 0) return "out_credit";
    credits = credits || !output.freed.empty();
  }
  if (quiet_cycles_ >= quiet_before_sleep && places_taken_ > 0) return nullptr;
  if (inside_ > 0) return "out_valid";
  return credits ? "the end of a flit on its link" : nullptr;
}

Implementation rtl_router() { return implementation_of<RtlRouter>("rtl.router"); }

}  // namespace kernbench
