// Round-robin arbitration of the outputs as the service of a router: acme.round_robin_router.
//
// Timing: a queue for each pair of input and output. A flit is ready when it has arrived, the first
// of a message overhead_ns later, and never before the flit ahead of it. An output takes one flit
// at a time and is busy with it for bytes / port_bw_gbs; when it is free it takes the next ready
// one, of the inputs in turn from the one behind that which it took last. A control message goes on
// overhead_ns after its arrival and neither waits nor holds. Not modelled: finite buffers.
#include <algorithm>
#include <deque>
#include <vector>

#include "models/base/component_registry.h"
#include "models/base/plugin.h"
#include "models/noc/router.h"

namespace acme {
namespace {

using namespace kernbench;

class RoundRobin : public RouterService {
 public:
  static constexpr const char* description = "router with round-robin arbitration of its outputs";
  struct Parameters : RouterParameters {
    using RouterParameters::RouterParameters;
    Param<Rational> port_bw_gbs{
        *this,
        Parameter::rate_gbs("port_bw_gbs", "rate of an output", "assumption").default_val(256)};
  };
  RoundRobin(ArrivalQueue& inbox, const Parameters& parameters)
      : inbox_(inbox), parameters_(parameters) {}

  Fs next_due() const {
    Fs due = inbox_.control_due(*parameters_.overhead);
    if (const Arrival* next = inbox_.data()) due = std::min(due, next->time);
    for (const Output& output : outputs_) due = std::min(due, output.due());
    return due;
  }

  template <class PassOn>
  void serve(Fs now, PassOn pass_on) {
    inbox_.take_control(now, *parameters_.overhead,
                        [&](const Arrival& message) { pass_on(message, now); });
    while (inbox_.data() != nullptr && inbox_.data()->time <= now) {
      file(*inbox_.data());
      inbox_.pop_data();
    }
    for (Output& output : outputs_) {
      while (output.due() <= now) pass_on(grant(output, now), now);
    }
  }

  void observe(Observables& to) {
    to.add_statistic("turns", "flits that went while another input had one ready", Quantity::count,
                     turns_);
  }

 private:
  struct Ready {
    Fs at = never_fs;
    Arrival flit;
  };
  struct Output {
    std::vector<std::deque<Ready>> inputs;
    std::size_t next = 0;  // input whose turn it is
    Fs free_at = 0;

    Fs due() const {
      Fs ready = never_fs;
      for (const std::deque<Ready>& input : inputs) {
        if (!input.empty()) ready = std::min(ready, input.front().at);
      }
      return ready == never_fs ? never_fs : std::max(ready, free_at);
    }
  };

  void file(const Arrival& flit) {
    const std::size_t port = flit.transaction->route().path->out_port(flit.position);
    if (outputs_.size() <= port) outputs_.resize(port + 1);
    Output& output = outputs_[port];
    if (output.inputs.size() <= flit.port) output.inputs.resize(flit.port + 1);
    std::deque<Ready>& input = output.inputs[flit.port];
    const Fs ready = flit.time + (flit.is_first() ? *parameters_.overhead : 0);
    input.push_back({input.empty() ? ready : std::max(ready, input.back().at), flit});
  }

  Arrival grant(Output& output, Fs now) {
    const std::size_t count = output.inputs.size();
    std::size_t chosen = count, ready = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t input = (output.next + i) % count;
      if (output.inputs[input].empty() || output.inputs[input].front().at > now) continue;
      if (ready++ == 0) chosen = input;
    }
    if (ready > 1) ++turns_;
    const Arrival flit = output.inputs[chosen].front().flit;
    output.inputs[chosen].pop_front();
    output.next = chosen + 1;
    output.free_at =
        now + transfer_fs(flit.transaction->route().bytes_of(flit.flit), *parameters_.port_bw_gbs);
    return flit;
  }

  ArrivalQueue& inbox_;
  const Parameters parameters_;
  std::vector<Output> outputs_;  // by port
  std::uint64_t turns_ = 0;
};

void add_all(PluginRegistries& to) {
  to.components.add(implementation_of<RouterNode<RoundRobin>>("acme.round_robin_router"));
}

}  // namespace
}  // namespace acme

KERNBENCH_PLUGIN("acme_router", acme::add_all);
