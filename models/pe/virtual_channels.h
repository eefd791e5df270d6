// The virtual channels of a PE_DMA: vc_compute for DMA, vc_comm for IPCQ messages (spec 2.6, 8.1).
//
// Timing: one queue per channel and link, by the policy of models/timing/channel_arbiter.h: one
// flit of vc_compute and one chunk of vc_comm in turn. A chunk is as many flits of one message as
// chunk_bytes hold, at least one. A control message leaves when it is the first of its channel and
// the link is free; it takes no turn. A PE without rings has one channel in use: messages handed
// over are sent to the link at once, which serves in that order. Messages to a neighbour without a
// link in between are sent at once, too: they never wait.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/protocol/fabric_socket.h"
#include "models/protocol/ring_buffer.h"
#include "models/timing/channel_arbiter.h"
#include "models/timing/service_time.h"

namespace kernbench {

class VirtualChannels {
 public:
  explicit VirtualChannels(std::uint32_t flit_bytes) : flit_bytes_(flit_bytes) {}

  // Enables both channels.
  void use_both(std::uint32_t chunk_bytes) {
    both_ = true;
    chunk_bytes_ = chunk_bytes;
  }

  // Flits [run.first, run.first + run.count) of a message, or a control message, contend for the
  // link at run.position of its path. send(transaction, run) hands flits over to that link; it
  // is called here or in serve().
  template <class Send>
  void put(VirtualChannel channel, Transaction& transaction, FlitRun run, Fs now, Send send);

  // Instant at which a link is free for a waiting message; never_fs if none waits.
  Fs next_due(Fs now) const;
  // Call at the end of that instant, when all contenders for the link have arrived.
  template <class Send>
  void serve(Fs now, Send send);

  std::size_t waiting(VirtualChannel channel) const;  // runs

 private:
  struct Waiting {
    Transaction* transaction = nullptr;  // kept alive by its owner
    FlitRun run;                         // remaining flits
  };
  using Queue = RingBuffer<Waiting>;
  struct Port {
    std::array<Queue, 2> queues;
    ChannelArbiterState state;
    ServiceTime service;  // service time of the link
    bool known = false;

    Queue& queue(VirtualChannel channel) { return queues[static_cast<std::size_t>(channel)]; }
    bool empty() const { return queues[0].empty() && queues[1].empty(); }
  };

  Port& port_of(const Transaction& transaction, std::uint32_t position);
  // The next piece of the channel: the number of its flits.
  std::uint32_t next_piece(const Port& port, VirtualChannel channel, Fs& service) const;
  static bool head_is_control(const Queue& queue) {
    return !queue.empty() && queue.front().run.count == 0;
  }

  std::uint32_t flit_bytes_, chunk_bytes_ = 0;
  bool both_ = false;
  std::vector<Port> ports_;  // by the number of the out port
};

template <class Send>
void VirtualChannels::put(VirtualChannel channel, Transaction& transaction, FlitRun run, Fs now,
                          Send send) {
  Port& port = port_of(transaction, run.position);
  if (both_ && transaction.route().path->hop(run.position).propagation_fs > 0) {
    port.queue(channel).push_back({&transaction, run});
    return;
  }
  if (run.count == 0) return send(transaction, run);
  for (std::uint32_t flit = run.first; flit < run.first + run.count; ++flit)
    kernbench::serve(port.state, channel, now, port.service.of(transaction.route().bytes_of(flit)));
  send(transaction, run);
}

template <class Send>
void VirtualChannels::serve(Fs now, Send send) {
  for (Port& port : ports_) {
    while (!port.empty() && port.state.free_at <= now) {
      Queue &compute = port.queue(VirtualChannel::compute),
            &comm = port.queue(VirtualChannel::comm);
      if (head_is_control(compute)) {
        const Waiting head = compute.front();
        compute.pop_front();
        send(*head.transaction, head.run);
        continue;
      }
      const VirtualChannel channel = next_channel(port.state, !compute.empty(), !comm.empty());
      Queue& queue = port.queue(channel);
      Fs service = 0;
      const std::uint32_t flits = next_piece(port, channel, service);
      kernbench::serve(port.state, channel, now, service);
      const Waiting head = queue.front();
      if (flits == head.run.count) {
        queue.pop_front();
      } else {
        queue.front().run.first += flits;
        queue.front().run.count -= flits;
      }
      send(*head.transaction, FlitRun{head.run.first, flits, head.run.position});
    }
  }
}

}  // namespace kernbench
