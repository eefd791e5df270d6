// Worker: one thread of a host program with its device, pending launches, random numbers, and the
// transfers of its tensors. Torch is its interface.
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

// Launch that begins later, when other ranks have joined it.
struct AwaitedLaunch {
  std::string name;
  std::string awaits;           // "3 more of 4 ranks to reach all_reduce"
  const void* group = nullptr;  // group of the collective; null: a message
  bool writes = true;           // whether it writes the tensors, or only reads them
  std::vector<std::shared_ptr<const void>> keeps;  // keeps tensors of the kernels alive
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
  // Name of the latest call of the thread, "launch", for reports; the text must have static
  // storage. Empty: none yet.
  void calling(const char* name);
  const char* last_call() const { return last_call_; }
  int device() const { return device_; }
  // Device: a SIP, or with rank_unit pe a PE, counted through all cubes of all SIPs, that holds its
  // tensors. UsageError for an unknown one.
  void set_device(int index);
  int device_index() const { return device_index_; }
  void set_untimed(bool untimed) { transfers_.set_untimed(untimed); }
  bool untimed() const { return transfers_.untimed(); }
  std::mt19937_64& generator() { return generator_; }
  // Rank of a thread that torch.multiprocessing.spawn has started.
  std::optional<int> rank() const { return rank_; }
  // `is_pe`: its device is a PE, else a SIP.
  void set_rank(int rank, bool is_pe) { rank_ = rank, rank_is_pe_ = is_pe; }
  // Prefix of the names of expectations if several copies of a bench run.
  void set_label(std::string label) { label_ = std::move(label); }

  Tensor make(const Shape& shape, DType dtype, const DPPolicy& policy,
              std::string name);  // allocated and mapped
  // For a tensor that has not been used: no wait.
  void fill_new(const Tensor& tensor, double value);
  void write_new(const Tensor& tensor, const HostArray& source);
  // One array per shard.
  void write_each_new(const Tensor& tensor, const std::vector<HostArray>& sources);

  // All calls first wait for the pending launches of this worker and of the tensors' workers. They
  // wait for a launch that other ranks have still to join only if it uses the tensor and one of the
  // two accesses is a write.
  void fill(const TensorSlice& target, double value);
  void write(const TensorSlice& target, const HostArray& source);
  void copy(const TensorSlice& target, const TensorSlice& source);
  HostArray read(const TensorSlice& source);
  void read_discard(const TensorSlice& source);
  std::string text_of(const TensorSlice& source);

  LaunchHandle launch(const LaunchSpec& spec, tl::KernelCall call,
                      std::vector<std::shared_ptr<const void>> keeps);
  // Launch on a different stream that begins later, by begin(), from any thread. It is pending, and
  // is ordered after all launches so far on the compute streams of its PEs, by any worker.
  LaunchHandle await_launch(AwaitedLaunch launch);
  void begin(const LaunchHandle& handle, const LaunchSpec& spec, const tl::KernelCall& call);
  // Sets the reason for which the launch has not begun.
  static void awaits(const LaunchHandle& handle, std::string what) {
    handle.state_->awaits = std::move(what);
  }
  void withdraw(const LaunchHandle& handle);  // the launch will never begin
  // Replaces begin(): there is no work.
  void end_at_once(const LaunchHandle& handle);
  // Replaces begin(): waits for the launch throw the error.
  static void refuse(const LaunchHandle& handle, std::exception_ptr error);
  const Completion& join(const LaunchHandle& handle);
  // LaunchError; if the launch has failed because of another launch, the error of the latter.
  void wait(const LaunchHandle& handle);
  bool ends_until(const LaunchHandle& handle, Fs deadline);  // waits at most until the deadline
  void wait_all();  // waits for every pending launch, then throws the first failure
  // Same as wait_all(), except for messages and collectives of other groups that other ranks have
  // still to join.
  void wait_for_begun_and_those_of(const void* group);

  void expect(const Tensor& tensor, std::function<std::vector<double>()> reference,
              const Accuracy& accuracy, std::shared_ptr<DeferredCounter> wrong);
  static std::shared_ptr<const TensorStorage> storage_of(const Tensor& tensor);

  // For race detection, if enabled: releases all actions of this worker so far to threads that
  // acquire `into`.
  void release(VectorClock& into);
  void acquire(const VectorClock& from);

 private:
  void resolve(const Tensor& tensor, bool is_write);
  std::pair<std::string, const Completion*> first_unreported_failure() const;
  void wait_where(const std::function<bool(const LaunchHandle&)>& awaited);
  void wait_before_access(const Tensor& tensor, bool is_write);
  RaceDetector* races() const;  // null: race detection is disabled
  std::uint32_t agent();        // agent id of this worker
  void note(const TensorSlice& slice, bool is_write);

  Runtime& runtime_;
  int device_ = 0, device_index_ = 0;
  std::optional<PeId> only_pe_;  // with rank_unit pe
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
