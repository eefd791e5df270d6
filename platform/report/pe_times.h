// PeTimes: breakdown of the time of kernels on their PEs (spec 11.3) per kernel: pe_exec, split
// without a remainder.
//
//   running     the kernel was not blocked: cycles, dispatch of its calls
//   waiting     blocked, for a command of PE_DMA, PE_GEMM or PE_MATH, for a composite, in a send,
//               in a receive, in a barrier
//   late start  the PE started after the common start
//   draining    the kernel had returned, commands without a wait were still in flight
//
// Memory is constant per stream of a PE and kernel. A kernel is counted when it responds to its
// launch. Its commands have ended by then, so all reports of a PE for its stream since the previous
// response belong to it. Concurrent kernels of different streams each have a time of their own:
// parts add up per kernel, not per PE.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/base/small_vector.h"
#include "models/protocol/observation.h"

namespace kernbench {

enum class PeTimePart : std::uint8_t {
  running,
  dma,
  gemm,
  math,
  composite,
  send,
  receive,
  barrier,
  late_start,
  draining
};
inline constexpr std::size_t pe_time_part_count = 10;

class PeTime {
 public:
  // Adds a kernel on a PE, without its waits.
  void add_run(Fs target, Fs start, Fs returned, Fs answered);
  // Adds a wait during its run.
  void add_wait(PeTimePart part, Fs time);
  void add_slot_wait(OpKind waiting, Fs time) {
    (waiting == OpKind::gemm ? gemm_for_slot_ : math_for_slot_) += time;
  }
  void add_gemm(Fs time) { gemm_busy_ += time; }
  PeTime& operator+=(const PeTime& other);

  std::uint64_t runs() const { return runs_; }
  Fs total() const;  // sum of all parts
  Fs of(PeTimePart part) const { return parts_[static_cast<std::size_t>(part)]; }
  // In addition to the parts: service time of PE_GEMM, in dots and in stages of tiles; time that
  // PE_GEMM and PE_MATH were queued behind each other for the accel_slot.
  Fs gemm_busy() const { return gemm_busy_; }
  Fs gemm_for_slot() const { return gemm_for_slot_; }
  Fs math_for_slot() const { return math_for_slot_; }

 private:
  Fs& at(PeTimePart part) { return parts_[static_cast<std::size_t>(part)]; }

  std::uint64_t runs_ = 0;
  // Waits are subtracted from `running` immediately: before the run is added, it is below 0, modulo
  // 2^64.
  std::array<Fs, pe_time_part_count> parts_{};
  Fs gemm_busy_ = 0, gemm_for_slot_ = 0, math_for_slot_ = 0;
};

// Time over all launches of a kernel.
struct KernelPeTime {
  std::string kernel;
  PeTime time;
};

class PeTimes final : private tlm::tlm_analysis_if<KernelRun>,
                      private tlm::tlm_analysis_if<KernelWait>,
                      private tlm::tlm_analysis_if<SlotWait>,
                      private tlm::tlm_analysis_if<ExecutedOp> {
 public:
  // `observation`: of a machine or of a log during playback (platform/events/op_log_player.h); it
  // outlives this object.
  explicit PeTimes(Observation& observation);

  // Kernels in the order of their first responses.
  const std::vector<KernelPeTime>& kernels() const { return kernels_; }

 private:
  void write(const KernelRun& run) override;
  void write(const KernelWait& wait) override;
  void write(const SlotWait& wait) override;
  void write(const ExecutedOp& op) override;
  PeTime& in_progress(const sc_core::sc_object& engine, std::uint32_t stream);

  std::vector<KernelPeTime> kernels_;
  std::map<std::string, std::size_t> places_;
  // Times by PE, a list by stream; looked up only.
  std::unordered_map<const sc_core::sc_object*, SmallVector<std::pair<std::uint32_t, PeTime>, 1>>
      in_progress_;
  AnalysisBinding<KernelRun> runs_;
  AnalysisBinding<KernelWait> waits_;
  AnalysisBinding<SlotWait> slot_waits_;
  AnalysisBinding<ExecutedOp> ops_;
};

// Table without columns that are zero for all kernels; empty without kernels.
std::string pe_time_text(const std::vector<KernelPeTime>& kernels);
nlohmann::ordered_json pe_time_json(const std::vector<KernelPeTime>& kernels);

}  // namespace kernbench
