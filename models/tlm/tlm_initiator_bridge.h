// Bridge from a plain TLM-2.0 initiator to the memories of the machine: base protocol outside, a
// node of the fabric inside.
//
// Timing (spec 2.1): a payload (b_transport, or BEGIN_REQ) enters after its annotated delay. It is
// granted when fewer than max_outstanding others are under way, first come first served; END_REQ
// then. overhead_ns after the grant all flits of a write, or the command of a read, stand at the
// link. BEGIN_RESP, or the return of b_transport, when the answer has arrived whole; with `posted`
// a write ends at its commit. One response at a time: the next BEGIN_RESP follows the END_RESP of
// the last. A place among max_outstanding is free again at the end of the access. An access that
// lies in several memories becomes one transaction each, issued together, complete when all are.
// Values: a write takes effect in the memory store at its commit, a read is sampled when its answer
// arrives. With data off writes are ignored and reads give zeros (a plain memory behind a
// TlmTargetBridge keeps its own bytes in any case). Response status: address error if a byte has no
// memory; command error for commands other than read and write; byte enable error; burst error for
// a length of 0 or a streaming width below the length; generic error for a value that only phase 2
// knows; else what the target answered. A refused access ends at once. DMI is refused;
// transport_dbg reaches every memory. Not modelled: byte enables, streaming, locks, ignorable
// phases.
#pragma once

#include <list>
#include <memory>
#include <vector>

#include "models/base/component_registry.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/memory_pieces.h"
#include "models/tlm/external_modules.h"

namespace kernbench {

class FunctionalModel;

class TlmInitiatorBridge final : public FabricNode,
                                 private tlm::tlm_fw_transport_if<>,
                                 private TransactionListener {
 public:
  static constexpr const char* description =
      "a plain TLM-2.0 initiator (base protocol) as an initiator of memory traffic";
  static constexpr std::array roles{Role::tlm_initiator};
  struct Parameters : ParameterSet {
    explicit Parameters(std::vector<std::string> modules) : modules_(std::move(modules)) {}
    explicit Parameters(const Attributes& values) : ParameterSet(values) {}

   private:
    std::vector<std::string> modules_;  // that `module` may name

   public:
    Param<std::string> module{
        *this, Parameter::choice("module", "the plain TLM-2.0 initiator behind the bridge",
                                 modules_, "spec 2.1")};
    Param<Fs> overhead{
        *this,
        Parameter::duration_ns(
            "overhead_ns", "from the grant of an access until it stands at the link", "assumption")
            .default_val(0)};
    Param<std::size_t> max_outstanding{
        *this,
        Parameter::integer("max_outstanding", "accesses granted and not ended", "", "assumption")
            .default_val(8)
            .range(1, 65536)};
    Param<bool> posted{
        *this, Parameter::boolean(
                   "posted", "a write ends at its commit, without an acknowledgement", "spec 2.1")
                   .default_val(false)};
  };
  // `module` names one of the initiators; they are those that are known by now.
  static Implementation implementation(const std::string& name, const ExternalModules& modules);

  TlmInitiatorBridge(const ComponentInit& init,
                     const std::map<std::string, ExternalModules::MakeInitiator>& initiators);

  ExternalModules::TargetSocket socket;

 private:
  // An outside thread in b_transport.
  struct Caller {
    sc_core::sc_event returned{""};
    bool done = false;
  };
  struct Part {
    MemoryPiece piece;
    const Path* path = nullptr;
    TransactionHandle transaction;
    bool written = false;
  };
  // A payload between its call and its end.
  struct Access {
    tlm::tlm_generic_payload* payload = nullptr;  // null: its thread has been killed
    Caller* caller = nullptr;                     // null: nb_transport
    Fs due = 0;                                   // of the next step: grant, departure
    std::vector<Part> parts;
    std::size_t awaited = 0;
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
    std::size_t pending_wait = 0;
  };
  using Accesses = std::list<std::unique_ptr<Access>>;

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;

  Fs next_due() const override;
  void serve() override;

  tlm::tlm_sync_enum begin_request(tlm::tlm_generic_payload& payload,
                                   const sc_core::sc_time& delay);
  tlm::tlm_sync_enum broken_protocol(const std::string& what);
  // Check of a payload: its error, or OK and its parts.
  tlm::tlm_response_status examine(const tlm::tlm_generic_payload& payload,
                                   std::vector<Part>& parts);
  Access& admit(tlm::tlm_generic_payload& payload, std::vector<Part> parts, Fs due);
  void grant();
  void send_request(Access& access);
  void completed(Transaction& transaction) override;
  void committed(Transaction& transaction) override;
  bool provide_bytes(const Transaction& transaction, unsigned char* out) override;
  void take_bytes(const Transaction& transaction, const unsigned char* bytes) override;
  Part& part_of(const Transaction& transaction) const;
  unsigned char* data_of(const Access& access, const Transaction& transaction) const;
  void write_to_store(const Access& access, Part& part);
  void read_from_store(Access& access, const Transaction& transaction);
  void respond();
  void resolve(Access& access);
  void end(Access& access);

  MachineServices& machine_;
  const Parameters parameters_;
  TieKeySource keys_;
  Accesses waiting_;                                // for the grant, by due
  std::vector<std::unique_ptr<Access>> under_way_;  // by tag; null: free
  std::list<std::size_t> leaving_;                  // granted, overhead not yet paid
  std::list<std::size_t> answered_;                 // by nb_transport, in order of completion
  Access* requesting_ = nullptr;                    // BEGIN_REQ without END_REQ
  Access* responding_ = nullptr;                    // BEGIN_RESP without END_RESP
  Fs response_free_at_ = 0;
  std::size_t outstanding_ = 0;
  TraceSignal& outstanding_signal_;
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t bytes_written_ = 0;
  std::uint64_t errors_ = 0;
  std::unique_ptr<sc_core::sc_module> outside_;
};

}  // namespace kernbench
