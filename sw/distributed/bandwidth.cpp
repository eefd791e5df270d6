#include "sw/distributed/bandwidth.h"

namespace kernbench {

Rational bus_factor(CollectiveOp op, int ranks) {
  switch (op) {
    case CollectiveOp::all_reduce:
      return Rational::fraction(2 * (ranks - 1), ranks);
    case CollectiveOp::all_gather:
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::all_to_all:
    case CollectiveOp::gather:
    case CollectiveOp::scatter:
      return Rational::fraction(ranks - 1, ranks);
    case CollectiveOp::broadcast:
    case CollectiveOp::reduce:
    case CollectiveOp::send_recv:
      break;
  }
  return 1;
}

double algorithm_bandwidth_gbs(std::uint64_t nbytes, Fs time) {
  return time == 0 ? 0 : static_cast<double>(nbytes) / to_ns(time);
}

double bus_bandwidth_gbs(CollectiveOp op, int ranks, std::uint64_t nbytes, Fs time) {
  return algorithm_bandwidth_gbs(nbytes, time) * bus_factor(op, ranks).to_double();
}

}  // namespace kernbench
