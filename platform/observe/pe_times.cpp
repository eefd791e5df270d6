#include "platform/observe/pe_times.h"

#include <systemc>

#include "platform/observe/activity_windows.h"

namespace kernbench {

PeTimes::PeTimes(Observation& observation)
    : runs_(observation.kernel_runs, *this), waits_(observation.kernel_waits, *this),
      slot_waits_(observation.slot_waits, *this), ops_(observation.executed_ops, *this) {}

PeTime& PeTimes::under_way(const sc_core::sc_object& engine, std::uint32_t stream) {
  auto& streams = under_way_[engine.get_parent_object()];
  for (auto& [number, time] : streams) {
    if (number == stream) return time;
  }
  return streams.emplace_back(stream, PeTime()).second;
}

void PeTimes::write(const KernelRun& run) {
  PeTime& time = under_way(*run.node, run.stream);
  time.add_run(run.target, run.start, run.returned, run.answered);
  const auto [place, is_new] = places_.try_emplace(run.kernel, kernels_.size());
  if (is_new) kernels_.push_back({run.kernel, {}});
  kernels_[place->second].time += time;
  time = PeTime();
}

void PeTimes::write(const KernelWait& wait) {
  under_way(*wait.node, wait.stream).add_wait(part_of(wait), wait.end - wait.start);
}

void PeTimes::write(const SlotWait& wait) {
  under_way(*wait.node, wait.stream).add_slot_wait(wait.waiting, wait.end - wait.start);
}

void PeTimes::write(const ExecutedOp& op) {
  if (op.kind != OpKind::gemm || op.node == nullptr || is_composite(op)) return;
  under_way(*op.node, op.stream).add_gemm(op.t_end - op.t_start);
}

}  // namespace kernbench
