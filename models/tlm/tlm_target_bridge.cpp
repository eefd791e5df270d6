// Bridge to a plain TLM-2.0 target: in the place of a memory node, or a node of its own.
//
// Timing (spec 2.1): overhead_ns after the last flit of a write, or the command of a read,
// BEGIN_REQ goes out with a payload of the bridge's own and the offset in the memory as address;
// one at a time, in order of arrival. At the instant of BEGIN_RESP (its annotated delay included)
// END_RESP goes out, and then the response as an SRAM's does: the whole of it at once (spec 2.6); a
// posted write completes there. The memory's time is its own. A target that answers early
// (TLM_UPDATED, TLM_COMPLETED) is understood. Errors: the target's response status becomes that of
// the transaction, and a message without data goes back. Values: the memory gets the bytes of every
// write (zeros for values that only phase 2 knows), and its own bytes answer reads by TLM-2.0
// initiators and transport_dbg. Host and kernels see the memory store as ever, to which all writes
// go too; they do not see bytes that the memory changes by itself. Not modelled: DMI, byte enables,
// several requests at a time.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/address/phys_addr.h"
#include "models/data/debug_access.h"
#include "models/tlm/tlm_bridge.h"
#include "models/tlm/tlm_bridges.h"

namespace kernbench {
namespace {

class TlmTargetBridge final : public TlmBridge, private tlm::tlm_bw_transport_if<> {
 public:
  static constexpr const char* description =
      "a plain TLM-2.0 target (base protocol) as a memory: in the place of sram or hbm_ctrl, or of "
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
        *this, Parameter::duration_ns(
                   "overhead_ns", "from the last flit or the command to BEGIN_REQ", "assumption")
                   .default_val(0)};
    Param<std::int64_t> size_mb{
        // read by the address map
        *this, Parameter::integer("size_mb", "capacity, in the place of sram", "MiB", "spec 1.2")
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

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 /*start*/, sc_dt::uint64 /*end*/) override {}
  unsigned debug_access(tlm::tlm_generic_payload& payload, std::uint64_t offset) override;

  Fs next_due() const override;
  void serve() override;
  void begin();
  void bytes_to_write(Transaction& transaction);
  void answered(Fs at, bool end_resp_wanted);
  void finish();

  const Parameters parameters_;
  Arrival current_;  // under way outside
  TransactionHandle outside_payload_;
  std::vector<unsigned char> bytes_;
  Fs answer_at_ = never_fs;
  bool end_resp_wanted_ = false;
  TraceSignal& busy_;
  std::unique_ptr<sc_core::sc_module> outside_;  // goes before all that it may call
};

TlmTargetBridge::TlmTargetBridge(const ComponentInit& init,
                                 const std::map<std::string, ExternalModules::MakeTarget>& targets)
    : TlmBridge(init), socket("socket"), parameters_(init.attributes),
      busy_(add_signal("busy", "a request is with the memory", 1)) {
  add_access_statistics("reads answered", "writes completed",
                        "requests with an error as response status");
  socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  outside_ = targets.at(*parameters_.module)("module", socket);
}

Fs TlmTargetBridge::next_due() const {
  if (outside_payload_) return answer_at_;
  const Arrival* head = arrivals_.control();
  return head == nullptr ? never_fs : std::max(head->time + *parameters_.overhead, now());
}

void TlmTargetBridge::serve() {
  while (next_due() <= now()) {
    if (outside_payload_) {
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
  const RouteExtension& route = transaction.route();
  if (transaction.get_data_length() == 0 || transaction.get_command() == tlm::TLM_IGNORE_COMMAND) {
    throw ModelError("a control message without a read has reached the memory");
  }
  bytes_.assign(transaction.get_data_length(), 0);
  if (transaction.is_write()) bytes_to_write(transaction);
  outside_payload_ = machine_.pool().make();
  outside_payload_->set_command(transaction.get_command());
  outside_payload_->set_address(route.offset);
  outside_payload_->set_data_ptr(bytes_.data());
  outside_payload_->set_data_length(transaction.get_data_length());
  outside_payload_->set_streaming_width(transaction.get_data_length());
  busy_.set(1);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_sync_enum answer = socket->nb_transport_fw(*outside_payload_, phase, delay);
  if (answer == tlm::TLM_COMPLETED) return answered(now() + delay.value(), false);
  if (answer == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP) answered(now() + delay.value(), true);
}

// The initiator's where it still has them, else what the memory store holds by now.
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
  if (!outside_payload_ || &payload != &*outside_payload_ || answer_at_ != never_fs) {
    return broken_protocol("a phase of a payload that is not under way");
  }
  if (phase == tlm::BEGIN_REQ || phase == tlm::END_RESP)
    return broken_protocol("an initiator's phase on the backward path");
  if (phase == tlm::BEGIN_RESP) answered(now() + delay.value(), true);
  return tlm::TLM_ACCEPTED;
}

void TlmTargetBridge::answered(Fs at, bool end_resp_wanted) {
  answer_at_ = at;
  end_resp_wanted_ = end_resp_wanted;
  rearm();
}

void TlmTargetBridge::finish() {
  answer_at_ = never_fs;
  tlm::tlm_response_status status = outside_payload_->get_response_status();
  if (status == tlm::TLM_INCOMPLETE_RESPONSE)
    status = tlm::TLM_GENERIC_ERROR_RESPONSE;  // the target has not set it
  if (end_resp_wanted_) {
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->nb_transport_fw(*outside_payload_, phase, delay);
  }
  outside_payload_ = {};
  busy_.set(0);

  const bool ok = status == tlm::TLM_OK_RESPONSE;
  Transaction& transaction = *current_.transaction;
  RouteExtension& route = transaction.route();
  const unsigned nbytes = transaction.get_data_length();
  transaction.set_response_status(status);
  report_passage(current_, current_.time);
  count_access(transaction, ok);

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
  const unsigned count = socket->transport_dbg(outside);
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
