// Bridge from a plain TLM-2.0 initiator to the memories of the machine: base protocol outside, a
// node of the fabric inside.
//
// Timing (spec 2.1): a payload (b_transport, or BEGIN_REQ) enters after its annotated delay. It is
// granted, with END_REQ, when fewer than max_outstanding others are in flight, first come first
// served. overhead_ns after the grant all flits of a write, or the command of a read, contend for
// the link. BEGIN_RESP is sent, or b_transport returns, when the whole answer has arrived; with
// `posted` a write ends at its commit. One response at a time: the next BEGIN_RESP follows the
// END_RESP of the last. A place among max_outstanding is free again at the end of the access. An
// access to several memories becomes one transaction each, issued together, complete when all are.
// Values: a write takes effect in the memory store at its commit, a read is sampled when its answer
// arrives. With data off writes are ignored and reads return zeros (a plain memory behind a
// TlmTargetBridge keeps its own bytes in any case). Response status: address error if a byte has no
// memory; command error for commands other than read and write; burst error for a length of 0 or
// above max_length_bytes, or a streaming width below the length; byte enable error for enables that
// are neither 0 nor 0xff, or of length 0; generic error for a null data pointer, or a value that
// only phase 2 knows; else the status of the target. A refused access ends at once. Byte enables
// choose the bytes that a write changes and a read returns; its time is that of all bytes. DMI is
// refused; transport_dbg reaches every memory, without byte enables. Not modelled: streaming,
// locks, ignorable phases.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "models/tlm/external_modules.h"
#include "models/tlm/tlm_access.h"
#include "models/tlm/tlm_bridge.h"

namespace kernbench {

class TlmInitiatorBridge final : public TlmBridge,
                                 private tlm::tlm_fw_transport_if<>,
                                 private TransactionListener {
 public:
  static constexpr const char* description =
      "a plain TLM-2.0 initiator (base protocol) as an initiator of memory traffic";
  static constexpr const char* module_description =
      "plain TLM-2.0 initiator, behind builtin.tlm_initiator_bridge";
  static constexpr std::array roles{Role::tlm_initiator};
  struct Parameters : TlmBridgeParameters {
    // A list of names, or attributes.
    template <class Source>
    explicit Parameters(const Source& source)
        : TlmBridgeParameters(source, "the plain TLM-2.0 initiator behind the bridge") {}
    Param<Fs> overhead{
        *this, Parameter::duration_ns(
                   "overhead_ns", "time from the grant of an access until it contends for the link",
                   "assumption")
                   .default_val(0)};
    Param<std::size_t> max_outstanding{
        *this, Parameter::integer("max_outstanding", "maximum number of outstanding accesses", "",
                                  "assumption")
                   .default_val(8)
                   .range(1, 65536)};
    Param<std::uint64_t> max_length_bytes{
        *this, Parameter::integer("max_length_bytes", "longest access", "B", "assumption")
                   .default_val(64 << 20)
                   .range(1, 1 << 30)};
    Param<bool> posted{
        *this, Parameter::boolean(
                   "posted", "a write ends at its commit, without an acknowledgement", "spec 2.1")
                   .default_val(false)};
  };
  TlmInitiatorBridge(const ComponentInit& init,
                     const std::map<std::string, ExternalModules::MakeInitiator>& initiators);

  ExternalModules::TargetSocket socket;

 private:
  using Accesses = std::list<std::unique_ptr<TlmAccess>>;

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  unsigned debug_step(tlm::tlm_generic_payload& payload, unsigned done, const MemoryPiece& piece,
                      std::uint64_t at, std::uint64_t nbytes);

  Fs next_due() const override;
  void serve() override;

  tlm::tlm_sync_enum begin_request(tlm::tlm_generic_payload& payload,
                                   const sc_core::sc_time& delay);
  // Sets the response status of a payload that is refused.
  bool refused(tlm::tlm_generic_payload& payload, std::vector<TlmAccess::Part>& parts);
  bool is_in_flight(const tlm::tlm_generic_payload& payload) const;
  TlmAccess& admit(tlm::tlm_generic_payload& payload, std::vector<TlmAccess::Part> parts, Fs due);
  void grant();
  void send_request(TlmAccess& access);
  void completed(Transaction& transaction) override;
  void committed(Transaction& transaction) override;
  bool provide_bytes(const Transaction& transaction, unsigned char* out) override;
  bool provide_byte_enables(const Transaction& transaction, unsigned char* out) override;
  void take_bytes(const Transaction& transaction, const unsigned char* bytes) override;
  void respond();
  std::string missing_phase(const TlmAccess& access) const;
  void resolve(TlmAccess& access);
  void end(TlmAccess& access);

  const Parameters parameters_;
  TieKeySource keys_;
  Accesses waiting_;                                   // accesses that wait for the grant, by due
  std::vector<std::unique_ptr<TlmAccess>> in_flight_;  // by tag; null: free
  std::list<std::size_t> leaving_;                     // granted, overhead not yet paid
  std::list<std::size_t> answered_;  // answered by nb_transport, in order of completion
  TlmAccess* requesting_ = nullptr;  // BEGIN_REQ without END_REQ
  TlmAccess* responding_ = nullptr;  // BEGIN_RESP without END_RESP
  Fs begin_resp_at_ = 0;             // instant for responding_
  Fs response_free_at_ = 0;
  std::size_t outstanding_ = 0;
  TraceSignal& outstanding_signal_;
  std::unique_ptr<sc_core::sc_module> outside_;  // destroyed before the members that it may call
};

}  // namespace kernbench
