// A plain loosely-timed TLM-2.0 initiator: runs a program on a thread.
#pragma once

#include <sysc/kernel/sc_spawn.h>

#include <functional>
#include <systemc>
#include <tlm>
#include <utility>

#include "tests/support/plain_tlm/payload_pool.h"

namespace plain_tlm {

class LtInitiator final : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  using Program = std::function<void(LtInitiator&)>;
  // Each program runs on a thread of its own.
  LtInitiator(const sc_core::sc_module_name& name, const std::vector<Program>& programs)
      : sc_module(name), socket("socket") {
    socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    for (const Program& program : programs)
      sc_core::sc_spawn([this, program] { program(*this); },
                        sc_core::sc_gen_unique_name("program"));
  }

  tlm::tlm_initiator_socket<> socket;

  struct Result {
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
    bool dmi_allowed = false;
    sc_core::sc_time delay;  // annotated when the call returned
  };
  // Changes the payload before the call, for what is out of the ordinary.
  using Adjust = std::function<void(tlm::tlm_generic_payload&)>;
  Result transport(tlm::tlm_command command, sc_dt::uint64 address,
                   std::vector<unsigned char>& data,
                   const sc_core::sc_time& delay = sc_core::SC_ZERO_TIME,
                   const Adjust& adjust = {}) {
    tlm::tlm_generic_payload payload;
    prepare(payload, command, address, data);
    if (adjust) adjust(payload);
    Result result;
    result.delay = delay;
    socket->b_transport(payload, result.delay);
    result.status = payload.get_response_status();
    result.dmi_allowed = payload.is_dmi_allowed();
    return result;
  }
  Result write(sc_dt::uint64 address, std::vector<unsigned char> data) {
    return transport(tlm::TLM_WRITE_COMMAND, address, data);
  }
  std::vector<unsigned char> read(sc_dt::uint64 address, std::size_t length) {
    std::vector<unsigned char> data(length, 0xee);
    const Result result = transport(tlm::TLM_READ_COMMAND, address, data);
    return result.status == tlm::TLM_OK_RESPONSE ? data : std::vector<unsigned char>{};
  }
  unsigned debug(tlm::tlm_command command, sc_dt::uint64 address,
                 std::vector<unsigned char>& data) {
    tlm::tlm_generic_payload payload;
    prepare(payload, command, address, data);
    return socket->transport_dbg(payload);
  }

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                     sc_core::sc_time&) override {
    SC_REPORT_ERROR("lt_initiator",
                    "nb_transport_bw of an initiator that never calls nb_transport_fw");
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

}  // namespace plain_tlm
