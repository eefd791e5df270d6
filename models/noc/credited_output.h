// Output of a node whose receiver has finite buffers, or whose own buffers are finite (spec 2.10):
// it connects node and link.
//
// Timing: a message takes a free virtual channel of the receiver with its first flit and releases
// it with its last. A flit is sent to the link with a credit of that channel, at the later of its
// hand-over and the credit's arrival. Messages of a leg and class get channels in order; of several
// flits with credits the one handed over first is sent first. Credits that arrive at an instant
// serve flits that wait before what is handed over at that instant. Control messages bypass the
// buffers. A flit's own place is free when its last byte has left (FabricNode::left()). A receiver
// without finite buffers accepts everything at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/noc/output_credits.h"

namespace kernbench {

class CreditedOutput final : public OutputCredits {
 public:
  // `output`: the socket to the link, which carries bw_gbs.
  CreditedOutput(FabricNode& node, FabricInitiatorSocket& output, Downstream downstream,
                 const Rational& bw_gbs, std::uint32_t flit_bytes);

  void accept(Transaction& transaction, FlitRun run, Fs at) override {
    put(transaction, run, {}, at);
  }
  void put(Transaction& transaction, FlitRun run, BufferPlace place, Fs at) override;

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
  struct Later {
    Transaction* transaction = nullptr;
    FlitRun run;
    BufferPlace place;
    Fs at = 0;
  };
  void enter(const Later& handed_over);
  void file(Transaction& transaction, const Flit& flit);
  RingBuffer<Packet*>& waiting_with(const Transaction& transaction, const FlitRun& run);
  Packet& packet_of(Transaction& transaction, const FlitRun& run);
  Packet& new_packet(Transaction& transaction, const FlitRun& run);
  void serve(Fs now);
  void send_all(Fs now);
  void allocate_channels();
  bool may_send(std::uint32_t channel) const {
    return holders_[channel] != nullptr && has_credit(channel) && !holders_[channel]->flits.empty();
  }
  std::uint32_t next_channel() const;
  void send_first(std::uint32_t channel, Fs now);
  void rearm(Fs now);
  Fs next_due(Fs now) const;

  void credit_announced(Fs at) override;
  std::string stalled_messages() const override;
  std::string text_of(const Packet& packet) const;
  void begin_observation() override;

  std::vector<Packet*> holders_;                      // message of each virtual channel, or null
  std::vector<RingBuffer<Packet*>> without_channel_;  // waiting messages by group
  std::vector<std::unique_ptr<Packet>> packets_;
  std::vector<Packet*> idle_packets_;
  std::size_t queued_ = 0;   // flits
  RingBuffer<Later> later_;  // handed over for later, in order
  std::uint64_t number_ = 0;

  sc_core::sc_event wake_;
  Fs armed_ = never_fs;
};

// Call after from.add_output(), for an edge with a link: if one of the ends has finite buffers,
// this output of `from` becomes a credited one, or one of its own. `channel_classes`: classes of
// messages.
void join_buffers(FabricNode& from, FabricInitiatorSocket& output, const FabricNode& to,
                  const Rational& bw_gbs, std::uint32_t flit_bytes,
                  std::uint32_t channel_classes = 1);

}  // namespace kernbench
