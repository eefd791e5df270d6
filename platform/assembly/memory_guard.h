// Guard of the memory of this process: the host's limit, and the end of a process that passes its
// own.
#pragma once

#include <cstdint>

namespace kernbench {

// Of the host, or of its control group if that has less.
std::uint64_t host_memory_bytes();

// Watches the resident memory of this process, and of its children, until they end. Code that can
// end in order polls memory_limit_reached(); with a sixteenth more, at least 256 MiB, the process
// ends at once with a message and exit status 1.
void guard_memory(std::uint64_t limit_bytes);
std::uint64_t guarded_memory_bytes();  // 0: not guarded
bool memory_limit_reached();

}  // namespace kernbench
