// DataExecutor: phase 2 (spec 9): computes the values that a FunctionalModel has recorded,
// independent ones in parallel. The bytes do not depend on the number of threads.
//
// Among ready operations the first recorded one runs first, so that values are consumed soon after
// they are computed and few are alive at a time. Large operations are cut into blocks (Job); small
// gemms of equal shape are batched.
//
// Deferred: run() after the simulation. Eager: start_eager() before it; ops then start as soon as
// their inputs exist, and the functional_model requests from the executor the values that a kernel
// reads.
//
// Memory limit (LiveValues): deferred, with start_deferred() before the simulation, which then
// pauses at the limit while the ops recorded so far, a slice, are computed; eager, the simulation
// waits for the workers. Neither changes a value, a time, or the values that a kernel may read.
//
// On a stop request, no new task starts: run() ends with a StoppedError that reports the progress,
// as does a kernel that waits for a value.
//
// Gemm ops whose products an engine of the machine computes also start when these have arrived. An
// earlier request for such a value fails with an error: while the simulation waits, no engine
// proceeds.
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
  // Computed ops before their release (LiveValues::Keep::everything).
  using OpsCheck = std::function<void(const std::vector<DataOpPtr>& ops)>;
  struct Pauses {              // pauses of the simulation for its memory limit
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
  }                                       // number of threads granted by the host
  void stop_when(StopQuestion question);  // called before any computation

  void start_eager(std::uint64_t limit_bytes = no_limit);
  void start_deferred(std::uint64_t limit_bytes);
  void check_computed(OpsCheck check) { check_ = std::move(check); }
  const Pauses& pauses() const { return pauses_; }
  // Computes everything recorded so far. May be called again after more was recorded. Rethrows the
  // error of the first failed op. Throws StoppedError on a stop request.
  void run();
  // Same as run(), if only memory and `wanted` are read afterwards: every other value is freed
  // after its last reader has run.
  void run_for(const std::vector<ByteImage>& wanted);

  // Final memory, after run(): pending ranges are resolved. Throws ModelError if a value has not
  // been computed.
  std::vector<std::byte> read(std::uint64_t pa, std::uint64_t nbytes) const;
  std::vector<std::byte> read(const PhysRanges& ranges) const;
  std::vector<std::byte> bytes(const TensorValue& value) const;  // dense, row-major
  SharedBytes computed(ValueId id) const;                        // callable on any thread

  // ValueResolver, called on the simulation's thread.
  void recorded(const DataOpPtr& op) override;
  void products_computed(ValueId id) override;
  SharedBytes resolve(ValueId id) override;

 private:
  struct Value {
    DataOpPtr op;  // null: done, or not enrolled yet; ops of one timestep may be recorded in a
                   // different order than numbered
    SharedBytes bytes;
    std::vector<ValueId> readers;  // dependent ops, by the value that they define
    std::size_t missing = 0;       // inputs not yet computed
    std::size_t uses = 0;  // readers that have not run yet, plus one while the value is held
    bool enrolled = false;
    bool begun = false;                            // claimed by a worker
    bool unwanted = false;                         // out of reach since then
    bool awaits_engine = false;                    // counted in `missing`
    std::shared_ptr<const GemmProducts> products;  // from its engine
    bool done = false;
  };
  // Value that an engine has not computed, or one derived from it.
  class NotComputedError : public PendingDataError {
   public:
    using PendingDataError::PendingDataError;
  };
  struct Running;
  // Operation that is ready, or one block of an operation that has been cut.
  struct Task {
    DataOpPtr op;
    std::shared_ptr<Running> running;  // null: not started
    std::size_t block = 0;
    std::uint64_t number = op->id;
  };
  static bool comes_later(const Task& a, const Task& b);
  static NodeId engine_of(const DataOp& op);  // no_node: phase 2 computes its products

  // Called with the lock held.
  Value& value(ValueId id);       // creates it if necessary
  Value* find_value(ValueId id);  // null if missing
  const Value* find_value(ValueId id) const;
  bool enroll(const DataOpPtr& op);  // returns true if the op is ready
  void enroll_recorded();
  void hold(std::vector<ValueId> held);  // holds these instead of those of the previous call
  void drop_use(ValueId id);
  void give_up_engines();
  void settle(Value& entry);  // done: its readers may start
  ValueId unfinished_by_engine(ValueId id) const;
  std::string not_computed(ValueId id) const;
  void add(Task task);
  void pop_unwanted();  // at the top of the heap
  std::vector<Task> take_batch();
  void employ_workers();  // starts up to one worker per task
  // LiveValueListener, called on the simulation's thread.
  bool unreachable(ValueId id) override;
  void make_room() override;
  void compute_slice();
  void wait_for_workers();
  void reclaim();  // reports finished work to LiveValues as computed
  // These acquire the lock.
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
  std::atomic<bool> abandoned_{false};  // the values are no longer needed
  bool releases_ = false, eager_ = false;
  mutable std::mutex mutex_;
  std::condition_variable value_done_;
  std::unordered_map<ValueId, Value> values_;      // looked up only
  std::size_t enrolled_ = 0, computed_count_ = 0;  // excluding those dropped in between
  std::vector<Task> tasks_;                        // a heap by comes_later
  std::size_t workers_ = 0;                        // active workers
  std::vector<ValueId> held_;                      // by memory, as wanted, or by other keepers
  std::vector<DataOpPtr> finished_;                // not reclaimed yet
  OpsCheck check_;
  Pauses pauses_;
  std::map<ValueId, std::exception_ptr> errors_;
  std::set<ValueId> not_computed_;  // entries of errors_ that are not a fault of phase 2
  WorkerPool pool_;                 // last member: its threads end before the rest is destroyed
};

}  // namespace kernbench
