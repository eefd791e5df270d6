// WorkerPool: host threads that run tasks in the order of submission. Tasks may submit tasks; none may wait for another.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kernbench {

class WorkerPool {
 public:
  explicit WorkerPool(unsigned threads);  // at least one
  ~WorkerPool();                          // drops what has not started
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  unsigned threads() const { return static_cast<unsigned>(threads_.size()); }
  void submit(std::function<void()> task);  // must not throw
  void wait_idle();                         // until nothing runs and nothing waits

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable work_arrived_, became_idle_;
  std::deque<std::function<void()>> tasks_;
  unsigned running_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace kernbench
