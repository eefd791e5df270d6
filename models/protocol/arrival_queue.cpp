#include "models/protocol/arrival_queue.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"

namespace kernbench {
namespace {

// Number of arrivals up to `now` in a queue sorted by time.
std::size_t come(const RingBuffer<Arrival>& queue, Fs now) {
  std::size_t low = 0, high = queue.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (queue[middle].time <= now) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

void wrong_start(const Arrival& arrival, Fs start, Fs now) {
  throw ModelError(fmt::format(
      "its service reports a start at {} for an arrival at {} that is forwarded now, at {}",
      format_ns(start), format_ns(arrival.time), format_ns(now)));
}

bool Arrival::append(const Arrival& next) {
  if (next.transaction != transaction || next.flit != flit + count) return false;
  const Fs apart = count > 1 ? spacing : next.time - time;
  if (next.time != time + count * apart || (next.count > 1 && next.spacing != apart)) return false;
  spacing = apart;
  count += next.count;
  return true;
}

void ArrivalQueue::add_port(NodeId upstream) {
  ports_.push_back({upstream, {}});
  heads_.push_back(never_fs);
}

bool ArrivalQueue::push_message(NodeId upstream, Transaction& transaction, FlitRun run, Fs time) {
  return control_.insert_sorted({time, &transaction, upstream, run.first, run.position, 0, 0},
                                earlier) == 0;
}

bool ArrivalQueue::push(std::uint32_t port, Transaction& transaction, FlitRun run, Fs time) {
  const NodeId upstream = ports_[port].upstream;
  const RouteExtension& route = transaction.route();
  if (route.is_control()) return push_message(upstream, transaction, run, time);
  if (forwarding_ == Forwarding::store_and_forward) {
    return run.first + run.count == route.flits && push_message(upstream, transaction, run, time);
  }
  ++depth_;
  RingBuffer<Arrival>& flits = ports_[port].flits;
  const Arrival arrival{time,
                        &transaction,
                        upstream,
                        run.first,
                        run.position,
                        static_cast<std::uint16_t>(port),
                        static_cast<std::uint16_t>(run.virtual_channel)};
  if (!flits.empty() && flits.back().last_time() < time) {  // nearly always
    flits.push_back(arrival);
    return false;
  }
  if (flits.insert_sorted(arrival, earlier) > 0) return false;
  heads_[port] = time;
  if (best_port_ != no_port && best_port_ != port && !before(port, best_port_)) return false;
  best_port_ = port;
  return true;
}

bool ArrivalQueue::push_run(std::uint32_t port, Transaction& transaction, FlitRun run, Fs time,
                            Fs spacing) {
  const NodeId upstream = ports_[port].upstream;
  if (forwarding_ == Forwarding::store_and_forward)
    return run.first + run.count == transaction.route().flits &&
           push_message(upstream, transaction, run, time + (run.count - 1) * spacing);
  depth_ += run.count;
  RingBuffer<Arrival>& flits = ports_[port].flits;
  const Arrival arrival{time,      &transaction, upstream,
                        run.first, run.position, static_cast<std::uint16_t>(port),
                        0,         run.count,    spacing};
  if (!flits.empty()) {
    if (!flits.back().append(arrival)) flits.push_back(arrival);
    return false;
  }
  flits.push_back(arrival);
  heads_[port] = time;
  if (best_port_ != no_port && !before(port, best_port_)) return false;
  best_port_ = port;
  return true;
}

void ArrivalQueue::recall(std::uint32_t port, const Transaction& transaction, std::uint32_t flit) {
  if (forwarding_ == Forwarding::store_and_forward) {
    recall_message(transaction);
    return;
  }
  RingBuffer<Arrival>& flits = ports_[port].flits;
  while (!flits.empty() && flits.back().transaction == &transaction) {
    Arrival& last = flits.back();
    if (last.flit + last.count <= flit) break;
    if (last.flit < flit) {
      depth_ -= last.flit + last.count - flit;
      last.count = flit - last.flit;
      break;
    }
    depth_ -= last.count;
    flits.pop_back();
  }
  if (!flits.empty()) return;
  heads_[port] = never_fs;
  if (best_port_ == port) find_best_port();
}

bool ArrivalQueue::recall_message(const Transaction& transaction) {
  for (std::size_t i = control_.size(); i-- > 0;) {
    if (control_[i].transaction != &transaction) continue;
    control_.erase(i);
    return true;
  }
  return false;
}

void ArrivalQueue::take(std::uint32_t port, std::uint32_t count) {
  RingBuffer<Arrival>& served = ports_[port].flits;
  Arrival& head = served.front();
  depth_ -= count;
  if (count < head.count) {
    head = head.from(count);
  } else {
    served.pop_front();
  }
  heads_[port] = served.empty() ? never_fs : served.front().time;
  find_best_port();
}

void ArrivalQueue::put_back(const Arrival& flits) {
  RingBuffer<Arrival>& at = ports_[flits.port].flits;
  depth_ += flits.count;
  Arrival joined = flits;
  if (!at.empty() && joined.append(at.front())) {
    at.front() = joined;
  } else {
    at.push_front(flits);
  }
  heads_[flits.port] = flits.time;
  find_best_port();
}

void ArrivalQueue::pop_data() { take(1); }

void ArrivalQueue::find_best_port() {
  best_port_ = no_port;
  Fs best = never_fs;
  const auto ports = static_cast<std::uint32_t>(heads_.size());
  for (std::uint32_t port = 0; port < ports; ++port) {
    if (heads_[port] >= best) continue;
    best = heads_[port];
    best_port_ = port;
  }
}

std::size_t ArrivalQueue::present(Fs now) const {
  std::size_t count = come(control_, now);
  for (const Port& port : ports_) count += come(port.flits, now);
  return count;
}

const Arrival* ArrivalQueue::first_present(Fs now) const {
  const Arrival* first = nullptr;
  for (const Arrival* head : {data(), control()}) {
    if (head == nullptr || head->time > now) continue;
    if (first == nullptr || earlier(*head, *first)) first = head;
  }
  return first;
}

Fs ArrivalQueue::age_of_first_flits(Fs now) const {
  Fs age = 0;
  for (const Port& port : ports_) {
    for (std::size_t i = 0; i < port.flits.size() && port.flits[i].time <= now; ++i) {
      if (port.flits[i].is_first()) age += now - port.flits[i].time;
    }
  }
  return age;
}

Fs ArrivalQueue::next_arrival(Fs now) const {
  Fs next = never_fs;
  const auto look = [&](const RingBuffer<Arrival>& queue) {
    const std::size_t behind = come(queue, now);
    if (behind < queue.size()) next = std::min(next, queue[behind].time);
  };
  look(control_);
  for (const Port& port : ports_) look(port.flits);
  return next;
}

}  // namespace kernbench
