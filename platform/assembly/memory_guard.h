// Memory guard of this process: the limit of the host, and the end of a process that exceeds its
// own limit.
#pragma once

#include <cstdint>

namespace kernbench {

// Memory of the host, or of its control group if that is less.
std::uint64_t host_memory_bytes();

// Watches the resident memory of this process and its children until they end. Code that can end
// normally polls memory_limit_reached(). At a sixteenth beyond the limit, at least 256 MiB, the
// process ends immediately with a message and exit status 1. When the host refuses an allocation
// (RLIMIT_AS), a reserve is freed so that the run can end normally; on the thread of the simulation
// sc_start() returns after the current delta cycle. What does not fit fails with std::bad_alloc.
void guard_memory(std::uint64_t limit_bytes);
std::uint64_t guarded_memory_bytes();  // 0: not guarded
bool memory_limit_reached();           // or allocation_refused()
bool allocation_refused();

}  // namespace kernbench
