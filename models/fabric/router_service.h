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
#include "models/fabric/served_run.h"

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

// A service of runs of later flits of a leg (spec 2.11) has a serve() with two more parameters:
// takes_runs(flit), whether its output takes runs, and hand_over_run(const ServedRun&), which
// returns the number of flits that it has handed over, from the first on, also for later than now.
// And:
//   // Number of flits of an announced run that precede `other`, an arrival that is announced now.
//   std::uint32_t unaffected(const ServedRun& run, const Arrival& other) const;
//   // Only these flits of the last run of its server have been served.
//   void withdraw(const ServedRun& run);
//   // Queues flits again that were served.
//   void put_back(const Arrival& flits, Fs now);

// Built-in policy: one serial server over one inbox (serial_ingress.h). With latency and occupancy
// apart: models/noc/pipelined_router.h.
class SerialService : public RouterService {
 public:
  static constexpr const char* description =
      "forwards messages: router, switch, UCIe port or connection, IO chiplet network";
  using Parameters = RouterParameters;

  SerialService(ArrivalQueue& inbox, const Parameters& parameters)
      : inbox_(inbox), ingress_(inbox, *parameters.overhead) {}

  Fs next_due() const { return ingress_.next_due(); }
  template <class PassOn>
  [[gnu::always_inline]] void serve(Fs now, PassOn pass_on) {
    ingress_.serve(now, pass_on);
  }
  // A run: later flits that have arrived by now, together, and the others as they arrive, up to the
  // first arrival at another port that affects them.
  template <class PassOn, class TakesRuns, class PassOnRun>
  [[gnu::always_inline]] void serve(Fs now, PassOn pass_on, TakesRuns takes_runs,
                                    PassOnRun pass_on_run) {
    ingress_.serve(now, pass_on, [&](const Arrival& flits) {
      if (!takes_runs(flits)) return false;
      ServedRun run{flits, now};
      const std::uint32_t output = output_of(flits);
      run.flits.count = inbox_.flits_before_interference(
          flits, [&](const Arrival& other) { return affects(other, output); });
      const std::uint32_t count = run.flits.count > 1 ? pass_on_run(run) : 0;
      if (count > 0) inbox_.take(count);
      return count > 0;
    });
  }
  std::uint32_t unaffected(const ServedRun& run, const Arrival& other) const {
    const bool affected = other.port != run.flits.port && run.flits.last_time() >= other.time &&
                          affects(other, output_of(run.flits));
    return affected ? flits_before(run.flits, other) : run.flits.count;
  }
  void withdraw(const ServedRun& /*run*/) {}
  void put_back(const Arrival& flits, Fs /*now*/) { inbox_.put_back(flits); }
  Fs held(Fs now) const { return ingress_.held(now); }
  Fs stalled(Fs now) const { return ingress_.stalled(now); }
  Fs overhead() const { return ingress_.overhead(); }

 private:
  static std::uint32_t output_of(const Arrival& flit) {
    return flit.transaction->route().path->out_port(flit.position);
  }
  // The first flit of a leg, which holds the server, or a flit for the same output.
  bool affects(const Arrival& other, std::uint32_t output) const {
    return (other.is_first() && overhead() > 0) || output_of(other) == output;
  }

  ArrivalQueue& inbox_;
  SerialIngress ingress_;
};

}  // namespace kernbench
