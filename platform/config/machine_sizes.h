// Memory sizes of the machine from attributes of components, and the checks of their sums.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/address/address_map.h"
#include "platform/config/machine_faults.h"

namespace kernbench {

struct MachineSizes {
  std::uint64_t sram_bytes = 0;          // per cube
  std::uint64_t tcm_bytes = 0;           // per PE
  std::uint64_t tcm_reserved_bytes = 0;  // part of the TCM: the scheduler's tile buffers
  std::uint64_t scratch_bytes = 0;       // part of the remainder: handles of kernels
  std::size_t kernel_contexts = 1;       // per PE; 1 where its pe_cpu has no such attribute
  std::uint64_t page_bytes = 0;          // page size of the MMU
};
// Sizes from components that have been resolved and checked. Throws UsageError if an implementation
// does not declare the attribute.
MachineSizes machine_sizes(const CubeSpec& cube);
std::uint64_t sram_bytes(const ComponentSpec& sram);
MemoryFacts memory_facts(const MachineSpec& machine);

// Mismatch between an instance's component and the machine, whose allocators and addresses assume
// components of one size; none if it fits.
struct SizeFault {
  std::string attribute, message;
};
std::optional<SizeFault> instance_size_fault(const MachineSpec& machine, Role role,
                                             const ComponentSpec& component);

// Called after resolve_components(): the machine must be addressable, and its TCM large enough for
// its partitions.
void check_sizes(const MachineSpec& machine, MachineFaults& faults);

}  // namespace kernbench
