// Output of a virtual-channel router (vc_router.h): virtual channels and credits of the far end,
// and the link.
//
// Timing: none of its own; the router calls it at edges of its clock. A channel is held from its
// allocation to the grant of the last flit. A credit counts at the first edge at or after its
// arrival. The place of a flit in the router is free when its last byte has left for the link. A
// far end without finite buffers has no channels and accepts every flit.
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

class VcRouter;

class VcOutput final : public BufferedOutput, private SignalGroup {
 public:
  static constexpr std::uint32_t no_channel = 0;  // of a far end without finite buffers

  // `port`: of the router; the socket `output` leads to a link that carries bw_gbs.
  VcOutput(VcRouter& router, std::uint32_t port, FabricInitiatorSocket& output,
           Downstream downstream, const Rational& bw_gbs, std::uint32_t flit_bytes);

  // Holds a free channel of a leg and class: of several the one with the most credits, then the
  // lowest. None: all of them are held.
  std::optional<std::uint32_t> allocate(Leg leg, std::uint32_t channel_class);
  void release(std::uint32_t channel) {
    if (downstream_.buffer.finite()) channels_[channel].held = false;
  }
  bool has_credit(std::uint32_t channel) const {
    return !downstream_.buffer.finite() || channels_[channel].credits > 0;
  }
  void use_credit(std::uint32_t channel) {
    if (downstream_.buffer.finite()) --channels_[channel].credits;
  }
  // Counts the credits that have arrived by `now`.
  void take_credits(Fs now) {
    if (!coming_.empty() && coming_.front().at <= now) add_credits(now);
  }
  // Arrival of the next credit that has not been counted; never_fs: none is announced.
  Fs next_credit() const { return coming_.empty() ? never_fs : coming_.front().at; }
  // Number of the groups that compete for channels, by leg and class, and that of a message.
  std::uint32_t groups() const { return 2 * downstream_.classes; }
  std::uint32_t group_of(Leg leg, std::uint32_t channel_class) const {
    return (leg == Leg::request ? 0 : downstream_.classes) + channel_class;
  }

  // Instant from which the link is free.
  Fs available_at() const { return link_.available_at; }
  // Hands a flit over to the link, now; `place`: its place in the router.
  void send(Transaction& transaction, FlitRun run, BufferPlace place, Fs now);

  // Flits at the head of their queues that lack a credit or a virtual channel of this output.
  // starve() adds one in the present cycle; end_cycle() opens or closes the pending wait, and shows
  // the signals.
  void starve() { ++starved_; }
  void begin_cycle() { starved_ = 0; }
  void end_cycle(Fs now);
  bool awaits_credits() const { return starved_ > 0 || observed(); }
  CreditStatistics* statistics() { return statistics_; }

  void accept(Transaction& transaction, FlitRun run, Fs at) override;
  void put(Transaction& transaction, FlitRun run, BufferPlace place, Fs at) override;
  void credit(std::uint32_t virtual_channel, std::uint32_t flits, Fs at) override;
  void declare_signals(Observables& to) override;

 private:
  struct Channel {
    std::uint32_t credits = 0;
    bool held = false;
  };
  struct Coming {
    Fs at = 0;
    std::uint32_t virtual_channel = 0, flits = 0;
  };

  void add_credits(Fs now);
  void begin_observation() override;
  void show();

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                     sc_core::sc_time&) override {
    not_inside_the_fabric("nb_transport_fw");
  }
  void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override {
    not_inside_the_fabric("b_transport");
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
    return output_->transport_dbg(payload);
  }

  VcRouter& router_;
  std::uint32_t port_;
  PendingWaits& pending_waits_;
  FabricInitiatorSocket& output_;
  Downstream downstream_;
  ServiceTime service_;
  LinkState link_;  // state as the link has booked it

  std::vector<Channel> channels_;
  RingBuffer<Coming> coming_;  // in order
  std::size_t starved_ = 0;

  CreditStatistics* statistics_ = nullptr;  // null: the far end accepts everything
  const std::string what_;                  // of the pending wait
  bool waiting_ = false;                    // it is open
  std::size_t wait_ = 0;
  TraceSignal *credits_signal_ = nullptr, *stalled_signal_ = nullptr;
};

}  // namespace kernbench
