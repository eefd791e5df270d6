// TransferSums: latencies of memory transfers and their parts (spec 11.3), summed by operation and
// distance, and by kind of node and link.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "models/base/histogram.h"
#include "platform/events/event_source.h"
#include "platform/observe/transfer_path.h"
#include "platform/output/table.h"

namespace kernbench {

class TransferSums final : private tlm::tlm_analysis_if<PlaceRow>,
                           private tlm::tlm_analysis_if<TransferRow>,
                           private tlm::tlm_analysis_if<HopRow> {
 public:
  explicit TransferSums(EventSource& events);

  bool empty() const { return sums_.empty(); }
  // Counts and means by operation and distance.
  Table by_distance() const;
  // Kinds of places, by descending stall time, then descending service time. "crossings": pairs of
  // a transfer and a place of the kind; "service_ns": all parts except contention, which is
  // "stalled_ns"; "worst": the place with the largest stall time.
  Table by_place() const;
  // [{"op", "distance", "transfers", "bytes", "latency_ns", "parts": {"pe_setup_ns", ...}}, ...]:
  // sums; the parts add up to the latency
  nlohmann::ordered_json json() const;
  // [{"op", "initiator", "target", "distance", "transfers", "bytes", "latency": {histogram},
  // "parts"}, ...]
  nlohmann::ordered_json statistics_json() const;

 private:
  struct Key {
    int op = 0, distance = 0;  // in the order of the tables
    std::string initiator, target;
    friend bool operator<(const Key& a, const Key& b) {
      return std::tie(a.op, a.distance, a.initiator, a.target) <
             std::tie(b.op, b.distance, b.initiator, b.target);
    }
  };
  struct Sum {
    std::string op, distance;
    std::uint64_t transfers = 0, bytes = 0;
    LatencyParts parts;
    Histogram latency_fs;
  };
  struct Place {
    std::string name, kind;
    bool is_link = false;
    std::uint64_t crossings = 0;
    std::uint64_t last_transfer = 0;  // id of the last transfer that crossed it
    Fs service = 0, stalled = 0;
  };
  void write(const PlaceRow& row) override;
  void write(const TransferRow& row) override;
  void write(const HopRow& row) override;
  std::map<std::pair<int, int>, Sum> sums_by_distance() const;

  std::map<Key, Sum> sums_;
  Sum* last_ = nullptr;        // transfer whose hops follow
  std::vector<Place> places_;  // by id - 1
  AnalysisBinding<PlaceRow> place_rows_;
  AnalysisBinding<TransferRow> transfer_rows_;
  AnalysisBinding<HopRow> hop_rows_;
};

// Memory transfers of a run with their time by place, for the critical path.

// Transfer from its issue to its end.
struct TransferHops {
  struct Hop {
    std::string place;   // "sip0.cube0.r0c0"
    std::string kind;    // kind of the place: "router"
    std::string part;    // part of the latency: "noc", "contention"
    bool stall = false;  // queued behind other transfers
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
  // Sorted by end; called after the last event.
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
  // `transfers`: by end; outlives this object. Null: none.
  explicit TransfersByInitiator(const std::vector<TransferHops>* transfers);

  // Transfer of `node` that ended at `end`; among several the one that began last, not before
  // `since`; null: none.
  const TransferHops* find(std::string_view node, Fs since, Fs end) const;

 private:
  std::unordered_map<std::string_view, std::vector<const TransferHops*>> by_node_;
};

}  // namespace kernbench
