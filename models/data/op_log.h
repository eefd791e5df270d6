// OpLog: the executed operations of a run, in memory (spec 9). Values are recorded per command;
// parameters of tile stages are supplied by the subscriber that derives them (OpParameters).
//
// Listed by t_start, ties by id. Ids number the operations by their ends, those of one instant by
// node, command and tile (spec 11.7). Values have numbers in the order of the operations that
// define them.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/base/analysis_port.h"
#include "models/base/executed_op.h"
#include "models/base/instant_order.h"
#include "models/data/data_op.h"

namespace kernbench {

// Order of operations that end at one instant: node by name in byte order, command, tile, start,
// operation by name.
struct OpOrder {
  bool operator()(const ExecutedOp& a, const ExecutedOp& b) const;
};

struct OpRecord {
  std::uint64_t id = 0;
  ExecutedOp op;
  std::vector<ValueId> inputs{}, outputs{};  // numbers of values in the log
};

const char* name_of(OpKind kind);
// Nodes are named by the reader of the log: this library accesses no sc_object.
using NodeName = std::function<std::string(const sc_core::sc_object*)>;

// A record as it is listed: text and numbers.
struct OpRow {
  std::uint64_t id = 0;
  Fs t_start = 0, t_end = 0;
  std::string node, kind, name;
  std::uint64_t command = 0;
  std::int64_t tile = -1;
  std::uint64_t bytes = 0;
  std::string params;  // "runs=64" of a strided DMA, describe() of the data op
  std::vector<ValueId> inputs, outputs;
};
OpRow row_of(const OpRecord& record, const NodeName& node_name);
void write_csv_header(std::ostream& out);
void write_csv(std::ostream& out, const OpRow& row);

class OpLog : public tlm::tlm_analysis_if<ExecutedOp> {
 public:
  void write(const ExecutedOp& op) override;

  std::size_t size() const { return records_.size() + instant_.size(); }
  const std::vector<OpRecord>& records() const;  // sorted; valid until the next report
  // Removes and returns records that ended before this time, in the order of records().
  std::vector<OpRecord> take_before(Fs end);

  // Writes one line per record with a header; runs of the same configuration write the same bytes.
  void write_csv(std::ostream& out, const NodeName& node_name) const;

 private:
  void add(ExecutedOp op) const;
  void sort() const;
  void name_inputs(OpRecord& record) const;
  ValueId number_of(ValueId value) const {
    return values_.try_emplace(value, values_.size() + 1).first->second;
  }

  mutable std::vector<OpRecord> records_;
  mutable InstantOrder<ExecutedOp, OpOrder> instant_;    // not yet numbered
  mutable std::unordered_map<ValueId, ValueId> values_;  // numbers; looked up only
  mutable bool sorted_ = true;
  mutable std::uint64_t next_id_ = 1;
};

}  // namespace kernbench
