// Names of the processes of a simulation, apart from the heap: for a report when memory has been
// overwritten.
#pragma once

namespace kernbench {

class ProcessNames {
 public:
  // Copies those of all processes that there are.
  static void copy();
  // Of an sc_process_b, which is not accessed; null: it was not there. For signal handlers.
  static const char* of(const void* process);
};

}  // namespace kernbench
