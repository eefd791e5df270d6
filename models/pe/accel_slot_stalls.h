// Stalls of compute ops of one engine on the accel_slot of their PE while the other engine holds
// it.
//
// A stall begins when the op has requested the slot and the other engine holds it. It ends, and is
// counted, when the other engine releases the slot. Stalls caused by ops of the same engine do not
// count.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "models/base/component.h"
#include "models/protocol/kernel_progress.h"
#include "models/protocol/tile_task.h"

namespace kernbench {

class AccelSlotStalls {
 public:
  // Ended stalls of one engine.
  struct Stalls {
    std::uint64_t count = 0;
    Fs time = 0;
  };

  AccelSlotStalls(const Component& scheduler, const AnalysisPort<SlotWait>& port)
      : scheduler_(scheduler), port_(port) {}

  const Stalls& gemm() const { return sides_[0].ended; }
  const Stalls& math() const { return sides_[1].ended; }

  void requested(StageType stage, std::uint32_t stream) {
    side_of(stage).stream = stream;
    ++side_of(stage).asking;
    update();
  }
  void granted(StageType stage) {
    holder_ = &side_of(stage);
    --holder_->asking;
    update();
  }
  void released() {
    holder_ = nullptr;
    update();
  }

 private:
  struct Side {
    std::uint32_t asking = 0;
    std::uint32_t stream = 0;  // stream of the requesting op: an engine has one task at a time
    Fs since = never_fs;       // start of the stall in progress
    Stalls ended;
  };

  Side& side_of(StageType stage) { return sides_[stage == StageType::math ? 1 : 0]; }
  void update() {
    for (Side& side : sides_) {
      const bool behind = side.asking > 0 && holder_ != nullptr && holder_ != &side;
      if (behind == (side.since != never_fs)) continue;
      if (behind) {
        side.since = Component::now();
      } else {
        end(side);
      }
    }
  }
  void end(Side& side) {
    const Fs since = std::exchange(side.since, never_fs);
    const Fs now = Component::now();
    if (since == now) return;
    ++side.ended.count;
    side.ended.time += now - since;
    if (!port_.observed()) return;
    const OpKind waiting = &side == &sides_[0] ? OpKind::gemm : OpKind::math;
    port_.write({&scheduler_, waiting, since, now, side.stream});
  }

  const Component& scheduler_;
  const AnalysisPort<SlotWait>& port_;
  std::array<Side, 2> sides_;  // GEMM, MATH
  Side* holder_ = nullptr;
};

}  // namespace kernbench
