// A plain approximately-timed TLM-2.0 memory: END_REQ and BEGIN_RESP at their times, by calls or as
// early answers.
#pragma once

#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>

#include "tests/support/plain_tlm/byte_array.h"

namespace plain_tlm {

enum class AtAnswer {
  four_phases,          // END_REQ and BEGIN_RESP by calls
  three_phases,         // BEGIN_RESP implies END_REQ
  updated_to_end_req,   // TLM_UPDATED with END_REQ; BEGIN_RESP by a call
  updated_to_response,  // TLM_UPDATED with BEGIN_RESP
  completed             // TLM_COMPLETED
};

class AtMemory final : public sc_core::sc_module {
 public:
  AtMemory(const sc_core::sc_module_name& name, AtAnswer answer, const sc_core::sc_time& accept,
           const sc_core::sc_time& latency)
      : sc_module(name), socket("socket"), contents(1 << 16), answer_(answer), accept_(accept),
        latency_(latency), queue_(this, &AtMemory::step) {
    socket.register_nb_transport_fw(this, &AtMemory::nb_transport_fw);
    socket.register_transport_dbg(this, &AtMemory::transport_dbg);
  }

  tlm_utils::simple_target_socket<AtMemory> socket;
  ByteArray contents;
  std::vector<Request> requests;
  std::vector<sc_core::sc_time> end_resps;
  std::size_t most_at_once = 0;

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    if (phase == tlm::END_RESP) {
      end_resps.push_back(sc_core::sc_time_stamp() + delay);
      end(payload);
      return tlm::TLM_COMPLETED;
    }
    requests.push_back({payload.get_command(), payload.get_address(), payload.get_data_length(),
                        sc_core::sc_time_stamp() + delay});
    payload.acquire();
    most_at_once = std::max(most_at_once, ++in_flight_);
    switch (answer_) {
      case AtAnswer::completed:
        contents.access(payload);
        delay += accept_ + latency_;
        end(payload);
        return tlm::TLM_COMPLETED;
      case AtAnswer::updated_to_response:
        contents.access(payload);
        phase = tlm::BEGIN_RESP;
        delay += accept_ + latency_;
        return tlm::TLM_UPDATED;
      case AtAnswer::updated_to_end_req:
        phase = tlm::END_REQ;
        delay += accept_;
        queue_.notify(payload, tlm::BEGIN_RESP, delay + latency_);
        return tlm::TLM_UPDATED;
      case AtAnswer::three_phases:
        queue_.notify(payload, tlm::BEGIN_RESP, delay + accept_ + latency_);
        return tlm::TLM_ACCEPTED;
      default:
        queue_.notify(payload, tlm::END_REQ, delay + accept_);
        return tlm::TLM_ACCEPTED;
    }
  }

  void step(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& due) {
    tlm::tlm_phase phase = due;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (phase == tlm::END_REQ) {
      queue_.notify(payload, tlm::BEGIN_RESP, latency_);
    } else {
      contents.access(payload);
    }
    const tlm::tlm_sync_enum answer = socket->nb_transport_bw(payload, phase, delay);
    if (due == tlm::BEGIN_RESP &&
        (answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP)))
      end(payload);
  }

  void end(tlm::tlm_generic_payload& payload) {
    --in_flight_;
    payload.release();
  }

  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return contents.debug(payload); }

  AtAnswer answer_;
  sc_core::sc_time accept_, latency_;
  std::size_t in_flight_ = 0;
  tlm_utils::peq_with_cb_and_phase<AtMemory> queue_;
};

}  // namespace plain_tlm
