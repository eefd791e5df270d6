#include "tests/support/plain_tlm/protocol_checker.h"

namespace plain_tlm {
namespace {

bool is_ignorable(const tlm::tlm_phase& phase) {
  return static_cast<unsigned>(phase) > tlm::END_RESP;
}

std::string text_of(const tlm::tlm_phase& phase) { return phase.get_name(); }

}  // namespace

ProtocolChecker::ProtocolChecker(const sc_core::sc_module_name& name)
    : sc_module(name), from_initiator("from_initiator"), to_target("to_target") {
  from_initiator.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
  to_target.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
}

void ProtocolChecker::breach(const std::string& what) const {
  SC_REPORT_ERROR(
      "base_protocol",
      (std::string(name()) + " at " + sc_core::sc_time_stamp().to_string() + ": " + what).c_str());
}

ProtocolChecker::Attributes::Attributes(const Payload& payload)
    : command(payload.get_command()), address(payload.get_address()), data(payload.get_data_ptr()),
      length(payload.get_data_length()), streaming_width(payload.get_streaming_width()),
      byte_enable_length(payload.get_byte_enable_length()),
      byte_enables(payload.get_byte_enable_ptr()) {
  if (payload.is_write() && data != nullptr) written.assign(data, data + length);
}

bool ProtocolChecker::Attributes::same_as(const Payload& payload, std::string& difference) const {
  const Attributes now(payload);
  if (now.command != command) difference = "command";
  if (now.address != address) difference = "address";
  if (now.data != data) difference = "data pointer";
  if (now.length != length) difference = "data length";
  if (now.streaming_width != streaming_width) difference = "streaming width";
  if (now.byte_enables != byte_enables || now.byte_enable_length != byte_enable_length)
    difference = "byte enables";
  if (difference.empty() && now.written != written) difference = "bytes of a write";
  return difference.empty();
}

void ProtocolChecker::check_attributes(const Payload& payload, const Course& course) {
  std::string difference;
  if (!course.attributes.same_as(payload, difference))
    breach("the " + difference + " changed in flight");
}

void ProtocolChecker::begin(Payload& payload, const sc_core::sc_time& at, bool blocking) {
  if (courses_.count(&payload) != 0)
    return breach("a payload is taken again before its transaction has ended");
  if (!blocking && !payload.has_mm())
    return breach("BEGIN_REQ with a payload that has no memory manager");
  if (!blocking && payload.get_ref_count() < 1) return breach("a payload without a reference");
  if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE)
    return breach("the response status is set before the request");
  if (payload.is_dmi_allowed()) return breach("dmi_allowed is set before the request");
  courses_.emplace(&payload, Course{Attributes(payload), tlm::BEGIN_REQ, at});
}

// Files a phase of a transaction that has begun.
void ProtocolChecker::advance(Payload& payload, const tlm::tlm_phase& phase,
                              const sc_core::sc_time& at) {
  const auto found = courses_.find(&payload);
  if (found == courses_.end())
    return breach(text_of(phase) + " of a transaction that is not outstanding");
  Course& course = found->second;
  check_attributes(payload, course);
  if (payload.has_mm() && payload.get_ref_count() < 1)
    return breach("a payload without a reference");
  const tlm::tlm_phase before = course.phase;
  const bool in_order =
      (phase == tlm::END_REQ && before == tlm::BEGIN_REQ) ||
      (phase == tlm::BEGIN_RESP && (before == tlm::BEGIN_REQ || before == tlm::END_REQ)) ||
      (phase == tlm::END_RESP && before == tlm::BEGIN_RESP);
  if (!in_order) return breach(text_of(phase) + " after " + text_of(before));
  if (at < course.at) return breach(text_of(phase) + " is earlier than " + text_of(before));
  course.phase = phase;
  course.at = at;
  if (requesting_ == &payload) requesting_ = nullptr;
  if (phase == tlm::END_REQ && payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE)
    return breach("the response status is set before the response");
  if (phase == tlm::BEGIN_RESP) {
    if (responding_ != nullptr)
      return breach("BEGIN_RESP before the END_RESP of the response before");
    if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
      return breach("BEGIN_RESP without a response status");
    responding_ = &payload;
  }
  if (phase == tlm::END_RESP) end(payload);
}

void ProtocolChecker::end(Payload& payload) {
  if (requesting_ == &payload) requesting_ = nullptr;
  if (responding_ == &payload) responding_ = nullptr;
  courses_.erase(&payload);
  ++ended_;
}

void ProtocolChecker::check_return(Payload& payload, tlm::tlm_sync_enum answer,
                                   const tlm::tlm_phase& before, const tlm::tlm_phase& after,
                                   const sc_core::sc_time& passed,
                                   const sc_core::sc_time& returned) {
  if (answer == tlm::TLM_ACCEPTED) {
    if (after != before) breach("TLM_ACCEPTED with another phase: " + text_of(after));
    if (returned != passed) breach("TLM_ACCEPTED with another annotated time");
    return;
  }
  if (returned < passed) breach("the annotated time shrank in a call");
  const sc_core::sc_time at = sc_core::sc_time_stamp() + returned;
  if (answer == tlm::TLM_UPDATED) return advance(payload, after, at);
  const auto found = courses_.find(&payload);
  if (found == courses_.end()) return;  // its END_RESP has been filed
  check_attributes(payload, found->second);
  if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
    breach("TLM_COMPLETED without a response status");
  end(payload);
}

tlm::tlm_sync_enum ProtocolChecker::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
  if (is_ignorable(phase)) return to_target->nb_transport_fw(payload, phase, delay);
  const sc_core::sc_time at = sc_core::sc_time_stamp() + delay;
  if (phase == tlm::BEGIN_REQ) {
    if (requesting_ != nullptr) breach("BEGIN_REQ before the END_REQ of the previous request");
    begin(payload, at, false);
    requesting_ = &payload;
  } else if (phase == tlm::END_RESP) {
    advance(payload, phase, at);
  } else {
    breach(text_of(phase) + " on the forward path");
  }
  const tlm::tlm_phase before = phase;
  const sc_core::sc_time passed = delay;
  const tlm::tlm_sync_enum answer = to_target->nb_transport_fw(payload, phase, delay);
  if (before == tlm::END_RESP) return answer;  // the transaction has ended whatever the answer
  if (answer == tlm::TLM_UPDATED && phase != tlm::END_REQ && phase != tlm::BEGIN_RESP)
    breach("TLM_UPDATED to " + text_of(phase) + " by a target");
  check_return(payload, answer, before, phase, passed, delay);
  return answer;
}

tlm::tlm_sync_enum ProtocolChecker::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
  if (is_ignorable(phase)) return from_initiator->nb_transport_bw(payload, phase, delay);
  if (phase != tlm::END_REQ && phase != tlm::BEGIN_RESP)
    breach(text_of(phase) + " on the backward path");
  advance(payload, phase, sc_core::sc_time_stamp() + delay);
  const tlm::tlm_phase before = phase;
  const sc_core::sc_time passed = delay;
  const tlm::tlm_sync_enum answer = from_initiator->nb_transport_bw(payload, phase, delay);
  if (answer == tlm::TLM_UPDATED && (before != tlm::BEGIN_RESP || phase != tlm::END_RESP))
    breach("TLM_UPDATED to " + text_of(phase) + " by an initiator");
  if (answer == tlm::TLM_COMPLETED && before == tlm::END_REQ) breach("TLM_COMPLETED to an END_REQ");
  check_return(payload, answer, before, phase, passed, delay);
  return answer;
}

void ProtocolChecker::b_transport(Payload& payload, sc_core::sc_time& delay) {
  if (sc_core::sc_get_current_process_handle().proc_kind() != sc_core::SC_THREAD_PROC_)
    breach("b_transport outside of a thread");
  begin(payload, sc_core::sc_time_stamp() + delay, true);
  const sc_core::sc_time entered = sc_core::sc_time_stamp() + delay;
  to_target->b_transport(payload, delay);
  const auto found = courses_.find(&payload);
  if (found == courses_.end())
    return breach("b_transport returned for a transaction that had ended");
  check_attributes(payload, found->second);
  if (sc_core::sc_time_stamp() + delay < entered)
    breach("b_transport returned before it was called");
  if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
    breach("b_transport returned without a response status");
  end(payload);
}

unsigned ProtocolChecker::transport_dbg(Payload& payload) {
  const sc_core::sc_time before = sc_core::sc_time_stamp();
  const Attributes attributes(payload);
  const unsigned count = to_target->transport_dbg(payload);
  std::string difference;
  if (!attributes.same_as(payload, difference)) breach("transport_dbg changed the " + difference);
  if (count > payload.get_data_length())
    breach("transport_dbg returned more bytes than were asked for");
  if (sc_core::sc_time_stamp() != before) breach("transport_dbg took time");
  return count;
}

void ProtocolChecker::check_nothing_is_in_flight() {
  if (!courses_.empty()) breach(std::to_string(courses_.size()) + " transactions have not ended");
}

}  // namespace plain_tlm
