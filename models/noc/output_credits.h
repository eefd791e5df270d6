// Base of the outputs of nodes whose receiver has finite buffers (spec 2.10): virtual channels and
// credits of the receiver, the link, signals, and the wait that a deadlock report shows.
//
// A message holds a virtual channel of the receiver. Messages of one leg and class form a group
// that competes for the same channels: the free one with the most credits is allocated, on a tie
// the lowest. A receiver without finite buffers has no channels and accepts every flit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/trace_signal.h"
#include "models/noc/output_owner.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/ring_buffer.h"
#include "models/timing/link_state.h"
#include "models/timing/service_time.h"

namespace kernbench {

class OutputCredits : public BufferedOutput, protected SignalGroup {
 public:
  void credit(std::uint32_t virtual_channel, std::uint32_t flits, Fs at) override;
  void declare_signals(Observables& to) override;

 protected:
  static constexpr std::uint32_t no_channel = 0;  // channel of a receiver without finite buffers

  // `output`: socket to the link, which carries bw_gbs.
  OutputCredits(FabricNode& node, FabricInitiatorSocket& output, Downstream downstream,
                const Rational& bw_gbs, std::uint32_t flit_bytes);

  FabricNode& node() const { return node_; }
  FabricInitiatorSocket& output() const { return output_; }
  bool finite() const { return downstream_.buffer.finite(); }

  std::uint32_t groups() const { return 2 * downstream_.classes; }
  std::uint32_t group_of(Leg leg, std::uint32_t channel_class) const {
    return (leg == Leg::request ? 0 : downstream_.classes) + channel_class;
  }
  // Holds a free channel for a message of the group; none: all are held.
  std::optional<std::uint32_t> allocate(std::uint32_t group);
  void release(std::uint32_t channel) {
    if (finite()) channels_[channel].held = false;
  }
  bool has_credit(std::uint32_t channel) const {
    return !finite() || channels_[channel].credits > 0;
  }
  void use_credit(std::uint32_t channel) {
    if (finite()) --channels_[channel].credits;
  }
  // Counts the credits that have arrived by `now`.
  void take_credits(Fs now) {
    if (!announced_.empty() && announced_.front().at <= now) add_credits(now);
  }
  // Arrival of the next credit that has not been counted; never_fs: none is announced.
  Fs next_credit() const { return announced_.empty() ? never_fs : announced_.front().at; }

  // Hands a flit over to the link, now; its place in the node is free when its last byte has left.
  void to_link(Transaction& transaction, const FlitRun& run, BufferPlace place, Fs now);
  Fs link_available_at() const { return link_.available_at; }

  // Reports `flits` stalled for a credit or a channel: statistics, pending wait, signals.
  void note_stalled(std::size_t flits, Fs now) {
    if (flits > 0 || waiting_ || observed()) report_stalled(flits, now);
  }
  void show(std::size_t stalled_flits);
  CreditStatistics* statistics() { return statistics_; }

 private:
  struct Channel {
    std::uint32_t credits = 0;
    bool held = false;
  };
  struct Announced {
    Fs at = 0;
    std::uint32_t virtual_channel = 0, flits = 0;
  };

  // A credit has been announced for the instant `at`.
  virtual void credit_announced(Fs at) = 0;
  // Stalled messages, for the deadlock report.
  virtual std::string stalled_messages() const = 0;
  void add_credits(Fs now);
  void report_stalled(std::size_t flits, Fs now);

  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
    return output_->transport_dbg(payload);
  }

  FabricNode& node_;
  FabricInitiatorSocket& output_;
  PendingWaits& pending_waits_;
  Downstream downstream_;
  ServiceTime service_;
  LinkState link_;                    // state as the link has booked it
  std::vector<ChannelRange> ranges_;  // channels by group
  std::vector<Channel> channels_;
  RingBuffer<Announced> announced_;         // in order
  CreditStatistics* statistics_ = nullptr;  // null: the receiver accepts every flit
  bool waiting_ = false;                    // a pending wait is open
  std::size_t wait_ = 0;
  TraceSignal *credits_signal_ = nullptr, *stalled_signal_ = nullptr;
};

}  // namespace kernbench
