// Tasks of the workers of DataExecutor: selection of the next operation, its blocks, and completion
// of its value.
#include <algorithm>
#include <atomic>
#include <tuple>

#include "models/base/errors.h"
#include "platform/phase2/data_executor.h"

namespace kernbench {
namespace {

// Products so small that taking them out individually would cost visible time.
constexpr std::int64_t small_gemm = 1 << 20;  // products
constexpr std::size_t largest_batch = 16;

const GemmParams* as_small_gemm(const DataOp& op) {
  const auto* gemm = std::get_if<GemmParams>(&op.params);
  return gemm != nullptr && gemm->batch * gemm->m * gemm->k * gemm->n <= small_gemm ? gemm
                                                                                    : nullptr;
}

bool equal_shapes(const GemmParams& a, const GemmParams& b) {
  return std::tie(a.batch, a.m, a.k, a.n) == std::tie(b.batch, b.m, b.k, b.n);
}

}  // namespace

// One op whose blocks are on the pool; the last block to end completes the op.
struct DataExecutor::Running {
  DataOpPtr op;
  std::unique_ptr<Job> job;
  std::atomic<std::size_t> blocks_left{0};
  std::mutex mutex;
  std::exception_ptr error;
};

bool DataExecutor::comes_later(const Task& a, const Task& b) {
  return std::tie(a.number, a.block) > std::tie(b.number, b.block);
}

void DataExecutor::add(Task task) {
  tasks_.push_back(std::move(task));
  std::push_heap(tasks_.begin(), tasks_.end(), comes_later);
}

// Removes tasks whose values went out of reach before they started.
void DataExecutor::pop_unwanted() {
  while (!tasks_.empty() && !tasks_.front().running &&
         find_value(tasks_.front().op->outputs[0].id) == nullptr) {
    std::pop_heap(tasks_.begin(), tasks_.end(), comes_later);
    tasks_.pop_back();
  }
}

std::vector<DataExecutor::Task> DataExecutor::take_batch() {
  std::vector<Task> batch;
  const auto take = [&] {
    value(tasks_.front().op->outputs[0].id).begun = true;
    std::pop_heap(tasks_.begin(), tasks_.end(), comes_later);
    batch.push_back(std::move(tasks_.back()));
    tasks_.pop_back();
    pop_unwanted();
  };
  pop_unwanted();
  if (tasks_.empty()) return batch;
  const std::size_t share = std::min(
      largest_batch, tasks_.size() / pool_.tasks_at_once());  // leaves work for the other threads
  take();
  const GemmParams* const first = as_small_gemm(*batch.front().op);
  while (first != nullptr && batch.size() < share && !tasks_.empty()) {
    const GemmParams* const next = as_small_gemm(*tasks_.front().op);
    if (next == nullptr || !equal_shapes(*first, *next)) break;
    take();
  }
  return batch;
}

void DataExecutor::employ_workers() {
  for (; workers_ < std::min<std::size_t>(pool_.tasks_at_once(), tasks_.size()); ++workers_) {
    pool_.submit([this] { work(); });
  }
}

void DataExecutor::work() {
  for (;;) {
    std::vector<Task> batch;
    {
      const bool stops = stopped();
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!stops) batch = take_batch();
      if (batch.empty()) {
        --workers_;
        return;
      }
    }
    for (const Task& task : batch) {
      if (stopped()) break;
      task.running ? run_block(*task.running, task.block) : begin(task.op);
    }
  }
}

void DataExecutor::begin(const DataOpPtr& op) {
  auto running = std::make_shared<Running>();
  running->op = op;
  std::shared_ptr<const GemmProducts> products;
  if (engine_of(*op) != no_node) {
    const std::lock_guard<std::mutex> lock(mutex_);
    products = std::move(value(op->outputs[0].id).products);
  }
  try {
    const StopQuestion stop = [this] { return stopped(); };
    running->job = products ? make_gemm_job(*op, lookup(), stop, std::move(products))
                            : make_job(*op, lookup(), stop);
  } catch (const NotComputedError&) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      not_computed_.insert(op->outputs[0].id);
    }
    return finish(op, nullptr, std::current_exception());
  } catch (...) {
    return finish(op, nullptr, std::current_exception());
  }
  const std::size_t blocks = running->job->blocks();
  running->blocks_left = blocks;
  if (blocks > 1) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::size_t index = 1; index < blocks; ++index) add({op, running, index});
    employ_workers();
  }
  run_block(*running, 0);
}

void DataExecutor::run_block(Running& running, std::size_t index) {
  try {
    running.job->run_block(index);
  } catch (const StoppedError&) {  // the op remains uncomputed
    return;
  } catch (...) {
    const std::lock_guard<std::mutex> lock(running.mutex);
    running.error = std::current_exception();
  }
  if (--running.blocks_left > 0) return;
  SharedBytes output = running.job->output();
  running.job.reset();  // releases the converted operands before the readers start
  finish(running.op, std::move(output), running.error);
}

void DataExecutor::finish(const DataOpPtr& op, SharedBytes bytes, std::exception_ptr error) {
  const ValueId id = op->outputs[0].id;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Value& entry = value(id);
    if (error) {
      errors_.emplace(id, std::move(error));
    } else {
      entry.bytes = std::move(bytes);
    }
    settle(entry);
    if (releases_) {
      if (entry.uses == 0) entry.bytes.reset();
      for (const ValueId input : input_ids(*op)) drop_use(input);
    }
    if (entry.unwanted) values_.erase(id);
    finished_.push_back(op);
    employ_workers();
  }
  value_done_.notify_all();
}

void DataExecutor::settle(Value& entry) {
  entry.done = true;
  entry.op = nullptr;
  ++computed_count_;
  for (const ValueId reader : entry.readers) {
    Value* const waiting = find_value(reader);
    if (waiting != nullptr && --waiting->missing == 0) add({waiting->op, nullptr, 0});
  }
  entry.readers = {};
}

}  // namespace kernbench
