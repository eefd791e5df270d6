// The scratchpad of a PE with one port, which reads and writes share.
//
// Timing: an access of an engine holds the port for bytes / port_bw_gbs, one at a time, first come,
// first served; of one instant in the order of the work. As a target of traffic on the fabric it
// answers overhead_ns after the last flit or the command, without the port. Not modelled: bytes
// (the memory store of the machine has them), banks.
#include <algorithm>
#include <array>

#include "models/base/component_registry.h"
#include "models/base/plugin.h"
#include "models/data/debug_access.h"
#include "models/fabric/memory_service.h"
#include "models/pe/serial_resource.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/pe_services.h"

namespace {

using namespace kernbench;

class OnePortTcm final : public FabricNode,
                         private ServiceProvider<TcmRequest>,
                         private EndOfTimestep::Listener {
 public:
  static constexpr const char* description = "scratchpad of a PE with one port";
  static constexpr std::array roles{Role::pe_tcm};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<Rational> port_bw_gbs{
        *this,
        Parameter::rate_gbs("port_bw_gbs", "rate of the port", "assumption").default_val(512)};
    // Attributes that the machine reads.
    Param<std::uint64_t> size_mb{
        *this,
        Parameter::integer("size_mb", "capacity", "MiB", "spec 1.2").default_val(2).range(1, 2)};
    Param<std::uint64_t> reserved_kb{
        *this, Parameter::integer("reserved_kb",
                                  "share of the capacity reserved for the scheduler's tile buffers",
                                  "KiB", "spec 1.2")
                   .default_val(512)
                   .range(0, 2048)};
    Param<Fs> overhead{
        *this, Parameter::duration_ns("overhead_ns", "time per request of the fabric", "spec 2.6")
                   .default_val(0)};
    Param<std::uint32_t> flit_bytes{
        *this, Parameter::integer("flit_bytes", "size of a full flit", "B", "spec 2.2")
                   .range(1, 65536)
                   .from_machine()};
  };
  explicit OnePortTcm(const ComponentInit& init)
      : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward), parameters_(init.attributes),
        terminal_(arrivals_, *parameters_.overhead, *parameters_.flit_bytes) {
    add_statistic("bytes_read", "read through the port", Quantity::bytes, bytes_[0]);
    add_statistic("bytes_written", "written through the port", Quantity::bytes, bytes_[1]);
    add_busy_time("port_busy", "time that the port was held", port_.ended_holds(),
                  [this](Fs now) { return port_.held_time(now); });
  }

 private:
  // An engine asks. The port is granted at the end of the instant, when all requests of it are
  // known.
  tlm::tlm_sync_enum nb_transport_fw(TcmRequest& request, tlm::tlm_phase& /*phase*/) override {
    port_.request(&request, request.order, now());
    services().end_of_timestep().ask(*this, node());
    return tlm::TLM_ACCEPTED;
  }
  void end_of_timestep() override {
    guarded(services(), *this, [this] {
      if (!port_.grantable()) return;
      current_ = port_.grant(now());
      due_ = now() + transfer_fs(current_->bytes, *parameters_.port_bw_gbs);
      current_->respond(tlm::END_REQ);
      rearm();
    });
  }

  Fs next_due() const override { return std::min(terminal_.next_due(), due_); }
  void serve() override {
    if (due_ <= now()) {
      due_ = never_fs;
      port_.release(now());
      bytes_[current_->write ? 1 : 0] += current_->bytes;
      if (port_.waiting() > 0) services().end_of_timestep().ask(*this, node());
      current_->respond(tlm::BEGIN_RESP);
    }
    const auto answer = [this](Transaction& transaction, std::uint32_t flit, std::uint32_t count) {
      send(transaction, flit, count, 0, now());
    };
    terminal_.serve(now(), answer,
                    [this](const Arrival& arrival) { report_traversal(arrival, arrival.time); });
  }
  unsigned debug_access(tlm::tlm_generic_payload& payload, std::uint64_t /*offset*/) override {
    return kernbench::debug_access(machine_services(services()).data(), payload);
  }

  const Parameters parameters_;
  SerialResource<TcmRequest*> port_;
  TcmRequest* current_ = nullptr;  // holds the port
  Fs due_ = never_fs;
  std::array<std::uint64_t, 2> bytes_{};
  TerminalMemory terminal_;
  ServiceTarget<TcmRequest> accesses_{*this, *this};
};

void add_all(PluginRegistries& to) {
  to.components.add(implementation_of<OnePortTcm>("custom.one_port_tcm"));
}

}  // namespace

KERNBENCH_PLUGIN("one_port_tcm", add_all);
