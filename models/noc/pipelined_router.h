// Router with latency and occupancy apart, or with several servers (spec 2.4): the built-in routers
// where latency_ns, occupancy_ns, flit_occupancy_ns or servers is not at its default.
//
// Timing: models/fabric/forwarding_servers.h.
#pragma once

#include <optional>
#include <string>

#include "models/base/component_registry.h"
#include "models/fabric/forwarding_servers.h"
#include "models/noc/router.h"

namespace kernbench {

class PipelinedService : public RouterService {
 public:
  static constexpr const char* description = SerialService::description;
  struct Parameters : RouterParameters {
    using RouterParameters::RouterParameters;
    ServerParameters server{*this};
  };
  static std::optional<ParameterFault> check(const Parameters& parameters) {
    return parameters.server.check(*parameters.overhead);
  }

  PipelinedService(ArrivalQueue& inbox, const Parameters& parameters)
      : servers_(inbox, parameters.server.times(*parameters.overhead), parameters.server.per()),
        rate_attribute_(parameters.server.rate_attribute()) {}

  Fs next_due() const { return servers_.next_due(); }
  template <class PassOn, class TakesRuns, class PassOnRun>
  void serve(Fs now, PassOn pass_on, TakesRuns takes_runs, PassOnRun pass_on_run) {
    servers_.serve(now, pass_on, takes_runs, pass_on_run);
  }
  std::uint32_t unaffected(const ServedRun& run, const Arrival& other) const {
    return servers_.unaffected(run, other);
  }
  void withdraw(const ServedRun& run) { servers_.withdraw(run); }
  void put_back(const Arrival& flits, Fs now) { servers_.put_back(flits, now); }
  std::int64_t held(Fs now) { return servers_.held(now); }
  Fs stalled(Fs now) { return servers_.stalled(now); }
  Fs occupancy(const Arrival& flit, Fs /*service*/) const { return servers_.hold_of(flit); }
  std::uint64_t servers(std::size_t inputs, std::size_t outputs) const {
    return servers_.servers(inputs, outputs);
  }
  const char* rate_attribute() const { return rate_attribute_; }
  std::size_t queued() const { return servers_.filed(); }
  const Arrival* first_queued() const { return servers_.first_filed(); }
  Fs overhead() const { return servers_.latency(); }

 private:
  ForwardingServers servers_;
  const char* rate_attribute_;
};

extern template class RouterNode<PipelinedService>;

// A built-in router of this name: `Router`, or with other parameters than the serial server has
// RouterNode<PipelinedService>.
Implementation router_implementation(std::string name);

}  // namespace kernbench
