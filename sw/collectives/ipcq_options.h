// What the ring buffers of an installation are like (spec 8.1): of torch.ipcq.install, and of a
// process group by ccl.yaml.
#pragma once

#include <cstdint>
#include <optional>

#include "models/base/units.h"
#include "models/protocol/ipcq.h"

namespace kernbench {

struct IpcqOptions {
  MemorySpace buffer_kind = MemorySpace::tcm;
  std::uint32_t n_slots = 4;
  std::uint64_t slot_size = 4096;                   // bytes: the largest message
  Backpressure backpressure = Backpressure::sleep;  // of sends into a full ring
  Rational poll_ns = 10;
  std::uint32_t credit_size = 16;              // bytes of a credit on its side band
  std::optional<std::uint32_t> vc_chunk_size;  // bytes; default: the attribute of pe_dma
  // Off: the rings need not fit their memory. They get addresses that no memory has; times and data
  // are as if it had them.
  bool ring_capacity_check = true;
};

}  // namespace kernbench
