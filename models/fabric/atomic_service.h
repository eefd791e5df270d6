// Atomic access at the memory that serves it (spec 2.6): its effect, once all operands have
// arrived, and its answer, once the changes are written.
#pragma once

#include <cstdint>

#include "models/protocol/atomic_part.h"
#include "models/protocol/transaction.h"

namespace kernbench {

inline bool is_atomic(const Transaction& transaction) {
  return transaction.route().atomic != nullptr;
}

// Effect on values; effects in one memory follow the order of the calls.
inline void carry_out_atomic(const Transaction& transaction, Fs now) {
  const AtomicPart& part = *transaction.route().atomic;
  if (part.access->effect != nullptr) part.access->effect->serve(part.spans, now);
}

// Answers with the old values: send(transaction, flit, count) hands a run of the response leg over
// to the link; all flits contend there at once.
template <class Send>
void answer_atomic(Transaction& transaction, std::uint32_t flit_bytes, Send send) {
  RouteExtension& route = transaction.route();
  route.list = route.atomic->elements;
  route.make_response();
  route.cut_flits(transaction.get_data_length(), flit_bytes);
  send(transaction, 0, route.flits);
}

}  // namespace kernbench
