#include "models/noc/credited_output.h"

#include <fmt/format.h>
#include <sysc/kernel/sc_spawn.h>
#include <sysc/kernel/sc_spawn_options.h>

#include <algorithm>
#include <utility>

#include "models/base/errors.h"
#include "models/protocol/machine_services.h"

namespace kernbench {
CreditedOutput::CreditedOutput(FabricNode& node, FabricInitiatorSocket& output,
                               Downstream downstream, const Rational& bw_gbs,
                               std::uint32_t flit_bytes)
    : node_(node), services_(services_of(node)), output_(output),
      downstream_(std::move(downstream)), service_(bw_gbs, flit_bytes),
      channels_(downstream_.buffer.virtual_channels), without_channel_(2 * downstream_.classes),
      wake_((std::string(output.basename()) + "_credit_event").c_str()) {
  if (!downstream_.buffer.finite()) return;
  statistics_ = &statistics_of(node);
  for (Channel& channel : channels_) channel.credits = downstream_.buffer.flits;
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.set_sensitivity(&wake_);
  options.dont_initialize();
  const auto wake = [this] {
    armed_ = never_fs;
    guarded_process(services_, node_, [this] { serve(Component::now()); });
  };
  sc_core::sc_spawn(wake, (std::string(output.basename()) + "_credits").c_str(), &options);
}

void CreditedOutput::put(Transaction& transaction, FlitRun run, BufferPlace place, Fs at) {
  if (!downstream_.buffer.finite()) {
    if (run.count == 0) return output_->accept(transaction, run, at);
    return to_link(transaction, run, place, at);
  }
  const Fs now = Component::now();
  if (at > now || !later_.empty()) {
    later_.push_back({&transaction, run, place, at});
    return rearm(now);
  }
  enter({&transaction, run, place, at});
  if (run.count > 0) serve(now);
}

void CreditedOutput::enter(const Later& handed_over) {
  const auto& [transaction, run, place, at] = handed_over;
  if (run.count == 0) return output_->accept(*transaction, run, at);
  for (std::uint32_t flit = run.first; flit < run.first + run.count; ++flit)
    file(*transaction, {{flit, 1, run.position}, place, at, number_++});
}

void CreditedOutput::credit(std::uint32_t virtual_channel, std::uint32_t flits, Fs at) {
  if (virtual_channel >= channels_.size())
    throw ModelError(fmt::format("a credit of virtual channel {} of {}: it has {}", virtual_channel,
                                 downstream_.name, channels_.size()));
  coming_.insert_sorted({at, virtual_channel, flits},
                        [](const Coming& a, const Coming& b) { return a.at < b.at; });
  rearm(Component::now());
}

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
  const std::size_t of_leg = route.leg == Leg::request ? 0 : downstream_.classes;
  return without_channel_[of_leg + route.path->hop(run.position - 1).channel_class];
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
  for (const Channel& channel : channels_) {
    if (channel.packet != nullptr && channel.packet->transaction == &transaction)
      return *channel.packet;
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
  note_waiting(now);
  show();
  rearm(now);
}

void CreditedOutput::send_all(Fs now) {
  give_channels();
  while (Channel* channel = next_channel()) send_first(*channel, now);
}

void CreditedOutput::take_credits(Fs now) {
  for (; !coming_.empty() && coming_.front().at <= now; coming_.pop_front()) {
    const Coming& coming = coming_.front();
    Channel& channel = channels_[coming.virtual_channel];
    channel.credits += coming.flits;
    if (channel.credits > downstream_.buffer.flits)
      throw ModelError(fmt::format("a surplus credit of virtual channel {} of {}",
                                   coming.virtual_channel, downstream_.name));
  }
}

void CreditedOutput::give_channels() {
  for (std::uint32_t i = 0; i < without_channel_.size(); ++i) {
    RingBuffer<Packet*>& waiting = without_channel_[i];
    while (!waiting.empty()) {
      Channel* channel = free_channel(i < downstream_.classes ? Leg::request : Leg::response,
                                      i % downstream_.classes);
      if (channel == nullptr) break;
      channel->packet = waiting.front();
      waiting.pop_front();
    }
  }
}

// Free channel with the most credits, of several the first; null: all are held.
CreditedOutput::Channel* CreditedOutput::free_channel(Leg leg, std::uint32_t channel_class) {
  const ChannelRange range =
      channels_of(leg, downstream_.buffer.virtual_channels, channel_class, downstream_.classes);
  Channel* best = nullptr;
  for (std::uint32_t i = range.first; i < range.end; ++i) {
    Channel& channel = channels_[i];
    if (channel.packet == nullptr && (best == nullptr || channel.credits > best->credits))
      best = &channel;
  }
  return best;
}

CreditedOutput::Channel* CreditedOutput::next_channel() {
  Channel* first = nullptr;
  for (Channel& channel : channels_) {
    if (!channel.may_send()) continue;
    if (first == nullptr ||
        channel.packet->flits.front().number < first->packet->flits.front().number)
      first = &channel;
  }
  return first;
}

void CreditedOutput::send_first(Channel& channel, Fs now) {
  Packet& packet = *channel.packet;
  const Flit flit = packet.flits.front();
  Transaction& transaction = *packet.transaction;
  packet.flits.pop_front();
  --queued_;
  --channel.credits;
  if (now > flit.at) {
    statistics_->waiting_fs += now - flit.at;
    ++statistics_->stalled_flits;
  }
  FlitRun run = flit.run;
  run.virtual_channel = static_cast<std::uint32_t>(&channel - channels_.data());
  if (run.first + 1 == transaction.route().flits) {
    channel.packet = nullptr;
    idle_packets_.push_back(&packet);
    give_channels();
  }
  to_link(transaction, run, flit.place, now);
}

void CreditedOutput::to_link(Transaction& transaction, FlitRun run, BufferPlace place, Fs at) {
  output_->accept(transaction, run, at);
  const Fs end = advance(link_, at, service_.of(transaction.route().bytes_of(run.first)));
  if (place.taken()) node_.left(place, end);
}

// --- Events

void CreditedOutput::rearm(Fs now) {
  const Fs due = next_due(now);
  if (due >= armed_) return;
  armed_ = due;
  wake_.notify(node_.work_at(due, now));
}

// Arrival of the next credit while flits wait or signals are observed, or hand-over of a flit
// announced ahead.
Fs CreditedOutput::next_due(Fs now) const {
  Fs due = never_fs;
  if (!coming_.empty() && (queued_ > 0 || observed())) due = std::max(coming_.front().at, now);
  return later_.empty() ? due : std::min(due, later_.front().at);
}

// --- Reports

void CreditedOutput::note_waiting(Fs now) {
  statistics_->longest_queue = std::max<std::uint64_t>(statistics_->longest_queue, queued_);
  PendingWaits& waits = services_.pending_waits();
  if (queued_ > 0 && !waiting_) {
    wait_ =
        waits.open(node_.name(), "credits of " + downstream_.name, now, [this] { return state(); });
    waiting_ = true;
  } else if (queued_ == 0 && waiting_) {
    waits.close(wait_);
    waiting_ = false;
  }
}

std::string CreditedOutput::state() const {
  std::string text;
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    const Channel& channel = channels_[i];
    if (channel.packet == nullptr || channel.packet->flits.empty()) continue;
    text +=
        fmt::format("\n    virtual channel {} without a credit: {}", i, text_of(*channel.packet));
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
  const MachineDescription& machine = machine_services(services_).machine();
  return fmt::format("{} flits of {} from {} to {}", packet.flits.size(),
                     route.leg == Leg::request ? "a request" : "a response",
                     machine.name(route.path->source()), machine.name(route.path->target()));
}

void CreditedOutput::declare_signals(Observables& to) {
  if (!downstream_.buffer.finite()) return;
  const std::string name = output_.basename();
  credits_signal_ =
      &to.add_signal(name + "_credits", "credits left for the input buffer of the receiver",
                     SignalFormat::count("flits"), this);
  stalled_signal_ = &to.add_signal(name + "_stalled", "flits stalled for a credit",
                                   SignalFormat::count("flits"), this);
}

void CreditedOutput::begin_observation() {
  const Fs now = Component::now();
  take_credits(now);
  show();
  rearm(now);
}

void CreditedOutput::show() {
  if (!observed()) return;
  std::uint64_t credits = 0;
  for (const Channel& channel : channels_) credits += channel.credits;
  credits_signal_->set(credits);
  stalled_signal_->set(queued_);
}

void join_buffers(FabricNode& from, FabricInitiatorSocket& output, const FabricNode& to,
                  const Rational& bw_gbs, std::uint32_t flit_bytes, std::uint32_t channel_classes) {
  const InputBuffer buffer = to.input_buffer();
  if (!from.input_buffer().finite() && !buffer.finite()) return;
  const Component::Scope scope(from);
  const Downstream far_end{to.name(), buffer, channel_classes};
  if (auto* const owner = dynamic_cast<OutputOwner*>(&from))
    return from.buffer_output(owner->make_output(output, far_end, bw_gbs, flit_bytes));
  from.buffer_output(std::make_unique<CreditedOutput>(from, output, far_end, bw_gbs, flit_bytes));
}

}  // namespace kernbench
