// Latencies of the memory transfers of a machine.
#pragma once

#include "platform/events/machine_events.h"
#include "platform/report/transfer_sums.h"

namespace kernbench::test {

struct ObservedTransfers {
  explicit ObservedTransfers(Platform& platform)
      : events(platform.observation()), probe(platform, events), sums(events) {}
  EventSource events;
  TransferProbe probe;
  TransferSums sums;
};

}  // namespace kernbench::test
