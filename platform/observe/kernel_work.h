// Work of each kernel and composite of a run: times, multiply-accumulates, bytes per path. Input of
// the rooflines of `run` (spec 11.3).
//
// Gathered once per operation and once per transfer, not per flit. A kernel of a PE lasts from its
// start to its return, as PE_CPU reports it with its response; a PE_CPU that reports no kernel has
// none. Engines drain before that, so every operation since the previous response belongs to the
// kernel. A transfer belongs to the kernel of its stream that was in progress when it was issued.
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

class RouteExtension;  // models/protocol/transaction.h

// Composites of the same name.
struct CompositeTimes {
  std::uint64_t count = 0;
  Fs shortest = never_fs, longest = 0;  // start of the first stage to completion
  Roofline roofline;                    // over all of them; its window is the sum of the times

  void add(const Roofline& one);
  CompositeTimes& operator+=(const CompositeTimes& other);
};

// Kernel on one PE.
struct KernelExecution {
  Fs begin = 0, end = never_fs;
  Fs last_transfer = 0;  // end of its last transfer, including posted ones
  PeWork work;
  std::map<std::string, CompositeTimes> composites;  // by name, "composite_gemm"
  std::string request;                               // id of its launch message; empty: in progress
  std::uint32_t stream = 0;
};

class KernelWork final : private tlm::tlm_analysis_if<ExecutedOp>,
                         private tlm::tlm_analysis_if<TransactionEnd>,
                         private tlm::tlm_analysis_if<KernelRun> {
 public:
  // Observes `platform`, which outlives it.
  explicit KernelWork(Platform& platform);

  const Graph& graph() const { return graph_; }
  // Kernel of a PE started by one of these launch messages; null: none has ended there.
  const KernelExecution* find(const PeId& where, const std::vector<std::string>& requests) const;
  // Drops a kernel that no caller will request again.
  void forget(const PeId& where, const std::vector<std::string>& requests);

 private:
  // Composite in progress.
  struct Composite {
    Fs begin = never_fs;  // start of its first stage
    PeWork work;
  };
  struct Pe {
    std::list<KernelExecution> kernels;  // by start
    // Kernels in progress, and the next one of the compute stream, which begins after the previous
    // response.
    SmallVector<std::pair<std::uint32_t, KernelExecution*>, 2> latest;  // with its stream
    // Transfers that ended at `ended_at`, including those of the DMA stage that ends now.
    struct Ended {
      const Path* path = nullptr;
      std::uint64_t bytes = 0, flits = 0;
      bool write = false;
    };
    Fs ended_at = 0;
    SmallVector<Ended, 2> ended;
    std::unordered_map<std::uint64_t, Composite> composites;  // by command; looked up only
    std::list<KernelExecution> idle;                          // forgotten ones, kept for reuse
    PePeaks peaks;

    KernelExecution& expect_kernel(std::uint32_t stream, Fs from);
    std::list<KernelExecution>::const_iterator find(const std::string& request) const;
    KernelExecution& latest_of(std::uint32_t stream);
    // Kernel that issued a transfer; null: none.
    KernelExecution* issuer_of(const RouteExtension& transfer);
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
