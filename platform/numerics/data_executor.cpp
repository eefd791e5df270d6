#include "platform/numerics/data_executor.h"

#include <atomic>

#include "models/base/errors.h"

namespace kernbench {

// One op whose blocks are on the pool; the block that ends last completes the op.
struct DataExecutor::Running {
  DataOpPtr op;
  std::unique_ptr<Job> job;
  std::atomic<std::size_t> blocks_left{0};
  std::mutex mutex;
  std::exception_ptr error;
};

DataExecutor::DataExecutor(DataPlane& plane, unsigned threads, bool release_values)
    : plane_(plane), release_values_(release_values), pool_(threads) {}

DataExecutor::~DataExecutor() {
  if (eager_) plane_.set_resolver(nullptr);
}

void DataExecutor::start_eager() {
  eager_ = true;
  plane_.set_resolver(this);
  plane_.settle();
  for (std::size_t i = 0; i < plane_.ops().size(); ++i) recorded(plane_.ops()[i]);
}

void DataExecutor::recorded(const DataOpPtr& op) {
  bool can_start = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (value(op->outputs.at(0).id).op) return;
    can_start = enroll(op);
  }
  if (can_start) start(op->outputs[0].id);
}

void DataExecutor::run() {
  plane_.settle();
  std::vector<ValueId> can_start;
  {
    // All ops are known before the first one runs, so that no value counts as unused too early.
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const DataOpPtr& op : plane_.ops()) {
      const ValueId id = op->outputs[0].id;
      if (!value(id).op && enroll(op)) can_start.push_back(id);
    }
    if (releasing()) {
      std::vector<ValueId> held = plane_.memory().value_ids();
      for (const ValueId id : held) ++value(id).uses;
      held.swap(held_by_memory_);
      for (const ValueId id : held) drop_use(id);
    }
  }
  for (const ValueId id : can_start) start(id);
  pool_.wait_idle();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!errors_.empty()) std::rethrow_exception(errors_.begin()->second);
}

DataExecutor::Value& DataExecutor::value(ValueId id) {
  while (values_.size() < id) values_.emplace_back();
  return values_[id - 1];
}

bool DataExecutor::enroll(const DataOpPtr& op) {
  const ValueId id = op->outputs[0].id;
  Value& entry = value(id);
  entry.op = op;
  for (const ValueId input : input_ids(*op)) {
    if (input > plane_.values()) continue;  // defined by nobody: there is nothing to wait for, and its job will say so
    Value& read = value(input);  // a deque: `entry` stays where it is
    ++read.uses;
    if (read.done) continue;
    ++entry.missing;
    read.readers.push_back(id);
  }
  return entry.missing == 0;
}

void DataExecutor::drop_use(ValueId id) {
  Value& entry = value(id);
  if (--entry.uses == 0 && entry.done) entry.bytes.reset();
}

void DataExecutor::start(ValueId id) {
  auto running = std::make_shared<Running>();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    running->op = value(id).op;
  }
  pool_.submit([this, running] {
    try {
      running->job = make_job(*running->op, lookup());
    } catch (...) {
      return finish(*running->op, nullptr, std::current_exception());
    }
    const std::size_t blocks = running->job->blocks();
    running->blocks_left = blocks;
    for (std::size_t index = 1; index < blocks; ++index) {
      pool_.submit([this, running, index] { run_block(running, index); });
    }
    run_block(running, 0);
  });
}

void DataExecutor::run_block(const std::shared_ptr<Running>& running, std::size_t index) {
  try {
    running->job->run_block(index);
  } catch (...) {
    const std::lock_guard<std::mutex> lock(running->mutex);
    running->error = std::current_exception();
  }
  if (--running->blocks_left > 0) return;
  SharedBytes output = running->job->output();
  running->job.reset();  // gives the converted operands back before the readers start
  finish(*running->op, std::move(output), running->error);
}

void DataExecutor::finish(const DataOp& op, SharedBytes bytes, std::exception_ptr error) {
  const ValueId id = op.outputs[0].id;
  std::vector<ValueId> can_start;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Value& entry = value(id);
    if (error) {
      errors_.emplace(id, std::move(error));
    } else {
      entry.bytes = std::move(bytes);
    }
    entry.done = true;
    for (const ValueId reader : entry.readers) {
      if (--value(reader).missing == 0) can_start.push_back(reader);
    }
    entry.readers = {};
    if (releasing()) {
      if (entry.uses == 0) entry.bytes.reset();
      for (const ValueId input : input_ids(op)) {
        if (input <= values_.size()) drop_use(input);
      }
    }
  }
  value_done_.notify_all();
  for (const ValueId reader : can_start) start(reader);
}

SharedBytes DataExecutor::computed(ValueId id) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto failed = errors_.find(id);
  if (failed != errors_.end()) std::rethrow_exception(failed->second);
  if (id == no_value || id > values_.size() || !values_[id - 1].done) {
    throw ModelError("value " + std::to_string(id) + " has not been computed");
  }
  if (!values_[id - 1].bytes) throw ModelError("value " + std::to_string(id) + " was released: nothing referred to it at the end of the run");
  return values_[id - 1].bytes;
}

SharedBytes DataExecutor::resolve(ValueId id) {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    if (id == no_value || id > values_.size() || !values_[id - 1].op) throw ModelError("value " + std::to_string(id) + " was never recorded");
    value_done_.wait(lock, [this, id] { return values_[id - 1].done; });
  }
  return computed(id);
}

std::vector<std::byte> DataExecutor::read(std::uint64_t pa, std::uint64_t nbytes) const { return read(PhysRanges{{pa, nbytes}}); }

std::vector<std::byte> DataExecutor::read(const PhysRanges& ranges) const {
  const ByteImage image = plane_.memory().snapshot(ranges);
  std::vector<std::byte> result(image.nbytes());
  image.copy_to(result.data(), lookup());
  return result;
}

std::vector<std::byte> DataExecutor::bytes(const TensorValue& value) const { return dense_bytes(value, lookup()); }

}  // namespace kernbench
