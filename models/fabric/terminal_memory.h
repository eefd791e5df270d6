// A memory that answers whole messages: SRAM, and TCM as a traffic target (spec 2.6).
//
// No serial server: `overhead` after the last flit of a write or the command of a read, the whole
// response stands at the link at once; a posted write completes there. Answers of one instant go in
// order of arrival, by the tie rule.
#pragma once

#include <cstdint>

#include "models/protocol/arrival_queue.h"

namespace kernbench {

class TerminalMemory {
 public:
  // The queue keeps whole messages (ArrivalQueue::Forwarding::store_and_forward).
  TerminalMemory(ArrivalQueue& queue, Fs overhead, std::uint32_t flit_bytes)
      : queue_(queue), overhead_(overhead), flit_bytes_(flit_bytes) {}

  Fs next_due() const { return queue_.control_due(overhead_); }

  // Answers all that is due at `now`: send(transaction, flit, count) hands a run of the response
  // leg over to the link. accessed(const Arrival&) is called before each answer.
  template <class Send, class Accessed>
  void serve(Fs now, Send send, Accessed accessed) {
    queue_.take_control(now, overhead_, [&](const Arrival& arrival) {
      accessed(arrival);
      Transaction& transaction = *arrival.transaction;
      RouteExtension& route = transaction.route();
      if (transaction.is_read()) {
        route.make_response();
        route.cut_flits(transaction.get_data_length(), flit_bytes_);
        for (std::uint32_t flit = 0; flit < route.flits; ++flit) send(transaction, flit, 1);
      } else if (route.posted) {
        route.listener->completed(transaction);
      } else {
        route.listener->committed(transaction);
        route.make_response();
        send(transaction, 0, 0);
      }
    });
  }

 private:
  ArrivalQueue& queue_;
  Fs overhead_;
  std::uint32_t flit_bytes_;
};

}  // namespace kernbench
