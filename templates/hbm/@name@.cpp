// Timing of an HBM controller: channels that fall asleep.
//
// Timing: a burst takes t_burst_ns on its channel, after the bursts already booked; a channel that
// has been idle for sleep_after_ns or longer needs wake_ns first. The controller around it
// (HbmController) cuts accesses into bursts and sends the responses. Not modelled: banks, rows,
// refresh, direction of the bus.
#include <algorithm>
#include <vector>

#include "models/base/component_registry.h"
#include "models/base/plugin.h"
#include "models/cube/hbm_controller.h"
#include "models/timing/hbm_timing.h"

namespace {

using kernbench::Fs;
using kernbench::Param;
using kernbench::Parameter;

class @Class@Timing : public kernbench::HbmTiming {
 public:
  static constexpr const char* description = "HBM partition of @name@";
  struct Parameters : kernbench::HbmParameters {  // overhead_ns, num_pcs, burst_bytes
    using HbmParameters::HbmParameters;
    Param<Fs> t_burst{*this,
                      Parameter::duration_ns("t_burst_ns", "time of a burst", "assumption")
                          .default_val(8)};
    Param<Fs> wake{*this,
                   Parameter::duration_ns("wake_ns", "wake-up time of a channel", "assumption")
                       .default_val(10)};
    Param<Fs> sleep_after{
        *this,
        Parameter::duration_ns("sleep_after_ns", "idle time before a channel sleeps", "assumption")
            .default_val(100)};
  };
  explicit @Class@Timing(const Parameters& parameters)
      : parameters_(parameters), channels_(*parameters.num_pcs) {}

  // Slot of the burst on its channel; not before `now`, and after the bursts already booked.
  kernbench::HbmSlot book(const kernbench::HbmBurst& burst, Fs now) {
    Channel& channel = channels_[burst.channel];
    const bool asleep = !channel.used || now >= channel.free_at + *parameters_.sleep_after;
    if (asleep) ++wakes_;
    channel.used = true;
    const Fs start = std::max(now, channel.free_at) + (asleep ? *parameters_.wake : 0);
    channel.free_at = start + *parameters_.t_burst;
    return {start, channel.free_at};
  }

  void observe(kernbench::Observables& to) {
    to.add_statistic("wakes", "wake-ups of channels", kernbench::Quantity::count, wakes_);
  }

 private:
  struct Channel {
    bool used = false;
    Fs free_at = 0;
  };
  const Parameters parameters_;
  std::vector<Channel> channels_;
  std::uint64_t wakes_ = 0;
};

void add_all(kernbench::PluginRegistries& to) {
  to.components.add(
      kernbench::implementation_of<kernbench::HbmController<@Class@Timing>>("custom.@name@"));
}

}  // namespace

KERNBENCH_PLUGIN("@name@", add_all);
