#include "models/protocol/arrival_queue.h"

namespace kernbench {

void ArrivalQueue::add_port(NodeId upstream) { ports_.push_back({upstream, {}}); }

bool ArrivalQueue::push_message(NodeId upstream, Transaction& transaction, FlitRun run, Fs time) {
  return control_.insert_sorted({time, &transaction, upstream, run.first, run.position, 0}, earlier) == 0;
}

bool ArrivalQueue::push(std::uint32_t port, Transaction& transaction, FlitRun run, Fs time) {
  const NodeId upstream = ports_[port].upstream;
  if (transaction.route().is_control()) return push_message(upstream, transaction, run, time);
  if (keep_ == Keep::last_flit) {
    return run.first + run.count == transaction.route().flits && push_message(upstream, transaction, run, time);
  }
  const Arrival arrival{time, &transaction, upstream, run.first, run.position, port};
  RingBuffer<Arrival>& flits = ports_[port].flits;
  const bool head_of_port = flits.insert_sorted(arrival, earlier) == 0;
  ++depth_;
  if (!head_of_port) return false;
  if (best_port_ != no_port && best_port_ != port && !earlier(arrival, ports_[best_port_].flits.front())) return false;
  best_port_ = port;
  return true;
}

void ArrivalQueue::pop_data() {
  ports_[best_port_].flits.pop_front();
  --depth_;
  best_port_ = no_port;
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    if (ports_[port].flits.empty()) continue;
    if (best_port_ == no_port || earlier(ports_[port].flits.front(), ports_[best_port_].flits.front())) best_port_ = port;
  }
}

}  // namespace kernbench
