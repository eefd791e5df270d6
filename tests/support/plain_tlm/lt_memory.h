// A plain loosely-timed TLM-2.0 memory: b_transport, which annotates its latency, and
// transport_dbg.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include "tests/support/plain_tlm/byte_array.h"

namespace plain_tlm {

class LtMemory final : public sc_core::sc_module {
 public:
  explicit LtMemory(const sc_core::sc_module_name& name, std::size_t size = 1 << 16,
                    const sc_core::sc_time& latency = sc_core::sc_time(30, sc_core::SC_NS))
      : sc_module(name), socket("socket"), contents(size), latency_(latency) {
    socket.register_b_transport(this, &LtMemory::b_transport);
    socket.register_transport_dbg(this, &LtMemory::transport_dbg);
  }

  tlm_utils::simple_target_socket<LtMemory> socket;
  ByteArray contents;
  std::vector<Request> requests;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    requests.push_back({payload.get_command(), payload.get_address(), payload.get_data_length(),
                        sc_core::sc_time_stamp() + delay});
    contents.access(payload);
    delay += latency_;
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return contents.debug(payload); }

  sc_core::sc_time latency_;
};

}  // namespace plain_tlm
