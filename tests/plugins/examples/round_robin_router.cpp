// A router with a queue for each pair of input and output, and round-robin arbitration at each
// output: acme.round_robin_router.
//
// Timing: a flit is ready overhead_ns after its arrival if it is the first of a message, else at
// its arrival, and never before the flit ahead of it at its input for the same output. An output
// takes one flit at a time and is busy with it for bytes / port_bw_gbs; when it is free it takes
// the next ready one, of the inputs in turn from the one behind that which it took last. A control
// message goes on overhead_ns after its arrival and neither waits nor holds. Not modelled: finite
// buffers, route decisions (a transaction carries its path).
#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "models/base/component_registry.h"
#include "models/base/plugin.h"
#include "models/protocol/fabric_node.h"

namespace acme {
namespace {

using namespace kernbench;

class RoundRobinRouter final : public FabricNode {
 public:
  static constexpr const char* description = "router with round-robin arbitration at its outputs";
  static constexpr std::array roles{Role::router};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<Fs> overhead{
        *this,
        Parameter::duration_ns("overhead_ns", "from the arrival of a first flit until it is ready",
                               "assumption")
            .default_val(0)};
    Param<Rational> port_bw_gbs{
        *this,
        Parameter::rate_gbs("port_bw_gbs", "rate of an output", "assumption").default_val(256)};
  };

  explicit RoundRobinRouter(const ComponentInit& init)
      : FabricNode(init, ArrivalQueue::Forwarding::cut_through), parameters_(init.attributes) {
    add_statistic("flits", "data flits passed on", Quantity::count, flits_);
    add_statistic("control_messages", "control messages passed on", Quantity::count,
                  control_messages_);
    add_statistic("turns", "flits that went before a ready one of another input", Quantity::count,
                  turns_);
  }

 private:
  struct Ready {
    Fs at = never_fs;
    Arrival arrival;
  };
  struct Output {
    std::vector<std::deque<Ready>> inputs;
    std::size_t next = 0;  // input whose turn it is
    Fs free_at = 0;
  };

  // Data flits to the queues of their outputs; control messages to the inbox.
  void accepted(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival) override {
    if (transaction.route().is_control())
      return FabricNode::accepted(port, transaction, run, arrival);
    const std::uint16_t out = transaction.route().path->out_port(run.position);
    if (outputs_.empty())
      outputs_.resize(outputs(), Output{std::vector<std::deque<Ready>>(inputs()), 0, 0});
    std::deque<Ready>& queue = outputs_[out].inputs[port];
    const Fs pipeline = run.first == 0 ? *parameters_.overhead : 0;
    const Fs ahead = queue.empty() ? 0 : queue.back().at;
    queue.push_back(
        {std::max(arrival + pipeline, ahead),
         {arrival, &transaction, arrivals_.upstream(port), run.first, run.position, port}});
    rearm();
  }

  Fs next_due() const override {
    Fs due = arrivals_.control_due(*parameters_.overhead);
    for (const Output& output : outputs_) {
      for (const std::deque<Ready>& input : output.inputs) {
        if (!input.empty()) due = std::min(due, std::max(input.front().at, output.free_at));
      }
    }
    return due;
  }

  void serve() override {
    arrivals_.take_control(now(), *parameters_.overhead, [this](const Arrival& message) {
      ++control_messages_;
      report_passage(message, message.time);
      send(*message.transaction, 0, 0, message.position, now());
    });
    for (Output& output : outputs_) {
      if (output.free_at <= now()) grant(output);
    }
  }

  void grant(Output& output) {
    const std::size_t count = output.inputs.size();
    std::size_t chosen = count, ready = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t input = (output.next + i) % count;
      if (output.inputs[input].empty() || output.inputs[input].front().at > now()) continue;
      if (ready++ == 0) chosen = input;
    }
    if (ready == 0) return;
    if (ready > 1) ++turns_;
    ++flits_;
    const Arrival flit = output.inputs[chosen].front().arrival;
    output.inputs[chosen].pop_front();
    output.next = (chosen + 1) % count;
    output.free_at =
        after(transfer_fs(flit.transaction->route().bytes_of(flit.flit), *parameters_.port_bw_gbs));
    report_passage(flit, now());
    send(*flit.transaction, flit.flit, 1, flit.position, now());
  }

  const Parameters parameters_;
  std::vector<Output> outputs_;  // by port; made with the first flit, when all ports are there
  std::uint64_t flits_ = 0, control_messages_ = 0, turns_ = 0;
};

void add_all(PluginRegistries& to) {
  to.components.add(implementation_of<RoundRobinRouter>("acme.round_robin_router"));
}

}  // namespace
}  // namespace acme

KERNBENCH_PLUGIN("acme_router", acme::add_all);
