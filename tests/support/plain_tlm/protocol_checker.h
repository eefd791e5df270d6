// Checker between an initiator and a target: passes every call on, and reports each breach of the
// TLM-2.0 base protocol (IEEE 1666-2011, 13 to 15) as an error of type "base_protocol".
//
// Checked: sender and order of the phases; one request at a time until END_REQ (or BEGIN_RESP), one
// response at a time until END_RESP; every attribute as the initiator set it, bytes of a write
// included; response status unset before and set with the response; dmi_allowed false at the start;
// a memory manager and a reference on every payload of nb_transport; no payload taken again before
// its end; annotated times that never shrink in a call and never go back from phase to phase; what
// TLM_ACCEPTED, TLM_UPDATED and TLM_COMPLETED permit; b_transport on threads only; nothing
// outstanding at the end of the simulation.
#pragma once

#include <map>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

namespace plain_tlm {

class ProtocolChecker final : public sc_core::sc_module,
                              private tlm::tlm_fw_transport_if<>,
                              private tlm::tlm_bw_transport_if<> {
 public:
  explicit ProtocolChecker(const sc_core::sc_module_name& name);

  tlm::tlm_target_socket<> from_initiator;
  tlm::tlm_initiator_socket<> to_target;

  std::size_t ended() const { return ended_; }  // transactions that took their course
  // Reports outstanding transactions; called at the end of the simulation too.
  void check_nothing_is_in_flight();

 private:
  using Payload = tlm::tlm_generic_payload;
  // Attributes that only the initiator sets.
  struct Attributes {
    explicit Attributes(const Payload& payload);
    bool same_as(const Payload& payload, std::string& difference) const;
    tlm::tlm_command command;
    sc_dt::uint64 address;
    const unsigned char* data;
    unsigned length, streaming_width, byte_enable_length;
    const unsigned char* byte_enables;
    std::vector<unsigned char> written;
  };
  struct Course {
    Attributes attributes;
    tlm::tlm_phase phase;
    sc_core::sc_time at;  // of the phase, annotation included
  };

  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(Payload& payload, sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override {
    return to_target->get_direct_mem_ptr(payload, dmi);
  }
  unsigned transport_dbg(Payload& payload) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override {
    from_initiator->invalidate_direct_mem_ptr(start, end);
  }
  void end_of_simulation() override { check_nothing_is_in_flight(); }

  void begin(Payload& payload, const sc_core::sc_time& at, bool blocking);
  void advance(Payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& at);
  void check_return(Payload& payload, tlm::tlm_sync_enum answer, const tlm::tlm_phase& before,
                    const tlm::tlm_phase& after, const sc_core::sc_time& passed,
                    const sc_core::sc_time& returned);
  void check_attributes(const Payload& payload, const Course& course);
  void end(Payload& payload);
  void breach(const std::string& what) const;

  std::map<Payload*, Course> courses_;
  Payload* requesting_ = nullptr;
  Payload* responding_ = nullptr;
  std::size_t ended_ = 0;
};

}  // namespace plain_tlm
