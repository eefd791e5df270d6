#include "platform/phase2/data_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <tuple>

#include "models/base/errors.h"

namespace kernbench {
namespace {

// So small that taking them out one by one would show.
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

NodeId engine_of(const DataOp& op) {
  const auto* gemm = std::get_if<GemmParams>(&op.params);
  return gemm == nullptr ? no_node : gemm->engine;
}

// A value that an engine has not computed, or one made of it.
class NotComputedError : public PendingDataError {
 public:
  using PendingDataError::PendingDataError;
};

}  // namespace

// One op whose blocks are on the pool; the block that ends last completes the op.
struct DataExecutor::Running {
  DataOpPtr op;
  std::unique_ptr<Job> job;
  std::atomic<std::size_t> blocks_left{0};
  std::mutex mutex;
  std::exception_ptr error;
};

DataExecutor::DataExecutor(FunctionalModel& functional_model, unsigned threads,
                           const WorkerPool::ThreadStarter& starter)
    : functional_model_(functional_model), pool_(threads, starter) {}

DataExecutor::~DataExecutor() {
  abandoned_ = true;
  functional_model_.live_values().set_listener(nullptr, 0);
  if (eager_) functional_model_.set_resolver(nullptr);
}

void DataExecutor::stop_when(StopQuestion question) { stop_ = std::move(question); }

void DataExecutor::start_eager(std::uint64_t limit_bytes) {
  eager_ = true;
  functional_model_.set_resolver(this);
  functional_model_.live_values().set_listener(this, limit_bytes);
  functional_model_.resolve();
  for (const DataOpPtr& op : functional_model_.ops()) recorded(op);
}

void DataExecutor::recorded(const DataOpPtr& op) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (value(op->outputs.at(0).id).enrolled) return;
    if (enroll(op)) add({op, nullptr, 0});
    employ_workers();
  }
  reclaim();
}

void DataExecutor::products_computed(ValueId id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Value& entry = value(id);
  if (!entry.awaits_engine) return;  // enroll() will find them
  entry.products = functional_model_.take_products(id);
  entry.awaits_engine = false;
  if (--entry.missing > 0) return;
  add({entry.op, nullptr, 0});
  employ_workers();
}

void DataExecutor::run() { evaluate(nullptr); }
void DataExecutor::run_for(const std::vector<ByteImage>& wanted) { evaluate(&wanted); }

void DataExecutor::evaluate(const std::vector<ByteImage>* wanted) {
  functional_model_.resolve();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    enroll_recorded();
    give_up_engines();
    releases_ = wanted != nullptr && !eager_;
    if (releases_) {
      std::vector<ValueId> held = functional_model_.memory().value_ids();
      for (const ByteImage& image : *wanted) {
        for (const ValueId id : image.value_ids()) held.push_back(id);
      }
      hold(std::move(held));
    }
    employ_workers();
  }
  pool_.wait_idle();
  reclaim();
  check_stopped();
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [id, error] : errors_) {
    if (not_computed_.count(id) == 0) std::rethrow_exception(error);
  }
}

// What is not computed by now never will be: workers that have stopped leave their tasks.
void DataExecutor::check_stopped() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (computed_count_ == enrolled_ || !stopped()) return;
  throw StoppedError(fmt::format("{} of {} operations computed", computed_count_, enrolled_));
}

DataExecutor::Value& DataExecutor::value(ValueId id) { return values_[id]; }

DataExecutor::Value* DataExecutor::find_value(ValueId id) {
  const auto found = values_.find(id);
  return found == values_.end() ? nullptr : &found->second;
}

const DataExecutor::Value* DataExecutor::find_value(ValueId id) const {
  const auto found = values_.find(id);
  return found == values_.end() ? nullptr : &found->second;
}

// All ops are known before the first one runs, so that no value counts as unused too early.
void DataExecutor::enroll_recorded() {
  for (const DataOpPtr& op : functional_model_.live_values().recorded_ops()) {
    if (!value(op->outputs[0].id).enrolled && enroll(op)) add({op, nullptr, 0});
  }
}

bool DataExecutor::enroll(const DataOpPtr& op) {
  const ValueId id = op->outputs[0].id;
  Value& entry = value(id);
  entry.op = op;
  entry.enrolled = true;
  ++enrolled_;
  for (const ValueId input : input_ids(*op)) {
    if (input > functional_model_.values())
      continue;  // undefined value: there is nothing to wait for, and its job reports the error
    Value& read = value(input);  // nodes of a map: `entry` stays where it is
    ++read.uses;
    if (read.done) continue;
    ++entry.missing;
    read.readers.push_back(id);
  }
  if (engine_of(*op) != no_node) {
    entry.products = functional_model_.take_products(id);
    if (entry.products == nullptr) {
      entry.awaits_engine = true;
      ++entry.missing;
    }
  }
  return entry.missing == 0;
}

void DataExecutor::hold(std::vector<ValueId> held) {
  for (const ValueId id : held) ++value(id).uses;
  held.swap(held_);
  for (const ValueId id : held) drop_use(id);
}

void DataExecutor::drop_use(ValueId id) {
  Value* const entry = find_value(id);
  if (entry != nullptr && --entry->uses == 0 && entry->done) entry->bytes.reset();
}

// The simulation has ended: what engines have not computed by now they never will.
void DataExecutor::give_up_engines() {
  for (auto& [id, entry] : values_) {  // in any order: tasks and errors are sorted
    if (!entry.awaits_engine) continue;
    entry.awaits_engine = false;
    errors_.emplace(id, std::make_exception_ptr(NotComputedError(
                            not_computed(id) + "; its command has failed or has not ended")));
    not_computed_.insert(id);
    settle(entry);
  }
}

std::string DataExecutor::not_computed(ValueId id) const {
  const DataOp& op = *values_.at(id).op;
  return fmt::format("value {} ({}) has not been computed by {}", id, describe(op),
                     functional_model_.engine_name(engine_of(op)));
}

// The first value that an engine has still to compute before `id` can exist; no_value if none has.
ValueId DataExecutor::unfinished_by_engine(ValueId id) const {
  std::vector<ValueId> to_look_at{id};
  std::set<ValueId> seen{id};
  while (!to_look_at.empty()) {
    const ValueId next = to_look_at.back();
    to_look_at.pop_back();
    const Value* const entry = find_value(next);
    if (entry == nullptr || entry->done || !entry->op) continue;
    if (entry->awaits_engine) return next;
    for (const ValueId input : input_ids(*entry->op)) {
      if (seen.insert(input).second) to_look_at.push_back(input);
    }
  }
  return no_value;
}

// --- tasks ---

bool DataExecutor::comes_later(const Task& a, const Task& b) {
  return std::tie(a.number, a.block) > std::tie(b.number, b.block);
}

void DataExecutor::add(Task task) {
  tasks_.push_back(std::move(task));
  std::push_heap(tasks_.begin(), tasks_.end(), comes_later);
}

// Tasks whose values went out of reach before they began.
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
      largest_batch, tasks_.size() / pool_.tasks_at_once());  // the other threads get theirs
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
  } catch (const StoppedError&) {  // the op remains as it is: not computed
    return;
  } catch (...) {
    const std::lock_guard<std::mutex> lock(running.mutex);
    running.error = std::current_exception();
  }
  if (--running.blocks_left > 0) return;
  SharedBytes output = running.job->output();
  running.job.reset();  // gives the converted operands back before the readers start
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

SharedBytes DataExecutor::computed(ValueId id) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto failed = errors_.find(id);
  if (failed != errors_.end()) std::rethrow_exception(failed->second);
  const Value* const entry = find_value(id);
  if (entry == nullptr || !entry->done)
    throw ModelError(fmt::format("value {} has not been computed", id));
  if (!entry->bytes)
    throw ModelError(
        fmt::format("value {} was released: nothing referred to it at the end of the run", id));
  return entry->bytes;
}

SharedBytes DataExecutor::resolve(ValueId id) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Value* const entry = find_value(id);
    if (entry == nullptr || !entry->enrolled)
      throw ModelError(fmt::format("value {} was never recorded", id));
    const ValueId unfinished =
        functional_model_.has_engines() ? unfinished_by_engine(id) : no_value;
    if (unfinished != no_value) {
      throw NotComputedError(not_computed(unfinished) +
                             " yet, and is asked for; wait for its command first");
    }
  }
  await(id);
  return computed(id);
}

// A signal does not wake the waiting thread: the stop question is polled.
void DataExecutor::await(ValueId id) {
  constexpr std::chrono::milliseconds between_questions{20};
  pool_.run_here();
  std::unique_lock<std::mutex> lock(mutex_);
  while (
      !value_done_.wait_for(lock, between_questions, [this, id] { return values_.at(id).done; })) {
    if (stopped())
      throw StoppedError(fmt::format("the run is stopped, and value {} has not been computed", id));
  }
}

std::vector<std::byte> DataExecutor::read(std::uint64_t pa, std::uint64_t nbytes) const {
  return read(PhysRanges{{pa, nbytes}});
}

std::vector<std::byte> DataExecutor::read(const PhysRanges& ranges) const {
  const ByteImage image = functional_model_.memory().snapshot(ranges);
  std::vector<std::byte> result(image.nbytes());
  image.copy_to(result.data(), lookup());
  return result;
}

std::vector<std::byte> DataExecutor::bytes(const TensorValue& value) const {
  return dense_bytes(value, lookup());
}

}  // namespace kernbench
