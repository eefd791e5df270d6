// StepChain: the time of a flit or message so far as a chain of steps, newest first. Chains share
// their older steps, so a copy costs one reference count whatever the length.
//
// Adjacent steps differ in place or part: a step of the place and part of the newest one makes that
// one longer; if other chains share it, this chain replaces it by a longer one of its own. Steps
// come from a StepPool, which outlives its chains. Chains are freed in a loop: where flits of two
// messages alternate on a link, a chain has as many steps as its message has flits.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "platform/observe/transfer_path.h"

namespace kernbench {

// Fields by size: 32 bytes.
struct LatencyStep {
  LatencyStep* previous = nullptr;
  Fs length = 0;
  FabricPlace place;
  std::uint32_t owners = 0;  // chains that end with it, and steps that follow it
  LatencyPart part = LatencyPart::noc;
};

class StepPool {
 public:
  LatencyStep* make() {
    if (free_ == nullptr) grow();
    LatencyStep* step = free_;
    free_ = step->previous;
    return step;
  }
  // Takes back a step without owners, and the steps before it that it alone owned.
  void recycle(LatencyStep* step);
  std::size_t size() const;  // steps in use

 private:
  void grow();

  std::vector<std::unique_ptr<LatencyStep[]>> blocks_;
  LatencyStep* free_ = nullptr;  // linked by `previous`
};

class StepChain {
 public:
  StepChain() = default;  // empty for good
  explicit StepChain(StepPool& pool) : pool_(&pool) {}
  StepChain(const StepChain& other) : pool_(other.pool_), last_(other.last_) {
    if (last_ != nullptr) ++last_->owners;
  }
  StepChain(StepChain&& other) noexcept
      : pool_(other.pool_), last_(std::exchange(other.last_, nullptr)) {}
  StepChain& operator=(StepChain other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(last_, other.last_);
    return *this;
  }
  ~StepChain() {
    if (last_ != nullptr && --last_->owners == 0) pool_->recycle(last_);
  }

  void add(FabricPlace place, LatencyPart part, Fs length);
  const LatencyStep* newest() const { return last_; }  // null: empty

 private:
  StepPool* pool_ = nullptr;
  LatencyStep* last_ = nullptr;
};

}  // namespace kernbench
