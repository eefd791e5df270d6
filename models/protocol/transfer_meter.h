// TransferMeter: measurement of memory transfers of PEs for a host program that reports them
// (bench pe-dma-perf, spec 10.3). Implemented by platform/probe.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/base/units.h"
#include "models/protocol/machine_description.h"

namespace kernbench {

// Transfers of PEs between begin() and end(), each from the grant of its DMA channel to its end.
struct TransferBatch {
  std::uint64_t requests = 0, bytes = 0;
  Fs shortest = 0, longest = 0;  // latencies
  Fs latencies = 0;              // sum over the requests
  Fs makespan = 0;               // from the first grant to the last end
  // Parts of the latencies in a fixed order, summed over the requests; they add up to `latencies`.
  std::vector<std::pair<const char*, Fs>> parts;
  // GB/s; 0: unlimited. Narrowest link on the path of the data of the first request (of equal
  // times the lowest node id of the initiator); sum of the max-min fair shares of all requests.
  double narrowest_gbs = 0, fair_gbs = 0;
};

class TransferMeter {
 public:
  virtual ~TransferMeter() = default;
  // Latency of an access of `bytes` (at least 1) to a PE's HBM partition alone on an idle machine,
  // by arithmetic. RoutingError that names both ends if there is no path.
  virtual Fs alone(PeId initiator, PeId partition, std::uint64_t bytes, bool write) = 0;
  // Measures the reads, or the writes, of PEs that end from now on; all others are ignored.
  virtual void begin(bool writes) = 0;
  virtual TransferBatch end() = 0;
};

}  // namespace kernbench
