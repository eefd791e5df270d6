// An end point of a SIP, where the host's transactions start and end and traffic between SIPs
// passes through, with a minimum gap between two messages.
//
// Timing: a message leaves overhead_ns after the host has issued it or its last flit came, all
// flits at once, but not before gap_ns after the one before; in order of arrival. A response that
// ends here costs nothing. Not modelled: packets, credits, cut-through.
#include <algorithm>
#include <array>

#include "models/base/component_registry.h"
#include "models/base/plugin.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/pe_services.h"

namespace {

using kernbench::Arrival;
using kernbench::ArrivalQueue;
using kernbench::Fs;
using kernbench::Parameter;
using kernbench::Quantity;
using kernbench::Transaction;

class MessageGapEndPoint final : public kernbench::FabricNode,
                                 private kernbench::ServiceProvider<Transaction>,
                                 private kernbench::EndOfTimestep::Listener {
 public:
  static constexpr const char* description = "end point with a gap between messages";
  static constexpr std::array roles{kernbench::Role::pcie_ep, kernbench::Role::ual_ep};
  struct Parameters : kernbench::ParameterSet {
    using ParameterSet::ParameterSet;
    kernbench::Param<Fs> overhead{
        *this,
        Parameter::duration_ns("overhead_ns", "time per message", "assumption").default_val(5)};
    kernbench::Param<Fs> gap{
        *this, Parameter::duration_ns("gap_ns", "between the starts of two messages", "assumption")
                   .default_val(10)};
  };

  explicit MessageGapEndPoint(const kernbench::ComponentInit& init)
      : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward),
        parameters_(init.attributes) {
    add_statistic("injected", "host transactions injected", Quantity::count, injected_);
    add_statistic("passed", "messages forwarded", Quantity::count, passed_);
    add_statistic("completed", "responses to host transactions received", Quantity::count,
                  completed_);
    add_statistic("waiting", "time that messages waited for the gap", Quantity::time_fs, waiting_);
  }

 private:
  // The host, or traffic, issues a transaction; its route is set.
  tlm::tlm_sync_enum nb_transport_fw(Transaction& transaction, tlm::tlm_phase& /*phase*/) override {
    ++injected_;
    if (arrivals_.push_message(node(), transaction, {}, now())) rearm();
    return tlm::TLM_COMPLETED;
  }
  // A response that ends here waits for no message that passes through.
  void accepted(std::uint32_t port, Transaction& transaction, kernbench::FlitRun run,
                Fs arrival) override {
    if (run.position < transaction.route().path->target_position())
      return FabricNode::accepted(port, transaction, run, arrival);
    const bool whole = run.first + run.count == transaction.route().flits;
    if (whole && responses_.push_message(arrivals_.upstream(port), transaction, run, arrival))
      rearm();
  }

  Fs departure() const {
    const Arrival* next = arrivals_.control();
    if (next == nullptr) return kernbench::never_fs;
    return std::max(next->time + *parameters_.overhead, free_at_);
  }
  Fs next_due() const override {
    return std::min(responses_.control_due(), asked_ ? kernbench::never_fs : departure());
  }
  void serve() override {
    responses_.take_control(now(), 0, [this](const Arrival& arrival) {
      ++completed_;
      report_traversal(arrival, arrival.time);
      arrival.transaction->route().listener->completed(*arrival.transaction);
    });
    if (asked_ || departure() > now()) return;
    asked_ = true;  // all messages of the instant are known when it is quiescent
    services().end_of_timestep().ask_when_quiescent(*this, node());
  }
  void timestep_quiescent() override {
    kernbench::guarded(services(), *this, [this] {
      asked_ = false;
      while (departure() <= now()) pass_on();
      rearm();
    });
  }
  void pass_on() {
    const Arrival message = *arrivals_.control();
    arrivals_.pop_control();
    free_at_ = after(*parameters_.gap);
    waiting_ += now() - (message.time + *parameters_.overhead);
    if (message.position > 0) ++passed_;
    report_traversal(message, now() - *parameters_.overhead);
    const std::uint32_t flits = message.transaction->route().flits;
    if (flits == 0) send(*message.transaction, 0, 0, message.position, now());
    for (std::uint32_t flit = 0; flit < flits; ++flit)
      send(*message.transaction, flit, 1, message.position, now());
  }

  const Parameters parameters_;
  ArrivalQueue responses_{ArrivalQueue::Forwarding::store_and_forward};  // that end here
  Fs free_at_ = 0;
  bool asked_ = false;  // for the call when the instant is quiescent
  std::uint64_t injected_ = 0, passed_ = 0, completed_ = 0, waiting_ = 0;
  kernbench::ServiceTarget<Transaction> requests_{*this, *this};
};

void add_all(kernbench::PluginRegistries& to) {
  to.components.add(
      kernbench::implementation_of<MessageGapEndPoint>("custom.message_gap_end_point"));
}

}  // namespace

KERNBENCH_PLUGIN("message_gap_end_point", add_all);
