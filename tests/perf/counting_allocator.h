// Counts what operator new is asked for in this program, libraries included.
#pragma once

#include <cstdint>

namespace kernbench::bench {

// Calls since the start of the process.
std::uint64_t heap_allocations();

}  // namespace kernbench::bench
