// A plain, loosely-timed TLM-2.0 memory: SystemC and TLM-2.0 only, up to the registration at the
// end.
//
// Timing: an access takes latency_ns. The bridge of KernBench forwards one access at a time.
#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/base/plugin.h"
#include "models/tlm/external_modules.h"

namespace {

class @Class@Model final : public sc_core::sc_module {
 public:
  // Attributes of the module in addition to those of the bridge; optional, as the last argument of
  // add_target() and of the constructor.
  struct Parameters : kernbench::ParameterSet {
    using ParameterSet::ParameterSet;
    kernbench::Param<kernbench::Fs> latency{
        *this, kernbench::Parameter::duration_ns("latency_ns", "latency of an access", "assumption")
                   .default_val(20)};
  };
  @Class@Model(const sc_core::sc_module_name& name, const kernbench::Attributes& attributes)
      : sc_module(name), socket("socket"),
        latency_(sc_core::sc_time::from_value(*Parameters(attributes).latency)), bytes_(32 << 20) {
    socket.register_b_transport(this, &@Class@Model::b_transport);
    socket.register_transport_dbg(this, &@Class@Model::transport_dbg);
  }

  tlm_utils::simple_target_socket<@Class@Model> socket;

 private:
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) {
    const bool inside = access.get_address() + access.get_data_length() <= bytes_.size();
    if (inside) copy(access);
    delay += latency_;
    access.set_response_status(inside ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& access) {
    if (access.get_address() + access.get_data_length() > bytes_.size()) return 0;
    copy(access);
    return access.get_data_length();
  }
  void copy(tlm::tlm_generic_payload& access) {
    unsigned char* at = bytes_.data() + access.get_address();
    if (access.is_read()) std::memcpy(access.get_data_ptr(), at, access.get_data_length());
    if (access.is_write()) std::memcpy(at, access.get_data_ptr(), access.get_data_length());
  }

  const sc_core::sc_time latency_;  // the time resolution is 1 fs
  std::vector<unsigned char> bytes_;
};

void add_all(kernbench::PluginRegistries& to) {
  to.modules.add_target("custom.@name@", &@Class@Model::socket,
                        kernbench::schema_of<@Class@Model::Parameters>());
}

}  // namespace

KERNBENCH_PLUGIN("@name@", add_all);
