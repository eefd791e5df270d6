// Where the time of kernels on their PEs goes (spec 11.3): pe_exec, split without a rest.
//
//   running     the kernel was not blocked: cycles, dispatch of its calls
//   waiting     blocked, for a command of PE_DMA, PE_GEMM or PE_MATH, for a composite, in a send,
//               in a receive, in a barrier
//   late start  the PE began behind the common start
//   draining    the kernel had returned, commands that it had not waited for had not ended
//
// `run` adds up what the PEs report, `inspect` the rows of an operation log: both by this class.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "models/protocol/kernel_progress.h"

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

// As in the tables of an operation log: "dma", "receive", "late_start".
const char* name_of(PeTimePart part);
std::optional<PeTimePart> pe_time_part_of(const std::string& name);
PeTimePart part_of(const KernelWait& wait);

class PeTime {
 public:
  // A kernel on a PE, without its waits.
  void add_run(Fs target, Fs start, Fs returned, Fs answered);
  // In its course.
  void add_wait(PeTimePart part, Fs time);
  void add_slot_wait(OpKind waiting, Fs time) {
    (waiting == OpKind::gemm ? gemm_for_slot_ : math_for_slot_) += time;
  }
  void add_gemm(Fs time) { gemm_busy_ += time; }
  PeTime& operator+=(const PeTime& other);

  std::uint64_t runs() const { return runs_; }
  Fs total() const;  // of all parts
  Fs of(PeTimePart part) const { return parts_[static_cast<std::size_t>(part)]; }
  // Beside the parts: service time of PE_GEMM, in dots and in stages of tiles; time that PE_GEMM
  // and PE_MATH stood behind one another for the accel_slot.
  Fs gemm_busy() const { return gemm_busy_; }
  Fs gemm_for_slot() const { return gemm_for_slot_; }
  Fs math_for_slot() const { return math_for_slot_; }

 private:
  Fs& at(PeTimePart part) { return parts_[static_cast<std::size_t>(part)]; }

  std::uint64_t runs_ = 0;
  // Waits are taken out of `running` at once: before the run is added, it is below 0, modulo 2^64.
  std::array<Fs, pe_time_part_count> parts_{};
  Fs gemm_busy_ = 0, gemm_for_slot_ = 0, math_for_slot_ = 0;
};

// Of all launches of a kernel.
struct KernelPeTime {
  std::string kernel;
  PeTime time;
};

}  // namespace kernbench
