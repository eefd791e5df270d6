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
// memory; command error for commands other than read and write; byte enable error; burst error for
// a length of 0 or a streaming width below the length; generic error for a value that only phase 2
// knows; else what the target answered. A refused access ends at once. DMI is refused;
// transport_dbg reaches every memory. Not modelled: byte enables, streaming, locks, ignorable
// phases.
#include <algorithm>
#include <cstring>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "models/base/component_registry.h"
#include "models/data/debug_access.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/memory_pieces.h"
#include "models/tlm/external_modules.h"
#include "models/tlm/tlm_bridges.h"

namespace kernbench {
namespace {

template <class Make>
std::vector<std::string> names_of(const std::map<std::string, Make>& modules) {
  std::vector<std::string> names;
  for (const auto& module : modules) names.push_back(module.first);
  return names;
}

std::string label_of(const tlm::tlm_generic_payload& payload) {
  char text[64];
  std::snprintf(text, sizeof text, "%s of %u bytes at 0x%llx",
                payload.is_read() ? "the read" : "the write", payload.get_data_length(),
                static_cast<unsigned long long>(payload.get_address()));
  return text;
}

class FunctionalModel;

class TlmInitiatorBridge final : public FabricNode,
                                 private tlm::tlm_fw_transport_if<>,
                                 private TransactionListener {
 public:
  static constexpr const char* description =
      "a plain TLM-2.0 initiator (base protocol) as an initiator of memory traffic";
  static constexpr std::array roles{Role::tlm_initiator};
  struct Parameters : ParameterSet {
    explicit Parameters(std::vector<std::string> modules) : modules_(std::move(modules)) {}
    explicit Parameters(const Attributes& values) : ParameterSet(values) {}

   private:
    std::vector<std::string> modules_;  // that `module` may name

   public:
    Param<std::string> module{
        *this, Parameter::choice("module", "the plain TLM-2.0 initiator behind the bridge",
                                 modules_, "spec 2.1")};
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
    Param<bool> posted{
        *this, Parameter::boolean(
                   "posted", "a write ends at its commit, without an acknowledgement", "spec 2.1")
                   .default_val(false)};
  };
  // `module` names one of the initiators; they are those that are known by now.
  static Implementation implementation(const std::string& name, const ExternalModules& modules);

  TlmInitiatorBridge(const ComponentInit& init,
                     const std::map<std::string, ExternalModules::MakeInitiator>& initiators);

  ExternalModules::TargetSocket socket;

 private:
  // An outside thread in b_transport.
  struct Caller {
    sc_core::sc_event returned{""};
    bool done = false;
  };
  struct Part {
    MemoryPiece piece;
    const Path* path = nullptr;
    TransactionHandle transaction;
    bool written = false;
  };
  // A payload between its call and its end.
  struct Access {
    tlm::tlm_generic_payload* payload = nullptr;  // null: its thread has been killed
    Caller* caller = nullptr;                     // null: nb_transport
    Fs due = 0;                                   // of the next step: grant, departure
    std::vector<Part> parts;
    std::size_t awaited = 0;
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
    std::size_t pending_wait = 0;
  };
  using Accesses = std::list<std::unique_ptr<Access>>;

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;

  Fs next_due() const override;
  void serve() override;

  tlm::tlm_sync_enum begin_request(tlm::tlm_generic_payload& payload,
                                   const sc_core::sc_time& delay);
  tlm::tlm_sync_enum broken_protocol(const std::string& what);
  // Check of a payload: its error, or OK and its parts.
  tlm::tlm_response_status examine(const tlm::tlm_generic_payload& payload,
                                   std::vector<Part>& parts);
  Access& admit(tlm::tlm_generic_payload& payload, std::vector<Part> parts, Fs due);
  void grant();
  void send_request(Access& access);
  void completed(Transaction& transaction) override;
  void committed(Transaction& transaction) override;
  bool provide_bytes(const Transaction& transaction, unsigned char* out) override;
  void take_bytes(const Transaction& transaction, const unsigned char* bytes) override;
  Part& part_of(const Transaction& transaction) const;
  unsigned char* data_of(const Access& access, const Transaction& transaction) const;
  void write_to_store(const Access& access, Part& part);
  void read_from_store(Access& access, const Transaction& transaction);
  void respond();
  void resolve(Access& access);
  void end(Access& access);

  MachineServices& machine_;
  const Parameters parameters_;
  TieKeySource keys_;
  Accesses waiting_;                                // for the grant, by due
  std::vector<std::unique_ptr<Access>> under_way_;  // by tag; null: free
  std::list<std::size_t> leaving_;                  // granted, overhead not yet paid
  std::list<std::size_t> answered_;                 // by nb_transport, in order of completion
  Access* requesting_ = nullptr;                    // BEGIN_REQ without END_REQ
  Access* responding_ = nullptr;                    // BEGIN_RESP without END_RESP
  Fs response_free_at_ = 0;
  std::size_t outstanding_ = 0;
  TraceSignal& outstanding_signal_;
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t bytes_written_ = 0;
  std::uint64_t errors_ = 0;
  std::unique_ptr<sc_core::sc_module> outside_;
};

Implementation TlmInitiatorBridge::implementation(const std::string& name,
                                                  const ExternalModules& modules) {
  return {name, description, Roles(roles.begin(), roles.end()),
          Parameters(names_of(modules.initiators())).schema(),
          [initiators = modules.initiators()](const ComponentInit& init) {
            return make_component<TlmInitiatorBridge>(init, initiators);
          }};
}

TlmInitiatorBridge::TlmInitiatorBridge(
    const ComponentInit& init,
    const std::map<std::string, ExternalModules::MakeInitiator>& initiators)
    : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward), socket("socket"),
      machine_(machine_services(init.services)), parameters_(init.attributes), keys_(init.node),
      outstanding_signal_(add_signal("outstanding", "accesses granted and not ended", 17)) {
  add_statistic("reads", "reads ended", Quantity::count, reads_);
  add_statistic("writes", "writes ended", Quantity::count, writes_);
  add_statistic("bytes_read", "bytes of reads that succeeded", Quantity::bytes, bytes_read_);
  add_statistic("bytes_written", "bytes of writes that succeeded", Quantity::bytes, bytes_written_);
  add_statistic("errors", "accesses with an error as response status", Quantity::count, errors_);
  socket.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
  outside_ = initiators.at(*parameters_.module)("module", socket);
}

// --- From outside

tlm::tlm_sync_enum TlmInitiatorBridge::broken_protocol(const std::string& what) {
  machine_.fatal(*this, "the module behind the bridge breaks the base protocol: " + what);
  return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum TlmInitiatorBridge::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                                       tlm::tlm_phase& phase,
                                                       sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) return begin_request(payload, delay);
  if (phase == tlm::END_RESP) {
    if (responding_ == nullptr || responding_->payload != &payload)
      return broken_protocol("END_RESP without a BEGIN_RESP");
    response_free_at_ = now() + delay.value();
    end(*responding_);
    return tlm::TLM_COMPLETED;
  }
  if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP)
    return broken_protocol("a target's phase on the forward path");
  return tlm::TLM_ACCEPTED;  // ignorable
}

tlm::tlm_sync_enum TlmInitiatorBridge::begin_request(tlm::tlm_generic_payload& payload,
                                                     const sc_core::sc_time& delay) {
  if (requesting_ != nullptr)
    return broken_protocol("BEGIN_REQ before the END_REQ of the request before");
  if (!payload.has_mm())
    return broken_protocol("BEGIN_REQ with a payload that has no memory manager");
  std::vector<Part> parts;
  const tlm::tlm_response_status status = examine(payload, parts);
  payload.set_dmi_allowed(false);
  if (status != tlm::TLM_OK_RESPONSE) {
    ++errors_;
    payload.set_response_status(status);
    return tlm::TLM_COMPLETED;
  }
  payload.acquire();
  requesting_ = &admit(payload, std::move(parts), now() + delay.value());
  return tlm::TLM_ACCEPTED;
}

void TlmInitiatorBridge::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  std::vector<Part> parts;
  const tlm::tlm_response_status status = examine(payload, parts);
  payload.set_dmi_allowed(false);
  if (status != tlm::TLM_OK_RESPONSE) {
    ++errors_;
    return payload.set_response_status(status);
  }
  if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(work_at(after(delay.value())));
  delay = sc_core::SC_ZERO_TIME;
  struct Call : Caller {  // a thread that is killed takes its payload with it
    Access* access = nullptr;
    ~Call() {
      if (done) return;
      access->payload = nullptr;
      access->caller = nullptr;
    }
  } call;
  Access& access = admit(payload, std::move(parts), now());
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
  unsigned done = 0;
  try {
    for (const MemoryPiece& piece :
         memory_pieces(machine_.machine(), payload.get_address(), payload.get_data_length())) {
      const TransactionHandle step = machine_.pool().make();
      step->set_command(payload.get_command());
      step->set_address(piece.physical);
      step->set_data_ptr(payload.get_data_ptr() + done);
      step->set_data_length(static_cast<unsigned>(piece.nbytes));
      step->set_streaming_width(static_cast<unsigned>(piece.nbytes));
      step->set_byte_enable_ptr(payload.get_byte_enable_ptr());
      step->route().path = &machine_.routes().memory_path(node(), piece.place.node);
      step->route().offset = piece.place.offset;
      const unsigned count = transport_debug(*step);
      done += count;
      if (count < piece.nbytes) break;
    }
  } catch (const AddressError&) {
  } catch (const RoutingError&) {
  }
  return done;
}

tlm::tlm_response_status TlmInitiatorBridge::examine(const tlm::tlm_generic_payload& payload,
                                                     std::vector<Part>& parts) {
  if (!payload.is_read() && !payload.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (payload.get_data_length() == 0 || payload.get_streaming_width() < payload.get_data_length())
    return tlm::TLM_BURST_ERROR_RESPONSE;
  try {
    for (const MemoryPiece& piece :
         memory_pieces(machine_.machine(), payload.get_address(), payload.get_data_length())) {
      parts.push_back({piece, &machine_.routes().memory_path(node(), piece.place.node), {}, false});
    }
  } catch (const AddressError&) {
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  } catch (const RoutingError&) {
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  return tlm::TLM_OK_RESPONSE;
}

TlmInitiatorBridge::Access& TlmInitiatorBridge::admit(tlm::tlm_generic_payload& payload,
                                                      std::vector<Part> parts, Fs due) {
  auto access = std::make_unique<Access>();
  Access& admitted = *access;
  admitted.payload = &payload;
  admitted.due = due;
  admitted.awaited = parts.size();
  admitted.parts = std::move(parts);
  admitted.pending_wait =
      services().pending_waits().open(name(), "the end of " + label_of(payload), now());
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
      Access& access = *under_way_[leaving_.front()];
      leaving_.pop_front();
      send_request(access);
    }
    while (!answered_.empty() && responding_ == nullptr && response_free_at_ <= now()) respond();
  }
}

void TlmInitiatorBridge::grant() {
  std::unique_ptr<Access> access = std::move(waiting_.front());
  waiting_.pop_front();
  if (access->payload == nullptr) return services().pending_waits().close(access->pending_wait);
  ++outstanding_;
  outstanding_signal_.set(outstanding_);
  const auto place = std::find(under_way_.begin(), under_way_.end(), nullptr);
  const auto tag = static_cast<std::size_t>(place - under_way_.begin());
  if (place == under_way_.end()) under_way_.emplace_back();
  Access& granted = *access;
  under_way_[tag] = std::move(access);
  granted.due = now() + *parameters_.overhead;
  for (Part& part : granted.parts) {
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
  socket->nb_transport_bw(*granted.payload, phase, delay);
}

void TlmInitiatorBridge::send_request(Access& access) {
  for (const Part& part : access.parts) {
    Transaction& transaction = *part.transaction;
    const std::uint32_t flits = transaction.route().flits;
    if (flits == 0) send(transaction, 0, 0, 0, now());
    for (std::uint32_t flit = 0; flit < flits; ++flit) send(transaction, flit, 1, 0, now());
  }
}

void TlmInitiatorBridge::completed(Transaction& transaction) {
  const std::size_t tag = transaction.route().listener_tag;
  Access& access = *under_way_[tag];
  const tlm::tlm_response_status status = transaction.get_response_status();
  if (status < tlm::TLM_INCOMPLETE_RESPONSE) {
    access.status = status;
  } else if (transaction.is_write()) {
    write_to_store(access, part_of(transaction));
  } else {
    read_from_store(access, transaction);
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

TlmInitiatorBridge::Part& TlmInitiatorBridge::part_of(const Transaction& transaction) const {
  std::vector<Part>& parts = under_way_[transaction.route().listener_tag]->parts;
  return *std::find_if(parts.begin(), parts.end(),
                       [&](const Part& part) { return &*part.transaction == &transaction; });
}

unsigned char* TlmInitiatorBridge::data_of(const Access& access,
                                           const Transaction& transaction) const {
  return access.payload->get_data_ptr() +
         (transaction.get_address() - access.payload->get_address());
}

void TlmInitiatorBridge::committed(Transaction& transaction) {
  write_to_store(*under_way_[transaction.route().listener_tag], part_of(transaction));
}

// Once: at the commit, or at the completion if the target does not report its commit.
void TlmInitiatorBridge::write_to_store(const Access& access, Part& part) {
  if (std::exchange(part.written, true) || machine_.data() == nullptr || access.payload == nullptr)
    return;
  machine_.data()->memory().write_bytes(part.piece.physical, data_of(access, *part.transaction),
                                        part.piece.nbytes);
}

void TlmInitiatorBridge::read_from_store(Access& access, const Transaction& transaction) {
  if (access.payload == nullptr) return;
  const bool taken = transaction.get_response_status() ==
                     tlm::TLM_OK_RESPONSE;  // the target's own bytes: take_bytes()
  unsigned char* out = data_of(access, transaction);
  if (machine_.data() == nullptr) {
    if (!taken) std::memset(out, 0, transaction.get_data_length());
    return;
  }
  const std::vector<std::byte> bytes =
      known_bytes(*machine_.data(), transaction.get_address(), transaction.get_data_length());
  if (bytes.empty()) {
    access.status = tlm::TLM_GENERIC_ERROR_RESPONSE;
  } else if (!taken) {
    std::memcpy(out, bytes.data(), bytes.size());
  }
}

bool TlmInitiatorBridge::provide_bytes(const Transaction& transaction, unsigned char* out) {
  const Access& access = *under_way_[transaction.route().listener_tag];
  if (access.payload == nullptr) return false;
  std::memcpy(out, data_of(access, transaction), transaction.get_data_length());
  return true;
}

void TlmInitiatorBridge::take_bytes(const Transaction& transaction, const unsigned char* bytes) {
  const Access& access = *under_way_[transaction.route().listener_tag];
  if (access.payload != nullptr)
    std::memcpy(data_of(access, transaction), bytes, transaction.get_data_length());
}

// --- Back

void TlmInitiatorBridge::respond() {
  Access& access = *under_way_[answered_.front()];
  answered_.pop_front();
  resolve(access);
  responding_ = &access;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_sync_enum answer = socket->nb_transport_bw(*access.payload, phase, delay);
  if (responding_ != &access) return;  // END_RESP came during the call
  const bool ended =
      answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP);
  if (!ended) return;
  response_free_at_ = now() + delay.value();
  end(access);
}

void TlmInitiatorBridge::resolve(Access& access) {
  tlm::tlm_generic_payload& payload = *access.payload;
  payload.set_response_status(access.status);
  const bool ok = access.status == tlm::TLM_OK_RESPONSE;
  ++(payload.is_read() ? reads_ : writes_);
  if (ok) {
    (payload.is_read() ? bytes_read_ : bytes_written_) += payload.get_data_length();
  } else {
    ++errors_;
  }
}

void TlmInitiatorBridge::end(Access& access) {
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
  return TlmInitiatorBridge::implementation("builtin.tlm_initiator_bridge", modules);
}

}  // namespace kernbench
