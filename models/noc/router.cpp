#include "models/noc/router.h"

#include <algorithm>

namespace kernbench {

Router::Router(const ComponentInit& init)
    : FabricNode(init, ArrivalQueue::Forwarding::cut_through),
      ingress_(arrivals_, *init.attributes.as<Parameters>().overhead) {
  add_statistic("transactions", "legs with data passed on", Quantity::count, transactions_);
  add_statistic("flits", "flits passed on", Quantity::count, flits_);
  add_statistic("control_messages", "control messages passed on", Quantity::count,
                control_messages_);
  add_busy_time("busy", "time for which the server was held", busy_fs_,
                [this](Fs now) { return busy_fs_ + ingress_.held(now); });
  add_statistic("waiting", "time that flits waited for the server, summed", Quantity::time_fs,
                waiting_fs_);
  add_statistic("longest_wait", "longest time that a flit waited for the server", Quantity::time_fs,
                longest_wait_fs_, Merge::maximum);
}

void Router::serve() {
  const Fs at = now();
  ingress_.serve(at, [this, at](const Arrival& arrival) {
    Transaction& transaction = *arrival.transaction;
    if (transaction.route().is_control()) {
      ++control_messages_;
      report_passage(arrival, arrival.time);
      send(transaction, 0, 0, arrival.position, at);
      return;
    }
    const Fs hold = arrival.is_first() ? ingress_.overhead() : 0;
    const Fs wait = at - hold - arrival.time;
    ++flits_;
    if (arrival.is_first()) ++transactions_;
    busy_fs_ += hold;
    waiting_fs_ += wait;
    longest_wait_fs_ = std::max<std::uint64_t>(longest_wait_fs_, wait);
    report_passage(arrival, at - hold);
    send(transaction, arrival.flit, 1, arrival.position, at);
  });
}

}  // namespace kernbench
