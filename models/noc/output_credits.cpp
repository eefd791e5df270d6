#include "models/noc/output_credits.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/base/errors.h"
#include "models/base/services.h"

namespace kernbench {

OutputCredits::OutputCredits(FabricNode& node, FabricInitiatorSocket& output, Downstream downstream,
                             const Rational& bw_gbs, std::uint32_t flit_bytes)
    : node_(node), output_(output), pending_waits_(services_of(node).pending_waits()),
      downstream_(std::move(downstream)), service_(bw_gbs, flit_bytes) {
  if (!finite()) return;
  const InputBuffer& buffer = downstream_.buffer;
  statistics_ = &statistics_of(node);
  channels_.assign(buffer.virtual_channels, {buffer.flits, false});
  for (const Leg leg : {Leg::request, Leg::response}) {
    for (std::uint32_t i = 0; i < downstream_.classes; ++i)
      ranges_.push_back(channels_of(leg, buffer.virtual_channels, i, downstream_.classes));
  }
}

std::optional<std::uint32_t> OutputCredits::allocate(std::uint32_t group) {
  if (!finite()) return no_channel;
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = ranges_[group].first; i < ranges_[group].end; ++i) {
    if (channels_[i].held) continue;
    if (!best || channels_[i].credits > channels_[*best].credits) best = i;
  }
  if (best) channels_[*best].held = true;
  return best;
}

void OutputCredits::credit(std::uint32_t virtual_channel, std::uint32_t flits, Fs at) {
  if (virtual_channel >= channels_.size())
    throw ModelError(fmt::format("a credit of virtual channel {} of {}: it has {}", virtual_channel,
                                 downstream_.name, channels_.size()));
  announced_.insert_sorted({at, virtual_channel, flits},
                           [](const Announced& a, const Announced& b) { return a.at < b.at; });
  credit_announced(at);
}

void OutputCredits::add_credits(Fs now) {
  for (; !announced_.empty() && announced_.front().at <= now; announced_.pop_front()) {
    const Announced& next = announced_.front();
    Channel& channel = channels_[next.virtual_channel];
    channel.credits += next.flits;
    if (channel.credits > downstream_.buffer.flits)
      throw ModelError(fmt::format("a surplus credit of virtual channel {} of {}",
                                   next.virtual_channel, downstream_.name));
  }
}

void OutputCredits::to_link(Transaction& transaction, const FlitRun& run, BufferPlace place,
                            Fs now) {
  output_->accept(transaction, run, now);
  const Fs end = advance(link_, now, service_.of(transaction.route().bytes_of(run.first)));
  if (place.taken()) node_.left(place, end);
}

// --- Reports

void OutputCredits::report_stalled(std::size_t flits, Fs now) {
  if (statistics_ != nullptr)
    statistics_->longest_queue = std::max<std::uint64_t>(statistics_->longest_queue, flits);
  if (flits > 0 && !waiting_) {
    wait_ = pending_waits_.open(node_.name(), "credits of " + downstream_.name, now,
                                [this] { return stalled_messages(); });
    waiting_ = true;
  } else if (flits == 0 && waiting_) {
    pending_waits_.close(wait_);
    waiting_ = false;
  }
  show(flits);
}

void OutputCredits::declare_signals(Observables& to) {
  if (!finite()) return;
  const std::string name = output_.basename();
  credits_signal_ =
      &to.add_signal(name + "_credits", "credits left for the input buffer of the receiver",
                     SignalFormat::count("flits"), this);
  stalled_signal_ = &to.add_signal(name + "_stalled", "flits stalled for a credit",
                                   SignalFormat::count("flits"), this);
}

void OutputCredits::show(std::size_t stalled_flits) {
  if (!observed()) return;
  std::uint64_t credits = 0;
  for (const Channel& channel : channels_) credits += channel.credits;
  credits_signal_->set(credits);
  stalled_signal_->set(stalled_flits);
}

}  // namespace kernbench
