// PeTimes: where the time of a run's kernels goes, kernel by kernel, gathered while PEs report
// (pe_time.h).
//
// Constant memory per stream of a PE and kernel. A kernel counts when it answers its launch; its
// commands have ended then, so that all that a PE has reported of its stream since the answer
// before belongs to it. Kernels of different streams that run together have a time each: parts add
// up per kernel, not per PE.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/base/small_vector.h"
#include "models/protocol/observation.h"
#include "platform/observe/pe_time.h"

namespace kernbench {

class PeTimes final : private tlm::tlm_analysis_if<KernelRun>,
                      private tlm::tlm_analysis_if<KernelWait>,
                      private tlm::tlm_analysis_if<SlotWait>,
                      private tlm::tlm_analysis_if<ExecutedOp> {
 public:
  // Observes the machine, which outlives it.
  explicit PeTimes(Observation& observation);

  // In the order of their first answers.
  const std::vector<KernelPeTime>& kernels() const { return kernels_; }

 private:
  void write(const KernelRun& run) override;
  void write(const KernelWait& wait) override;
  void write(const SlotWait& wait) override;
  void write(const ExecutedOp& op) override;
  PeTime& under_way(const sc_core::sc_object& engine, std::uint32_t stream);

  std::vector<KernelPeTime> kernels_;
  std::map<std::string, std::size_t> places_;
  // By PE, a list by stream; looked up only.
  std::unordered_map<const sc_core::sc_object*, SmallVector<std::pair<std::uint32_t, PeTime>, 1>>
      under_way_;
  AnalysisBinding<KernelRun> runs_;
  AnalysisBinding<KernelWait> waits_;
  AnalysisBinding<SlotWait> slot_waits_;
  AnalysisBinding<ExecutedOp> ops_;
};

}  // namespace kernbench
