// A plain approximately-timed TLM-2.0 initiator: sends its requests as early as their times and the
// request rule of the base protocol allow, whatever else is outstanding.
#pragma once

#include <deque>
#include <map>
#include <systemc>
#include <tlm>

#include "tests/support/plain_tlm/payload_pool.h"

namespace plain_tlm {

struct AtRequest {
  tlm::tlm_command command = tlm::TLM_READ_COMMAND;
  sc_dt::uint64 address = 0;
  std::vector<unsigned char> data{};  // a read's answer afterwards
  sc_core::sc_time start{};           // of the call, at the earliest
  sc_core::sc_time delay{};           // annotated to BEGIN_REQ

  // Afterwards:
  sc_core::sc_time called{}, end_req{}, begin_resp{};  // end_req stays 0 without one
  tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
  bool ended = false;
};

enum class EndResp { sent, returned_updated, returned_completed };

// Script and log of the initiator; outlives it.
struct AtScript {
  std::vector<AtRequest> requests;
  EndResp end_resp = EndResp::sent;
  sc_core::sc_time end_resp_delay;              // from BEGIN_RESP to END_RESP
  std::size_t payloads_left = ~std::size_t{0};  // not given back at the end of the simulation
};

class AtInitiator final : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  AtInitiator(const sc_core::sc_module_name& name, AtScript& script)
      : sc_module(name), socket("socket"), script_(script) {
    SC_HAS_PROCESS(AtInitiator);
    socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    SC_THREAD(send_requests);
    SC_THREAD(send_end_resps);
  }

  tlm::tlm_initiator_socket<> socket;

 private:
  void send_requests() {
    for (AtRequest& request : script_.requests) {
      if (request.start > sc_core::sc_time_stamp()) wait(request.start - sc_core::sc_time_stamp());
      while (requesting_ != nullptr) wait(request_free_);
      tlm::tlm_generic_payload& payload = pool_.take();
      prepare(payload, request.command, request.address, request.data);
      in_flight_[&payload] = &request;
      requesting_ = &payload;
      request.called = sc_core::sc_time_stamp();
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay = request.delay;
      const tlm::tlm_sync_enum answer = socket->nb_transport_fw(payload, phase, delay);
      if (answer == tlm::TLM_COMPLETED) {
        request.begin_resp = sc_core::sc_time_stamp() + delay;
        free_request(payload);
        end(payload);
      } else if (answer == tlm::TLM_UPDATED) {
        step(payload, phase, delay);
      }
    }
  }

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (phase == tlm::BEGIN_RESP && script_.end_resp != EndResp::sent) {
      begin_resp(payload, delay);
      phase = tlm::END_RESP;
      delay += script_.end_resp_delay;
      end(payload);
      return script_.end_resp == EndResp::returned_updated ? tlm::TLM_UPDATED : tlm::TLM_COMPLETED;
    }
    step(payload, phase, delay);
    return tlm::TLM_ACCEPTED;
  }

  void step(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase,
            const sc_core::sc_time& delay) {
    if (phase == tlm::END_REQ) {
      in_flight_.at(&payload)->end_req = sc_core::sc_time_stamp() + delay;
      free_request(payload);
    } else {
      begin_resp(payload, delay);
      to_end_.push_back({sc_core::sc_time_stamp() + delay + script_.end_resp_delay, &payload});
      end_resp_.notify(sc_core::SC_ZERO_TIME);
    }
  }

  void begin_resp(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) {
    in_flight_.at(&payload)->begin_resp = sc_core::sc_time_stamp() + delay;
    free_request(payload);
  }

  void free_request(tlm::tlm_generic_payload& payload) {
    if (requesting_ != &payload) return;
    requesting_ = nullptr;
    request_free_.notify(sc_core::SC_ZERO_TIME);
  }

  void send_end_resps() {
    for (;;) {
      while (to_end_.empty()) wait(end_resp_);
      const auto [at, payload] = to_end_.front();
      to_end_.pop_front();
      if (at > sc_core::sc_time_stamp()) wait(at - sc_core::sc_time_stamp());
      tlm::tlm_phase phase = tlm::END_RESP;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      socket->nb_transport_fw(*payload, phase, delay);
      end(*payload);
    }
  }

  void end(tlm::tlm_generic_payload& payload) {
    AtRequest& request = *in_flight_.at(&payload);
    request.status = payload.get_response_status();
    request.ended = true;
    in_flight_.erase(&payload);
    payload.release();
  }

  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  void end_of_simulation() override { script_.payloads_left = pool_.outstanding(); }

  AtScript& script_;
  PayloadPool pool_;
  std::map<tlm::tlm_generic_payload*, AtRequest*> in_flight_;
  tlm::tlm_generic_payload* requesting_ = nullptr;
  sc_core::sc_event request_free_;
  std::deque<std::pair<sc_core::sc_time, tlm::tlm_generic_payload*>> to_end_;
  sc_core::sc_event end_resp_;
};

}  // namespace plain_tlm
