// A router: one serial server over one inbox, in order of arrival.
//
// Timing: the first flit of a message holds the server for overhead_ns and goes on then; later
// flits wait only for the server to be free. A control message goes on overhead_ns after its
// arrival and neither waits nor holds. Not modelled: output arbitration, finite buffers, route
// decisions (a transaction carries its path).
#include <array>

#include "models/base/component_registry.h"
#include "models/base/plugin.h"
#include "models/fabric/serial_ingress.h"
#include "models/protocol/fabric_node.h"

namespace {

class @Class@Model final : public kernbench::FabricNode {
 public:
  static constexpr const char* description = "router of @name@";
  static constexpr std::array roles{kernbench::Role::router};
  struct Parameters : kernbench::ParameterSet {
    using ParameterSet::ParameterSet;
    kernbench::Param<kernbench::Fs> overhead{
        *this, kernbench::Parameter::duration_ns(
                   "overhead_ns", "time for which the first flit of a message holds the server",
                   "assumption")
                   .default_val(0)};
  };

  explicit @Class@Model(const kernbench::ComponentInit& init)
      : FabricNode(init, kernbench::ArrivalQueue::Forwarding::cut_through),
        ingress_(arrivals_, *init.attributes.as<Parameters>().overhead) {
    add_statistic("flits", "data flits passed on", kernbench::Quantity::count, flits_);
    add_statistic("control_messages", "control messages passed on", kernbench::Quantity::count,
                  control_messages_);
  }

 private:
  // When there is something to do, and all that is due then.
  kernbench::Fs next_due() const override { return ingress_.next_due(); }
  void serve() override {
    ingress_.serve(now(), [this](const kernbench::Arrival& arrival) {
      kernbench::Transaction& transaction = *arrival.transaction;
      const bool control = transaction.route().is_control();
      ++(control ? control_messages_ : flits_);
      report_passage(arrival, control ? arrival.time : now());
      send(transaction, arrival.flit, control ? 0 : 1, arrival.position, now());
    });
  }

  kernbench::SerialIngress ingress_;
  std::uint64_t flits_ = 0, control_messages_ = 0;
};

void add_all(kernbench::PluginRegistries& to) {
  to.components.add(kernbench::implementation_of<@Class@Model>("custom.@name@"));
}

}  // namespace

KERNBENCH_PLUGIN("@name@", add_all);
