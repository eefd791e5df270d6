// Descriptions of faults, built in signal handlers.
#pragma once

#include <csignal>

#include "platform/assembly/fixed_text.h"

namespace kernbench {

// "has accessed the invalid address 0x8 (SIGSEGV)": what a signal says about the code that was
// running. `context`: the third argument of its handler.
void describe_fault(FixedText& text, int signal, const siginfo_t& info, const void* context);

// True if the heap may be damaged or locked: the fault is inside the C library, or one that it has
// found.
bool concerns_the_heap(int signal, const void* context);
bool is_inside_c_library(const void* context);
// Before the first of these calls, outside of handlers.
void prepare_fault_text();

}  // namespace kernbench
