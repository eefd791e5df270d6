// Timing policies of an HBM controller as classes (spec 2.5): the interface that
// HbmController<Timing> (models/cube/hbm_controller.h) requires. Without SystemC.
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

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/observables.h"
#include "models/base/parameter_set.h"
#include "models/base/units.h"
#include "models/timing/hbm_burst.h"

namespace kernbench {

// Parameters that the controller itself reads; parameters of a timing are derived from them.
struct HbmParameters : ParameterSet {
  using ParameterSet::ParameterSet;
  Param<Fs> overhead{*this,
                     Parameter::duration_ns("overhead_ns",
                                            "time for which the first flit of a write holds the "
                                            "inbox; time from a read command to its bursts",
                                            "spec 2.5")
                         .default_val(0)};
  Param<std::uint32_t> num_pcs{
      *this, Parameter::integer("num_pcs", "pseudo-channels of the partition", "", "spec 2.5")
                 .default_val(8)
                 .range(1, 65536)
                 .power_of_two()};
  Param<std::uint32_t> burst_bytes{
      *this, Parameter::integer("burst_bytes", "bytes of one burst", "B", "spec 2.5")
                 .default_val(256)
                 .range(1, 1048576)
                 .power_of_two()};
};

// Ready times of the bytes of one read whose bursts are booked one by one, by any timing. A byte is
// ready when all bursts up to its own have finished.
class HbmBurstRead {
 public:
  // Books [offset, offset + bytes), bytes > 0, of the partition or of one channel, in address
  // order. Calls booked(channel, slot, finish) for each burst.
  template <class Timing, class Booked>
  void book_all(Timing& timing, const HbmInterleave& interleave, std::uint64_t offset,
                std::uint64_t bytes, Fs now, std::uint16_t channel, Booked booked) {
    const BurstRange bursts = interleave.bursts_of(offset, bytes);
    first_ = bursts.first;
    burst_shift_ = interleave.burst_shift;
    ready_.clear();
    Fs latest = now;
    for (std::uint64_t burst = bursts.first; burst <= bursts.last; ++burst) {
      const std::size_t at = interleave.channel_of(burst, channel);
      const HbmSlot slot =
          timing.book({at, interleave.index_of(burst, channel), HbmDirection::read}, now);
      latest = std::max(latest, slot.finish);
      ready_.push_back(latest);
      booked(at, slot, slot.finish);
    }
  }

  // Instant at which every byte up to the one at `offset` is ready.
  Fs ready(std::uint64_t offset) const {
    return ready_[static_cast<std::size_t>((offset >> burst_shift_) - first_)];
  }

 private:
  std::uint64_t first_ = 0;
  unsigned burst_shift_ = 0;
  std::vector<Fs> ready_;  // by burst
};

// Base of timing classes: defaults for members that a class does not declare itself. No virtual
// functions: the controller is a template.
//
// A timing class has, in addition to `description`, `Parameters` and a constructor from them,
//   HbmSlot book(const HbmBurst& burst, Fs now)
// which books one burst when it reaches the controller: slots of one channel follow each other
// without overlap, and start is not earlier than `now`. The bursts of a read arrive in address
// order, those of a write flit by flit.
struct HbmTiming {
  // Books the bursts of a read and returns the ready times of its flits.
  using Read = HbmBurstRead;
  // Checks values that depend on each other; called before elaboration.
  static std::optional<ParameterFault> check(const HbmParameters& /*parameters*/) {
    return std::nullopt;
  }
  // Statistics and signals of the timing, and of each channel; `name` is "pc0" and so on.
  void observe(Observables& /*to*/) {}
  void observe_channel(Observables& /*to*/, std::size_t /*channel*/, const std::string& /*name*/) {}
};

}  // namespace kernbench
