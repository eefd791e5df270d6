// PE_TCM: the scratchpad of a PE, time only (spec 5, ADR-0040).
//
// Timing: one read and one write channel, each for one access at a time, nbytes / bandwidth each;
// the two run side by side. As a target of traffic on the fabric it answers like SRAM (spec 2.6),
// beside the channels. The scheduler's reserve is the highest reserved_kb, outside all other
// allocations. Not modelled: bytes (the memory store has them), banks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "models/address/phys_addr.h"
#include "models/base/parameter_set.h"
#include "models/base/services.h"
#include "models/data/debug_access.h"
#include "models/fabric/terminal_memory.h"
#include "models/pe/pe_components.h"
#include "models/pe/serial_resource.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/pe_services.h"

namespace kernbench {
namespace {

class PeTcm final : public FabricNode,
                    private ServiceProvider<TcmRequest>,
                    private EndOfTimestep::Listener {
 public:
  static constexpr const char* description = "scratchpad of a PE: a read and a write channel";
  static constexpr std::array roles{Role::pe_tcm};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<std::uint64_t> size_mb{
        *this, Parameter::integer("size_mb", "capacity", "MiB", "spec 1.2, 3.1")
                   .default_val(2)
                   .range("1", std::to_string(budget_bytes(PeUnit::pe_tcm) >> 20))};
    std::array<Rational, 2> bw_gbs{rate("read"), rate("write")};
    Param<std::uint64_t> reserved_kb{
        *this,
        Parameter::integer("reserved_kb", "of it, the scheduler's tile buffers", "KiB", "spec 1.2")
            .default_val(512)
            .range("0", std::to_string(budget_bytes(PeUnit::pe_tcm) >> 10))};
    Param<Fs> overhead{
        *this, Parameter::duration_ns("overhead_ns", "time per request of the fabric", "spec 2.6")
                   .default_val(0)};
    Param<std::uint32_t> flit_bytes{
        *this, Parameter::integer("flit_bytes", "flit size of the fabric", "B", "spec 2.2")
                   .range("1", "65536")
                   .from_machine()};

   private:
    Rational rate(const std::string& direction) {
      return declare<Rational>(
          Parameter::rate_gbs(direction + "_bw_gbs",
                              fmt::format("bandwidth of the {} channel", direction), "spec 1.2")
              .default_val(512)
              .or_unlimited());
    }
  };
  explicit PeTcm(const ComponentInit& init);

 private:
  struct TcmChannel {
    SerialResource<TcmRequest*> use;
    TcmRequest* current = nullptr;
    Fs due = never_fs;
    Rational bw_gbs;
    std::uint64_t bytes = 0;
    TraceSignal* busy = nullptr;
    TraceSignal* waiting = nullptr;
    TraceSignal *command = nullptr, *access_bytes = nullptr;  // null until they are asked for
  };

  tlm::tlm_sync_enum nb_transport_fw(TcmRequest& request, tlm::tlm_phase& phase) override;
  Fs next_due() const override;
  void serve() override;
  void declare_signals() override;
  unsigned debug_access(tlm::tlm_generic_payload& payload, std::uint64_t offset) override;
  void end_accesses();
  void end_of_timestep() override;
  void grant_at_end_of_timestep() { services().end_of_timestep().ask(*this, node()); }

  std::array<TcmChannel, 2> channels_;  // read, write
  TerminalMemory terminal_;
  ServiceTarget<TcmRequest> accesses_{*this, *this};
};

PeTcm::PeTcm(const ComponentInit& init)
    : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward),
      terminal_(arrivals_, *init.attributes.as<Parameters>().overhead,
                *init.attributes.as<Parameters>().flit_bytes) {
  for (const bool write : {false, true}) {
    TcmChannel& channel = channels_[write ? 1 : 0];
    const std::string name = write ? "write" : "read";
    channel.bw_gbs = init.attributes.as<Parameters>().bw_gbs[write ? 1 : 0];
    channel.busy = &add_signal(name + "_busy", fmt::format("the {} channel is held", name),
                               SignalFormat::flag());
    channel.waiting =
        &add_signal(name + "_waiting", fmt::format("accesses that wait for the {} channel", name),
                    SignalFormat::count("accesses"));
    add_busy_time(name + "_busy", fmt::format("time that the {} channel was held", name),
                  channel.use.ended_holds(),
                  [&channel](Fs now) { return channel.use.held_time(now); },
                  {Server::Kind::rate, write ? "write_bw_gbs" : "read_bw_gbs", 1,
                   [&channel](Fs now) { return channel.use.stalled(now); }, &channel.bytes});
    add_statistic(write ? "bytes_written" : "bytes_read",
                  fmt::format("moved by the {} channel", name), Quantity::bytes, channel.bytes);
  }
}

void PeTcm::declare_signals() {
  FabricNode::declare_signals();
  for (const bool write : {false, true}) {
    TcmChannel& channel = channels_[write ? 1 : 0];
    const std::string name = write ? "write" : "read";
    channel.command =
        &add_signal(name + "_command", fmt::format("whose access holds the {} channel", name),
                    SignalFormat::id());
    channel.access_bytes = &add_signal(name + "_bytes", "of that access", SignalFormat::bytes());
    channel.access_bytes->clear();
  }
}

tlm::tlm_sync_enum PeTcm::nb_transport_fw(TcmRequest& request, tlm::tlm_phase& /*phase*/) {
  TcmChannel& channel = channels_[request.write ? 1 : 0];
  channel.use.request(&request, request.order, now());
  channel.waiting->set(channel.use.waiting());
  grant_at_end_of_timestep();
  return tlm::TLM_ACCEPTED;
}

Fs PeTcm::next_due() const {
  Fs due = terminal_.next_due();
  for (const TcmChannel& channel : channels_) due = std::min(due, channel.due);
  return due;
}

unsigned PeTcm::debug_access(tlm::tlm_generic_payload& payload, std::uint64_t /*offset*/) {
  return kernbench::debug_access(machine_services(services()).data(), payload);
}

void PeTcm::end_of_timestep() {
  guarded(services(), *this, [this] {
    for (TcmChannel& channel : channels_) {
      if (!channel.use.grantable()) continue;
      channel.current = channel.use.grant(now());
      channel.due = now() + transfer_fs(channel.current->bytes, channel.bw_gbs);
      channel.busy->set(1);
      channel.waiting->set(channel.use.waiting());
      if (channel.command != nullptr) {
        channel.command->set(channel.current->order.command);
        channel.access_bytes->set(channel.current->bytes);
      }
      channel.current->respond(tlm::END_REQ);
    }
    rearm();
  });
}

void PeTcm::serve() {
  end_accesses();
  const auto answer = [this](Transaction& transaction, std::uint32_t flit, std::uint32_t count) {
    send(transaction, flit, count, 0, now());
  };
  terminal_.serve(now(), answer,
                  [this](const Arrival& arrival) { report_passage(arrival, arrival.time); });
}

void PeTcm::end_accesses() {
  for (TcmChannel& channel : channels_) {
    if (channel.due > now()) continue;
    channel.due = never_fs;
    channel.use.release(now());
    channel.bytes += channel.current->bytes;
    channel.busy->set(0);
    if (channel.command != nullptr) {
      channel.command->clear();
      channel.access_bytes->clear();
    }
    if (channel.use.waiting() > 0) grant_at_end_of_timestep();
    channel.current->respond(tlm::BEGIN_RESP);
  }
}

}  // namespace

Implementation pe_tcm_implementation() { return implementation_of<PeTcm>("builtin.pe_tcm"); }

}  // namespace kernbench
