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

  // Output of the node:
  //   void send(Transaction&, FlitRun)  hands flits, or a control message, over to the link now
  //   bool takes_runs(port)             whether flits may be handed over for later, and withdrawn
  //   void send(Transaction&, FlitRun, Fs at, Fs spacing)
  //   void recall(port, Transaction&, position, flit)
  //
  // Flits [run.first, run.first + run.count) of a message, or a control message, contend for the
  // link at run.position of its path.
  template <class Output>
  void put(VirtualChannel channel, Transaction& transaction, FlitRun run, Fs now, Output output);

  // Instant at which a link is free for a waiting message; never_fs if none waits.
  Fs next_due(Fs now) const;
  // Call at the end of that instant, when all contenders for the link have arrived.
  template <class Output>
  void serve(Fs now, Output output);

  std::size_t waiting(VirtualChannel channel) const;  // runs

 private:
  struct Waiting {
    Transaction* transaction = nullptr;  // kept alive by its owner
    FlitRun run;                         // remaining flits
  };
  using Queue = RingBuffer<Waiting>;
  // Flits of a message that was alone when its turn came: handed over back to back, the first at
  // `start`, and withdrawn from the next piece on when the other channel contends.
  struct Announced {
    Transaction* transaction = nullptr;
    FlitRun run;
    VirtualChannel channel = VirtualChannel::compute;
    Fs start = 0;
  };
  struct Port {
    std::array<Queue, 2> queues;
    ChannelArbiterState state;
    ServiceTime service;  // service time of the link
    bool known = false;
    Announced announced;

    Queue& queue(VirtualChannel channel) { return queues[static_cast<std::size_t>(channel)]; }
    bool empty() const { return queues[0].empty() && queues[1].empty(); }
  };

  Port& port_of(const Transaction& transaction, std::uint32_t position);
  template <class Output>
  void announce(std::uint16_t number, VirtualChannel channel, Fs now, Output output);
  template <class Output>
  void split(std::uint16_t number, Fs now, Output output);
  Fs service_of(const Port& port, const Transaction& transaction, std::uint32_t flit) const {
    return port.service.of(transaction.route().bytes_of(flit));
  }
  // Number of flits of the next piece of a run, and its service time.
  std::uint32_t piece_of(const Port& port, VirtualChannel channel, const Waiting& head,
                         Fs& service) const;
  static bool head_is_control(const Queue& queue) {
    return !queue.empty() && queue.front().run.count == 0;
  }

  std::uint32_t flit_bytes_, chunk_bytes_ = 0;
  bool both_ = false;
  std::vector<Port> ports_;  // by the number of the out port
};

template <class Output>
void VirtualChannels::put(VirtualChannel channel, Transaction& transaction, FlitRun run, Fs now,
                          Output output) {
  Port& port = port_of(transaction, run.position);
  if (both_ && transaction.route().path->hop(run.position).propagation_fs > 0) {
    if (port.announced.transaction != nullptr && port.announced.channel != channel)
      split(transaction.route().path->out_port(run.position), now, output);
    port.queue(channel).push_back({&transaction, run});
    return;
  }
  for (std::uint32_t flit = run.first; flit < run.first + run.count; ++flit)
    kernbench::serve(port.state, channel, now, service_of(port, transaction, flit));
  output.send(transaction, run);
}

template <class Output>
void VirtualChannels::serve(Fs now, Output output) {
  for (std::uint16_t number = 0; number < ports_.size(); ++number) {
    Port& port = ports_[number];
    while (!port.empty() && port.state.free_at <= now) {
      Queue &compute = port.queue(VirtualChannel::compute),
            &comm = port.queue(VirtualChannel::comm);
      port.announced.transaction = nullptr;  // its flits have been handed over
      if (head_is_control(compute)) {
        const Waiting head = compute.front();
        compute.pop_front();
        output.send(*head.transaction, head.run);
        continue;
      }
      const VirtualChannel channel = next_channel(port.state, !compute.empty(), !comm.empty());
      if (compute.empty() != comm.empty() && output.takes_runs(number)) {
        announce(number, channel, now, output);
        continue;
      }
      Queue& queue = port.queue(channel);
      Fs service = 0;
      const std::uint32_t flits = piece_of(port, channel, queue.front(), service);
      kernbench::serve(port.state, channel, now, service);
      const Waiting head = queue.front();
      if (flits == head.run.count) {
        queue.pop_front();
      } else {
        queue.front().run.first += flits;
        queue.front().run.count -= flits;
      }
      output.send(*head.transaction, FlitRun{head.run.first, flits, head.run.position});
    }
  }
}

// The first message of the channel, without a contender: each piece is handed over at the end of
// service of the one before.
template <class Output>
void VirtualChannels::announce(std::uint16_t number, VirtualChannel channel, Fs now,
                               Output output) {
  Port& port = ports_[number];
  Waiting head = port.queue(channel).front();
  port.queue(channel).pop_front();
  port.announced = {head.transaction, head.run, channel, now};
  Fs at = now;
  while (head.run.count > 0) {
    Fs service = 0;
    const std::uint32_t flits = piece_of(port, channel, head, service);
    FlitRun part{head.run.first, flits, head.run.position};
    Fs spacing = 0;
    if (flits == 1) {  // pieces of one flit and one length
      while (part.count < head.run.count &&
             service_of(port, *head.transaction, part.first + part.count) == service)
        ++part.count;
      spacing = service;
      service *= part.count;
    }
    output.send(*head.transaction, part, at, spacing);
    kernbench::serve(port.state, channel, at, service);
    at = port.state.free_at;
    head.run.first += part.count;
    head.run.count -= part.count;
  }
}

// The other channel contends from now on: pieces whose turn has not come wait for it again.
template <class Output>
void VirtualChannels::split(std::uint16_t number, Fs now, Output output) {
  Port& port = ports_[number];
  Announced& announced = port.announced;
  Waiting rest{announced.transaction, announced.run};
  announced.transaction = nullptr;
  if (port.state.free_at <= now) return;
  Fs at = announced.start;
  do {
    Fs service = 0;
    const std::uint32_t flits = piece_of(port, announced.channel, rest, service);
    at += service;
    rest.run.first += flits;
    rest.run.count -= flits;
    if (rest.run.count == 0) return;  // the last piece is in service
  } while (at < now);
  port.state.free_at = at;
  port.queue(announced.channel).push_front(rest);
  output.recall(number, *rest.transaction, rest.run.position, rest.run.first);
}

}  // namespace kernbench
