// Bridge from a plain TLM-2.0 initiator to the memories of the machine: base protocol outside, a
// node of the fabric inside.
//
// Timing (spec 2.1): a payload (b_transport, or BEGIN_REQ) enters after its annotated delay. It is
// granted when fewer than max_outstanding others are under way, first come first served; END_REQ
// then. overhead_ns after the grant all flits of a write, or the command of a read, stand at the
// link. BEGIN_RESP, or the return of b_transport, when the answer has arrived whole; with `posted`
// a write ends at its commit. One response at a time: the next BEGIN_RESP follows the END_RESP of
// the last. A place among max_outstanding is free again at the end of the access. An access that
// lies in several memories becomes one transaction each, issued together, complete when all are.
// Values: a write takes effect in the memory store at its commit, a read is sampled when its answer
// arrives. With data off writes are ignored and reads give zeros (a plain memory behind a
// TlmTargetBridge keeps its own bytes in any case). Response status: address error if a byte has no
// memory; command error for commands other than read and write; burst error for a length of 0 or
// above max_length_bytes, or a streaming width below the length; byte enable error for enables that
// are neither 0 nor 0xff, or of length 0; generic error for a null data pointer, or a value that
// only phase 2 knows; else what the target answered. A refused access ends at once. Byte enables
// choose the bytes that a write changes and a read returns; its time is that of all bytes. DMI is
// refused; transport_dbg reaches every memory, without byte enables. Not modelled: streaming,
// locks, ignorable phases.
#include <algorithm>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "models/tlm/tlm_access.h"
#include "models/tlm/tlm_bridge.h"
#include "models/tlm/tlm_bridges.h"

namespace kernbench {
namespace {

class TlmInitiatorBridge final : public TlmBridge,
                                 private tlm::tlm_fw_transport_if<>,
                                 private TransactionListener {
 public:
  static constexpr const char* description =
      "a plain TLM-2.0 initiator (base protocol) as an initiator of memory traffic";
  static constexpr const char* module_description =
      "plain TLM-2.0 initiator, behind builtin.tlm_initiator_bridge";
  static constexpr std::array roles{Role::tlm_initiator};
  struct Parameters : TlmBridgeParameters {
    // A list of names, or attributes.
    template <class Source>
    explicit Parameters(const Source& source)
        : TlmBridgeParameters(source, "the plain TLM-2.0 initiator behind the bridge") {}
    Param<Fs> overhead{
        *this,
        Parameter::duration_ns(
            "overhead_ns", "from the grant of an access until it stands at the link", "assumption")
            .default_val(0)};
    Param<std::size_t> max_outstanding{
        *this,
        Parameter::integer("max_outstanding", "accesses granted and not ended", "", "assumption")
            .default_val(8)
            .range(1, 65536)};
    Param<std::uint64_t> max_length_bytes{
        *this, Parameter::integer("max_length_bytes", "longest access", "B", "assumption")
                   .default_val(64 << 20)
                   .range(1, 1 << 30)};
    Param<bool> posted{
        *this, Parameter::boolean(
                   "posted", "a write ends at its commit, without an acknowledgement", "spec 2.1")
                   .default_val(false)};
  };
  TlmInitiatorBridge(const ComponentInit& init,
                     const std::map<std::string, ExternalModules::MakeInitiator>& initiators);

  ExternalModules::TargetSocket socket;

 private:
  using Accesses = std::list<std::unique_ptr<TlmAccess>>;

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  unsigned debug_step(tlm::tlm_generic_payload& payload, unsigned done, const MemoryPiece& piece,
                      std::uint64_t at, std::uint64_t nbytes);

  Fs next_due() const override;
  void serve() override;

  tlm::tlm_sync_enum begin_request(tlm::tlm_generic_payload& payload,
                                   const sc_core::sc_time& delay);
  // Sets the response status of a payload that is refused.
  bool refused(tlm::tlm_generic_payload& payload, std::vector<TlmAccess::Part>& parts);
  bool is_under_way(const tlm::tlm_generic_payload& payload) const;
  TlmAccess& admit(tlm::tlm_generic_payload& payload, std::vector<TlmAccess::Part> parts, Fs due);
  void grant();
  void send_request(TlmAccess& access);
  void completed(Transaction& transaction) override;
  void committed(Transaction& transaction) override;
  bool provide_bytes(const Transaction& transaction, unsigned char* out) override;
  bool provide_byte_enables(const Transaction& transaction, unsigned char* out) override;
  void take_bytes(const Transaction& transaction, const unsigned char* bytes) override;
  void respond();
  void resolve(TlmAccess& access);
  void end(TlmAccess& access);

  const Parameters parameters_;
  TieKeySource keys_;
  Accesses waiting_;                                   // for the grant, by due
  std::vector<std::unique_ptr<TlmAccess>> under_way_;  // by tag; null: free
  std::list<std::size_t> leaving_;                     // granted, overhead not yet paid
  std::list<std::size_t> answered_;                    // by nb_transport, in order of completion
  TlmAccess* requesting_ = nullptr;                    // BEGIN_REQ without END_REQ
  TlmAccess* responding_ = nullptr;                    // BEGIN_RESP without END_RESP
  Fs response_free_at_ = 0;
  std::size_t outstanding_ = 0;
  TraceSignal& outstanding_signal_;
  std::unique_ptr<sc_core::sc_module> outside_;  // goes before all that it may call
};

TlmInitiatorBridge::TlmInitiatorBridge(
    const ComponentInit& init,
    const std::map<std::string, ExternalModules::MakeInitiator>& initiators)
    : TlmBridge(init), socket("socket"), parameters_(init.attributes), keys_(init.node),
      outstanding_signal_(add_signal("outstanding", "accesses granted and not ended",
                                     SignalFormat::count("accesses", 17))) {
  add_access_statistics("reads ended", "writes ended", "accesses with an error as response status");
  socket.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
  outside_ = initiators.at(*parameters_.module)("module", socket);
}

// --- From outside

tlm::tlm_sync_enum TlmInitiatorBridge::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                                       tlm::tlm_phase& phase,
                                                       sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) return begin_request(payload, delay);
  if (phase == tlm::END_RESP) {
    if (responding_ == nullptr || responding_->payload != &payload)
      return broken_protocol("END_RESP without a BEGIN_RESP");
    response_free_at_ = after(delay.value());
    end(*responding_);
    return tlm::TLM_COMPLETED;
  }
  if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP)
    return broken_protocol("a target's phase on the forward path");
  if (phase == tlm::UNINITIALIZED_PHASE)
    return broken_protocol("nb_transport_fw with a phase that is not set");
  return tlm::TLM_ACCEPTED;  // ignorable
}

tlm::tlm_sync_enum TlmInitiatorBridge::begin_request(tlm::tlm_generic_payload& payload,
                                                     const sc_core::sc_time& delay) {
  if (requesting_ != nullptr)
    return broken_protocol("BEGIN_REQ before the END_REQ of the request before");
  if (!payload.has_mm())
    return broken_protocol("BEGIN_REQ with a payload that has no memory manager");
  if (is_under_way(payload)) return broken_protocol("BEGIN_REQ with a payload that is under way");
  const Fs due = after(delay.value());
  std::vector<TlmAccess::Part> parts;
  if (refused(payload, parts)) return tlm::TLM_COMPLETED;
  payload.acquire();
  requesting_ = &admit(payload, std::move(parts), due);
  return tlm::TLM_ACCEPTED;
}

bool TlmInitiatorBridge::is_under_way(const tlm::tlm_generic_payload& payload) const {
  const auto has_it = [&](const auto& access) {
    return access != nullptr && access->payload == &payload;
  };
  return std::any_of(waiting_.begin(), waiting_.end(), has_it) ||
         std::any_of(under_way_.begin(), under_way_.end(), has_it);
}

bool TlmInitiatorBridge::refused(tlm::tlm_generic_payload& payload,
                                 std::vector<TlmAccess::Part>& parts) {
  const TlmAccess::Refusal refusal =
      TlmAccess::cut(machine_, node(), payload, *parameters_.max_length_bytes, parts);
  payload.set_dmi_allowed(false);
  if (!refusal) return false;
  payload.set_response_status(refusal.status);
  count_refusal(fmt::format("{}: {}: {}", TlmAccess::text_of(payload),
                            payload.get_response_string(), refusal.reason));
  return true;
}

void TlmInitiatorBridge::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  std::vector<TlmAccess::Part> parts;
  if (refused(payload, parts)) return;
  const sc_core::sc_process_handle process = sc_core::sc_get_current_process_handle();
  if (!process.valid() || process.proc_kind() == sc_core::SC_METHOD_PROC_) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    broken_protocol(process.valid()
                        ? fmt::format("b_transport in the SC_METHOD '{}'", process.name())
                        : "b_transport outside of any process");
    return;
  }
  if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(work_at(after(delay.value())));
  delay = sc_core::SC_ZERO_TIME;
  struct Call : TlmAccess::Caller {  // a thread that is killed takes its payload with it
    TlmAccess* access = nullptr;
    ~Call() {
      if (done) return;
      access->payload = nullptr;
      access->caller = nullptr;
    }
  } call;
  TlmAccess& access = admit(payload, std::move(parts), now());
  access.caller = &call;
  call.access = &access;
  while (!call.done) sc_core::wait(call.returned);
}

bool TlmInitiatorBridge::get_direct_mem_ptr(tlm::tlm_generic_payload& /*payload*/,
                                            tlm::tlm_dmi& dmi) {
  dmi.init();
  dmi.allow_read_write();  // what is denied, for all addresses
  return false;
}

unsigned TlmInitiatorBridge::transport_dbg(tlm::tlm_generic_payload& payload) {
  constexpr std::uint64_t most_at_once = 1 << 20;
  unsigned done = 0;
  if (payload.get_data_ptr() == nullptr ||
      payload.get_data_length() > *parameters_.max_length_bytes)
    return done;
  try {
    for (const MemoryPiece& piece :
         memory_pieces(machine_.machine(), payload.get_address(), payload.get_data_length())) {
      for (std::uint64_t at = 0; at < piece.nbytes;) {
        const std::uint64_t nbytes = std::min(piece.nbytes - at, most_at_once);
        const unsigned count = debug_step(payload, done, piece, at, nbytes);
        done += count;
        at += nbytes;
        if (count < nbytes) return done;
      }
    }
  } catch (const AddressError&) {
  } catch (const RoutingError&) {
  }
  return done;
}

// Bytes [at, at + nbytes) of a piece, from byte `done` of the payload on.
unsigned TlmInitiatorBridge::debug_step(tlm::tlm_generic_payload& payload, unsigned done,
                                        const MemoryPiece& piece, std::uint64_t at,
                                        std::uint64_t nbytes) {
  const TransactionHandle step = machine_.pool().make();
  step->set_command(payload.get_command());
  step->set_address(piece.physical + at);
  step->set_data_ptr(payload.get_data_ptr() + done);
  step->set_data_length(static_cast<unsigned>(nbytes));
  step->set_streaming_width(static_cast<unsigned>(nbytes));
  step->set_byte_enable_ptr(payload.get_byte_enable_ptr());
  step->route().path = &machine_.routes().memory_path(node(), piece.place.node);
  step->route().offset = piece.place.offset + at;
  return transport_debug(*step);
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
      services().pending_waits().open(name(), "the end of " + admitted.str(), now());
  const auto later = std::find_if(waiting_.begin(), waiting_.end(),
                                  [due](const auto& other) { return other->due > due; });
  waiting_.insert(later, std::move(access));
  rearm();
  return admitted;
}

// --- In the fabric

Fs TlmInitiatorBridge::next_due() const {
  Fs due = arrivals_.control_due();
  if (!waiting_.empty() && outstanding_ < *parameters_.max_outstanding)
    due = std::min(due, waiting_.front()->due);
  if (!leaving_.empty()) due = std::min(due, under_way_[leaving_.front()]->due);
  if (!answered_.empty() && responding_ == nullptr) due = std::min(due, response_free_at_);
  return std::max(due, now());
}

void TlmInitiatorBridge::serve() {
  while (next_due() <= now()) {  // a call to the outside may come back with the next one
    arrivals_.take_control(now(), 0, [this](const Arrival& arrival) {
      report_passage(arrival, arrival.time);
      arrival.transaction->route().listener->completed(*arrival.transaction);
    });
    while (!waiting_.empty() && outstanding_ < *parameters_.max_outstanding &&
           waiting_.front()->due <= now())
      grant();
    while (!leaving_.empty() && under_way_[leaving_.front()]->due <= now()) {
      TlmAccess& access = *under_way_[leaving_.front()];
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
  const auto place = std::find(under_way_.begin(), under_way_.end(), nullptr);
  const auto tag = static_cast<std::size_t>(place - under_way_.begin());
  if (place == under_way_.end()) under_way_.emplace_back();
  TlmAccess& granted = *access;
  under_way_[tag] = std::move(access);
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
  TlmAccess& access = *under_way_[tag];
  const tlm::tlm_response_status status = transaction.get_response_status();
  if (status < tlm::TLM_INCOMPLETE_RESPONSE) {
    access.status = status;
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
  under_way_[transaction.route().listener_tag]->write_to_store(machine_.data(), transaction);
}

bool TlmInitiatorBridge::provide_byte_enables(const Transaction& transaction, unsigned char* out) {
  return under_way_[transaction.route().listener_tag]->provide_byte_enables(transaction, out);
}

bool TlmInitiatorBridge::provide_bytes(const Transaction& transaction, unsigned char* out) {
  return under_way_[transaction.route().listener_tag]->provide_bytes(transaction, out);
}

void TlmInitiatorBridge::take_bytes(const Transaction& transaction, const unsigned char* bytes) {
  under_way_[transaction.route().listener_tag]->take_bytes(transaction, bytes);
}

// --- Back

void TlmInitiatorBridge::respond() {
  TlmAccess& access = *under_way_[answered_.front()];
  answered_.pop_front();
  resolve(access);
  responding_ = &access;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_sync_enum answer = outside(
      "nb_transport_bw", [&] { return socket->nb_transport_bw(*access.payload, phase, delay); });
  if (responding_ != &access) return;  // END_RESP came during the call
  if (answer == tlm::TLM_ACCEPTED) return;
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
    return fmt::format("{}: {}", access.str(), access.payload->get_response_string());
  });
}

void TlmInitiatorBridge::end(TlmAccess& access) {
  if (responding_ == &access) responding_ = nullptr;
  services().pending_waits().close(access.pending_wait);
  if (access.caller == nullptr && access.payload != nullptr) access.payload->release();
  std::find_if(under_way_.begin(), under_way_.end(), [&](const auto& other) {
    return other.get() == &access;
  })->reset();
  --outstanding_;
  outstanding_signal_.set(outstanding_);
  rearm();
}

}  // namespace

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
