#include "platform/observe/pe_time.h"

#include <algorithm>
#include <numeric>

namespace kernbench {
namespace {

constexpr std::array<const char*, pe_time_part_count> names{
    "running", "dma",     "gemm",    "math",       "composite",
    "send",    "receive", "barrier", "late_start", "draining"};

}  // namespace

const char* name_of(PeTimePart part) { return names[static_cast<std::size_t>(part)]; }

std::optional<PeTimePart> pe_time_part_of(const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<PeTimePart>(found - names.begin());
}

PeTimePart part_of(const KernelWait& wait) {
  if (wait.reason == KernelWait::Reason::send) return PeTimePart::send;
  if (wait.reason == KernelWait::Reason::receive) return PeTimePart::receive;
  if (wait.reason == KernelWait::Reason::barrier) return PeTimePart::barrier;
  switch (wait.command_kind) {
    case KernelWait::CommandKind::dma:
      return PeTimePart::dma;
    case KernelWait::CommandKind::gemm:
      return PeTimePart::gemm;
    case KernelWait::CommandKind::math:
      return PeTimePart::math;
    case KernelWait::CommandKind::composite:
    case KernelWait::CommandKind::none:
      break;
  }
  return PeTimePart::composite;
}

void PeTime::add_run(Fs target, Fs start, Fs returned, Fs answered) {
  ++runs_;
  at(PeTimePart::late_start) += start - target;
  at(PeTimePart::running) += returned - start;
  at(PeTimePart::draining) += answered - returned;
}

void PeTime::add_wait(PeTimePart part, Fs time) {
  at(part) += time;
  at(PeTimePart::running) -= time;
}

PeTime& PeTime::operator+=(const PeTime& other) {
  runs_ += other.runs_;
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i] += other.parts_[i];
  gemm_busy_ += other.gemm_busy_;
  gemm_for_slot_ += other.gemm_for_slot_;
  math_for_slot_ += other.math_for_slot_;
  return *this;
}

Fs PeTime::total() const { return std::accumulate(parts_.begin(), parts_.end(), Fs{0}); }

}  // namespace kernbench
