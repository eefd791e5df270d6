// Service of a router: one serial server over one inbox, in order of arrival.
//
// Timing: the first flit of a message holds the server for overhead_ns, each later one for flit_ns,
// and is then forwarded. A control message is forwarded overhead_ns after its arrival and neither
// waits for nor holds the server. The router around it (RouterNode) counts and sends. Not modelled:
// output arbitration, finite buffers.
#include <algorithm>

#include "models/base/component_registry.h"
#include "models/base/plugin.h"
#include "models/noc/router.h"

namespace {

using kernbench::Arrival;
using kernbench::Fs;
using kernbench::Parameter;

class @Class@Service : public kernbench::RouterService {
 public:
  static constexpr const char* description = "router of @name@";
  struct Parameters : kernbench::RouterParameters {  // overhead_ns
    using RouterParameters::RouterParameters;
    kernbench::Param<Fs> flit{
        *this,
        Parameter::duration_ns("flit_ns", "time for which a later flit holds the server",
                               "assumption")
            .default_val(0)};
  };
  @Class@Service(kernbench::ArrivalQueue& inbox, const Parameters& parameters)
      : inbox_(inbox), parameters_(parameters) {}

  // Time of the next work; serve() does all work due by then.
  Fs next_due() const { return std::min(inbox_.control_due(*parameters_.overhead), end_of_next()); }

  template <class PassOn>
  void serve(Fs now, PassOn pass_on) {
    inbox_.take_control(now, *parameters_.overhead,
                        [&](const Arrival& message) { pass_on(message, now); });
    while (end_of_next() <= now) {
      const Arrival flit = *inbox_.data();
      const Fs start = start_of(flit);
      free_at_ = end_of_next();
      inbox_.pop_data();
      pass_on(flit, start);
    }
  }

 private:
  Fs start_of(const Arrival& flit) const { return std::max(flit.time, free_at_); }
  Fs end_of_next() const {
    const Arrival* flit = inbox_.data();
    if (flit == nullptr) return kernbench::never_fs;
    return start_of(*flit) + (flit->is_first() ? *parameters_.overhead : *parameters_.flit);
  }

  kernbench::ArrivalQueue& inbox_;
  const Parameters parameters_;
  Fs free_at_ = 0;
};

void add_all(kernbench::PluginRegistries& to) {
  to.components.add(
      kernbench::implementation_of<kernbench::RouterNode<@Class@Service>>("custom.@name@"));
}

}  // namespace

KERNBENCH_PLUGIN("@name@", add_all);
