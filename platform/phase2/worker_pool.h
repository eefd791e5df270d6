// WorkerPool: host threads that run tasks in the order of submission. Tasks may submit tasks, but
// must not wait for each other.
//
// If the host refuses threads, the pool keeps those it has. A pool without threads runs the tasks
// on the thread that waits for them.
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
  using ThreadStarter = std::function<std::thread(
      std::function<void()> body)>;  // throws std::system_error if the host refuses
  static std::thread start_thread(std::function<void()> body) {
    return std::thread(std::move(body));
  }

  explicit WorkerPool(unsigned threads,
                      const ThreadStarter& starter = &start_thread);  // requests at least one
  ~WorkerPool();  // drops tasks that have not started
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  unsigned threads() const {
    return static_cast<unsigned>(threads_.size());
  }  // threads granted by the host
  unsigned tasks_at_once() const { return threads_.empty() ? 1 : threads(); }
  void submit(std::function<void()> task);  // must not throw
  void wait_idle();                         // until no task runs or is queued
  // Without threads: runs the submitted tasks, and those that they submit, on the calling thread
  // but on a separate stack, as the caller may be a kernel with a small one. With threads: no
  // effect.
  void run_here();

 private:
  void work();
  void run_next(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable work_arrived_, became_idle_;
  std::deque<std::function<void()>> tasks_;
  unsigned running_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace kernbench
