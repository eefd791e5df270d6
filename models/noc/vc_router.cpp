#include "models/noc/vc_router.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "models/base/errors.h"
#include "models/noc/vc_output.h"
#include "models/protocol/machine_services.h"

namespace kernbench {
namespace {

std::unique_ptr<SwitchAllocator> allocator_of(const VcRouter::Parameters& parameters) {
  if (*parameters.allocator == "islip")
    return std::make_unique<IslipAllocator>(*parameters.islip_iterations);
  if (*parameters.allocator == "age") return std::make_unique<AgeAllocator>();
  return std::make_unique<RoundRobinAllocator>();
}

}  // namespace

VcRouter::VcRouter(const ComponentInit& init)
    : VcRouter(init, init.attributes.as<Parameters>(),
               allocator_of(init.attributes.as<Parameters>())) {}

VcRouter::VcRouter(const ComponentInit& init, const VcRouterParameters& parameters,
                   std::unique_ptr<SwitchAllocator> allocator)
    : FabricNode(init, ArrivalQueue::Forwarding::cut_through), buffer_{*parameters.virtual_channels,
                                                                       *parameters.buffer_flits},
      period_(parameters.period()), pipeline_(*parameters.pipeline_cycles * period_),
      to_allocation_(std::max(period_, pipeline_ - period_)), allocator_(std::move(allocator)),
      oldest_first_(allocator_->oldest_first()) {
  add_statistic("transactions", "legs with data forwarded", Quantity::count, transactions_);
  add_statistic("flits", "flits forwarded: grants of the switch", Quantity::count, flits_);
  add_statistic("control_messages", "control messages forwarded", Quantity::count,
                control_messages_);
  add_statistic("switch_conflicts", "flits that requested the switch in a cycle and were refused",
                Quantity::count, conflicts_);
  add_busy_time("busy", "time for which outputs of the switch were connected, summed", busy_fs_,
                [this](Fs now) { return busy_fs_ + granted_.size() * (now - granted_at_); },
                {Server::Kind::rate, "clock_ghz", 1, [this](Fs now) { return stalled(now); }});
  add_statistic("waiting", "queueing time of flits for the switch, summed", Quantity::time_fs,
                waiting_fs_);
  add_statistic("stalled", "queueing time of first flits of messages for the switch, summed",
                Quantity::time_fs, stalled_fs_);
  add_statistic("longest_wait", "longest queueing time of a flit for the switch", Quantity::time_fs,
                longest_wait_fs_, Merge::maximum);
}

InputBuffer VcRouter::input_buffer() const {
  if (std::max(inputs(), outputs()) > SwitchRequests::most_ports)
    throw UsageError(
        fmt::format("'{}' has more than {} neighbours: a virtual-channel router has "
                    "at most that many ports",
                    name(), SwitchRequests::most_ports));
  return buffer_;
}

std::unique_ptr<BufferedOutput> VcRouter::make_output(FabricInitiatorSocket& output,
                                                      Downstream downstream, const Rational& bw_gbs,
                                                      std::uint32_t flit_bytes) {
  auto made = std::make_unique<VcOutput>(*this, static_cast<std::uint32_t>(outputs_.size()), output,
                                         std::move(downstream), bw_gbs, flit_bytes);
  outputs_.push_back(made.get());
  turns_.emplace_back(made->groups(), 0);
  return made;
}

void VcRouter::end_of_elaboration() {
  assert(outputs_.size() == outputs());  // only edges inside PEs have no link
  inputs_.resize(inputs());
  queues_.resize(inputs() * buffer_.virtual_channels);
  requests_ =
      SwitchRequests(static_cast<std::uint32_t>(inputs()), static_cast<std::uint32_t>(outputs()));
  server_of("busy").places = outputs();
}

// --- Events

Fs VcRouter::next_due() const {
  Fs due = std::min(due_, arrivals_.control_due(pipeline_ + period_));
  if (const Arrival* flit = arrivals_.data())
    due = std::min(due, edge_from(flit->time) + period_);  // an earlier step is not possible
  return due;
}

void VcRouter::serve() {
  const Fs at = now();
  arrivals_.take_control(at, pipeline_ + period_, [this, at](const Arrival& message) {
    ++control_messages_;
    report_traversal(message, message.time);
    send(*message.transaction, 0, 0, message.position, at);
  });
  if (at % period_ != 0) return;
  const Arrival* flit = arrivals_.data();
  if (due_ <= at || (flit != nullptr && edge_from(flit->time) + period_ <= at)) cycle(at);
}

void VcRouter::cycle(Fs at) {
  due_ = never_fs;
  hand_over(at);
  take_arrivals(at);
  for (VcOutput* output : outputs_) {
    output->take_credits(at);
    output->begin_cycle();
  }
  allocate_channels(at);
  if (request_switch(at)) grant_all(at);
  for (VcOutput* output : outputs_) {
    output->end_cycle(at);
    if (output->awaits_credits() && output->next_credit() != never_fs)
      due_ = std::min(due_, edge_from(output->next_credit()));
  }
}

void VcRouter::hand_over(Fs at) {
  for (const Granted& granted : granted_) {
    const Arrival& flit = granted.flit;
    busy_fs_ += period_;
    report_traversal(flit, at - period_ - pipeline_of(flit));
    outputs_[granted.output]->to_link(*flit.transaction,
                                      {flit.flit, 1, flit.position + 1, granted.out_channel},
                                      {flit.port, flit.virtual_channel}, at);
  }
  inside_ -= granted_.size();
  granted_.clear();
}

// --- Queues

void VcRouter::take_arrivals(Fs at) {
  while (arrivals_.data() != nullptr && arrivals_.data()->time <= at) {
    const Arrival flit = *arrivals_.data();
    arrivals_.pop_data();
    if (flit.virtual_channel >= buffer_.virtual_channels)
      throw ModelError(fmt::format("a flit in virtual channel {} of {}", flit.virtual_channel,
                                   buffer_.virtual_channels));
    const std::uint32_t queue = flit.port * buffer_.virtual_channels + flit.virtual_channel;
    queues_[queue].flits.push_back(flit);
    ++inside_;
    if (queues_[queue].flits.size() == 1) set_head(queue, flit.time);
  }
}

// The head of a queue has become its head at `since`.
void VcRouter::set_head(std::uint32_t index, Fs since) {
  Queue& queue = queues_[index];
  const Arrival& flit = queue.flits.front();
  if (flit.flit != queue.next || (queue.next > 0 && flit.transaction != queue.transaction))
    throw ModelError(
        fmt::format("flit {} is the next one in virtual channel {} of input {}, expected is flit "
                    "{}: a node before it has lost, repeated or reordered flits",
                    flit.flit, flit.virtual_channel, flit.port, queue.next));
  const Fs from = edge_from(std::max(flit.time, since));
  Input& input = inputs_[flit.port];
  if (flit.is_first()) {
    queue.transaction = flit.transaction;
    queue.output = flit.transaction->route().path->out_port(flit.position);
    queue.ready = from + to_allocation_;
    input.to_allocate |= bit_of(index);
    allocating_ |= std::uint64_t{1} << flit.port;
  } else {
    queue.ready = from + period_;
    await_switch(index);
  }
}

void VcRouter::await_switch(std::uint32_t index) {
  const std::uint32_t input = input_of(index);
  inputs_[input].to_switch |= bit_of(index);
  switching_ |= std::uint64_t{1} << input;
}

// --- Virtual channels

void VcRouter::allocate_channels(Fs at) {
  first_flits_.clear();
  for_each_of(allocating_, [&](std::uint32_t input) {
    for_each_of(inputs_[input].to_allocate, [&](std::uint32_t channel) {
      const std::uint32_t queue = input * buffer_.virtual_channels + channel;
      if (queues_[queue].ready <= at) {
        first_flits_.push_back(queue);
      } else {
        due_ = std::min(due_, queues_[queue].ready);
      }
    });
  });
  while (!first_flits_.empty()) {
    const std::size_t next = next_first_flit();
    const std::uint32_t queue = first_flits_[next];
    first_flits_[next] = first_flits_.back();
    first_flits_.pop_back();
    if (!allocate(queue, at)) starve(queues_[queue], at);
  }
}

// Index in first_flits_ of the one that precedes the others. The order matters among those that
// compete for the channels of one output, leg and class: the oldest, or the first in rotation.
std::size_t VcRouter::next_first_flit() const {
  const auto queues = static_cast<std::uint32_t>(queues_.size());
  const auto turn = [&](std::uint32_t index) {
    const Queue& queue = queues_[index];
    const Arrival& flit = queue.flits.front();
    const RouteExtension& route = flit.transaction->route();
    const std::uint32_t group =
        outputs_[queue.output]->group_of(route.leg, route.path->hop(flit.position).channel_class);
    return (index + queues - turns_[queue.output][group]) % queues;
  };
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    if (!oldest_first_) return turn(a) != turn(b) ? turn(a) < turn(b) : a < b;
    const TieKey& of_a = queues_[a].transaction->route().key;
    const TieKey& of_b = queues_[b].transaction->route().key;
    return of_a == of_b ? a < b : of_a < of_b;
  };
  std::size_t first = 0;
  for (std::size_t i = 1; i < first_flits_.size(); ++i) {
    if (before(first_flits_[i], first_flits_[first])) first = i;
  }
  return first;
}

bool VcRouter::allocate(std::uint32_t index, Fs at) {
  Queue& queue = queues_[index];
  const Arrival& flit = queue.flits.front();
  const RouteExtension& route = flit.transaction->route();
  VcOutput& output = *outputs_[queue.output];
  const std::uint32_t group =
      output.group_of(route.leg, route.path->hop(flit.position).channel_class);
  const std::optional<std::uint32_t> channel = output.allocate(group);
  if (!channel) return false;
  queue.out_channel = *channel;
  queue.ready = at + (pipeline_ - to_allocation_);
  if (output.has_credit(*channel)) end_starvation(queue, at);
  turns_[queue.output][group] = (index + 1) % static_cast<std::uint32_t>(queues_.size());
  Input& input = inputs_[flit.port];
  input.to_allocate &= ~bit_of(index);
  if (input.to_allocate == 0) allocating_ &= ~(std::uint64_t{1} << flit.port);
  await_switch(index);
  return true;
}

// --- Switch

// False: no flit can be granted.
bool VcRouter::request_switch(Fs at) {
  requests_.clear();
  requested_ = 0;
  for_each_of(switching_, [&](std::uint32_t i) {
    const Input& input = inputs_[i];
    for (std::uint64_t set = input.to_switch; set != 0;) {
      const unsigned channel = first_from(set, input.next_channel);
      set &= ~(std::uint64_t{1} << channel);
      request(i * buffer_.virtual_channels + channel, at);
    }
  });
  return requested_ > 0;
}

void VcRouter::request(std::uint32_t index, Fs at) {
  Queue& queue = queues_[index];
  if (queue.ready > at) {
    due_ = std::min(due_, queue.ready);
    return;
  }
  const VcOutput& output = *outputs_[queue.output];
  if (!output.has_credit(queue.out_channel)) return starve(queue, at);
  end_starvation(queue, at);
  if (output.link_available_at() >= at + 2 * period_) {
    due_ = std::min(due_, output.link_available_at() / period_ * period_ - period_);
    return;
  }
  ++requested_;
  const std::uint32_t input = input_of(index);
  const TieKey& key = queue.transaction->route().key;
  if (requests_.has(input, queue.output) &&
      (!oldest_first_ || !(key < requests_.key(input, queue.output))))
    return;
  requests_.add(input, queue.output, index % buffer_.virtual_channels, key);
}

void VcRouter::grant_all(Fs at) {
  matches_.assign(inputs_.size(), SwitchAllocator::none);
  allocator_->match(requests_, matches_);
  std::uint64_t taken = 0;  // outputs
  for (std::uint32_t input = 0; input < inputs_.size(); ++input) {
    const std::uint32_t output = matches_[input];
    if (output == SwitchAllocator::none) continue;
    if (output >= outputs_.size() || !requests_.has(input, output))
      throw ModelError(fmt::format(
          "the switch allocator connects input {} to output {}, which it does not request", input,
          output));
    if ((taken >> output & 1) != 0)
      throw ModelError(
          fmt::format("the switch allocator connects two inputs to output {}", output));
    taken |= std::uint64_t{1} << output;
    grant(input * buffer_.virtual_channels + requests_.channel(input, output), at);
  }
  conflicts_ += requested_ - granted_.size();
  granted_at_ = at;
  due_ = at + period_;
}

void VcRouter::grant(std::uint32_t index, Fs at) {
  Queue& queue = queues_[index];
  const Arrival flit = queue.flits.front();
  queue.flits.pop_front();
  VcOutput& output = *outputs_[queue.output];
  output.use_credit(queue.out_channel);
  granted_.push_back({flit, queue.output, queue.out_channel});
  Input& input = inputs_[flit.port];
  input.to_switch &= ~bit_of(index);
  if (input.to_switch == 0) switching_ &= ~(std::uint64_t{1} << flit.port);
  input.next_channel = (flit.virtual_channel + 1U) % buffer_.virtual_channels;

  const Fs wait = at - earliest_grant(flit);
  ++flits_;
  if (flit.is_first()) {
    ++transactions_;
    stalled_fs_ += wait;
  }
  waiting_fs_ += wait;
  longest_wait_fs_ = std::max<std::uint64_t>(longest_wait_fs_, wait);

  queue.next = flit.flit + 1;
  if (queue.next == flit.transaction->route().flits) {
    output.release(queue.out_channel);
    queue.next = 0;
  }
  if (!queue.flits.empty()) set_head(index, at);
}

// --- Credits

void VcRouter::starve(Queue& queue, Fs at) {
  outputs_[queue.output]->starve();
  if (queue.starved_since == never_fs) queue.starved_since = at;
}

void VcRouter::end_starvation(Queue& queue, Fs at) {
  if (queue.starved_since == never_fs) return;
  if (CreditStatistics* statistics = outputs_[queue.output]->statistics()) {
    statistics->waiting_fs += at - queue.starved_since;
    ++statistics->stalled_flits;
  }
  queue.starved_since = never_fs;
}

// --- Reports

Fs VcRouter::stalled(Fs now) const {
  Fs stalled = stalled_fs_;
  for (const Queue& queue : queues_) {
    for (std::size_t i = 0; i < queue.flits.size(); ++i) {
      const Arrival& flit = queue.flits[i];
      if (flit.is_first() && earliest_grant(flit) < now) stalled += now - earliest_grant(flit);
    }
  }
  return stalled;
}

std::string VcRouter::starved_at(std::uint32_t output) const {
  const MachineDescription& machine = machine_services(services()).machine();
  std::string text;
  for (std::uint32_t i = 0; i < queues_.size(); ++i) {
    const Queue& queue = queues_[i];
    if (queue.starved_since == never_fs || queue.output != output) continue;
    const RouteExtension& route = queue.transaction->route();
    const bool without_channel = (inputs_[input_of(i)].to_allocate & bit_of(i)) != 0;
    text += fmt::format(
        "\n    input from {}, virtual channel {}: {} flits, the first without a {}: "
        "{} from {} to {}",
        machine.name(arrivals_.upstream(input_of(i))), i % buffer_.virtual_channels,
        queue.flits.size(), without_channel ? "virtual channel" : "credit",
        route.leg == Leg::request ? "a request" : "a response", machine.name(route.path->source()),
        machine.name(route.path->target()));
  }
  return text;
}

}  // namespace kernbench
