#include "models/noc/vc_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/base/errors.h"
#include "models/noc/vc_router.h"
#include "models/protocol/machine_services.h"

namespace kernbench {

VcOutput::VcOutput(VcRouter& router, std::uint32_t port, FabricInitiatorSocket& output,
                   Downstream downstream, const Rational& bw_gbs, std::uint32_t flit_bytes)
    : router_(router), port_(port), pending_waits_(services_of(router).pending_waits()),
      output_(output), downstream_(std::move(downstream)), service_(bw_gbs, flit_bytes),
      channels_(downstream_.buffer.virtual_channels), what_("credits of " + downstream_.name) {
  if (!downstream_.buffer.finite()) return;
  statistics_ = &statistics_of(router);
  for (Channel& channel : channels_) channel.credits = downstream_.buffer.flits;
}

std::optional<std::uint32_t> VcOutput::allocate(Leg leg, std::uint32_t channel_class) {
  if (!downstream_.buffer.finite()) return no_channel;
  const ChannelRange range =
      channels_of(leg, downstream_.buffer.virtual_channels, channel_class, downstream_.classes);
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = range.first; i < range.end; ++i) {
    if (channels_[i].held) continue;
    if (!best || channels_[i].credits > channels_[*best].credits) best = i;
  }
  if (best) channels_[*best].held = true;
  return best;
}

void VcOutput::add_credits(Fs now) {
  for (; !coming_.empty() && coming_.front().at <= now; coming_.pop_front()) {
    const Coming& coming = coming_.front();
    Channel& channel = channels_[coming.virtual_channel];
    channel.credits += coming.flits;
    if (channel.credits > downstream_.buffer.flits)
      throw ModelError(fmt::format("a credit of virtual channel {} of {} too many",
                                   coming.virtual_channel, downstream_.name));
  }
}

void VcOutput::send(Transaction& transaction, FlitRun run, BufferPlace place, Fs now) {
  output_->accept(transaction, run, now);
  const Fs end = advance(link_, now, service_.of(transaction.route().bytes_of(run.first)));
  router_.left(place, end);
}

void VcOutput::accept(Transaction& transaction, FlitRun run, Fs at) {
  if (run.count > 0) throw ModelError("a flit that leaves a virtual-channel router by no switch");
  output_->accept(transaction, run, at);
}

void VcOutput::put(Transaction& transaction, FlitRun run, BufferPlace /*place*/, Fs at) {
  accept(transaction, run, at);
}

void VcOutput::credit(std::uint32_t virtual_channel, std::uint32_t flits, Fs at) {
  if (virtual_channel >= channels_.size())
    throw ModelError(fmt::format("a credit of virtual channel {} of {}: it has {}", virtual_channel,
                                 downstream_.name, channels_.size()));
  coming_.insert_sorted({at, virtual_channel, flits},
                        [](const Coming& a, const Coming& b) { return a.at < b.at; });
  if (awaits_credits()) router_.work_from(at);
}

void VcOutput::end_cycle(Fs now) {
  if (statistics_ != nullptr)
    statistics_->longest_queue = std::max<std::uint64_t>(statistics_->longest_queue, starved_);
  if (starved_ > 0 && !waiting_) {
    wait_ = pending_waits_.open(router_.name(), what_, now,
                                [this] { return router_.starved_at(port_); });
    waiting_ = true;
  } else if (starved_ == 0 && waiting_) {
    pending_waits_.close(wait_);
    waiting_ = false;
  }
  show();
}

// --- Signals

void VcOutput::declare_signals(Observables& to) {
  if (!downstream_.buffer.finite()) return;
  const std::string name = output_.basename();
  credits_signal_ = &to.add_signal(name + "_credits", "credits of the far end that are left",
                                   SignalFormat::count("flits"), this);
  stalled_signal_ = &to.add_signal(name + "_stalled", "flits that wait for a credit",
                                   SignalFormat::count("flits"), this);
}

void VcOutput::begin_observation() {
  take_credits(Component::now());
  show();
  if (!coming_.empty()) router_.work_from(coming_.front().at);
}

void VcOutput::show() {
  if (!observed()) return;
  std::uint64_t credits = 0;
  for (const Channel& channel : channels_) credits += channel.credits;
  credits_signal_->set(credits);
  stalled_signal_->set(starved_);
}

}  // namespace kernbench
