// Tensor: handle of device memory. The last copy frees it: the reaper returns addresses and
// mappings, without blocking.
//
// Its value: the elements of its shards; for copies (Placement::replicate) any copy; for partial
// sums (Placement::partial) their sum. A write stores the value in the first summand and zeros in
// the others; a read adds them (partial_sum.h). A kernel accesses the part of its own PE.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "sw/runtime/device_memory.h"
#include "sw/runtime/dp_policy.h"
#include "sw/runtime/host_array.h"

namespace kernbench {

class AxisRange;
class TensorSlice;
class Worker;

// Allocation behind the handles.
class TensorStorage {
 public:
  TensorStorage(std::shared_ptr<DeviceMemory> memory, tl::TensorInfoPtr info,
                std::vector<Mapping> mappings, const DPPolicy& policy, int sip)
      : memory_(std::move(memory)), info_(std::move(info)), mappings_(std::move(mappings)),
        policy_(policy), sip_(sip) {}
  ~TensorStorage() { memory_->release(std::move(info_), std::move(mappings_), sip_); }
  TensorStorage(const TensorStorage&) = delete;
  TensorStorage& operator=(const TensorStorage&) = delete;

  const tl::TensorInfoPtr& info() const { return info_; }
  const DPPolicy& policy() const { return policy_; }
  int sip() const { return sip_; }

  bool is_partial() const;
  // Called by collectives: partial sums have become copies of their sum, for all handles.
  void become_copies();

 private:
  std::shared_ptr<DeviceMemory> memory_;
  tl::TensorInfoPtr info_;
  std::vector<Mapping> mappings_;
  DPPolicy policy_;
  int sip_;
};

class Tensor {
 public:
  Tensor() = default;  // no tensor; every use is a UsageError

  // True if it refers to a tensor on a device.
  bool deployed() const { return storage_ != nullptr; }
  const std::string& name() const { return info()->name; }
  const Shape& shape() const { return info()->shape; }
  DType dtype() const { return info()->dtype; }
  std::uint64_t nbytes() const { return info()->nbytes; }
  std::uint64_t va() const { return info()->va_base; }
  int sip() const { return storage().sip(); }
  // Placement of its parts; after an all_reduce with copies instead of partial sums.
  const DPPolicy& policy() const { return storage().policy(); }
  // In (cube, pe) order; copies and partial sums share one offset.
  std::vector<Shard> shards() const;
  // True if the value is the sum of several shards; false after an all_reduce.
  bool is_partial() const;
  const tl::TensorInfoPtr& info() const { return storage().info(); }
  std::string str() const;  // "c f16{32, 32} on 1 shard at 0x10000000000000"

  // All calls first wait for the pending launches of the calling worker and of the tensor's worker.
  Tensor& fill_(double value);
  Tensor& copy_(const HostArray& source);    // UsageError unless shape and dtype agree
  Tensor& copy_(const TensorSlice& source);  // or a whole tensor
  HostArray to_host() const;  // PendingDataError for values of phase 2; UsageError with data off
  void read_discard()
      const;  // takes the time of to_host() without values: MemoryReads whose bytes are discarded

  // Slice of whole shards, see tensor_slice.h: t[{{0, 8}}] has the first 8 rows, t[{{}, {16, 32}}]
  // 16 columns of all rows.
  TensorSlice operator[](std::initializer_list<AxisRange> ranges) const;
  // Part of one PE: its shard, copy or partial sum. UsageError if it has none.
  TensorSlice local(int cube, int pe) const;

  // Worker of the calling thread; in a thread without one, the worker that created the tensor.
  Worker& worker() const;
  const std::shared_ptr<Worker>& maker() const { return worker_; }

 private:
  friend class Worker;
  friend class ProcessGroup;
  Tensor(std::shared_ptr<Worker> worker, std::shared_ptr<TensorStorage> storage)
      : worker_(std::move(worker)), storage_(std::move(storage)) {}
  const TensorStorage& storage() const;

  std::shared_ptr<Worker> worker_;
  std::shared_ptr<TensorStorage> storage_;
};

// Prints str() and the values, as read by to_host(), or why they are not available.
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

}  // namespace kernbench
