// A plain, approximately-timed TLM-2.0 memory, SystemC and TLM-2.0 but for its parameter and its
// registration: plain.at_memory.
//
// Timing: END_REQ 5 ns after BEGIN_REQ, BEGIN_RESP latency_ns after that.
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/base/plugin.h"
#include "models/tlm/external_modules.h"

namespace plain {
namespace {

class AtMemory final : public sc_core::sc_module {
 public:
  struct Parameters : kernbench::ParameterSet {
    using ParameterSet::ParameterSet;
    kernbench::Param<kernbench::Fs> latency{
        *this, kernbench::Parameter::duration_ns("latency_ns", "time from END_REQ to BEGIN_RESP",
                                                 "assumption")
                   .default_val(30)};
  };
  AtMemory(const sc_core::sc_module_name& name, const kernbench::Attributes& attributes)
      : sc_module(name), socket("socket"),
        latency_(sc_core::sc_time::from_value(*Parameters(attributes).latency)), bytes_(32 << 20),
        queue_(this, &AtMemory::step) {
    socket.register_nb_transport_fw(this, &AtMemory::nb_transport_fw);
    socket.register_transport_dbg(this, &AtMemory::transport_dbg);
  }

  tlm_utils::simple_target_socket<AtMemory, 64> socket;

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& access, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    if (phase == tlm::END_RESP) {
      access.release();
      return tlm::TLM_COMPLETED;
    }
    access.acquire();
    queue_.notify(access, tlm::END_REQ, delay + sc_core::sc_time(5, sc_core::SC_NS));
    return tlm::TLM_ACCEPTED;
  }

  void step(tlm::tlm_generic_payload& access, const tlm::tlm_phase& due) {
    tlm::tlm_phase phase = due;
    sc_core::sc_time delay;
    if (phase == tlm::END_REQ) {
      queue_.notify(access, tlm::BEGIN_RESP, latency_);
    } else {
      access.set_response_status(copy(access) ? tlm::TLM_OK_RESPONSE
                                              : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
    if (socket->nb_transport_bw(access, phase, delay) == tlm::TLM_COMPLETED ||
        phase == tlm::END_RESP)
      access.release();
  }

  unsigned transport_dbg(tlm::tlm_generic_payload& access) {
    return copy(access) ? access.get_data_length() : 0;
  }

  bool copy(tlm::tlm_generic_payload& access) {
    if (access.get_address() + access.get_data_length() > bytes_.size()) return false;
    unsigned char* at = bytes_.data() + access.get_address();
    if (access.is_read()) std::memcpy(access.get_data_ptr(), at, access.get_data_length());
    if (access.is_write()) std::memcpy(at, access.get_data_ptr(), access.get_data_length());
    return true;
  }

  const sc_core::sc_time latency_;
  std::vector<unsigned char> bytes_;
  tlm_utils::peq_with_cb_and_phase<AtMemory> queue_;
};

void add_all(kernbench::PluginRegistries& to) {
  to.modules.add_target("plain.at_memory", &AtMemory::socket,
                        kernbench::schema_of<AtMemory::Parameters>());
}

}  // namespace
}  // namespace plain

KERNBENCH_PLUGIN("plain_memory", plain::add_all);
