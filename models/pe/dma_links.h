// Output side of a PE_DMA: its virtual channels in front of the links, and the responses of PE_TCM
// that pass through (spec 2.3, 2.6).
//
// Timing: virtual_channels.h arbitrates each link. A response of PE_TCM contends from the instant
// of its arrival and loses against messages injected by the PE_DMA in that timestep.
#pragma once

#include <algorithm>

#include "models/pe/virtual_channels.h"
#include "models/protocol/fabric_node.h"

namespace kernbench {

class DmaLinks {
  // See VirtualChannels.
  struct Output {
    FabricNode& dma;
    void send(Transaction& t, FlitRun run) {
      dma.send(t, run.first, run.count, run.position, Component::now());
    }
    bool takes_runs(std::uint32_t port) { return dma.output_takes_runs(port); }
    void send(Transaction& t, FlitRun run, Fs at, Fs spacing) {
      dma.send_run(t, run.first, run.count, run.position, at, spacing);
    }
    void recall(std::uint32_t port, Transaction& t, std::uint32_t position, std::uint32_t flit) {
      dma.recall(port, t, position, flit);
    }
  };
  Output output() { return {dma_}; }

 public:
  // `dma` is the node.
  DmaLinks(FabricNode& dma, std::uint32_t flit_bytes)
      : dma_(dma), flit_bytes_(flit_bytes), channels_(flit_bytes) {}
  void declare_signals(Observables to) {
    waiting_signal_ = &to.add_signal("comm_waiting", "messages queued for the link",
                                     SignalFormat::count("messages"));
    show_waiting();
  }

  std::uint32_t flit_bytes() const { return flit_bytes_; }
  // See VirtualChannels.
  void use_both(std::uint32_t chunk_bytes) { channels_.use_both(chunk_bytes); }

  // All flits of a message, or a control message, contend for the link at `position` of its path.
  void put(VirtualChannel channel, Transaction& transaction, std::uint32_t position) {
    channels_.put(channel, transaction, {0, transaction.route().flits, position}, Component::now(),
                  output());
    show_waiting();
  }
  // One flit of a message that starts here.
  void put_flit(Transaction& transaction, std::uint32_t flit) {
    channels_.put(VirtualChannel::compute, transaction, {flit, 1, 0}, Component::now(), output());
  }
  // A run from PE_TCM; a response leaves as a whole.
  void pass(NodeId upstream, Transaction& transaction, FlitRun run, Fs arrival) {
    if (passing_.push_message(upstream, transaction, run, arrival)) dma_.rearm();
  }

  // The last flit of a run from PE_TCM is not on its way any more.
  void recall(const Transaction& transaction) { passing_.recall_message(transaction); }

  // Next instant at which a waiting message has its turn at a link or passes through.
  Fs next_due(Fs now) const { return std::min(channels_.next_due(now), passing_.control_due()); }
  // Call when the timestep is quiescent and all transfers that start here contend.
  void serve(Fs now) {
    passing_.take_control(now, 0, [this](const Arrival& arrival) {
      put(VirtualChannel::compute, *arrival.transaction, arrival.position);
    });
    channels_.serve(now, output());
    show_waiting();
  }

 private:
  void show_waiting() {
    if (waiting_signal_ != nullptr) waiting_signal_->set(channels_.waiting(VirtualChannel::comm));
  }

  FabricNode& dma_;
  std::uint32_t flit_bytes_;
  VirtualChannels channels_;
  ArrivalQueue passing_{ArrivalQueue::Forwarding::store_and_forward};
  TraceSignal* waiting_signal_ = nullptr;  // null until requested
};

}  // namespace kernbench
