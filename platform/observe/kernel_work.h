// Work of each kernel and composite of a run: its times, multiply-accumulates, bytes by way. What
// the rooflines of `run` are made of (spec 11.3).
//
// Gathered once per operation and once per transfer, not per flit. A kernel of a PE lasts from its
// start to its return, as PE_CPU reports it when it answers; a PE_CPU that reports none has none.
// Engines drain before that, so every operation since the answer before belongs to the kernel; a
// transfer belongs to the kernel that was under way when it was issued.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/base/small_vector.h"
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
  Fs begin = 0, end = never_fs;
  Fs last_transfer = 0;  // end of its last transfer, posted ones included
  PeWork work;
  std::map<std::string, CompositeTimes> composites;  // by name, "composite_gemm"
  std::string request;                               // id of its launch message; empty: under way
};

class KernelWork final : private tlm::tlm_analysis_if<ExecutedOp>,
                         private tlm::tlm_analysis_if<TransactionEnd>,
                         private tlm::tlm_analysis_if<KernelRun> {
 public:
  // Observes `platform`, which outlives it.
  explicit KernelWork(Platform& platform);

  const Graph& graph() const { return graph_; }
  // The kernel of a PE that one of these launch messages has started; null: none has ended there.
  const KernelExecution* find(const PeId& where, const std::vector<std::string>& requests) const;
  // Nobody will ask for it any more.
  void forget(const PeId& where, const std::vector<std::string>& requests);

 private:
  // Under way.
  struct Composite {
    Fs begin = never_fs;  // of its first stage
    PeWork work;
  };
  struct Pe {
    std::list<KernelExecution> kernels;  // by their begin
    // Those under way, and the one to come of the compute stream, which begins behind the answer of
    // the one before.
    SmallVector<std::pair<std::uint32_t, KernelExecution*>, 2> latest;  // with its stream
    // Transfers that have ended at `ended_at`: of the DMA stage that ends now, too.
    struct Ended {
      const Path* path = nullptr;
      std::uint64_t bytes = 0;
      bool write = false;
    };
    Fs ended_at = 0;
    SmallVector<Ended, 2> ended;
    std::unordered_map<std::uint64_t, Composite> composites;  // by command; looked up only
    std::list<KernelExecution> idle;                          // forgotten ones, to be used again
    PePeaks peaks;

    KernelExecution& expect_kernel(std::uint32_t stream, Fs from);
    std::list<KernelExecution>::const_iterator find(const std::string& request) const;
    KernelExecution& latest_of(std::uint32_t stream);
    Composite& composite(const ExecutedOp& stage);
  };

  void write(const ExecutedOp& op) override;
  void write(const TransactionEnd& end) override;
  void write(const KernelRun& run) override;

  static void add(PeWork& work, const ExecutedOp& op);
  static void add_transfers(Pe& pe, PeWork& work, const ExecutedOp& op);
  void end_composite(Pe& pe, const ExecutedOp& op);

  const Graph& graph_;
  std::map<PeId, Pe> pes_;
  std::unordered_map<const sc_core::sc_object*, Pe*> by_engine_;  // looked up only
  std::vector<Pe*> by_dma_;                                       // by NodeId; null: no PE_DMA
  AnalysisBinding<ExecutedOp> ops_;
  AnalysisBinding<TransactionEnd> ends_;
  AnalysisBinding<KernelRun> runs_;
};

}  // namespace kernbench
