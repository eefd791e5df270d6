#include "models/io/pcie_ep.h"

#include <fmt/format.h>

#include <algorithm>

namespace kernbench {
namespace {

// "read of 4096 B at 0x1000", "control message".
std::string text_of(const Transaction& transaction) {
  if (!transaction.accesses_memory()) return "control message";
  return fmt::format("{} of {} B at 0x{:x}", transaction.is_read() ? "read" : "write",
                     transaction.get_data_length(), transaction.get_address());
}

}  // namespace

PcieEp::PcieEp(const ComponentInit& init) : Endpoint(init) {
  add_statistic("injected", "host transactions injected", Quantity::count, injected_);
  add_statistic("passed", "messages forwarded", Quantity::count, passed());
  add_statistic("completed", "responses to host transactions received", Quantity::count,
                completed_);
}

tlm::tlm_sync_enum PcieEp::nb_transport_fw(Transaction& transaction, tlm::tlm_phase& /*phase*/) {
  ++injected_;
  log_.debug([&] { return text_of(transaction) + " enters"; });
  const Fs arrival = now() + injection_time(transaction);
  if (arrivals_.push_message(node(), transaction, {}, arrival)) rearm();
  show();
  return tlm::TLM_COMPLETED;
}

void PcieEp::accepted(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival) {
  const RouteExtension& route = transaction.route();
  if (run.position < route.path->target_position()) {
    FabricNode::accepted(port, transaction, run, arrival);
    return;
  }
  const bool whole = run.first + run.count == route.flits;
  if (whole && responses_.push_message(arrivals_.upstream(port), transaction, run, arrival))
    rearm();
}

void PcieEp::accepted_run(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival,
                          Fs spacing) {
  if (run.position < transaction.route().path->target_position())
    return FabricNode::accepted_run(port, transaction, run, arrival, spacing);
  accepted(port, transaction, run, arrival + (run.count - 1) * spacing);
}

void PcieEp::recalled(std::uint32_t port, Transaction& transaction, std::uint32_t position,
                      std::uint32_t flit) {
  if (position < transaction.route().path->target_position())
    return FabricNode::recalled(port, transaction, position, flit);
  responses_.recall_message(transaction);
}

Fs PcieEp::next_due() const { return std::min(responses_.control_due(), Endpoint::next_due()); }

void PcieEp::serve() {
  complete_responses();
  Endpoint::serve();
}

void PcieEp::complete_responses() {
  responses_.take_control(now(), 0, [this](const Arrival& arrival) {
    ++completed_;
    report_traversal(arrival, arrival.time);
    log_.debug([&] { return text_of(*arrival.transaction) + " answered"; });
    arrival.transaction->route().listener->completed(*arrival.transaction);
  });
}

}  // namespace kernbench
