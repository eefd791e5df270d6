// TransferMeter of a machine: latencies and their parts as in --breakdown (spec 11.3), fair shares
// over the links and HBM partitions on the paths of the data.
#pragma once

#include <cstdint>
#include <vector>

#include "models/protocol/observation.h"
#include "models/protocol/transfer_meter.h"
#include "platform/assembly/platform.h"
#include "platform/observe/latency_breakdown.h"

namespace kernbench {

class PeTransferMeter final : public TransferMeter, private tlm::tlm_analysis_if<TransactionEnd> {
 public:
  // Observes `platform`, which outlives it. Constructed before the run.
  explicit PeTransferMeter(Platform& platform);

  Fs alone(PeId initiator, PeId partition, std::uint64_t bytes, bool write) override;
  void begin(bool writes) override;
  TransferBatch end() override;

 private:
  struct Transfer {
    const Path* data = nullptr;  // path of the data: of a read that of the response
    NodeId initiator = no_node, memory = no_node;
    std::uint64_t bytes = 0;
    Fs grant = 0, end = 0;
  };

  void write(const TransactionEnd& end) override;
  double rate_of(const Transfer& transfer) const;
  double fair_gbs() const;

  Platform& platform_;
  LatencyBreakdown breakdown_;
  bool measures_ = false, writes_ = false;
  std::vector<Transfer> transfers_;  // that have ended, in the order of their release
  LatencyParts parts_;
  AnalysisBinding<TransactionEnd> ends_;
};

}  // namespace kernbench
