// Where code of a library lies in memory, and where a signal has interrupted it.
#pragma once

#include <cstdint>

namespace kernbench {

struct CodeRange {
  std::uintptr_t begin = 0, end = 0;
  bool has(std::uintptr_t address) const { return address >= begin && address < end; }
};

// Of the library that has the function; not in signal handlers.
CodeRange library_of(const void* function);

// Of the interrupted code. `context`: the third argument of a signal handler.
std::uintptr_t program_counter(const void* context);

}  // namespace kernbench
