// Work of each kernel and composite of a run: its times, multiply-accumulates, bytes by way. What
// the rooflines of `run` are made of (spec 11.3).
//
// Gathered once per operation and once per transfer, not per flit. A kernel of a PE lasts from its
// target_start to its return, as the signal `state` of PE_CPU shows it; a PE whose PE_CPU has no
// such signal has none. Engines drain before the next kernel of a PE begins, so every operation
// belongs to the kernel that began last; a transfer belongs to the kernel under way when it was
// issued.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/base/trace_signal.h"
#include "models/protocol/host_messages.h"
#include "models/protocol/observation.h"
#include "platform/assembly/platform.h"
#include "platform/observe/roofline.h"

namespace kernbench {

// Composites of one name.
struct CompositeTimes {
  std::uint64_t count = 0;
  Fs shortest = never_fs, longest = 0;  // start of the first stage to completion
  Roofline roofline;                    // of all together; its window is the sum of the times

  void add(const Roofline& one);
  CompositeTimes& operator+=(const CompositeTimes& other);
};

// A kernel on one PE.
struct KernelExecution {
  Fs begin = 0, end = never_fs;  // never: it is under way
  Fs last_transfer = 0;          // end of its last transfer, posted ones included
  PeWork work;
  std::map<std::string, CompositeTimes> composites;  // by name, "composite_gemm"
  bool taken = false;
};

class KernelWork final : private tlm::tlm_analysis_if<ExecutedOp>,
                         private tlm::tlm_analysis_if<TransactionEnd>,
                         private tlm::tlm_analysis_if<TraceSignal> {
 public:
  // Observes `platform`, which outlives it.
  explicit KernelWork(Platform& platform);

  const Graph& graph() const { return graph_; }
  // The first kernel of a PE, not taken yet, that lasted `duration` between the issue of its launch
  // and its end; null: none.
  const KernelExecution* take(const PeId& where, Fs issued, Fs ended, Fs duration);

 private:
  // Under way.
  struct Composite {
    Fs begin = never_fs;  // of its first stage
    PeWork work;
  };
  struct Pe {
    PePeaks peaks;
    std::deque<KernelExecution> kernels;                      // the last one may be under way
    std::unordered_map<std::uint64_t, Composite> composites;  // by command; looked up only
    // Transfers that have ended at `ended_at`: of the DMA stage that ends now, too.
    struct Ended {
      const Path* path = nullptr;
      std::uint64_t bytes = 0;
      bool write = false;
    };
    std::vector<Ended> ended;
    Fs ended_at = 0;

    Composite& composite(const ExecutedOp& stage);
  };
  // Values of the signal `state`.
  struct States {
    std::uint64_t running = 0, draining = 0;
  };

  void write(const ExecutedOp& op) override;
  void write(const TransactionEnd& end) override;
  void write(const TraceSignal& state) override;

  void observe(Component& cpu, Pe& pe);
  static void add(PeWork& work, const ExecutedOp& op);
  static void add_transfers(Pe& pe, PeWork& work, const ExecutedOp& op);
  void end_composite(Pe& pe, const ExecutedOp& op);

  const Graph& graph_;
  std::map<PeId, Pe> pes_;
  std::unordered_map<const sc_core::sc_object*, Pe*> by_engine_;  // looked up only
  std::vector<Pe*> by_dma_;                                       // by NodeId; null: no PE_DMA
  struct Watched {
    Pe* pe = nullptr;
    States states;
  };
  std::unordered_map<const TraceSignal*, Watched> by_signal_;  // looked up only
  AnalysisBinding<ExecutedOp> ops_;
  AnalysisBinding<TransactionEnd> ends_;
  std::deque<AnalysisBinding<TraceSignal>> states_;
};

}  // namespace kernbench
