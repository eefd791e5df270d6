// PE_TCM: the scratchpad of a PE, time only (spec 5, ADR-0040).
//
// Timing: one read and one write channel, each for one access at a time, nbytes / bandwidth each;
// the two run concurrently. As a target of traffic on the fabric it answers like SRAM (spec 2.6),
// independently of the channels. The scheduler's reserve is the highest reserved_kb, outside all
// other allocations. Not modelled: bytes (the memory store has them), banks.
//
// Base class: a PE_TCM with other times derives from it, its Parameters from these, and overrides
// access_time().
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>

#include "models/address/phys_addr.h"
#include "models/base/end_of_timestep.h"
#include "models/base/parameter_set.h"
#include "models/base/services.h"
#include "models/fabric/memory_service.h"
#include "models/pe/serial_resource.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/pe_services.h"

namespace kernbench {

class PeTcm : public FabricNode,
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
        *this, Parameter::integer("reserved_kb",
                                  "share of the capacity reserved for the scheduler's tile buffers",
                                  "KiB", "spec 1.2")
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

 protected:
  // Override point: time for which an access holds its channel; called once per access, when the
  // channel is granted.
  virtual Fs access_time(const TcmRequest& access) {
    return transfer_fs(access.bytes, channels_[access.write ? 1 : 0].bw_gbs);
  }

 private:
  struct TcmChannel {
    SerialResource<TcmRequest*> use;
    TcmRequest* current = nullptr;
    Fs due = never_fs;
    Rational bw_gbs;
    std::uint64_t bytes = 0;
    TraceSignal* busy = nullptr;
    TraceSignal* waiting = nullptr;
    TraceSignal *command = nullptr, *access_bytes = nullptr;  // null until requested
  };

  tlm::tlm_sync_enum nb_transport_fw(TcmRequest& request, tlm::tlm_phase& phase) override;
  Fs next_due() const override;
  void accepted(std::uint32_t port, Transaction& transaction, FlitRun run, Fs arrival) final {
    FabricNode::accepted(port, transaction, run, arrival);
  }
  bool takes_runs() const final { return true; }
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

}  // namespace kernbench
