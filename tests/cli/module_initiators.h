// Plain TLM-2.0 initiators of kernbench_modules: what one does is a function, which runs on its
// process or in a callback of SystemC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "models/address/phys_addr.h"
#include "models/tlm/external_modules.h"
#include "tests/support/plain_tlm/payload_pool.h"

namespace kernbench::test {

using sc_core::sc_time;
constexpr auto ns = sc_core::SC_NS;
constexpr auto read_command = tlm::TLM_READ_COMMAND, write_command = tlm::TLM_WRITE_COMMAND;

inline std::uint64_t hbm(std::uint64_t offset = 0) {
  return PhysAddr::pe_hbm_addr(0, 0, 0, offset, std::uint64_t{6} << 30).encode();
}
inline std::uint64_t sram(std::uint64_t offset = 0) {
  return PhysAddr::cube_sram_addr(0, 0, offset).encode();
}

// --- Initiators: what one does on its process

template <unsigned Width>
class Initiator final : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  enum class On { thread, method, two_threads, elaborated, started, stopped };
  using Behaviour = std::function<void(Initiator&)>;

  SC_HAS_PROCESS(Initiator);
  Initiator(const sc_core::sc_module_name& name, Behaviour behaviour, On on)
      : sc_module(name), socket("socket"), other("other"), on_(on),
        behaviour_(std::move(behaviour)) {
    socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    if (on == On::method) {
      SC_METHOD(run);
    } else if (on == On::thread || on == On::two_threads) {
      SC_THREAD(run);
    }
    if (on == On::two_threads) SC_THREAD(run_too);
  }

  tlm::tlm_initiator_socket<Width> socket;
  sc_core::sc_event other;
  bool first = false;  // of two threads: the one that runs
  std::function<tlm::tlm_sync_enum(tlm::tlm_generic_payload&, tlm::tlm_phase&)> on_backward;
  plain_tlm::PayloadPool pool;

  using Adjust = std::function<void(tlm::tlm_generic_payload&)>;
  bool access(tlm::tlm_command command, std::uint64_t address, std::vector<unsigned char>& data,
              const Adjust& adjust = {}) {
    tlm::tlm_generic_payload payload;
    plain_tlm::prepare(payload, command, address, data);
    if (adjust) adjust(payload);
    sc_time delay;
    socket->b_transport(payload, delay);
    return payload.is_response_ok();
  }
  bool read(std::uint64_t address, std::size_t length = 64, const Adjust& adjust = {}) {
    std::vector<unsigned char> data(length);
    return access(read_command, address, data, adjust);
  }
  // BEGIN_REQ, or another phase first.
  tlm::tlm_generic_payload& begin(std::uint64_t address, tlm::tlm_phase phase = tlm::BEGIN_REQ) {
    tlm::tlm_generic_payload& payload = pool.take();
    plain_tlm::prepare(payload, read_command, address, block_);
    sc_time delay;
    socket->nb_transport_fw(payload, phase, delay);
    return payload;
  }
  void end(tlm::tlm_generic_payload& payload) {
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_time delay;
    socket->nb_transport_fw(payload, phase, delay);
  }

 private:
  void run() { behaviour_(*this); }
  void run_if(On on) {
    if (on == on_) behaviour_(*this);
  }
  void end_of_elaboration() override { run_if(On::elaborated); }
  void start_of_simulation() override { run_if(On::started); }
  void end_of_simulation() override { run_if(On::stopped); }
  void run_too() { behaviour_(*this); }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_time&) override {
    return on_backward ? on_backward(payload, phase) : tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  On on_;
  Behaviour behaviour_;
  std::vector<unsigned char> block_ = std::vector<unsigned char>(64);
};

using I = Initiator<64>;

template <unsigned Width = 64>
void add(ExternalModules& modules, const std::string& name,
         typename Initiator<Width>::Behaviour behaviour,
         typename Initiator<Width>::On on = Initiator<Width>::On::thread) {
  modules.add_initiator("test." + name,
                        [behaviour, on](const char* leaf, ExternalModules::TargetSocket& bridge) {
                          auto made = std::make_unique<Initiator<Width>>(leaf, behaviour, on);
                          ExternalModules::bind(made->socket, bridge);
                          return made;
                        });
}

}  // namespace kernbench::test
