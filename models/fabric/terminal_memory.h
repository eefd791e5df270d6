// Memory that answers whole messages, as a part of a node: TCM as a traffic target (spec 2.6).
//
// No serial server: `overhead` after the last flit of a write or the command of a read the whole
// response contends for the link at once; a posted write completes then. Answers of one instant
// leave in order of arrival, by the tie rule.
#pragma once

#include <cstdint>

#include "models/fabric/memory_service.h"

namespace kernbench {

class TerminalMemory {
 public:
  // The queue keeps whole messages (ArrivalQueue::Forwarding::store_and_forward).
  TerminalMemory(ArrivalQueue& queue, Fs overhead, std::uint32_t flit_bytes)
      : service_(queue, overhead), flit_bytes_(flit_bytes) {}

  Fs next_due() const { return service_.next_due(); }

  // Answers every access that is due at `now`: send(transaction, flit, count) hands a run of the
  // response leg over to the link. accessed(const Arrival&) is called before each answer.
  template <class Send, class Accessed>
  void serve(Fs now, Send send, Accessed accessed) {
    service_.serve(now, [&](const Arrival& arrival, Fs /*start*/) {
      accessed(arrival);
      answer_access(*arrival.transaction, flit_bytes_, send);
    });
  }

 private:
  FixedLatency service_;
  std::uint32_t flit_bytes_;
};

}  // namespace kernbench
