// TransferProbe: writes a row for each memory transfer of a machine that has ended, and one for
// each of its hops (run_rows.h).
//
// A transfer lasts from the grant of its DMA channel, or from its issue by the host, to the arrival
// of its response, or to its commit if it has none. Rows are written when its transaction is
// released, which is not before its end.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/events/event_source.h"
#include "platform/observe/latency_breakdown.h"

namespace kernbench {

class TransferProbe final : private tlm::tlm_analysis_if<TransactionEnd> {
 public:
  // Observes `platform`; rows go to `events`. Both outlive it.
  TransferProbe(Platform& platform, EventSource& events);

 private:
  void write(const TransactionEnd& end) override;
  std::uint64_t id_of(FabricPlace place);

  const Graph& graph_;
  EventSource& events_;
  LatencyBreakdown breakdown_;
  std::vector<std::uint64_t> nodes_, links_;  // ids of places; 0: none yet
  std::uint64_t places_ = 0, transfers_ = 0;
  AnalysisBinding<TransactionEnd> ends_;
};

}  // namespace kernbench
