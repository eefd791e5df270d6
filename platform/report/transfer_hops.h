// Memory transfers of a run by the places at which they spent their time, for the critical path.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "platform/events/event_source.h"

namespace kernbench {

// A transfer from its issue to its end.
struct TransferHops {
  struct Hop {
    std::string place;   // "sip0.cube0.r0c0"
    std::string kind;    // of the place: "router"
    std::string part;    // of the latency: "noc", "contention"
    bool stall = false;  // behind other transfers
    Fs start = 0, end = 0;
  };
  std::string node;  // its initiator: "sip0.cube0.pe0.pe_dma"
  Fs start = 0, end = 0;
  std::vector<Hop> hops;  // by time, without gaps
};

// Transfers of a run, from its rows.
class CollectedTransfers final : private tlm::tlm_analysis_if<PlaceRow>,
                                 private tlm::tlm_analysis_if<TransferRow>,
                                 private tlm::tlm_analysis_if<HopRow> {
 public:
  explicit CollectedTransfers(EventSource& events);
  // By end; after the last event.
  const std::vector<TransferHops>& by_end();

 private:
  void write(const PlaceRow& row) override;
  void write(const TransferRow& row) override;
  void write(const HopRow& row) override;

  std::vector<PlaceRow> places_;  // by id - 1
  std::vector<TransferHops> transfers_;
  AnalysisBinding<PlaceRow> place_rows_;
  AnalysisBinding<TransferRow> transfer_rows_;
  AnalysisBinding<HopRow> hop_rows_;
};

class TransfersByInitiator {
 public:
  // `transfers`: by end; outlive this object. Null: none.
  explicit TransfersByInitiator(const std::vector<TransferHops>* transfers);

  // The transfer of `node` that ended at `end`, of several the one that began last, at `since` at
  // the earliest; null: none.
  const TransferHops* find(std::string_view node, Fs since, Fs end) const;

 private:
  std::unordered_map<std::string_view, std::vector<const TransferHops*>> by_node_;
};

}  // namespace kernbench
