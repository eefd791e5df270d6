// The end of an access at a memory (spec 2.5, 2.6): the transaction becomes its own response on the reverse path.
#pragma once

#include <cstdint>

#include "models/protocol/transaction.h"

namespace kernbench {

// Turns a request round: a read's response carries the data, a write's is an acknowledgement. Returns the flits to send from position
// 0 of the new path; 0 stands for one control message. Posted writes are not turned round: they end with owner->completed().
inline std::uint32_t turn_round(Transaction& transaction, std::uint32_t flit_bytes) {
  RouteExtension& route = transaction.route();
  route.leg = Leg::response;
  route.path = &route.path->reverse();
  if (transaction.is_read()) {
    route.cut_flits(transaction.get_data_length(), flit_bytes);
  } else {
    route.no_flits();
  }
  return route.flits;
}

}  // namespace kernbench
