// Endpoints of a SIP and their base class: traffic between SIPs passes through them (spec 2.6).
//
// Timing: no serial server. A transit message leaves overhead_ns (or latency_ns) after the arrival
// of its last flit, all flits at once. With cut_through it is served flit by flit as in a router
// with the same parameters, and reports the busy time of its server; a message injected here
// (position 0 of its path) neither waits for nor occupies the server. Messages of one instant leave
// in order of (arrival or issue, upstream name, id).
#pragma once

#include <cstddef>
#include <optional>

#include "models/base/end_of_timestep.h"
#include "models/base/parameter_set.h"
#include "models/fabric/forwarding_servers.h"
#include "models/fabric/serial_ingress.h"
#include "models/protocol/fabric_node.h"

namespace kernbench {

class Endpoint : public FabricNode, private EndOfTimestep::Listener {
 public:
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<Fs> overhead{
        *this, Parameter::duration_ns("overhead_ns",
                                      "time per message that is injected or forwarded", "spec 2.6")
                   .default_val(0)};
    Param<bool> cut_through{
        *this,
        Parameter::boolean("cut_through", "forward flits as they arrive instead of whole messages",
                           "spec 2.6")
            .default_val(false)};
    ServerParameters server{*this};
  };
  static std::optional<ParameterFault> check(const Parameters& parameters);

 protected:
  explicit Endpoint(const ComponentInit& init);

  Fs next_due() const override { return settling_ ? never_fs : due(); }
  void serve() override;
  std::size_t depth(Fs now) const override;
  const Arrival* in_service(Fs now) const override;

  const std::uint64_t& passed() const { return passed_; }

 private:
  Endpoint(const ComponentInit& init, const Parameters& parameters);

  void end_of_elaboration() override;
  void timestep_quiescent() override;
  Fs due() const { return servers_ ? servers_->next_due() : passing_.next_due(); }
  void pass_due();
  void pass_on(const Arrival& arrival, Fs start);
  void serve_flit(const Arrival& flit, Fs start);

  bool cut_through_;
  SerialIngress passing_;
  std::optional<ForwardingServers> servers_;  // instead of passing_, if its parameters are set
  bool settling_ = false;  // messages of this instant may still be issued at this instant: the
                           // end of it is awaited
  std::uint64_t passed_ = 0;
  std::uint64_t busy_fs_ = 0;     // with cut_through
  std::uint64_t stalled_fs_ = 0;  // queueing time of first flits; with cut_through
};

// UAL endpoint of a SIP: a second path between SIPs, in addition to PCIe, over a link of its own to
// the switch (ADR-0003 D2). Nothing starts or ends here: the host uses PCIe, and no address names
// this node (spec 3.1). Not modelled: packets, credits and ordering rules of the link.
class UalEp final : public Endpoint {
 public:
  static constexpr const char* description = "UAL end point of a SIP";
  static constexpr std::array roles{Role::ual_ep};
  explicit UalEp(const ComponentInit& init) : Endpoint(init) {
    add_statistic("passed", "messages forwarded", Quantity::count, passed());
  }

 private:
  bool takes_runs() const override { return true; }
};

}  // namespace kernbench
