// DataExecutor within a limit of memory: slices of deferred runs, waits of eager ones.
#include <algorithm>
#include <chrono>

#include "platform/phase2/data_executor.h"

namespace kernbench {

void DataExecutor::start_deferred(std::uint64_t limit_bytes) {
  functional_model_.live_values().set_listener(this, limit_bytes);
}

bool DataExecutor::unreachable(ValueId id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Value* const entry = find_value(id);
  if (entry == nullptr) return true;
  if (entry->begun && !entry->done) {
    entry->unwanted = true;
    return false;
  }
  if (entry->enrolled && !entry->done) --enrolled_;
  values_.erase(id);
  return true;
}

void DataExecutor::make_room() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  LiveValues& live_values = functional_model_.live_values();
  reclaim();
  if (!live_values.over_limit()) return;
  eager_ ? wait_for_workers() : compute_slice();
  if (check_) {
    check_(live_values.computed_ops());
    live_values.let_go();
  }
  pauses_.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
}

// What is recorded by now; a value stays as long as somebody refers to it, the simulation included.
void DataExecutor::compute_slice() {
  ++pauses_.slices;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    enroll_recorded();
    releases_ = !check_;  // who checks an operation reads its inputs once more
    hold(functional_model_.live_values().referred_to_elsewhere());
    employ_workers();
  }
  pool_.wait_idle();
  reclaim();
}

// Until half of what may be pending is computed, or no worker has anything to do: ops that wait for
// an engine of the machine cannot go on while the simulation waits.
void DataExecutor::wait_for_workers() {
  constexpr std::chrono::milliseconds between_questions{20};
  const LiveValues& live_values = functional_model_.live_values();
  const std::uint64_t enough = live_values.limit() / 8;
  ++pauses_.waits;
  pool_.run_here();
  while (!stopped()) {
    reclaim();
    if (live_values.held().pending_bytes <= enough) return;
    std::unique_lock<std::mutex> lock(mutex_);
    if (!finished_.empty()) continue;
    if (workers_ == 0) return;
    value_done_.wait_for(lock, between_questions);
  }
}

void DataExecutor::reclaim() {
  std::vector<DataOpPtr> finished;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    finished.swap(finished_);
  }
  if (eager_) {
    for (const DataOpPtr& op : finished) functional_model_.live_values().computed(op);
    return;
  }
  // In order of issue, so that what is counted does not depend on the workers.
  std::sort(finished.begin(), finished.end(),
            [](const DataOpPtr& a, const DataOpPtr& b) { return a->id < b->id; });
  for (const DataOpPtr& op : finished) functional_model_.live_values().computed(op);
}

}  // namespace kernbench
