// Text timeline of the engines: a row per engine and part, a column per interval of time, and in
// each cell the utilisation of the engine in the interval.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/protocol/observation.h"
#include "platform/output/table.h"
#include "platform/report/operation_names.h"

namespace kernbench {

struct TimelineOptions {
  // Glob over the names of engines or of an enclosing scope; empty: the PE with most operations.
  std::string engines;
  std::optional<std::pair<Fs, Fs>> window;  // default: from the first to the last operation shown
  std::uint64_t columns = 100;
};

class EngineTimeline final : private tlm::tlm_analysis_if<ExecutedOp>,
                             private tlm::tlm_analysis_if<KernelRun>,
                             private tlm::tlm_analysis_if<KernelWait> {
 public:
  EngineTimeline(Observation& observation, TimelineOptions options);
  // Called after the last event. Throws UsageError if no engine's name matches, with the nearest
  // names, or if nothing was executed, or nothing in the window. `source`: origin of the events.
  void close(const std::string& source);

  std::string text() const;
  nlohmann::ordered_json json() const;
  Table rows() const;                                    // a row per engine and part
  Table cells() const;                                   // a row per cell that is not empty
  const std::string& busiest_pe() const { return pe_; }  // empty: engines were selected by name

 private:
  struct Interval {
    Fs start = 0, end = 0;
  };
  using Intervals = std::vector<Interval>;
  struct Row {
    std::string node, part;
    Fs busy = 0;              // within the window; concurrent operations count once
    std::vector<Fs> columns;  // busy time
  };
  using Key = std::tuple<std::string, int, std::string, std::string>;  // PE, order, part, node
  struct Kernels {
    Intervals runs, waits;
  };

  void write(const ExecutedOp& op) override;
  void write(const KernelRun& run) override;
  void write(const KernelWait& wait) override;
  Intervals* intervals_of(const OperationName& name);
  void choose_pe();
  void add_kernels();
  void refuse_names(const std::string& source) const;
  void set_window(const std::string& source);
  void fill(Row& row, const Intervals& intervals) const;
  std::string cells_of(const Row& row) const;
  std::string axis_text(std::size_t indent) const;
  // Start of a column; that of the column after the last is the end of the window.
  Fs column_start(std::uint64_t column) const;

  TimelineOptions options_;
  OperationNames names_;
  std::vector<Intervals*> places_;  // by OperationName::place; null: not shown
  std::map<Key, Intervals> busy_;
  std::map<std::string, std::uint64_t> operations_;  // by node
  // Kernels by pe_cpu and stream.
  std::map<std::string, std::map<std::uint32_t, Kernels>> kernels_;
  Fs first_ = never_fs, last_ = 0;  // over all operations and kernels
  Fs from_ = 0, to_ = 0;            // the window
  std::vector<Row> rows_;           // by PE, in the order of a tile's stages
  std::string pe_;
  std::uint64_t other_pes_ = 0;
  AnalysisBinding<ExecutedOp> ops_;
  AnalysisBinding<KernelRun> runs_;
  AnalysisBinding<KernelWait> waits_;
};

}  // namespace kernbench
