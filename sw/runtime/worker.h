// Worker: one thread of a host program: its device, its pending launches, its random numbers, and
// the transfers of its tensors. Torch is its interface.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "sw/runtime/launch.h"
#include "sw/runtime/runtime.h"
#include "sw/runtime/tensor.h"
#include "sw/runtime/transfers.h"

namespace kernbench {

class RaceDetector;  // models/data
class VectorClock;   // models/data

// A launch that begins later, when others have joined it.
struct AwaitedLaunch {
  std::string name;
  std::string awaits;                              // "3 more of 4 ranks to reach all_reduce"
  const void* group = nullptr;                     // whose collective it is; null: a message
  bool writes = true;                              // the tensors; else it reads them
  std::vector<std::shared_ptr<const void>> keeps;  // tensors that the kernels use
};

class Worker : public std::enable_shared_from_this<Worker> {
 public:
  Worker(Runtime& runtime, int device, std::uint64_t seed)
      : runtime_(runtime), transfers_(runtime.link), untimed_inputs_(runtime.untimed_inputs),
        generator_(seed) {
    set_untimed(untimed_inputs_);
    set_device(device);
  }

  Runtime& runtime() { return runtime_; }
  // The latest call of the thread by name, "launch": the address of a text that stays, for reports.
  // Empty: none yet.
  void calling(const char* name);
  const char* last_call() const { return last_call_; }
  int device() const { return device_; }
  // A SIP; with rank_unit pe a rank has a PE, counted through all cubes of all SIPs, on which its
  // tensors lie. UsageError for one that is not there.
  void set_device(int index);
  int device_index() const { return device_index_; }
  void set_untimed(bool untimed) { transfers_.set_untimed(untimed); }
  bool untimed() const { return transfers_.untimed(); }
  std::mt19937_64& generator() { return generator_; }
  // Of a thread that torch.multiprocessing.spawn has started.
  std::optional<int> rank() const { return rank_; }
  // `is_pe`: its device is a PE, else a SIP.
  void set_rank(int rank, bool is_pe) { rank_ = rank, rank_is_pe_ = is_pe; }
  // Put before the names of expectations, where several copies of a bench run.
  void set_label(std::string label) { label_ = std::move(label); }

  Tensor make(const Shape& shape, DType dtype, const DPPolicy& policy,
              std::string name);  // allocated and mapped
  // Of a tensor that has not been used: there is nothing to wait for.
  void fill_new(const Tensor& tensor, double value);
  void write_new(const Tensor& tensor, const HostArray& source);
  void write_each_new(const Tensor& tensor, const std::vector<HostArray>& sources);  // to its shard

  // All wait first for the pending launches of this worker and of those that made the tensors; of
  // those that others have still to join, for the ones that use the tensor in another way than to
  // read it, too.
  void fill(const TensorSlice& target, double value);
  void write(const TensorSlice& target, const HostArray& source);
  void copy(const TensorSlice& target, const TensorSlice& source);
  HostArray read(const TensorSlice& source);
  void read_discard(const TensorSlice& source);
  std::string text_of(const TensorSlice& source);

  LaunchHandle launch(const LaunchSpec& spec, tl::KernelCall call,
                      std::vector<std::shared_ptr<const void>> keeps);
  // A launch of another stream that begins later, by begin(), from any thread. It is pending, and
  // follows what has been launched on the compute streams of its PEs up to now, by any worker.
  LaunchHandle await_launch(AwaitedLaunch launch);
  void begin(const LaunchHandle& handle, const LaunchSpec& spec, const tl::KernelCall& call);
  // While it has not begun: what it waits for.
  static void awaits(const LaunchHandle& handle, std::string what) {
    handle.state_->awaits = std::move(what);
  }
  void withdraw(const LaunchHandle& handle);  // it will never begin
  // Instead of begin(): there is nothing to do.
  void end_at_once(const LaunchHandle& handle);
  // Instead of begin(): whoever waits for it gets the error.
  static void refuse(const LaunchHandle& handle, std::exception_ptr error);
  const Completion& join(const LaunchHandle& handle);
  // LaunchError; where the launch has failed because of another one, that of the other one.
  void wait(const LaunchHandle& handle);
  bool ends_until(const LaunchHandle& handle, Fs deadline);  // waits no longer than that
  void wait_all();  // waits for every pending launch, then throws the first failure
  // The same, but for messages, and collectives of other groups, that others have still to join.
  void wait_for_begun_and_those_of(const void* group);

  void expect(const Tensor& tensor, std::function<std::vector<double>()> reference,
              const Accuracy& accuracy, std::shared_ptr<DeferredCounter> wrong);
  static std::shared_ptr<const TensorStorage> storage_of(const Tensor& tensor);

  // For the detection of races, where it is asked for: what this worker has done so far is known
  // to those who acquire it from there.
  void release(VectorClock& into);
  void acquire(const VectorClock& from);

 private:
  void resolve(const Tensor& tensor, bool is_write);
  std::pair<std::string, const Completion*> first_unreported_failure() const;
  void wait_where(const std::function<bool(const LaunchHandle&)>& awaited);
  void wait_before_access(const Tensor& tensor, bool is_write);
  RaceDetector* races() const;  // null: not asked for
  std::uint32_t agent();        // of it
  void note(const TensorSlice& slice, bool is_write);

  Runtime& runtime_;
  int device_ = 0, device_index_ = 0;
  std::optional<PeId> only_pe_;  // rank_unit pe
  Transfers transfers_;
  bool untimed_inputs_;  // until the first launch
  std::mt19937_64 generator_;
  std::optional<int> rank_;
  bool rank_is_pe_ = false;
  std::string label_;
  const char* last_call_ = "";
  std::deque<LaunchHandle> pending_;  // in order of launch
  std::optional<std::uint32_t> agent_;
};

}  // namespace kernbench
