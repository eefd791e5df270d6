// Plain TLM-2.0 targets of `kernbench_modules`, which replace the SRAM: what one does with a
// request.
#include <sysc/kernel/sc_spawn.h>
#include <tlm_utils/simple_target_socket.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <systemc>
#include <tlm>

#include "models/tlm/external_modules.h"
#include "tests/support/plain_tlm/lt_memory.h"

namespace kernbench {

void add_targets(ExternalModules& modules);

namespace {

using sc_core::sc_time;

class Target final : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
 public:
  using Behaviour =
      std::function<tlm::tlm_sync_enum(Target&, tlm::tlm_generic_payload&, tlm::tlm_phase&)>;
  Target(const sc_core::sc_module_name& name, Behaviour behaviour)
      : sc_module(name), socket("socket"), behaviour_(std::move(behaviour)) {
    socket.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
  }
  tlm::tlm_target_socket<32> socket;

  void backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase,
                sc_time delay = sc_core::SC_ZERO_TIME) {
    socket->nb_transport_bw(payload, phase, delay);
  }
  static tlm::tlm_sync_enum answered(tlm::tlm_generic_payload& payload, int status) {
    payload.set_response_status(static_cast<tlm::tlm_response_status>(status));
    return tlm::TLM_COMPLETED;
  }

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_time&) override {
    return behaviour_(*this, payload, phase);
  }
  void b_transport(tlm::tlm_generic_payload&, sc_time&) override {}
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }

  Behaviour behaviour_;
};

// Its delay passes the end of time; the wait for it is that of the socket. After: ns in
// b_transport.
template <int After>
class Slow final : public sc_core::sc_module {
 public:
  explicit Slow(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &Slow::b_transport);
  }
  tlm_utils::simple_target_socket<Slow> socket;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_time& delay) {
    sc_core::wait(After, sc_core::SC_NS);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    delay = sc_core::sc_max_time();
  }
};

}  // namespace

void add_targets(ExternalModules& modules) {
  using P = tlm::tlm_generic_payload;
  using Phase = tlm::tlm_phase;
  const auto target = [&](const std::string& name, const Target::Behaviour& behaviour) {
    modules.add_target("test." + name,
                       [behaviour](const char* leaf, ExternalModules::InitiatorSocket& bridge) {
                         auto made = std::make_unique<Target>(leaf, behaviour);
                         ExternalModules::bind(bridge, made->socket);
                         return made;
                       });
  };
  modules.add_target("test.memory", &plain_tlm::LtMemory::socket);
  target("strobes", [](Target& t, P& p, Phase&) {  // a memory with byte enables
    static unsigned char memory[1 << 12];
    for (unsigned i = 0; i < p.get_data_length(); ++i) {
      if (p.get_byte_enable_ptr() != nullptr &&
          p.get_byte_enable_ptr()[i % p.get_byte_enable_length()] == TLM_BYTE_DISABLED)
        continue;
      unsigned char& mine = memory[p.get_address() + i];
      (p.is_write() ? mine : p.get_data_ptr()[i]) = p.is_write() ? p.get_data_ptr()[i] : mine;
    }
    return t.answered(p, tlm::TLM_OK_RESPONSE);
  });
  target("incomplete", [](Target&, P&, Phase&) { return tlm::TLM_COMPLETED; });
  target("no_status", [](Target& t, P& p, Phase&) { return t.answered(p, 77); });
  target("refuses",
         [](Target& t, P& p, Phase&) { return t.answered(p, tlm::TLM_ADDRESS_ERROR_RESPONSE); });
  target("throws_forward", [](Target&, P&, Phase&) -> tlm::tlm_sync_enum {
    throw std::runtime_error("no row is open");
  });
  target("throws_42_forward", [](Target&, P&, Phase&) -> tlm::tlm_sync_enum { throw 42; });
  target("reports_forward", [](Target&, P&, Phase&) {
    SC_REPORT_ERROR("acme/dram", "no row is open");
    return tlm::TLM_COMPLETED;
  });
  modules.add_target("test.waits_for_ever", &Slow<0>::socket);
  modules.add_target("test.waits_for_ever_later", &Slow<5>::socket);
  target("begin_resp_after_the_end", [](Target& t, P& p, Phase& phase) {
    if (phase == tlm::BEGIN_REQ) t.backward(p, tlm::BEGIN_RESP, sc_core::sc_max_time());
    return tlm::TLM_ACCEPTED;
  });
  target("only_end_req", [](Target&, P&, Phase& phase) {
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  });
  target("never_answers", [](Target&, P&, Phase&) { return tlm::TLM_ACCEPTED; });
  target("updates_wrongly", [](Target&, P&, Phase& phase) {
    phase = tlm::END_RESP;
    return tlm::TLM_UPDATED;
  });
  target("answers_twice", [](Target& t, P& p, Phase&) {
    t.backward(p, tlm::BEGIN_RESP);
    return t.answered(p, tlm::TLM_OK_RESPONSE);
  });
  target("end_req_twice", [](Target& t, P& p, Phase& phase) {
    if (phase == tlm::BEGIN_REQ) t.backward(p, tlm::END_REQ), t.backward(p, tlm::END_REQ);
    return tlm::TLM_ACCEPTED;
  });
  target("initiators_phase", [](Target& t, P& p, Phase&) {
    t.backward(p, tlm::BEGIN_REQ);
    return tlm::TLM_ACCEPTED;
  });
  target("deletes", [](Target&, P& p, Phase&) {
    delete &p;
    return tlm::TLM_COMPLETED;
  });
  target("releases", [](Target&, P& p, Phase&) {
    p.release();
    return tlm::TLM_COMPLETED;
  });
  target("keeps", [](Target& t, P& p, Phase&) {
    p.acquire();
    return t.answered(p, tlm::TLM_OK_RESPONSE);
  });
  target("changes_pointer", [](Target& t, P& p, Phase&) {
    static unsigned char mine[64];
    p.set_data_ptr(mine);
    return t.answered(p, tlm::TLM_OK_RESPONSE);
  });
  target("stale", [](Target& t, P& p, Phase&) {
    static P* last = nullptr;
    if (last != nullptr && last != &p) return t.answered(p, tlm::TLM_OK_RESPONSE);
    last = &p;
    sc_core::sc_spawn(
        [&t, &p] {
          sc_core::wait(100, sc_core::SC_NS);
          t.backward(p, tlm::BEGIN_RESP);
        },
        "late");
    return t.answered(p, tlm::TLM_OK_RESPONSE);
  });
}

}  // namespace kernbench
