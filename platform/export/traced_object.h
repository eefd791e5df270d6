// Object registered by sc_trace(), as a value that can be sampled.
#pragma once

#include <sysc/datatypes/fx/fx.h>  // not part of <systemc>

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>

#include "platform/export/wave_writer.h"

namespace kernbench {

struct TracedObject {
  WaveVariable variable;
  // Value as in WaveWriter::value(); for an event a stamp that changes when it triggers.
  std::function<std::string()> sample;
};

// `name` is dotted; without a dot the scope is "SystemC", as in SystemC's own tracer.
TracedObject traced_object(const std::string& name, WaveVariable::Kind kind, unsigned width,
                           std::function<std::string()> sample);
// Integer in the low `width` bits of the result of `read`.
TracedObject traced_integer(std::function<std::uint64_t()> read, const std::string& name,
                            int width);

// clang-format off
// Types of which sc_trace() takes an object by its name alone; each has traced().
#define KERNBENCH_TRACED_TYPES(X)                                                                \
  X(sc_core::sc_time) X(bool) X(float) X(double)                                                 \
  X(sc_dt::sc_bit) X(sc_dt::sc_logic) X(sc_dt::sc_bv_base) X(sc_dt::sc_lv_base)                  \
  X(sc_dt::sc_int_base) X(sc_dt::sc_uint_base) X(sc_dt::sc_signed) X(sc_dt::sc_unsigned)         \
  X(sc_dt::sc_fxval) X(sc_dt::sc_fxval_fast) X(sc_dt::sc_fxnum) X(sc_dt::sc_fxnum_fast)
// Types that have a width.
#define KERNBENCH_TRACED_INTEGERS(X)                                                             \
  X(unsigned char) X(unsigned short) X(unsigned int) X(unsigned long) X(sc_dt::uint64)           \
  X(char) X(short) X(int) X(long) X(sc_dt::int64)
// clang-format on

template <class T>
TracedObject traced(const T& object, const std::string& name);

}  // namespace kernbench
