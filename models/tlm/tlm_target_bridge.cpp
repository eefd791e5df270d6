// Bridge to a plain TLM-2.0 target: it replaces a memory node, or is a node of its own.
//
// Timing (spec 2.1): overhead_ns after the last flit of a write, or the command of a read,
// BEGIN_REQ is sent with a payload of the bridge's own and the offset in the memory as address; one
// at a time, in order of arrival. At the instant of BEGIN_RESP (its annotated delay included)
// END_RESP is sent, and then the response like that of an SRAM: the whole of it at once (spec 2.6);
// a posted write completes then. The memory defines its own time. Early answers of the target
// (TLM_UPDATED, TLM_COMPLETED) are supported. Errors: the target's response status becomes that of
// the transaction, and a message without data is returned; TLM_INCOMPLETE_RESPONSE, or a value
// outside TLM-2.0, becomes a generic error, and the message reports it. Values: the memory gets the
// bytes of every write (zeros for values that only phase 2 knows), and its own bytes answer reads
// by TLM-2.0 initiators, whose byte enables are passed on, and transport_dbg. Host and kernels see
// the memory store, which receives all writes, too; they do not see bytes that the memory changes
// by itself. Not modelled: DMI, several requests at a time.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/address/phys_addr.h"
#include "models/base/delta_listener.h"
#include "models/base/pending_events.h"
#include "models/data/debug_access.h"
#include "models/fabric/memory_service.h"
#include "models/tlm/tlm_bridge.h"
#include "models/tlm/tlm_bridges.h"
#include "models/tlm/tlm_payload.h"

namespace kernbench {
namespace {

class TlmTargetBridge final : public TlmBridge, private tlm::tlm_bw_transport_if<> {
 public:
  static constexpr const char* description =
      "a plain TLM-2.0 target (base protocol) as a memory: instead of sram or hbm_ctrl, or one of "
      "system.tlm_targets";
  static constexpr const char* module_description =
      "plain TLM-2.0 target, behind builtin.tlm_target_bridge";
  static constexpr std::array roles{Role::sram, Role::hbm_ctrl, Role::tlm_target};
  struct Parameters : TlmBridgeParameters {
    // A list of names, or attributes.
    template <class Source>
    explicit Parameters(const Source& source)
        : TlmBridgeParameters(source, "the plain TLM-2.0 memory behind the bridge") {}
    Param<Fs> overhead{
        *this,
        Parameter::duration_ns(
            "overhead_ns", "time from the last flit of a write, or the read command, to BEGIN_REQ",
            "assumption")
            .default_val(0)};
    Param<std::int64_t> size_mb{
        // read by the address map
        *this,
        Parameter::integer("size_mb", "capacity, instead of that of the SRAM", "MiB", "spec 1.2")
            .default_val(32)
            .range(1, PhysAddr::cube_sram_bytes >> 20)};
    Param<std::uint32_t> flit_bytes{
        *this, Parameter::integer("flit_bytes", "size of a full flit", "B", "spec 2.2")
                   .range(1, 65536)
                   .from_machine()};
  };
  TlmTargetBridge(const ComponentInit& init,
                  const std::map<std::string, ExternalModules::MakeTarget>& targets);

  ExternalModules::InitiatorSocket socket;

  std::size_t payloads_with_module() const override { return payloads_.with_module(); }

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 /*start*/, sc_dt::uint64 /*end*/) override {}
  unsigned debug_access(tlm::tlm_generic_payload& payload, std::uint64_t offset) override;

  Fs next_due() const override;
  void serve() override;
  const Arrival* in_service(Fs now) const override {
    return outside_payload_ != nullptr ? &current_ : FabricNode::in_service(now);
  }
  void begin();
  void refuse(const Arrival& arrival);
  void take_payload(Transaction& transaction);
  void bytes_to_write(Transaction& transaction);
  void understand(tlm::tlm_sync_enum answer, const tlm::tlm_phase& phase,
                  const sc_core::sc_time& delay);
  void answered(Fs at, bool end_resp_wanted);
  bool payload_is_as_it_was();
  std::shared_ptr<const ResponseFault> wrong_status() const;
  tlm::tlm_response_status end_outside();
  void finish();
  std::string what_is_asked() const;
  void look_at_waits();

  // Detects waits and notifications of the module beyond the end of time, which SystemC ends at
  // once. They are checked while the module holds a request.
  class Waits final : private DeltaListener {
   public:
    explicit Waits(TlmTargetBridge& bridge) : bridge_(bridge) {}
    void watch() { listen(); }
    void stop() { stop_listening(); }

   private:
    void delta_ended() override {
      if (any_event_in_the_past()) bridge_.look_at_waits();
    }
    TlmTargetBridge& bridge_;
  };

  const Parameters parameters_;
  Arrival current_;  // in progress outside
  TlmPayloads payloads_;
  TransactionHandle not_idle_;  // while the module has a payload: the machine's pool is not empty
  tlm::tlm_generic_payload* outside_payload_ = nullptr;  // payload of current_
  std::size_t pending_wait_ = 0;
  std::vector<unsigned char> bytes_, byte_enables_;
  bool has_end_req_ = false;
  Fs answer_at_ = never_fs;
  bool end_resp_wanted_ = false;
  Waits waits_{*this};
  TraceSignal& busy_;
  std::unique_ptr<sc_core::sc_module> outside_;  // destroyed before the members that it may call
};

TlmTargetBridge::TlmTargetBridge(const ComponentInit& init,
                                 const std::map<std::string, ExternalModules::MakeTarget>& targets)
    : TlmBridge(init), socket("socket"), parameters_(init.attributes),
      payloads_(
          [this](const std::string& what) {
            machine_.fatal(*this, "the module behind the bridge " + what);
          },
          [this] { not_idle_ = {}; }),
      busy_(add_signal("busy", "a request is outstanding at the memory", SignalFormat::flag())) {
  add_access_statistics("reads answered", "writes completed",
                        "requests with an error as response status");
  socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  outside_ = targets.at(*parameters_.module)("module", socket);
}

Fs TlmTargetBridge::next_due() const {
  if (outside_payload_ != nullptr) return answer_at_;
  const Arrival* head = arrivals_.control();
  return head == nullptr ? never_fs : std::max(head->time + *parameters_.overhead, now());
}

void TlmTargetBridge::serve() {
  while (next_due() <= now()) {
    if (outside_payload_ != nullptr) {
      finish();
    } else {
      begin();
    }
  }
}

void TlmTargetBridge::begin() {
  current_ = *arrivals_.control();
  arrivals_.pop_control();
  Transaction& transaction = *current_.transaction;
  if (transaction.get_data_length() == 0 || !transaction.accesses_memory()) {
    throw ModelError("a control message without a read has reached the memory");
  }
  if (!is_plain(transaction.route())) return refuse(current_);
  bytes_.assign(transaction.get_data_length(), 0);
  if (transaction.is_write()) bytes_to_write(transaction);
  take_payload(transaction);
  busy_.set(1);
  pending_wait_ = services().pending_waits().open(name(), what_is_asked(), now(), [this] {
    return has_end_req_ ? ": END_REQ has come" : ": END_REQ has not come either";
  });
  waits_.watch();
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_sync_enum answer = outside(
      "nb_transport_fw", [&] { return socket->nb_transport_fw(*outside_payload_, phase, delay); });
  if (payloads_.is_whole()) understand(answer, phase, delay);
}

// A generic payload has one address, and reads or writes.
void TlmTargetBridge::refuse(const Arrival& arrival) {
  report_traversal(arrival, arrival.time);
  refuse_not_plain(*this, *arrival.transaction,
                   [this](Transaction& answer, std::uint32_t flit, std::uint32_t count) {
                     count_access(answer, false, [&answer] {
                       return "an access that it does not serve: " + answer.get_response_string() +
                              fault_text(answer);
                     });
                     send(answer, flit, count, 0, now());
                   });
}

std::string TlmTargetBridge::what_is_asked() const {
  const tlm::tlm_generic_payload& payload = *outside_payload_;
  return fmt::format("its module to answer {} of {} bytes at offset {:#x} by BEGIN_RESP",
                     payload.is_read() ? "the read" : "the write", payload.get_data_length(),
                     payload.get_address());
}

void TlmTargetBridge::take_payload(Transaction& transaction) {
  const unsigned nbytes = transaction.get_data_length();
  if (!not_idle_) not_idle_ = machine_.pool().make();
  has_end_req_ = false;
  outside_payload_ = &payloads_.take();
  outside_payload_->set_command(transaction.get_command());
  outside_payload_->set_address(transaction.route().offset);
  outside_payload_->set_data_ptr(bytes_.data());
  outside_payload_->set_data_length(nbytes);
  outside_payload_->set_streaming_width(nbytes);
  byte_enables_.resize(nbytes);
  if (!transaction.route().listener->provide_byte_enables(transaction, byte_enables_.data()))
    return;
  outside_payload_->set_byte_enable_ptr(byte_enables_.data());
  outside_payload_->set_byte_enable_length(nbytes);
}

// Handles the answer of nb_transport_fw; the module may have called back during the call.
void TlmTargetBridge::understand(tlm::tlm_sync_enum answer, const tlm::tlm_phase& phase,
                                 const sc_core::sc_time& delay) {
  if (answer == tlm::TLM_ACCEPTED) return;
  if (answer_at_ != never_fs) {
    broken_protocol("a request is answered twice");
  } else if (answer == tlm::TLM_COMPLETED) {
    answered(after(delay.value()), false);
  } else if (answer == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP) {
    answered(after(delay.value()), true);
  } else if (answer != tlm::TLM_UPDATED || phase != tlm::END_REQ) {
    broken_protocol("BEGIN_REQ is answered by TLM_UPDATED with a phase of the initiator");
  } else if (std::exchange(has_end_req_, true)) {
    broken_protocol("END_REQ twice");
  }
}

// Bytes of the initiator if it still has them, else the current contents of the memory store.
void TlmTargetBridge::bytes_to_write(Transaction& transaction) {
  if (transaction.route().listener->provide_bytes(transaction, bytes_.data()) ||
      machine_.data() == nullptr)
    return;
  const std::vector<std::byte> known =
      known_bytes(*machine_.data(), transaction.get_address(), bytes_.size());
  if (!known.empty()) std::memcpy(bytes_.data(), known.data(), known.size());
}

tlm::tlm_sync_enum TlmTargetBridge::nb_transport_bw(tlm::tlm_generic_payload& payload,
                                                    tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
  if (outside_payload_ == nullptr || &payload != outside_payload_ || answer_at_ != never_fs) {
    return broken_protocol("a phase of a payload that is not in flight");
  }
  if (phase == tlm::BEGIN_REQ || phase == tlm::END_RESP)
    return broken_protocol("an initiator's phase on the backward path");
  if (phase == tlm::UNINITIALIZED_PHASE)
    return broken_protocol("nb_transport_bw with a phase that is not set");
  if (phase == tlm::END_REQ && std::exchange(has_end_req_, true))
    return broken_protocol("END_REQ twice");
  if (phase == tlm::BEGIN_RESP) answered(after(delay.value()), true);
  return tlm::TLM_ACCEPTED;
}

void TlmTargetBridge::answered(Fs at, bool end_resp_wanted) {
  answer_at_ = at;
  end_resp_wanted_ = end_resp_wanted;
  rearm();
}

// Checks the fields that a target must not change; an interconnect may change the address.
bool TlmTargetBridge::payload_is_as_it_was() {
  const Transaction& transaction = *current_.transaction;
  const tlm::tlm_generic_payload& payload = *outside_payload_;
  const char* changed = payload.get_command() != transaction.get_command() ? "command"
                        : payload.get_data_ptr() != bytes_.data()          ? "data pointer"
                        : payload.get_data_length() != bytes_.size()       ? "data length"
                                                                           : nullptr;
  if (changed == nullptr) return true;
  broken_protocol(fmt::format("the {} of a payload has been changed", changed));
  return false;
}

// Error for the status of a payload that the target has not set; null: none.
std::shared_ptr<const ResponseFault> TlmTargetBridge::wrong_status() const {
  const tlm::tlm_response_status status = outside_payload_->get_response_status();
  if (status == tlm::TLM_INCOMPLETE_RESPONSE)
    return std::make_shared<ResponseFault>(
        fmt::format("{} left the response status TLM_INCOMPLETE_RESPONSE", name()));
  if (status > tlm::TLM_OK_RESPONSE || status < tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE)
    return std::make_shared<ResponseFault>(fmt::format(
        "{} set the response status {}, which TLM-2.0 does not have", name(), int{status}));
  return nullptr;
}

// Sends END_RESP if it is required, and releases the payload; returns its status.
tlm::tlm_response_status TlmTargetBridge::end_outside() {
  tlm::tlm_response_status status = outside_payload_->get_response_status();
  if (auto fault = wrong_status()) {
    status = tlm::TLM_GENERIC_ERROR_RESPONSE;
    current_.transaction->route().message = std::move(fault);
  }
  if (end_resp_wanted_) {
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    outside("nb_transport_fw",
            [&] { return socket->nb_transport_fw(*outside_payload_, phase, delay); });
  }
  outside_payload_ = nullptr;
  if (payloads_.is_whole()) payloads_.give_back();
  services().pending_waits().close(pending_wait_);
  waits_.stop();
  busy_.set(0);
  return status;
}

// Processes of the module are children of the bridge, as are those that its sockets have spawned.
void TlmTargetBridge::look_at_waits() {
  const std::string below = std::string(name()) + ".";
  for (const std::string& process : events_in_the_past()) {
    if (process.rfind(below, 0) != 0) continue;
    return machine_.fatal(*this, fmt::format("the module behind the bridge waits for too long in "
                                             "{}: {}",
                                             process, end_of_time));
  }
}

void TlmTargetBridge::finish() {
  answer_at_ = never_fs;
  if (!payloads_.is_whole() || !payload_is_as_it_was()) return;  // the run ends
  const tlm::tlm_response_status status = end_outside();

  const bool ok = status == tlm::TLM_OK_RESPONSE;
  Transaction& transaction = *current_.transaction;
  RouteExtension& route = transaction.route();
  const unsigned nbytes = transaction.get_data_length();
  transaction.set_response_status(status);
  report_traversal(current_, current_.time);
  count_access(transaction, ok, [&] {
    return fmt::format("{} of {} bytes at offset {:#x}: {}{}",
                       transaction.is_read() ? "the read" : "the write", nbytes, route.offset,
                       transaction.get_response_string(), fault_text(transaction));
  });

  if (transaction.is_write() && route.posted) return route.listener->completed(transaction);
  if (ok && transaction.is_write()) route.listener->committed(transaction);
  if (ok && transaction.is_read()) route.listener->take_bytes(transaction, bytes_.data());
  route.make_response();
  if (!ok || transaction.is_write()) return send(transaction, 0, 0, 0, now());
  route.cut_flits(nbytes, *parameters_.flit_bytes);
  for (std::uint32_t flit = 0; flit < route.flits; ++flit) send(transaction, flit, 1, 0, now());
}

unsigned TlmTargetBridge::debug_access(tlm::tlm_generic_payload& payload, std::uint64_t offset) {
  tlm::tlm_generic_payload outside;
  outside.set_command(payload.get_command());
  outside.set_address(offset);
  outside.set_data_ptr(payload.get_data_ptr());
  outside.set_data_length(payload.get_data_length());
  outside.set_streaming_width(payload.get_data_length());
  const unsigned count =
      std::min(this->outside("transport_dbg", [&] { return socket->transport_dbg(outside); }),
               payload.get_data_length());
  if (payload.is_write() && machine_.data() != nullptr) {
    machine_.data()->memory().write_bytes(payload.get_address(), payload.get_data_ptr(), count);
  }
  return count;
}

}  // namespace

Implementation tlm_target_bridge_implementation(const ExternalModules& modules) {
  return bridge_implementation<TlmTargetBridge>("builtin.tlm_target_bridge", modules.targets());
}

Implementation tlm_target_implementation(
    const std::string& name,
    const ExternalModules::Declared<ExternalModules::MakeTargetOf>& module) {
  return module_implementation<TlmTargetBridge, ExternalModules::MakeTarget>(name, module);
}

}  // namespace kernbench
