// Transactions on a timeline: requests of the host, transfers and messages of the PEs, control
// messages of the processors. Each lasts from the start of its service at the initiator, before its
// first flit leaves, until it is given back: its answer has come, or it has committed.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/protocol/observation.h"
#include "platform/assembly/platform.h"
#include "platform/export/timeline_commands.h"
#include "platform/export/timeline_kernels.h"
#include "platform/export/timeline_messages.h"
#include "platform/export/timeline_slices.h"

namespace kernbench {

class TimelineTransfers final : private tlm::tlm_analysis_if<LinkPassage>,
                                private tlm::tlm_analysis_if<NodePassage>,
                                private tlm::tlm_analysis_if<TransactionEnd> {
 public:
  struct Parts {
    TimelineTracks& tracks;
    TimelineSlices& slices;
    TimelineKernels& kernels;
    const TimelineCommands& commands;
    TimelineMessages& messages;
  };
  // Observes `platform`; all outlive it.
  TimelineTransfers(Platform& platform, const Parts& parts);

 private:
  struct Transfer {
    TimelineSlices::Open slice = 0;
    std::uint64_t arrow = 0;  // of a message
  };

  void write(const LinkPassage& passage) override;
  void write(const NodePassage& passage) override;
  void write(const TransactionEnd& end) override;

  void begin(const Transaction& transaction, Fs now);
  TimelineLanes& lanes_of(NodeId initiator, bool message);
  TimelineArguments arguments_of(const Transaction& transaction, NodeId initiator, Fs start) const;

  const Platform& platform_;
  Parts parts_;
  std::map<TieKey, Transfer> transfers_;
  std::map<std::pair<NodeId, bool>, std::unique_ptr<TimelineLanes>> lanes_;
  AnalysisBinding<LinkPassage> link_passages_;
  AnalysisBinding<NodePassage> node_passages_;
  AnalysisBinding<TransactionEnd> ends_;
};

}  // namespace kernbench
