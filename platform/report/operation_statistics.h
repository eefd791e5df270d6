// Durations of executed operations: by operation, and per engine.
//
// Spans (composites, which contain their tiles; sends and receives, which contain their waits) are
// counted as operations, but not as busy time of an engine. Memory grows with the number of
// distinct durations, not of operations.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/protocol/observation.h"
#include "platform/events/ordered_ops.h"
#include "platform/output/table.h"
#include "platform/report/operation_names.h"

namespace kernbench {

// Operations of one name on one kind of engine.
struct OperationGroup {
  std::string engine, name, part;
  bool span = false;
  std::map<Fs, std::uint64_t> durations;  // count per duration
  Fs total = 0;
  std::uint64_t count = 0, bytes = 0, macs = 0;
  std::uint64_t longest_id = 0;  // the first of equal ones, by the operation log
  std::string longest_node;
  Fs longest_start = 0;

  Fs shortest() const { return durations.begin()->first; }
  Fs longest() const { return durations.rbegin()->first; }
  // Smallest duration not exceeded by `share` of them (nearest rank).
  Fs percentile(double share) const;
};

// Server of one type of stage, over all PEs.
struct EnginePart {
  std::string engine, part;
  std::map<std::string, Fs> busy;  // by node
  Fs total() const;
  // The first by name of equal ones.
  std::pair<std::string, Fs> busiest() const;
};

class OperationStatistics final {
 public:
  explicit OperationStatistics(Observation& observation)
      : ordered_(observation, [this](std::uint64_t id, const ExecutedOp& op) { add(id, op); }) {}

  std::uint64_t operations() const {
    ordered_.close();
    return operations_;
  }
  std::vector<const OperationGroup*> groups() const;  // by total time, ties by engine and name
  std::vector<const EnginePart*> engines() const;  // in the order of a tile's stages, then by name

  // Groups without spans, or spans only.
  Table operations_table() const { return group_table("operations", false); }
  Table spans_table() const { return group_table("spans", true); }
  // Histogram of the durations of each operation that is not a span, in bins that double from 1 ns
  // on.
  Table stages_table() const;
  Table histogram_table() const;
  // `most`: rows of a table.
  std::string top_text(std::size_t most) const;
  std::string stages_text(std::size_t most) const;

 private:
  struct Places {
    OperationGroup* group = nullptr;
    Fs* busy = nullptr;  // null: a span
  };
  void add(std::uint64_t id, const ExecutedOp& op);
  Places places_of(const OperationName& name);
  Table group_table(const char* name, bool spans) const;
  std::vector<const OperationGroup*> stages() const;

  OperationNames names_;
  std::vector<Places> places_;                                            // by OperationName::place
  std::map<std::pair<std::string, std::string>, OperationGroup> groups_;  // engine, name
  std::map<std::tuple<int, std::string, std::string>, EnginePart> engines_;  // order, engine, part
  std::uint64_t operations_ = 0;
  mutable OrderedOps ordered_;
};

}  // namespace kernbench
