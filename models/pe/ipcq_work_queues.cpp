#include "models/pe/ipcq_work_queues.h"

#include <algorithm>
#include <utility>

namespace kernbench {

void IpcqWorkQueues::add(IpcqJob job) {
  job.tag = next_tag_++;
  jobs_.push_back(std::move(job));
  if (at_head(jobs_.back())) start(jobs_.back());
}

// Behind a job in one queue only the next one there can begin.
IpcqWorkQueues::Iterator IpcqWorkQueues::remove(Iterator ended) {
  std::list<IpcqJob> removed;
  const auto next = std::next(ended);
  removed.splice(removed.begin(), jobs_, ended);
  for (IpcqJob& job : jobs_) {
    if (!share_a_queue(job, removed.front())) continue;
    if (!job.begun && at_head(job)) start(job);
    if (!removed.front().from_any()) break;
  }
  return next;
}

IpcqJob* IpcqWorkQueues::find(std::uint32_t tag) {
  const auto found = std::find_if(jobs_.begin(), jobs_.end(),
                                  [tag](const IpcqJob& job) { return job.tag == tag; });
  return found == jobs_.end() ? nullptr : &*found;
}

bool IpcqWorkQueues::share_a_queue(const IpcqJob& a, const IpcqJob& b) {
  if (a.stream != b.stream || a.is_send != b.is_send) return false;
  return a.pair == b.pair || a.from_any() || b.from_any();
}

bool IpcqWorkQueues::at_head(const IpcqJob& job) const {
  for (const IpcqJob& earlier : jobs_) {
    if (&earlier == &job) return true;
    if (share_a_queue(earlier, job)) return false;
  }
  return true;
}

void IpcqWorkQueues::start(IpcqJob& job) {
  job.begun = true;
  begin_(job);
}

}  // namespace kernbench
