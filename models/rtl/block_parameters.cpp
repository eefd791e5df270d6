#include "models/rtl/block_parameters.h"

namespace kernbench {

BlockParameters::BlockParameters(ParameterSet& set)
    : clock_period(set,
                   Parameter::decimal("clock_period_ns", "period of the clock", "ns", "spec 12")
                       .default_val(1)
                       .range("0.000001", "1000000")),
      reset_cycles(set, Parameter::integer("reset_cycles",
                                           "clock edges of the reset, before time 0", "", "spec 12")
                            .default_val(2)
                            .range("1", "1000")),
      watchdog_cycles(set, Parameter::integer("watchdog_cycles",
                                              "cycles of work without a handshake that end the run",
                                              "", "spec 12")
                               .default_val(10000)
                               .range("1", "1000000000")),
      check_unknown(
          set, Parameter::boolean("check_unknown",
                                  "a second model finds outputs that are unknown (x)", "spec 12")
                   .default_val(false)),
      trace_inside(
          set, Parameter::boolean("trace_inside", "the inside of the block goes to INSTANCE.fst",
                                  "spec 12")
                   .default_val(false)),
      coverage(set,
               Parameter::boolean("coverage", "coverage goes to INSTANCE.coverage.dat", "spec 12")
                   .default_val(false)) {}

}  // namespace kernbench
