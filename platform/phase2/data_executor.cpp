#include "platform/phase2/data_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "models/base/errors.h"

namespace kernbench {

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

// Values not computed by now are never computed: stopped workers leave their tasks.
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
      continue;                  // undefined value: its job reports the error without waiting
    Value& read = value(input);  // nodes of a map: `entry` stays valid
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

// The simulation has ended: values that engines have not computed by now are never computed.
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

NodeId DataExecutor::engine_of(const DataOp& op) {
  const auto* gemm = std::get_if<GemmParams>(&op.params);
  return gemm == nullptr ? no_node : gemm->engine;
}

std::string DataExecutor::not_computed(ValueId id) const {
  const DataOp& op = *values_.at(id).op;
  return fmt::format("value {} ({}) has not been computed by {}", id, describe(op),
                     functional_model_.engine_name(engine_of(op)));
}

// First value that an engine has still to compute before `id` can exist; no_value if there is none.
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

// A signal does not wake the waiting thread, so the stop question is polled.
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

// --- Memory limit: slices of deferred runs, stalls of eager ones

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

// Computes everything recorded so far. A value is kept while it is referenced, also by the
// simulation.
void DataExecutor::compute_slice() {
  ++pauses_.slices;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    enroll_recorded();
    releases_ = !check_;  // the check of an operation reads its inputs once more
    hold(functional_model_.live_values().referred_to_elsewhere());
    employ_workers();
  }
  pool_.wait_idle();
  reclaim();
}

// Waits until half of the permitted pending memory is computed, or all workers are idle: ops that
// depend on an engine of the machine cannot proceed while the simulation waits.
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
  // in the order of issue, so that counts do not depend on the workers
  std::sort(finished.begin(), finished.end(),
            [](const DataOpPtr& a, const DataOpPtr& b) { return a->id < b->id; });
  for (const DataOpPtr& op : finished) functional_model_.live_values().computed(op);
}

}  // namespace kernbench
