#include "platform/numerics/worker_pool.h"

#include <algorithm>

namespace kernbench {

WorkerPool::WorkerPool(unsigned threads) {
  for (unsigned i = 0; i < std::max(1u, threads); ++i) threads_.emplace_back([this] { work(); });
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
  std::unique_lock<std::mutex> lock(mutex_);
  became_idle_.wait(lock, [this] { return tasks_.empty() && running_ == 0; });
}

void WorkerPool::work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    work_arrived_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    ++running_;
    lock.unlock();
    task();
    task = nullptr;  // what it captured goes before the pool counts as idle
    lock.lock();
    if (--running_ == 0 && tasks_.empty()) became_idle_.notify_all();
  }
}

}  // namespace kernbench
