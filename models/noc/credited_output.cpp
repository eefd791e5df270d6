#include "models/noc/credited_output.h"

#include <fmt/format.h>
#include <sysc/kernel/sc_spawn.h>
#include <sysc/kernel/sc_spawn_options.h>

#include <algorithm>
#include <utility>

#include "models/base/errors.h"
#include "models/protocol/machine_services.h"

namespace kernbench {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

}  // namespace

CreditedOutput::CreditedOutput(FabricNode& node, FabricInitiatorSocket& output,
                               Downstream downstream, const Rational& bw_gbs,
                               std::uint32_t flit_bytes)
    : OutputCredits(node, output, downstream, bw_gbs, flit_bytes),
      holders_(downstream.buffer.virtual_channels), without_channel_(groups()),
      wake_((std::string(output.basename()) + "_credit_event").c_str()) {
  if (!finite()) return;
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.set_sensitivity(&wake_);
  options.dont_initialize();
  const auto wake = [this] {
    armed_ = never_fs;
    guarded_process(services_of(this->node()), this->node(), [this] { serve(Component::now()); });
  };
  sc_core::sc_spawn(wake, (std::string(output.basename()) + "_credits").c_str(), &options);
}

void CreditedOutput::put(Transaction& transaction, FlitRun run, BufferPlace place, Fs at) {
  if (!finite()) {
    if (run.count == 0) return output()->accept(transaction, run, at);
    return to_link(transaction, run, place, at);
  }
  const Fs now = Component::now();
  if (at > now || !later_.empty()) {
    later_.push_back({&transaction, run, place, at});
    return rearm(now);
  }
  if (run.count == 0 && queued_ > 0) serve(now);  // credits that arrive now: before the message
  enter({&transaction, run, place, at});
  if (run.count > 0) serve(now);
}

void CreditedOutput::enter(const Later& handed_over) {
  const auto& [transaction, run, place, at] = handed_over;
  if (run.count == 0) return output()->accept(*transaction, run, at);
  for (std::uint32_t flit = run.first; flit < run.first + run.count; ++flit)
    file(*transaction, {{flit, 1, run.position}, place, at, number_++});
}

void CreditedOutput::credit_announced(Fs /*at*/) { rearm(Component::now()); }

// --- Queue

void CreditedOutput::file(Transaction& transaction, const Flit& flit) {
  Packet& packet =
      flit.run.first == 0 ? new_packet(transaction, flit.run) : packet_of(transaction, flit.run);
  packet.flits.push_back(flit);
  ++queued_;
}

// Messages of the leg and class of a run that wait for a virtual channel.
RingBuffer<CreditedOutput::Packet*>& CreditedOutput::waiting_with(const Transaction& transaction,
                                                                  const FlitRun& run) {
  const RouteExtension& route = transaction.route();
  return without_channel_[group_of(route.leg, route.path->hop(run.position - 1).channel_class)];
}

CreditedOutput::Packet& CreditedOutput::new_packet(Transaction& transaction, const FlitRun& run) {
  if (idle_packets_.empty()) {
    packets_.push_back(std::make_unique<Packet>());
    idle_packets_.push_back(packets_.back().get());
  }
  Packet& packet = *idle_packets_.back();
  idle_packets_.pop_back();
  packet.transaction = &transaction;
  waiting_with(transaction, run).push_back(&packet);
  return packet;
}

CreditedOutput::Packet& CreditedOutput::packet_of(Transaction& transaction, const FlitRun& run) {
  for (Packet* packet : holders_) {
    if (packet != nullptr && packet->transaction == &transaction) return *packet;
  }
  const RingBuffer<Packet*>& waiting = waiting_with(transaction, run);
  for (std::size_t i = waiting.size(); i > 0; --i) {
    if (waiting[i - 1]->transaction == &transaction) return *waiting[i - 1];
  }
  throw ModelError("a flit of a message whose first flit has not been handed over");
}

void CreditedOutput::serve(Fs now) {
  take_credits(now);
  send_all(now);
  for (; !later_.empty() && later_.front().at <= now; later_.pop_front()) {
    enter(later_.front());
    send_all(now);
  }
  note_stalled(queued_, now);
  rearm(now);
}

void CreditedOutput::send_all(Fs now) {
  allocate_channels();
  for (std::uint32_t next = next_channel(); next != none; next = next_channel())
    send_first(next, now);
}

void CreditedOutput::allocate_channels() {
  for (std::uint32_t group = 0; group < without_channel_.size(); ++group) {
    RingBuffer<Packet*>& waiting = without_channel_[group];
    while (!waiting.empty()) {
      const std::optional<std::uint32_t> channel = allocate(group);
      if (!channel) break;
      holders_[*channel] = waiting.front();
      waiting.pop_front();
    }
  }
}

// Channel whose first flit was handed over first, of those that may send one; none: none may.
std::uint32_t CreditedOutput::next_channel() const {
  std::uint32_t first = none;
  for (std::uint32_t i = 0; i < holders_.size(); ++i) {
    if (!may_send(i)) continue;
    if (first == none || holders_[i]->flits.front().number < holders_[first]->flits.front().number)
      first = i;
  }
  return first;
}

void CreditedOutput::send_first(std::uint32_t channel, Fs now) {
  Packet& packet = *holders_[channel];
  const Flit flit = packet.flits.front();
  Transaction& transaction = *packet.transaction;
  packet.flits.pop_front();
  --queued_;
  use_credit(channel);
  if (now > flit.at) {
    statistics()->waiting_fs += now - flit.at;
    ++statistics()->stalled_flits;
  }
  FlitRun run = flit.run;
  run.virtual_channel = channel;
  if (run.first + 1 == transaction.route().flits) {
    holders_[channel] = nullptr;
    release(channel);
    idle_packets_.push_back(&packet);
    allocate_channels();
  }
  to_link(transaction, run, flit.place, now);
}

// --- Events

void CreditedOutput::rearm(Fs now) {
  const Fs due = next_due(now);
  if (due >= armed_) return;
  armed_ = due;
  wake_.notify(node().work_at(due, now));
}

// Arrival of the next credit while flits wait or signals are observed, or hand-over of a flit
// announced ahead.
Fs CreditedOutput::next_due(Fs now) const {
  Fs due = never_fs;
  if (next_credit() != never_fs && (queued_ > 0 || observed())) due = std::max(next_credit(), now);
  return later_.empty() ? due : std::min(due, later_.front().at);
}

// --- Reports

std::string CreditedOutput::stalled_messages() const {
  std::string text;
  for (std::size_t i = 0; i < holders_.size(); ++i) {
    if (holders_[i] == nullptr || holders_[i]->flits.empty()) continue;
    text += fmt::format("\n    virtual channel {} without a credit: {}", i, text_of(*holders_[i]));
  }
  for (const RingBuffer<Packet*>& waiting : without_channel_) {
    if (!waiting.empty())
      text += fmt::format("\n    {} messages without a virtual channel, the first: {}",
                          waiting.size(), text_of(*waiting.front()));
  }
  return text;
}

std::string CreditedOutput::text_of(const Packet& packet) const {
  const RouteExtension& route = packet.transaction->route();
  const MachineDescription& machine = machine_services(services_of(node())).machine();
  return fmt::format("{} flits of {} from {} to {}", packet.flits.size(),
                     route.leg == Leg::request ? "a request" : "a response",
                     machine.name(route.path->source()), machine.name(route.path->target()));
}

void CreditedOutput::begin_observation() {
  const Fs now = Component::now();
  take_credits(now);
  show(queued_);
  rearm(now);
}

void join_buffers(FabricNode& from, FabricInitiatorSocket& output, const FabricNode& to,
                  const Rational& bw_gbs, std::uint32_t flit_bytes, std::uint32_t channel_classes) {
  const InputBuffer buffer = to.input_buffer();
  if (!from.input_buffer().finite() && !buffer.finite()) return;
  const Component::Scope scope(from);
  const Downstream receiver{to.name(), buffer, channel_classes};
  if (auto* const owner = dynamic_cast<OutputOwner*>(&from))
    return from.buffer_output(owner->make_output(output, receiver, bw_gbs, flit_bytes));
  from.buffer_output(std::make_unique<CreditedOutput>(from, output, receiver, bw_gbs, flit_bytes));
}

}  // namespace kernbench
