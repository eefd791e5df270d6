#include "platform/observe/step_chain.h"

namespace kernbench {
namespace {

constexpr std::size_t steps_per_block = 1024;

}  // namespace

void StepPool::grow() {
  blocks_.push_back(std::make_unique<LatencyStep[]>(steps_per_block));
  for (std::size_t i = 0; i < steps_per_block; ++i) {
    LatencyStep* step = &blocks_.back()[i];
    step->previous = free_;
    free_ = step;
  }
}

void StepPool::recycle(LatencyStep* step) {
  while (step != nullptr) {
    LatencyStep* previous = step->previous;
    step->previous = free_;
    free_ = step;
    if (previous == nullptr || --previous->owners > 0) return;
    step = previous;
  }
}

std::size_t StepPool::size() const {
  std::size_t unused = 0;
  for (const LatencyStep* step = free_; step != nullptr; step = step->previous) ++unused;
  return blocks_.size() * steps_per_block - unused;
}

void StepChain::add(FabricPlace place, LatencyPart part, Fs length) {
  const bool extends = last_ != nullptr && last_->part == part && last_->place == place;
  if (extends && last_->owners == 1) {
    last_->length += length;
    return;
  }
  LatencyStep* step = pool_->make();
  if (extends) {
    *step = {last_->previous, last_->length + length, place, 1, part};
    if (step->previous != nullptr) ++step->previous->owners;
    --last_->owners;  // shared, so another owner is left
  } else {
    *step = {last_, length, place, 1, part};  // takes over this chain's share of last_
  }
  last_ = step;
}

}  // namespace kernbench
