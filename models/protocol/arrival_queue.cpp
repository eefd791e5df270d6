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
  if (!flits.empty() && flits.back().time < time) {  // nearly always
    flits.push_back(arrival);
    return false;
  }
  if (flits.insert_sorted(arrival, earlier) > 0) return false;
  heads_[port] = time;
  if (best_port_ != no_port && best_port_ != port && !before(port, best_port_)) return false;
  best_port_ = port;
  return true;
}

void ArrivalQueue::pop_data() {
  RingBuffer<Arrival>& served = ports_[best_port_].flits;
  served.pop_front();
  --depth_;
  heads_[best_port_] = served.empty() ? never_fs : served.front().time;
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
