// Bridge to a plain TLM-2.0 memory in the place of a memory node behind a router.
//
// Timing (spec 2.1): overhead_ns after the last flit of a write, or the command of a read,
// BEGIN_REQ goes out with a payload of the bridge's own and the offset in the memory as address;
// one at a time, in order of arrival. At the instant of BEGIN_RESP (its annotated delay included)
// END_RESP goes out, and then the response as an SRAM's does: the whole of it at once (spec 2.6); a
// posted write completes there. The memory's time is its own. A target that answers early
// (TLM_UPDATED, TLM_COMPLETED) is understood. Errors: the target's response status becomes that of
// the transaction, and a message without data goes back. Values: the memory gets the bytes of every
// write (zeros for values that only phase 2 knows), and its own bytes answer reads by TLM-2.0
// initiators and transport_dbg. Host and kernels see the memory store as ever, to which all writes
// go too; they do not see bytes that the memory changes by itself. Not modelled: DMI, byte enables,
// several requests at a time.
#pragma once

#include <memory>
#include <vector>

#include "models/address/phys_addr.h"
#include "models/base/component_registry.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/machine_services.h"
#include "models/tlm/external_modules.h"

namespace kernbench {

class TlmTargetBridge final : public FabricNode, private tlm::tlm_bw_transport_if<> {
 public:
  static constexpr const char* description =
      "a plain TLM-2.0 memory (base protocol) in the place of sram or hbm_ctrl";
  static constexpr std::array roles{Role::sram, Role::hbm_ctrl};
  struct Parameters : ParameterSet {
    explicit Parameters(std::vector<std::string> modules) : modules_(std::move(modules)) {}
    explicit Parameters(const Attributes& values) : ParameterSet(values) {}

   private:
    std::vector<std::string> modules_;  // that `module` may name

   public:
    Param<std::string> module{
        *this, Parameter::choice("module", "the plain TLM-2.0 memory behind the bridge", modules_,
                                 "spec 2.1")};
    Param<Fs> overhead{
        *this, Parameter::duration_ns(
                   "overhead_ns", "from the last flit or the command to BEGIN_REQ", "assumption")
                   .default_val(0)};
    Param<std::int64_t> size_mb{
        // read by the address map
        *this, Parameter::integer("size_mb", "capacity, in the place of sram", "MiB", "spec 1.2")
                   .default_val(32)
                   .range(1, PhysAddr::cube_sram_bytes >> 20)};
    Param<std::uint32_t> flit_bytes{
        *this, Parameter::integer("flit_bytes", "size of a full flit", "B", "spec 2.2")
                   .range(1, 65536)
                   .from_machine()};
  };
  // `module` names one of the targets; they are those that are known by now.
  static Implementation implementation(const std::string& name, const ExternalModules& modules);

  TlmTargetBridge(const ComponentInit& init,
                  const std::map<std::string, ExternalModules::MakeTarget>& targets);

  ExternalModules::InitiatorSocket socket;

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 /*start*/, sc_dt::uint64 /*end*/) override {}
  unsigned debug_access(tlm::tlm_generic_payload& payload, std::uint64_t offset) override;

  Fs next_due() const override;
  void serve() override;
  void begin();
  void bytes_to_write(Transaction& transaction);
  void answered(Fs at, bool end_resp_wanted);
  void finish();
  tlm::tlm_sync_enum broken_protocol(const std::string& what);

  MachineServices& machine_;
  const Parameters parameters_;
  Arrival current_;  // under way outside
  TransactionHandle outside_payload_;
  std::vector<unsigned char> bytes_;
  Fs answer_at_ = never_fs;
  bool end_resp_wanted_ = false;
  TraceSignal& busy_;
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t bytes_written_ = 0;
  std::uint64_t errors_ = 0;
  std::unique_ptr<sc_core::sc_module> outside_;
};

}  // namespace kernbench
