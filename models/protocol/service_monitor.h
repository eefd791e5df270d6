// Monitor between the two ends of a service (service_socket.h): checks the order of the phases of
// each payload. A part of service_socket.h.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/protocol/protocol_monitor.h"
#include "models/protocol/service_protocol.h"

namespace kernbench {

template <class Payload>
class ServiceMonitor final : public ProtocolMonitor,
                             private ServiceForward<Payload>,
                             private ServiceBackward<Payload> {
 public:
  ServiceMonitor(const sc_core::sc_module_name& name, const Connection& connection)
      : ProtocolMonitor(name, connection) {
    in.bind(static_cast<ServiceForward<Payload>&>(*this));
    out.bind(static_cast<ServiceBackward<Payload>&>(*this));
  }

  ServiceTargetSocket<Payload> in{"in"};
  ServiceInitiatorSocket<Payload> out{"out"};

  std::string unfinished() const override {
    return in_flight_.empty() ? "" : fmt::format("{} requests have not ended", in_flight_.size());
  }
  void add_held(std::vector<std::string>& lines) const override {
    for (const Request& each : in_flight_)
      lines.push_back(this->held(ServiceOf<Payload>::name, each.since, missing(each.state),
                                 each.state == State::responded));
  }

 private:
  static constexpr ServicePhases phases = ServiceOf<Payload>::phases;
  enum class State : std::uint8_t { requested, taken, responded, called };
  struct Request {
    const Payload* payload = nullptr;
    State state = State::requested;
    Fs since = 0;  // start of the state
  };
  // Next expected phase.
  static const char* missing(State state) {
    if (state == State::called) return "the return from b_transport";
    if (state == State::responded) return "END_RESP";
    return phases.end_req && state == State::requested ? "END_REQ" : "BEGIN_RESP";
  }

  Request* find(const Payload& payload) {
    const auto found = std::find_if(in_flight_.begin(), in_flight_.end(),
                                    [&](const Request& each) { return each.payload == &payload; });
    return found == in_flight_.end() ? nullptr : &*found;
  }
  void end(const Payload& payload) {
    in_flight_.erase(std::remove_if(in_flight_.begin(), in_flight_.end(),
                                    [&](const Request& each) { return each.payload == &payload; }),
                     in_flight_.end());
  }

  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (delay != sc_core::SC_ZERO_TIME) this->violation("an annotated delay");
    if (phase == tlm::END_RESP) return end_response(payload, phase, delay);
    if (phase != tlm::BEGIN_REQ) this->violation("a phase that is not the initiator's");
    if (find(payload) != nullptr) this->violation("BEGIN_REQ for a payload that is in flight");
    in_flight_.push_back({&payload, State::requested, Component::now()});
    tlm::tlm_sync_enum status;
    try {
      status = out->nb_transport_fw(payload, phase, delay);
    } catch (...) {  // refused
      end(payload);
      throw;
    }
    check_return(payload, status, phase);
    return status;
  }

  void check_return(Payload& payload, tlm::tlm_sync_enum status, const tlm::tlm_phase& phase) {
    if (status == tlm::TLM_COMPLETED) {
      if (!phases.early && (phases.end_req || phases.begin_resp))
        this->violation(fmt::format("TLM_COMPLETED to BEGIN_REQ, but {} is pending",
                                    missing(State::requested)));
      return end(payload);
    }
    if (status == tlm::TLM_UPDATED) return respond(payload, phase);
    if (!phases.end_req && !phases.begin_resp)
      this->violation("TLM_ACCEPTED, but the service is completed by the call");
  }

  tlm::tlm_sync_enum end_response(Payload& payload, tlm::tlm_phase& phase,
                                  sc_core::sc_time& delay) {
    const Request* request = find(payload);
    if (!phases.end_resp || request == nullptr || request->state != State::responded)
      this->violation("END_RESP for a payload that holds nothing");
    end(payload);
    return out->nb_transport_fw(payload, phase, delay);
  }

  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (delay != sc_core::SC_ZERO_TIME) this->violation("an annotated delay");
    respond(payload, phase);
    return in->nb_transport_bw(payload, phase, delay);
  }

  // END_REQ or BEGIN_RESP of the provider.
  void respond(Payload& payload, const tlm::tlm_phase& phase) {
    Request* request = find(payload);
    if (request == nullptr) return this->violation("a response to a payload that is not in flight");
    if (phase == tlm::END_REQ) {
      if (!phases.end_req || request->state != State::requested)
        this->violation("END_REQ for a payload that has been accepted");
      *request = {&payload, State::taken, Component::now()};
      if (!phases.begin_resp) end(payload);
    } else if (phase == tlm::BEGIN_RESP) {
      const State before = phases.end_req ? State::taken : State::requested;
      if (!phases.begin_resp || request->state != before)
        this->violation("BEGIN_RESP for a payload that has not been accepted, or twice");
      *request = {&payload, State::responded, Component::now()};
      if (!phases.end_resp) end(payload);
    } else {
      this->violation("a phase that is not the provider's");
    }
  }

  void b_transport(Payload& payload, sc_core::sc_time& delay) override {
    const Fs began = Component::now();
    in_flight_.push_back({&payload, State::called, began});
    try {
      out->b_transport(payload, delay);
    } catch (...) {
      end(payload);
      throw;
    }
    end(payload);
    if (Component::now() != began) this->violation("a b_transport that calls wait()");
  }
  unsigned transport_dbg(Payload& payload) override { return out->transport_dbg(payload); }
  bool get_direct_mem_ptr(Payload&, tlm::tlm_dmi&) override { return false; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  std::vector<Request> in_flight_;
};

}  // namespace kernbench
