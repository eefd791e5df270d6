// DataExecutor: phase 2 (spec 9): computes the values that a FunctionalModel has recorded, in
// parallel where they do not depend on each other. The bytes do not depend on the number of
// threads.
//
// Of what can start, the operation that was recorded first goes first, so that a value meets its
// readers soon after it was computed and few are alive at a time. Large operations are cut into
// blocks (Job); small gemms of equal shape are taken in batches.
//
// Deferred: run() after the simulation. Eager: start_eager() before it; ops then start as soon as
// their inputs exist, and the functional_model requests here the values that a kernel reads.
//
// Within a limit of memory (LiveValues): deferred, start_deferred() before the simulation, which
// then pauses at the limit for what is recorded by then, a slice; eager, the simulation waits for
// the workers. Neither changes a value, a time, or what a kernel may read.
//
// On a stop request, no new task starts: run() ends with a StoppedError that says how far it came,
// as does a kernel that waits for a value.
//
// Gemm ops whose products an engine of the machine computes start when these have come, too. Who
// asks for such a value before is told so: while the simulation waits, no engine goes on.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/base/errors.h"
#include "models/data/functional_model.h"
#include "platform/phase2/job.h"
#include "platform/phase2/stop.h"
#include "platform/phase2/worker_pool.h"

namespace kernbench {

class DataExecutor : public ValueResolver, private LiveValueListener {
 public:
  static constexpr std::uint64_t no_limit = UINT64_MAX;
  // Ops that have been computed, before they go (LiveValues::Keep::everything).
  using OpsCheck = std::function<void(const std::vector<DataOpPtr>& ops)>;
  struct Pauses {              // of the simulation, for its limit of memory
    std::uint64_t slices = 0;  // deferred
    std::uint64_t waits = 0;   // eager
    double seconds = 0;        // on the host
  };

  // The functional_model must outlive the executor.
  explicit DataExecutor(FunctionalModel& functional_model, unsigned threads = 1,
                        const WorkerPool::ThreadStarter& starter = &WorkerPool::start_thread);
  ~DataExecutor() override;

  unsigned threads() const {
    return pool_.tasks_at_once();
  }                                       // that compute at once: those that the host has granted
  void stop_when(StopQuestion question);  // before anything is computed

  void start_eager(std::uint64_t limit_bytes = no_limit);
  void start_deferred(std::uint64_t limit_bytes);
  void check_computed(OpsCheck check) { check_ = std::move(check); }
  const Pauses& pauses() const { return pauses_; }
  // Computes everything recorded so far. May be called again after more was recorded. Rethrows the
  // error of the first failed op. StoppedError on a stop request.
  void run();
  // The same when afterwards only memory and `wanted` are read: every other value is freed when its
  // last reader has run.
  void run_for(const std::vector<ByteImage>& wanted);

  // Final memory, after run(): pending ranges are resolved. ModelError if a value has not been
  // computed.
  std::vector<std::byte> read(std::uint64_t pa, std::uint64_t nbytes) const;
  std::vector<std::byte> read(const PhysRanges& ranges) const;
  std::vector<std::byte> bytes(const TensorValue& value) const;  // dense, row-major
  SharedBytes computed(ValueId id) const;                        // on any thread

  // ValueResolver, on the simulation's thread.
  void recorded(const DataOpPtr& op) override;
  void products_computed(ValueId id) override;
  SharedBytes resolve(ValueId id) override;

 private:
  struct Value {
    DataOpPtr op;  // null: done, or not enrolled yet; ops of one instant may be recorded in another
                   // order than numbered
    SharedBytes bytes;
    std::vector<ValueId> readers;  // ops that wait for this one, by the value that they define
    std::size_t missing = 0;       // inputs not yet computed
    std::size_t uses = 0;          // readers that have not run yet, plus one while it is held
    bool enrolled = false;
    bool begun = false;                            // a worker has taken it
    bool unwanted = false;                         // out of reach since then
    bool awaits_engine = false;                    // counted in `missing`
    std::shared_ptr<const GemmProducts> products;  // of its engine
    bool done = false;
  };
  // A value that an engine has not computed, or one made of it.
  class NotComputedError : public PendingDataError {
   public:
    using PendingDataError::PendingDataError;
  };
  struct Running;
  // An operation that can start, or one block of an operation that has been cut.
  struct Task {
    DataOpPtr op;
    std::shared_ptr<Running> running;  // null: it has not begun
    std::size_t block = 0;
    std::uint64_t number = op->id;
  };
  static bool comes_later(const Task& a, const Task& b);
  static NodeId engine_of(const DataOp& op);  // no_node: phase 2 computes its products

  // Under the lock.
  Value& value(ValueId id);       // makes it if need be
  Value* find_value(ValueId id);  // null: there is none
  const Value* find_value(ValueId id) const;
  bool enroll(const DataOpPtr& op);  // true if it can start at once
  void enroll_recorded();
  void hold(std::vector<ValueId> held);  // these, and no longer those of the call before
  void drop_use(ValueId id);
  void give_up_engines();
  void settle(Value& entry);  // done: its readers may start
  ValueId unfinished_by_engine(ValueId id) const;
  std::string not_computed(ValueId id) const;
  void add(Task task);
  void pop_unwanted();  // from the top of the heap
  std::vector<Task> take_batch();
  void employ_workers();  // as many as there are tasks for
  // LiveValueListener, on the simulation's thread.
  bool unreachable(ValueId id) override;
  void make_room() override;
  void compute_slice();
  void wait_for_workers();
  void reclaim();  // what workers have finished is computed: LiveValues
  // Take the lock.
  void evaluate(const std::vector<ByteImage>* wanted);
  bool stopped() const { return abandoned_ || says_stop(stop_); }
  void check_stopped() const;
  void await(ValueId id);
  void work();
  void begin(const DataOpPtr& op);
  void run_block(Running& running, std::size_t index);
  void finish(const DataOpPtr& op, SharedBytes bytes, std::exception_ptr error);

  ValueLookup lookup() const {
    return [this](ValueId id) { return computed(id); };
  }

  FunctionalModel& functional_model_;
  StopQuestion stop_;
  std::atomic<bool> abandoned_{false};  // the values are not needed any more
  bool releases_ = false, eager_ = false;
  mutable std::mutex mutex_;
  std::condition_variable value_done_;
  std::unordered_map<ValueId, Value> values_;      // looked up only
  std::size_t enrolled_ = 0, computed_count_ = 0;  // without those that were dropped in between
  std::vector<Task> tasks_;                        // a heap by comes_later
  std::size_t workers_ = 0;                        // that are at work on them
  std::vector<ValueId> held_;                      // by memory, as wanted, or by keepers elsewhere
  std::vector<DataOpPtr> finished_;                // not reclaimed yet
  OpsCheck check_;
  Pauses pauses_;
  std::map<ValueId, std::exception_ptr> errors_;
  std::set<ValueId> not_computed_;  // those of errors_ that are no fault of phase 2
  WorkerPool pool_;                 // last: its threads end before the rest is destroyed
};

}  // namespace kernbench
