// A plain traffic generator, approximately timed, pure SystemC up to the registration:
// plain.generator.
//
// Behaviour: 32 writes of 256 B to the HBM of cube 0, a request every 10 ns, at most four
// outstanding.
#include <tlm_utils/simple_initiator_socket.h>

#include <systemc>
#include <tlm>
#include <vector>

#include "models/base/plugin.h"
#include "models/tlm/external_modules.h"

namespace plain {
namespace {

class Generator final : public sc_core::sc_module, private tlm::tlm_mm_interface {
 public:
  SC_HAS_PROCESS(Generator);
  explicit Generator(const sc_core::sc_module_name& name)
      : sc_module(name), socket("socket"), data_(256, 0x5a) {
    socket.register_nb_transport_bw(this, &Generator::nb_transport_bw);
    SC_THREAD(run);
  }

  tlm_utils::simple_initiator_socket<Generator, 512> socket;

 private:
  // Physical: bit 37 chooses the HBM of a cube; beyond what benches allocate.
  static constexpr sc_dt::uint64 start = (sc_dt::uint64{1} << 37) + (sc_dt::uint64{3} << 30);

  void run() {
    for (unsigned i = 0; i < 32; ++i) {
      while (in_flight_ == 4) wait(ended_);
      request(start + i * data_.size());
      if (blocked_) wait(accepted_);  // one request at a time
      wait(10, sc_core::SC_NS);
    }
  }

  void request(sc_dt::uint64 address) {
    auto* access = new tlm::tlm_generic_payload(this);
    access->acquire();
    access->set_write();
    access->set_address(address);
    access->set_data_ptr(data_.data());
    access->set_data_length(static_cast<unsigned>(data_.size()));
    access->set_streaming_width(static_cast<unsigned>(data_.size()));
    ++in_flight_;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    const tlm::tlm_sync_enum answer = socket->nb_transport_fw(*access, phase, delay);
    blocked_ = answer == tlm::TLM_ACCEPTED;
    if (answer == tlm::TLM_COMPLETED || phase == tlm::BEGIN_RESP) end(*access);
  }

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& access, tlm::tlm_phase& phase,
                                     sc_core::sc_time& /*delay*/) {
    blocked_ = false;
    accepted_.notify(sc_core::SC_ZERO_TIME);
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    end(access);
    phase = tlm::END_RESP;
    return tlm::TLM_COMPLETED;
  }

  void end(tlm::tlm_generic_payload& access) {
    if (access.is_response_error()) SC_REPORT_ERROR(name(), access.get_response_string().c_str());
    --in_flight_;
    ended_.notify(sc_core::SC_ZERO_TIME);
    access.release();
  }
  void free(tlm::tlm_generic_payload* access) override { delete access; }

  std::vector<unsigned char> data_;
  unsigned in_flight_ = 0;
  bool blocked_ = false;
  sc_core::sc_event ended_, accepted_;
};

void add_all(kernbench::PluginRegistries& to) {
  to.modules.add_initiator("plain.generator", &Generator::socket);
}

}  // namespace
}  // namespace plain

KERNBENCH_PLUGIN("plain_generator", plain::add_all);
