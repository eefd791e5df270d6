#include "platform/numerics/worker_pool.h"

#include <algorithm>
#include <system_error>

#include "platform/numerics/own_stack.h"

namespace kernbench {

WorkerPool::WorkerPool(unsigned threads, const ThreadStarter& starter) {
  threads = std::max(1U, threads);
  threads_.reserve(threads);
  try {
    while (threads_.size() < threads) threads_.push_back(starter([this] { work(); }));
  } catch (const std::system_error&) {  // a limit of processes, or no memory for a stack: those
                                        // that run do the work
  }
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    tasks_.clear();
  }
  work_arrived_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::submit(std::function<void()> task) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stopping_) return;
    tasks_.push_back(std::move(task));
  }
  work_arrived_.notify_one();
}

void WorkerPool::wait_idle() {
  run_here();
  std::unique_lock<std::mutex> lock(mutex_);
  became_idle_.wait(lock, [this] { return tasks_.empty() && running_ == 0; });
}

void WorkerPool::work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    work_arrived_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    run_next(lock);
  }
}

void WorkerPool::run_here() {
  if (!threads_.empty()) return;
  on_own_stack([this] {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!tasks_.empty()) run_next(lock);
  });
}

void WorkerPool::run_next(std::unique_lock<std::mutex>& lock) {
  std::function<void()> task = std::move(tasks_.front());
  tasks_.pop_front();
  ++running_;
  lock.unlock();
  task();
  task = nullptr;  // what it captured goes before the pool counts as idle
  lock.lock();
  if (--running_ == 0 && tasks_.empty()) became_idle_.notify_all();
}

}  // namespace kernbench
