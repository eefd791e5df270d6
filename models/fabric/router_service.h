// Service policies of a router as classes (spec 2.4): the interface that RouterNode<Service>
// (models/noc/router.h) requires, and the built-in policy.
//
//   class RoundRobinOutputs : public RouterService {
//    public:
//     static constexpr const char* description = "router with round-robin output arbitration";
//     using Parameters = RouterParameters;  // or a struct derived from it, with more attributes
//     RoundRobinOutputs(ArrivalQueue& inbox, const Parameters& parameters);
//     Fs next_due() const;
//     template <class PassOn> void serve(Fs now, PassOn pass_on);
//   };
//
//   registry.add(implementation_of<RouterNode<RoundRobinOutputs>>("acme.round_robin"));
#pragma once

#include <cstddef>
#include <optional>

#include "models/base/observables.h"
#include "models/base/parameter_set.h"
#include "models/fabric/serial_ingress.h"

namespace kernbench {

// Parameters of every router that a route needs; parameters of a service are derived from them.
struct RouterParameters : ParameterSet {
  using ParameterSet::ParameterSet;
  Param<Fs> overhead{
      *this,
      Parameter::duration_ns(
          "overhead_ns",
          "time for which the first flit of a leg holds the server; latency per control message",
          "spec 2.4")
          .default_val(0)};
  Param<std::uint32_t> buffer_flits{
      *this, Parameter::integer("buffer_flits",
                                "buffer depth of each virtual channel of an input, with credits to "
                                "the neighbours; 0: unlimited",
                                "flits", "spec 2.10")
                 .default_val(0)
                 .range(0, 65536)};
  Param<std::uint32_t> virtual_channels{
      *this, Parameter::integer("virtual_channels",
                                "virtual channels of an input with finite buffers", "", "spec 2.10")
                 .default_val(4)
                 .range(1, 64)};
};

// Base of service classes: defaults for members that a class does not declare itself. No virtual
// functions: the router is a template.
//
// A service class takes arrivals out of the inbox, which holds them in order of arrival, future
// ones included. next_due() is the instant of its next decision, never_fs if there is none;
// serve(now) calls pass_on(arrival, start) for each flit and control message that leaves at `now`,
// where `start` is the instant at which its service began. Every arrival is passed on once, and the
// flits of a transaction in their order. At an instant all arrivals up to it are in the inbox. The
// output link of an arrival is arrival.transaction->route().path->hop(arrival.position).
struct RouterService {
  // Fault of parameters that are each in range but contradict each other.
  static std::optional<ParameterFault> check(const RouterParameters& /*parameters*/) {
    return std::nullopt;
  }
  // Statistics and signals of the service.
  void observe(Observables& /*to*/) {}
  // Time for which the server has been occupied by arrivals that have not been passed on; part of
  // `busy`.
  Fs held(Fs /*now*/) const { return 0; }
  // Time for which a flit that is passed on has occupied its server; `service`: from its start on.
  Fs occupancy(const Arrival& /*flit*/, Fs service) const { return service; }
  // Number of servers whose occupancy `busy` sums, of a node with so many inputs and outputs.
  std::uint64_t servers(std::size_t /*inputs*/, std::size_t /*outputs*/) const { return 1; }
  // Attribute that sets the rate of the server.
  const char* rate_attribute() const { return "overhead_ns"; }
  // Flits that the service has taken out of the inbox and holds, and the first of them or null; for
  // signals.
  std::size_t queued() const { return 0; }
  const Arrival* first_queued() const { return nullptr; }
  // Queueing time of first flits that have not been passed on; part of the stall time.
  Fs stalled(Fs /*now*/) const { return 0; }
};

// Built-in policy: one serial server over one inbox (serial_ingress.h). With latency and occupancy
// apart: models/noc/pipelined_router.h.
class SerialService : public RouterService {
 public:
  static constexpr const char* description =
      "forwards messages: router, switch, UCIe port or connection, IO chiplet network";
  using Parameters = RouterParameters;

  SerialService(ArrivalQueue& inbox, const Parameters& parameters)
      : ingress_(inbox, *parameters.overhead) {}

  Fs next_due() const { return ingress_.next_due(); }
  template <class PassOn>
  [[gnu::always_inline]] void serve(Fs now, PassOn pass_on) {
    ingress_.serve(now, pass_on);
  }
  template <class PassOn, class PassOnRun>
  [[gnu::always_inline]] void serve(Fs now, PassOn pass_on, PassOnRun pass_on_run) {
    ingress_.serve(now, pass_on, pass_on_run);
  }
  Fs held(Fs now) const { return ingress_.held(now); }
  Fs stalled(Fs now) const { return ingress_.stalled(now); }
  Fs overhead() const { return ingress_.overhead(); }

 private:
  SerialIngress ingress_;
};

}  // namespace kernbench
