// Output of a node whose receiver has finite buffers, or whose own buffers are finite (spec 2.10):
// it connects node and link.
//
// Timing: a message takes a free virtual channel of the receiver with its first flit and releases
// it with its last. A flit is sent to the link with a credit of that channel, at the later of its
// hand-over and the credit's arrival. Messages of a leg and class get channels in order; of several
// flits with credits the one handed over first is sent first. Credits that arrive at an instant
// serve flits that wait before flits handed over at that instant. Control messages bypass the
// buffers. A flit's own place is free when its last byte has left (FabricNode::left()). A receiver
// without finite buffers accepts everything at once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/base/trace_signal.h"
#include "models/noc/output_owner.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/ring_buffer.h"
#include "models/timing/link_state.h"
#include "models/timing/service_time.h"

namespace kernbench {

class CreditedOutput final : public BufferedOutput, private SignalGroup {
 public:
  // `output`: the socket to the link, which carries bw_gbs.
  CreditedOutput(FabricNode& node, FabricInitiatorSocket& output, Downstream downstream,
                 const Rational& bw_gbs, std::uint32_t flit_bytes);

  void accept(Transaction& transaction, FlitRun run, Fs at) override {
    put(transaction, run, {}, at);
  }
  void put(Transaction& transaction, FlitRun run, BufferPlace place, Fs at) override;
  void credit(std::uint32_t virtual_channel, std::uint32_t flits, Fs at) override;
  void declare_signals(Observables& to) override;

 private:
  struct Flit {
    FlitRun run;  // run of one flit
    BufferPlace place;
    Fs at = 0;  // handed over
    std::uint64_t number = 0;
  };
  struct Packet {
    Transaction* transaction = nullptr;  // kept alive by its owner
    RingBuffer<Flit> flits;              // waiting flits
  };
  struct Channel {
    Packet* packet = nullptr;  // its holder
    std::uint32_t credits = 0;

    bool may_send() const { return packet != nullptr && credits > 0 && !packet->flits.empty(); }
  };
  struct Later {
    Transaction* transaction = nullptr;
    FlitRun run;
    BufferPlace place;
    Fs at = 0;
  };
  struct Coming {
    Fs at = 0;
    std::uint32_t virtual_channel = 0, flits = 0;
  };

  void enter(const Later& handed_over);
  void file(Transaction& transaction, const Flit& flit);
  RingBuffer<Packet*>& waiting_with(const Transaction& transaction, const FlitRun& run);
  Packet& packet_of(Transaction& transaction, const FlitRun& run);
  Packet& new_packet(Transaction& transaction, const FlitRun& run);
  void serve(Fs now);
  void send_all(Fs now);
  void take_credits(Fs now);
  void give_channels();
  Channel* free_channel(Leg leg, std::uint32_t channel_class);
  Channel* next_channel();
  void send_first(Channel& channel, Fs now);
  void to_link(Transaction& transaction, FlitRun run, BufferPlace place, Fs at);
  void rearm(Fs now);
  Fs next_due(Fs now) const;

  void note_waiting(Fs now);
  std::string state() const;
  std::string text_of(const Packet& packet) const;
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

  FabricNode& node_;
  Services& services_;
  FabricInitiatorSocket& output_;
  Downstream downstream_;
  ServiceTime service_;
  LinkState link_;  // state as the link has booked it

  std::vector<Channel> channels_;
  std::vector<RingBuffer<Packet*>> without_channel_;  // by leg and class
  RingBuffer<Coming> coming_;                         // in order
  std::vector<std::unique_ptr<Packet>> packets_;
  std::vector<Packet*> idle_packets_;
  std::size_t queued_ = 0;   // flits
  RingBuffer<Later> later_;  // handed over for later, in order
  std::uint64_t number_ = 0;

  sc_core::sc_event wake_;
  Fs armed_ = never_fs;

  CreditStatistics* statistics_ = nullptr;  // null: the receiver accepts everything
  bool waiting_ = false;                    // a pending wait is open
  std::size_t wait_ = 0;
  TraceSignal *credits_signal_ = nullptr, *stalled_signal_ = nullptr;
};

// Call after from.add_output(), for an edge with a link: if one of the ends has finite buffers,
// this output of `from` becomes a credited one, or one of its own. `channel_classes`: classes of
// messages.
void join_buffers(FabricNode& from, FabricInitiatorSocket& output, const FabricNode& to,
                  const Rational& bw_gbs, std::uint32_t flit_bytes,
                  std::uint32_t channel_classes = 1);

}  // namespace kernbench
