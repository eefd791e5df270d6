// `--trace-requests F.jsonl` (spec 11.2): path and times of every request, one JSON object per
// line, in the order of their ends.
//
//   {"kind": "read", "initiator": ..., "target": ..., "bytes": ...,
//    "hops": [{"node", "arrival_ns", "start_ns", "departure_ns"}, ...],
//    "first_ns", "last_ns", "total_ns"}
//   {"kind": "command", "pe": ..., "command": 3,
//    "events": [{"event", "time_ns", "node", "stage", "tile", "bytes"}, ...], ...}
//
// A request is a transfer (read, write or control message), from its issue to the arrival of its
// response, or to its commit if it has none, or a command of a PE, with the events of spec 5.4. The
// hop of a node has the arrival of the first flit, the start of its service, and the departure of
// the last flit on the next link. The target is listed once; its departure is that of the last flit
// of the response. total = last - first. Requests in flight at the end of the run are written with
// "complete": false. Transfers of a PE_DMA name their command and tile, those of `traffic` the id
// of their row.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "models/protocol/tie_key.h"
#include "platform/assembly/platform.h"

namespace kernbench {

class RequestTrace final : private tlm::tlm_analysis_if<TraceEvent>,
                           private tlm::tlm_analysis_if<LinkTraversal>,
                           private tlm::tlm_analysis_if<NodeTraversal>,
                           private tlm::tlm_analysis_if<TransactionEnd> {
 public:
  // Observes `platform`; lines go to `out`. Both outlive it.
  RequestTrace(Platform& platform, std::ostream& out);

  // Number of a transfer, if it has one, such as the row of a file of requests.
  using NumberOf = std::function<std::optional<std::uint32_t>(const TieKey& key, NodeId initiator)>;
  void number_by(NumberOf number_of) { number_of_ = std::move(number_of); }

  // Called after the run, while the machine still exists: writes the remaining lines.
  void close();

 private:
  struct Hop {
    NodeId node = no_node;
    Fs arrival = never_fs, start = never_fs, departure = 0;
  };
  // Work of a PE_DMA in one direction: a command, or one of its tiles.
  struct Work {
    std::string pe;  // empty: none
    std::uint64_t command = 0;
    std::int64_t tile = -1;
  };
  // Transfer in flight.
  struct Transfer {
    std::string kind, label;
    NodeId initiator = no_node, target = no_node;
    std::optional<std::uint32_t> id;
    std::uint64_t address = 0, bytes = 0;
    std::uint64_t runs = 1;  // contiguous runs of the bytes
    Work work;
    std::size_t nodes = 0;  // from the initiator to the target
    std::vector<Hop> hops;  // to the target, and back without the target
  };
  using CommandEvents = std::vector<TraceEvent>;
  using CommandKey = std::pair<std::string, std::uint64_t>;  // PE, command
  // Order of lines written at the same time: commands after transfers, then by key.
  using LineKey = std::tuple<Fs, bool, TieKey, CommandKey>;

  void write(const TraceEvent& event) override;
  void write(const LinkTraversal& traversal) override;
  void write(const NodeTraversal& traversal) override;
  void write(const TransactionEnd& end) override;

  Transfer& transfer_of(const Transaction& transaction);
  Hop& hop_at(const Transaction& transaction, std::uint32_t position);
  void write_line(const TieKey& key, const Transfer& transfer, bool complete, Fs end);
  void write_line(const CommandKey& key, const CommandEvents& command, bool complete);
  void line(LineKey key, std::string text);
  void flush(Fs before);

  const Platform& platform_;
  std::ostream& out_;
  NumberOf number_of_;
  std::map<TieKey, Transfer> transfers_;
  std::map<CommandKey, CommandEvents> commands_;
  std::unordered_map<const sc_core::sc_object*, Work>
      in_service_[2];  // reads and writes by PE_DMA; looked up only
  std::map<LineKey, std::string> lines_;
  AnalysisBinding<TraceEvent> events_;
  AnalysisBinding<LinkTraversal> link_traversals_;
  AnalysisBinding<NodeTraversal> node_traversals_;
  AnalysisBinding<TransactionEnd> ends_;
};

}  // namespace kernbench
