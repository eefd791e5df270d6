#include "models/tlm/tlm_initiator_bridge.h"

#include <algorithm>
#include <utility>

#include "models/tlm/tlm_bridges.h"

namespace kernbench {

TlmInitiatorBridge::TlmInitiatorBridge(
    const ComponentInit& init,
    const std::map<std::string, ExternalModules::MakeInitiator>& initiators)
    : TlmBridge(init), socket("socket"), parameters_(init.attributes), keys_(init.node),
      outstanding_signal_(
          add_signal("outstanding", "outstanding accesses", SignalFormat::count("accesses", 17))) {
  add_access_statistics("reads ended", "writes ended", "accesses with an error as response status");
  socket.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
  outside_ = initiators.at(*parameters_.module)("module", socket);
}

TlmAccess& TlmInitiatorBridge::admit(tlm::tlm_generic_payload& payload,
                                     std::vector<TlmAccess::Part> parts, Fs due) {
  auto access = std::make_unique<TlmAccess>();
  TlmAccess& admitted = *access;
  admitted.payload = &payload;
  admitted.due = due;
  admitted.awaited = parts.size();
  admitted.parts = std::move(parts);
  admitted.pending_wait =
      services().pending_waits().open(name(), "the end of " + admitted.str(), now(),
                                      [this, &admitted] { return missing_phase(admitted); });
  const auto later = std::find_if(waiting_.begin(), waiting_.end(),
                                  [due](const auto& other) { return other->due > due; });
  waiting_.insert(later, std::move(access));
  rearm();
  return admitted;
}

// Text for deadlock reports: the END_RESP that the module owes for the access, or for the previous
// one.
std::string TlmInitiatorBridge::missing_phase(const TlmAccess& access) const {
  if (responding_ == nullptr) return "";
  if (responding_ == &access)
    return fmt::format(": its module has not answered BEGIN_RESP of {} by END_RESP",
                       format_ns(begin_resp_at_));
  return fmt::format(": END_RESP for {} is missing", responding_->str());
}

// --- In the fabric

Fs TlmInitiatorBridge::next_due() const {
  Fs due = arrivals_.control_due();
  if (!waiting_.empty() && outstanding_ < *parameters_.max_outstanding)
    due = std::min(due, waiting_.front()->due);
  if (!leaving_.empty()) due = std::min(due, in_flight_[leaving_.front()]->due);
  if (!answered_.empty() && responding_ == nullptr) due = std::min(due, response_free_at_);
  return std::max(due, now());
}

void TlmInitiatorBridge::serve() {
  while (next_due() <= now()) {  // the module may send the next one during a call
    arrivals_.take_control(now(), 0, [this](const Arrival& arrival) {
      report_traversal(arrival, arrival.time);
      arrival.transaction->route().listener->completed(*arrival.transaction);
    });
    while (!waiting_.empty() && outstanding_ < *parameters_.max_outstanding &&
           waiting_.front()->due <= now())
      grant();
    while (!leaving_.empty() && in_flight_[leaving_.front()]->due <= now()) {
      TlmAccess& access = *in_flight_[leaving_.front()];
      leaving_.pop_front();
      send_request(access);
    }
    while (!answered_.empty() && responding_ == nullptr && response_free_at_ <= now()) respond();
  }
}

void TlmInitiatorBridge::grant() {
  std::unique_ptr<TlmAccess> access = std::move(waiting_.front());
  waiting_.pop_front();
  if (access->payload == nullptr) return services().pending_waits().close(access->pending_wait);
  ++outstanding_;
  outstanding_signal_.set(outstanding_);
  const auto place = std::find(in_flight_.begin(), in_flight_.end(), nullptr);
  const auto tag = static_cast<std::size_t>(place - in_flight_.begin());
  if (place == in_flight_.end()) in_flight_.emplace_back();
  TlmAccess& granted = *access;
  in_flight_[tag] = std::move(access);
  granted.due = now() + *parameters_.overhead;
  for (TlmAccess::Part& part : granted.parts) {
    part.transaction = machine_.pool().make();
    Transaction& transaction = *part.transaction;
    transaction.set_command(granted.payload->get_command());
    transaction.set_address(part.piece.physical);
    transaction.set_data_length(static_cast<unsigned>(part.piece.nbytes));
    RouteExtension& route = transaction.route();
    route.path = part.path;
    route.key = keys_.next(now());
    route.offset = part.piece.place.offset;
    route.posted = *parameters_.posted && transaction.is_write();
    route.listener = this;
    route.listener_tag = tag;
    if (transaction.is_write()) route.cut_flits(part.piece.nbytes, machine_.machine().flit_bytes);
  }
  leaving_.push_back(tag);
  if (requesting_ != &granted) return;
  requesting_ = nullptr;
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  outside("nb_transport_bw",
          [&] { return socket->nb_transport_bw(*granted.payload, phase, delay); });
}

void TlmInitiatorBridge::send_request(TlmAccess& access) {
  for (const TlmAccess::Part& part : access.parts) {
    Transaction& transaction = *part.transaction;
    const std::uint32_t flits = transaction.route().flits;
    if (flits == 0) send(transaction, 0, 0, 0, now());
    for (std::uint32_t flit = 0; flit < flits; ++flit) send(transaction, flit, 1, 0, now());
  }
}

void TlmInitiatorBridge::completed(Transaction& transaction) {
  const std::size_t tag = transaction.route().listener_tag;
  TlmAccess& access = *in_flight_[tag];
  const tlm::tlm_response_status status = transaction.get_response_status();
  if (status < tlm::TLM_INCOMPLETE_RESPONSE) {
    access.status = status;
    access.fault = fault_text(transaction);
  } else if (transaction.is_write()) {
    access.write_to_store(machine_.data(), transaction);
  } else {
    access.read_from_store(machine_.data(), transaction);
  }
  if (--access.awaited > 0) return;
  if (access.payload == nullptr) return end(access);
  if (access.caller == nullptr) {
    answered_.push_back(tag);
    return rearm();
  }
  resolve(access);
  access.caller->done = true;
  access.caller->returned.notify(sc_core::SC_ZERO_TIME);
  end(access);
}

// --- Values

void TlmInitiatorBridge::committed(Transaction& transaction) {
  in_flight_[transaction.route().listener_tag]->write_to_store(machine_.data(), transaction);
}

bool TlmInitiatorBridge::provide_byte_enables(const Transaction& transaction, unsigned char* out) {
  return in_flight_[transaction.route().listener_tag]->provide_byte_enables(transaction, out);
}

bool TlmInitiatorBridge::provide_bytes(const Transaction& transaction, unsigned char* out) {
  return in_flight_[transaction.route().listener_tag]->provide_bytes(transaction, out);
}

void TlmInitiatorBridge::take_bytes(const Transaction& transaction, const unsigned char* bytes) {
  in_flight_[transaction.route().listener_tag]->take_bytes(transaction, bytes);
}

// --- Back

void TlmInitiatorBridge::respond() {
  TlmAccess& access = *in_flight_[answered_.front()];
  answered_.pop_front();
  resolve(access);
  responding_ = &access;
  begin_resp_at_ = now();
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_sync_enum answer = outside(
      "nb_transport_bw", [&] { return socket->nb_transport_bw(*access.payload, phase, delay); });
  if (answer == tlm::TLM_ACCEPTED) return;
  if (responding_ != &access) {  // END_RESP arrived during the call
    broken_protocol("END_RESP twice: by nb_transport_fw, and as the answer to BEGIN_RESP");
    return;
  }
  if (answer != tlm::TLM_COMPLETED && (answer != tlm::TLM_UPDATED || phase != tlm::END_RESP)) {
    broken_protocol("BEGIN_RESP is answered by TLM_UPDATED with another phase than END_RESP");
    return;
  }
  response_free_at_ = after(delay.value());
  end(access);
}

void TlmInitiatorBridge::resolve(TlmAccess& access) {
  access.payload->set_response_status(access.status);
  count_access(*access.payload, access.status == tlm::TLM_OK_RESPONSE, [&access] {
    return fmt::format("{}: {}{}", access.str(), access.payload->get_response_string(),
                       access.fault);
  });
}

void TlmInitiatorBridge::end(TlmAccess& access) {
  if (responding_ == &access) responding_ = nullptr;
  services().pending_waits().close(access.pending_wait);
  if (access.caller == nullptr && access.payload != nullptr) access.payload->release();
  std::find_if(in_flight_.begin(), in_flight_.end(), [&](const auto& other) {
    return other.get() == &access;
  })->reset();
  --outstanding_;
  outstanding_signal_.set(outstanding_);
  rearm();
}

Implementation tlm_initiator_bridge_implementation(const ExternalModules& modules) {
  return bridge_implementation<TlmInitiatorBridge>("builtin.tlm_initiator_bridge",
                                                   modules.initiators());
}

Implementation tlm_initiator_implementation(
    const std::string& name,
    const ExternalModules::Declared<ExternalModules::MakeInitiatorOf>& module) {
  return module_implementation<TlmInitiatorBridge, ExternalModules::MakeInitiator>(name, module);
}

}  // namespace kernbench
