// Transactions on a timeline: requests of the host, transfers and messages of
// the PEs, control messages of the processors. Each lasts from the start of its
// service at the initiator, before its first flit leaves, until it is given
// back: its answer has arrived, or it has committed.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "platform/assembly/platform.h"
#include "platform/export/timeline_pes.h"

namespace kernbench {

class TimelineTransfers final : private tlm::tlm_analysis_if<LinkPassage>,
                                private tlm::tlm_analysis_if<NodePassage>,
                                private tlm::tlm_analysis_if<TransactionEnd> {
 public:
  // Observes `platform`; all outlive it.
  TimelineTransfers(Platform& platform, TimelinePes& pes, TimelineRecorder& out);

 private:
  struct Transfer {
    TimelineRecorder::Open slice = 0;
    std::uint64_t arrow = 0;  // of a message
  };

  void write(const LinkPassage& passage) override;
  void write(const NodePassage& passage) override;
  void write(const TransactionEnd& end) override;

  void begin(const Transaction& transaction, Fs now);
  TimelineLanes& lanes_of(NodeId initiator, bool message);
  TimelineArguments arguments_of(const Transaction& transaction, NodeId initiator, Fs start) const;

  const Platform& platform_;
  TimelinePes& pes_;
  TimelineRecorder& out_;
  std::map<TieKey, Transfer> transfers_;
  std::map<std::pair<NodeId, bool>, TimelineLanes*> lanes_;
  AnalysisBinding<LinkPassage> link_passages_;
  AnalysisBinding<NodePassage> node_passages_;
  AnalysisBinding<TransactionEnd> ends_;
};

}  // namespace kernbench
