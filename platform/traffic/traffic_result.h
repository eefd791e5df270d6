// Result of one request, and the listener interface for results.
#pragma once

#include "platform/traffic/traffic_request.h"

namespace kernbench {

struct TrafficResult {
  TrafficRequest request;
  Fs grant = 0;  // the initiator's channel (pcie_ep: the issue)
  Fs end = 0;    // response arrived, or posted write committed
  Fs latency() const { return end - request.issue; }
};

class TrafficListener {
 public:
  virtual ~TrafficListener() = default;
  // At the instant at which the first request is issued, before it goes anywhere.
  virtual void began() {}
  // At the instant of the end, in order of the ends.
  virtual void ended(const TrafficResult& /*result*/) {}
  // The same results in order of their ids, each as soon as all before it have ended.
  virtual void in_order(const TrafficResult& /*result*/) {}
};

}  // namespace kernbench
