// Included first into every source that Verilator has written and into its runtime; replaces
// printing to standard output.
#pragma once

#ifdef VL_DEBUG
#error "VL_DEBUG changes the layout of Verilator's classes; its runtime is compiled without"
#endif

#ifdef __cplusplus
extern "C" [[gnu::format(printf, 1, 2)]] int kernbench_rtl_print(const char* format, ...);
#define VL_PRINTF kernbench_rtl_print
#endif
