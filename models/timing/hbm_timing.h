// Timing rules of an HBM controller as classes (spec 2.5): what HbmController<Timing>
// (models/cube/hbm_controller.h) asks of one. Without SystemC.
//
//   class OpenPage : public HbmTiming {
//    public:
//     static constexpr const char* description = "HBM partition with row buffers";
//     struct Parameters : HbmParameters {  // the attributes of the implementation
//       using HbmParameters::HbmParameters;
//       Param<Fs> t_burst{*this, Parameter::duration_ns("t_burst_ns", ...)};
//     };
//     explicit OpenPage(const Parameters& parameters);
//     HbmSlot book(const HbmBurst& burst, Fs now);
//   };
//
//   registry.add(implementation_of<HbmController<OpenPage>>("acme.open_page"));
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "models/base/observables.h"
#include "models/base/parameter_set.h"
#include "models/base/units.h"
#include "models/timing/hbm_burst_read.h"

namespace kernbench {

// Parameters that the controller itself reads; those of a timing are derived from them.
struct HbmParameters : ParameterSet {
  using ParameterSet::ParameterSet;
  Param<Fs> overhead{
      *this, Parameter::duration_ns("overhead_ns",
                                    "time for which the first flit of a write holds the inbox; "
                                    "from a command to its bursts",
                                    "spec 2.5")
                 .default_val(0)};
  Param<std::uint32_t> num_pcs{
      *this, Parameter::integer("num_pcs", "pseudo-channels of the partition", "", "spec 2.5")
                 .default_val(8)
                 .range(1, 65536)
                 .power_of_two()};
  Param<std::uint32_t> burst_bytes{
      *this, Parameter::integer("burst_bytes", "bytes that a pseudo-channel moves at a time", "B",
                                "spec 2.5")
                 .default_val(256)
                 .range(1, 1048576)
                 .power_of_two()};
};

// Base of timing classes: what a class that does not declare it by itself has. No virtual
// functions: the controller is a template.
//
// A timing class has, beside `description`, `Parameters` and a constructor from them,
//
//   HbmSlot book(const HbmBurst& burst, Fs now)
//
// which books one burst when it reaches the controller: slots of one channel follow each other
// without overlap, and start is not earlier than `now`. The bursts of a read come in address
// order, those of a write flit by flit.
struct HbmTiming {
  // Books the bursts of a read and says when its flits are out.
  using Read = HbmBurstRead;
  // Values that have to suit each other; called before elaboration.
  static std::optional<ParameterFault> check(const HbmParameters& /*parameters*/) {
    return std::nullopt;
  }
  // Statistics and signals of the timing, and those of each channel, `name` being "pc0" and so on.
  void observe(Observables& /*to*/) {}
  void observe_channel(Observables& /*to*/, std::size_t /*channel*/, const std::string& /*name*/) {}
};

}  // namespace kernbench
