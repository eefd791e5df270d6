// Request of a traffic experiment (spec 10.2), small because queues of requests may be long; its
// result; the interfaces of the source of requests and the listener of results.
#pragma once

#include <cstdint>

#include "models/base/component.h"
#include "models/base/units.h"
#include "models/protocol/transaction.h"

namespace kernbench {

// 10^12 ns, 17 minutes of simulated time: beyond it sums of times could overflow 64 bits of
// femtoseconds.
inline constexpr Fs latest_issue_fs = 1'000'000'000'000 * fs_per_ns;
// The length of a payload has 32 bits.
inline constexpr std::uint64_t longest_request_bytes = UINT32_MAX;

struct TrafficRequest {
  Fs issue = 0;
  std::uint64_t offset = 0;  // in the target memory
  std::uint64_t bytes = 0;   // 1 to longest_request_bytes
  NodeId initiator = no_node;
  NodeId target = no_node;
  std::uint32_t id = 0;  // row of the file, from 0
  bool write = false;
};

// Id of its transaction: (time, row).
inline TieKey traffic_key(Fs issue, std::uint32_t id) { return {issue, 0, id}; }

struct TrafficResult {
  TrafficRequest request;
  Fs grant = 0;  // grant of the initiator's channel (pcie_ep: the issue)
  Fs end = 0;    // response arrived, or posted write committed
  Fs latency() const { return end - request.issue; }
};

// Source of the requests of an experiment, in ascending order of issue.
class TrafficSource {
 public:
  virtual ~TrafficSource() = default;
  // False if there is no further request, or none until an outstanding one has ended. Ids ascend
  // from 0.
  virtual bool next(TrafficRequest& request) = 0;
  // Called at the end time: a closed-loop source may have its next request now, issued at this
  // time.
  virtual void ended(const TrafficResult& /*result*/) {}
};

class TrafficListener {
 public:
  virtual ~TrafficListener() = default;
  // Called at the issue time of the first request, before it is sent.
  virtual void began() {}
  // Called at the end time, in order of the ends.
  virtual void ended(const TrafficResult& /*result*/) {}
  // Same results in order of their ids, each as soon as all earlier ones have ended.
  virtual void in_order(const TrafficResult& /*result*/) {}
};

}  // namespace kernbench
