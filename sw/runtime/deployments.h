// Deployments: code of kernels in device memory (spec 4.1). One MemoryWrite, which takes simulated
// time, writes a deployed kernel's code to a SIP before its first launch there; launches carry no
// code. The code stays for the rest of the run.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sw/runtime/device_memory.h"
#include "sw/runtime/host_link.h"

namespace kernbench {

class Deployments {
 public:
  Deployments(HostLink& link, DeviceMemory& memory) : link_(link), memory_(memory) {}

  // Returns when the code is on every one of `sips`, in the HBM partition of the SIP's first PE.
  // `untimed`: without a message. UsageError if the kernel has been deployed with a different size;
  // AllocationError if the partition is full.
  void place(const std::string& kernel, std::uint64_t code_bytes, const std::vector<int>& sips,
             bool untimed);
  // Reference to a deployed kernel.
  KernelRef reference(const std::string& kernel, int sip) const;

 private:
  struct Code {
    PeId where;
    std::uint64_t pa = 0;
    std::uint64_t nbytes = 0;
    std::shared_ptr<HostRequest> write;  // null: untimed
  };
  HostLink& link_;
  DeviceMemory& memory_;
  std::map<std::pair<std::string, int>, Code> placed_;  // by kernel and SIP
};

}  // namespace kernbench
