#include "platform/phase2/worker_pool.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <system_error>

namespace kernbench {
namespace {

constexpr std::size_t stack_bytes = 8 << 20;  // default of Linux for a thread

// makecontext passes integers only.
void enter(unsigned high, unsigned low) {
  (*reinterpret_cast<const std::function<void()>*>(static_cast<std::uintptr_t>(high) << 32 |
                                                   low))();
}

// Runs `body` on a stack as large as that of a thread, for callers with a small one: coroutines of
// the simulation. `body` must neither throw nor switch coroutines. Uses the caller's stack if the
// host grants no other.
void on_own_stack(const std::function<void()>& body) {
  void* const stack = ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ucontext_t here, there;
  if (stack == MAP_FAILED || ::getcontext(&there) != 0) return body();
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = stack_bytes;
  there.uc_link = &here;
  const auto address = reinterpret_cast<std::uintptr_t>(&body);
  ::makecontext(&there, reinterpret_cast<void (*)()>(&enter), 2,
                static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
  ::swapcontext(&here, &there);
  ::munmap(stack, stack_bytes);
}

}  // namespace

WorkerPool::WorkerPool(unsigned threads, const ThreadStarter& starter) {
  threads = std::max(1U, threads);
  threads_.reserve(threads);
  try {
    while (threads_.size() < threads) threads_.push_back(starter([this] { work(); }));
  } catch (const std::system_error&) {  // a limit of processes, or no memory for a stack: the
                                        // existing threads do the work
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
  task = nullptr;  // destroys its captures before the pool counts as idle
  lock.lock();
  if (--running_ == 0 && tasks_.empty()) became_idle_.notify_all();
}

}  // namespace kernbench
