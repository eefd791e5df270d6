// DeviceMemory: allocations on the devices: virtual ranges, pieces of HBM partitions and their
// mappings (spec 3.2, 3.3, 7). A release never waits: it is queued, and the reaper thread unmaps,
// waits for the response and frees the memory.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/address/free_list_allocator.h"
#include "models/protocol/ipcq.h"
#include "sw/runtime/dp_policy.h"
#include "sw/runtime/mapping.h"
#include "sw/runtime/tensor_addresses.h"

namespace kernbench {

class DeviceMemory : public std::enable_shared_from_this<DeviceMemory> {
 public:
  explicit DeviceMemory(HostLink& link);

  // Assigns the tensor's virtual range and the physical addresses of its blocks; all or nothing.
  // AllocationError.
  void allocate(tl::TensorInfo& info, int sip);
  // PEs that map each piece: replicas only on their own PEs, parts cut over cubes and PEs on every
  // PE of the SIP. Empty in address model PA.
  std::vector<Mapping> mappings(const tl::TensorInfo& info, const DPPolicy& policy, int sip) const;
  void map(const std::string& tensor,
           const std::vector<Mapping>& mappings);  // waits until every PE has them
  TensorAddresses& addresses() { return addresses_; }

  // Reserves a piece of an HBM partition outside tensors; returns its physical address.
  // AllocationError.
  std::uint64_t reserve(PeId pe, std::uint64_t nbytes);
  // Reserves a piece of a PE's memory for a ring buffer: in its TCM after the kernels' scratch, in
  // its cube's SRAM, or in its HBM partition.
  std::uint64_t reserve(MemorySpace space, PeId pe, std::uint64_t nbytes);
  void give_back(MemorySpace space, PeId pe, std::uint64_t address, std::uint64_t nbytes);

  // For destructors: the reaper unmaps and frees the tensor.
  void release(tl::TensorInfoPtr info, std::vector<Mapping> mappings, int sip);
  void start_reaper();
  // The reaper ends after its queue. Later releases are dropped: the run is over.
  void close();
  // Closes as close() does, and also drops the queued releases: the run is over.
  void abandon();

  std::uint64_t used_bytes(PeId partition) const;  // bytes in use in an HBM partition
  std::uint64_t used_virtual_bytes(int sip) const;

 private:
  struct Release {
    tl::TensorInfoPtr info;
    std::vector<Mapping> mappings;
    int sip = 0;
  };
  FreeListAllocator& partition(PeId pe);
  FreeListAllocator& tcm(PeId pe);
  FreeListAllocator& sram(PeId cube);
  FreeListAllocator& virtual_space(int sip);
  std::uint64_t shard_alignment() const;
  void free(const tl::TensorInfo& info, std::size_t blocks, int sip);
  void reap();

  HostLink& link_;
  TensorAddresses addresses_;
  std::map<PeId, FreeListAllocator>
      partitions_;  // created on first use; addresses are offsets in the partition
  std::map<PeId, FreeListAllocator> tcms_;   // offsets in the TCM
  std::map<PeId, FreeListAllocator> srams_;  // by PE 0 of the cube; offsets in the SRAM
  std::map<int, FreeListAllocator> virtual_spaces_;
  std::deque<Release> released_;
  sc_core::sc_event wake_{""};
  bool closed_ = false;
};

}  // namespace kernbench
