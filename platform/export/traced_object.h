// An object registered by sc_trace(), as a value that can be sampled.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>

#include "platform/export/wave_writer.h"

namespace kernbench {

struct TracedObject {
  WaveVariable variable;
  std::function<std::string()>
      sample;  // as WaveWriter::value() takes it; events: a stamp that changes when they trigger
  std::string current, written;
  std::uint32_t number = 0;  // of the variable in its file
};

// For each type that sc_trace() accepts; `width` 0 = that of the type. `name` is dotted; without a
// dot the scope is "SystemC", as SystemC's own tracer has it.
TracedObject traced(const sc_core::sc_time& object, const std::string& name);
TracedObject traced(const bool& object, const std::string& name);
TracedObject traced(const sc_dt::sc_bit& object, const std::string& name);
TracedObject traced(const sc_dt::sc_logic& object, const std::string& name);
TracedObject traced(const float& object, const std::string& name);
TracedObject traced(const double& object, const std::string& name);
TracedObject traced(const sc_dt::sc_int_base& object, const std::string& name);
TracedObject traced(const sc_dt::sc_uint_base& object, const std::string& name);
TracedObject traced(const sc_dt::sc_signed& object, const std::string& name);
TracedObject traced(const sc_dt::sc_unsigned& object, const std::string& name);
TracedObject traced(const sc_dt::sc_fxval& object, const std::string& name);
TracedObject traced(const sc_dt::sc_fxval_fast& object, const std::string& name);
TracedObject traced(const sc_dt::sc_fxnum& object, const std::string& name);
TracedObject traced(const sc_dt::sc_fxnum_fast& object, const std::string& name);
TracedObject traced(const sc_dt::sc_bv_base& object, const std::string& name);
TracedObject traced(const sc_dt::sc_lv_base& object, const std::string& name);
TracedObject traced(const unsigned int& object, const std::string& name, const char** labels);
TracedObject traced_event(std::function<sc_dt::uint64()> trigger_stamp, const std::string& name);

// `read` gives an integer in the low `width` bits.
TracedObject traced_integer(std::function<std::uint64_t()> read, const std::string& name,
                            int width);

}  // namespace kernbench
