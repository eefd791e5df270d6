// Queue of the arrivals at a node, present and announced: sorted by the tie rule of spec 2.3, with
// separate queues for data flits and control messages.
#pragma once

#include <cstdint>

#include "models/base/small_vector.h"
#include "models/base/units.h"
#include "models/protocol/fabric_socket.h"
#include "models/protocol/ring_buffer.h"

namespace kernbench {

struct Arrival {
  Fs time = never_fs;
  Transaction* transaction = nullptr;
  NodeId upstream = 0;
  std::uint32_t flit = 0;
  std::uint32_t position = 0;  // position of this node in the path
  std::uint16_t port = 0;
  std::uint16_t virtual_channel = 0;  // channel of the port, if it has finite buffers
  // In a queue, flits flit + i arrive at time + i * spacing, i < count. Where an arrival is served,
  // it is its first flit alone.
  std::uint32_t count = 1;
  Fs spacing = 0;

  bool is_first() const { return flit == 0; }
  Fs time_of(std::uint32_t i) const { return time + i * spacing; }
  Fs last_time() const { return time_of(count - 1); }
  // The flits from the i-th on.
  Arrival from(std::uint32_t i) const {
    Arrival rest = *this;
    rest.time += i * spacing;
    rest.flit += i;
    rest.count -= i;
    return rest;
  }
  // Appends flits if they continue the run at its spacing.
  bool append(const Arrival& next);
};

// The tie rule: (arrival time, upstream node's name, id, flit). Node ids are in name order.
inline bool earlier(const Arrival& a, const Arrival& b) {
  if (a.time != b.time) return a.time < b.time;
  if (a.upstream != b.upstream) return a.upstream < b.upstream;
  if (a.transaction != b.transaction &&
      !(a.transaction->route().key == b.transaction->route().key)) {
    return a.transaction->route().key < b.transaction->route().key;
  }
  return a.flit < b.flit;
}

// Number of flits of `run` that precede `other`, of another leg, by the tie rule.
inline std::uint32_t flits_before(const Arrival& run, const Arrival& other) {
  const std::uint32_t before = flits_until(run.time, run.spacing, run.count, other.time);
  Arrival tied = run;  // the flits that arrive at the same instant, if any
  tied.time = other.time;
  return earlier(tied, other) ? flits_until(run.time, run.spacing, run.count, other.time + 1)
                              : before;
}

// Check of a service policy: the service of `arrival` that ends at `now` has begun at `start`.
// Throws ModelError unless arrival <= start <= now.
[[noreturn]] void wrong_start(const Arrival& arrival, Fs start, Fs now);
inline void check_start(const Arrival& arrival, Fs start, Fs now) {
  if (start - arrival.time > now - arrival.time) wrong_start(arrival, start, now);  // modulo 2^64
}

class ArrivalQueue {
 public:
  // cut_through: for nodes that serve flit by flit. store_and_forward: a message arrives with its
  // last flit, and is queued with the control messages.
  enum class Forwarding : std::uint8_t { cut_through, store_and_forward };

  explicit ArrivalQueue(Forwarding forwarding) : forwarding_(forwarding) {}

  // Ports are added in ascending order of the upstream node, one for each.
  void add_port(NodeId upstream);
  NodeId upstream(std::uint32_t port) const { return ports_[port].upstream; }

  // Returns true if the new arrival is now the head of its kind.
  bool push(std::uint32_t port, Transaction& transaction, FlitRun run, Fs time);
  // Flits of a run, which follow all earlier ones of their port.
  bool push_run(std::uint32_t port, Transaction& transaction, FlitRun run, Fs time, Fs spacing);
  // Removes the flits of the transaction from `flit` on, the last that were pushed at the port.
  void recall(std::uint32_t port, const Transaction& transaction, std::uint32_t flit);
  // Removes a message filed as a whole; false if it is not here.
  bool recall_message(const Transaction& transaction);
  // Takes `count` flits of the first arrival at a port, or of data(), out of the queue.
  void take(std::uint32_t port, std::uint32_t count);
  void take(std::uint32_t count) { take(best_port_, count); }
  // Puts flits back that were taken from their port, and not followed by others of the port.
  void put_back(const Arrival& flits);
  // Number of flits of `run` that precede, by the tie rule, every arrival at another port for which
  // interferes(arrival) holds.
  template <class Interferes>
  std::uint32_t flits_before_interference(const Arrival& run, Interferes interferes) const;
  // Calls visit(const Arrival&) for the arrivals at each port but one, in order, up to `last` or
  // until visit() returns true.
  template <class Visit>
  void for_each_other(std::uint32_t port, Fs last, Visit visit) const;
  // Files a message that counts as a whole, whatever its flits, among the control messages. A
  // message that starts at a node has that node as its upstream.
  bool push_message(NodeId upstream, Transaction& transaction, FlitRun run, Fs time);

  // Earliest data flit over all ports; null if none.
  const Arrival* data() const {
    return best_port_ == no_port ? nullptr : &ports_[best_port_].flits.front();
  }
  void pop_data();
  // First flits of a port; null if none.
  const Arrival* data(std::uint32_t port) const {
    return heads_[port] == never_fs ? nullptr : &ports_[port].flits.front();
  }
  // Calls visit(const Arrival&) with the first flits of each port.
  template <class Visit>
  void for_each_head(Visit visit) const {
    for (const Port& port : ports_) {
      if (!port.flits.empty()) visit(port.flits.front());
    }
  }
  // Earliest control message (or whole message); null if none.
  const Arrival* control() const { return control_.empty() ? nullptr : &control_.front(); }
  void pop_control() { control_.pop_front(); }
  // Instant `delay` after the earliest control message; never_fs if there is none.
  Fs control_due(Fs delay = 0) const {
    return control_.empty() ? never_fs : control_.front().time + delay;
  }
  // Calls take(arrival) for each control message that arrived at least `delay` before `now`, in
  // order; it has left the queue by then.
  template <class Take>
  void take_control(Fs now, Fs delay, Take take) {
    while (control_due(delay) <= now) {
      const Arrival arrival = control_.front();
      control_.pop_front();
      take(arrival);
    }
  }

  // Arrivals announced and not yet served, including those still on the link.
  std::size_t depth() const { return depth_ + control_.size(); }

  // Interface for observers: number of arrivals up to `now`; the first of them in order, or null;
  // the earliest arrival after `now`, or never_fs.
  std::size_t present(Fs now) const;
  const Arrival* first_present(Fs now) const;
  Fs next_arrival(Fs now) const;
  // Time since their arrival, summed over the first data flits among them.
  Fs age_of_first_flits(Fs now) const;

 private:
  void find_best_port();
  // Compares the first flits of two ports: their upstream nodes differ, so the tie rule is the
  // order of the ports.
  bool before(std::uint32_t a, std::uint32_t b) const {
    return heads_[a] != heads_[b] ? heads_[a] < heads_[b] : a < b;
  }

  static constexpr std::uint32_t no_port = ~std::uint32_t{0};
  struct Port {
    NodeId upstream;
    RingBuffer<Arrival> flits;
  };

  Forwarding forwarding_;
  std::uint32_t best_port_ = no_port;
  std::size_t depth_ = 0;
  RingBuffer<Arrival> control_;
  static constexpr std::size_t usual_ports = 8;
  // By port: arrival time of its first flit, never_fs if there is none.
  SmallVector<Fs, usual_ports> heads_;
  SmallVector<Port, usual_ports> ports_;
};

template <class Visit>
void ArrivalQueue::for_each_other(std::uint32_t port, Fs last, Visit visit) const {
  for (std::uint32_t other = 0; other < ports_.size(); ++other) {
    if (other == port || heads_[other] > last) continue;
    const RingBuffer<Arrival>& flits = ports_[other].flits;
    for (std::size_t i = 0; i < flits.size() && flits[i].time <= last; ++i) {
      if (visit(flits[i])) break;
    }
  }
}

template <class Interferes>
std::uint32_t ArrivalQueue::flits_before_interference(const Arrival& run,
                                                      Interferes interferes) const {
  std::uint32_t count = run.count;
  for_each_other(run.port, run.last_time(), [&](const Arrival& other) {
    const std::uint32_t before = flits_before(run, other);
    if (before >= count) return true;
    if (!interferes(other)) return false;
    count = before;
    return true;
  });
  return count;
}

}  // namespace kernbench
