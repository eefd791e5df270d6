// Verilator's runtime, as every source of KernBench includes it: the time of a context is the time
// set there, also if SystemC's headers are included first.
#pragma once

#pragma push_macro("SYSTEMC_VERSION")
#undef SYSTEMC_VERSION
#ifndef VL_TIME_CONTEXT
#define VL_TIME_CONTEXT
#endif
#include <verilated.h>
#include <verilated_funcs.h>
#if VM_COVERAGE
#include <verilated_cov.h>
#endif
#if VM_TRACE
#include <verilated_fst_c.h>
#endif
#pragma pop_macro("SYSTEMC_VERSION")
