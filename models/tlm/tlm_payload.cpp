#include "models/tlm/tlm_payload.h"

#include <algorithm>
#include <new>
#include <utility>

namespace kernbench {

// The slot owns its memory: `delete` by a module destroys it and frees nothing.
class TlmPayloads::Payload final : public tlm::tlm_generic_payload {
 public:
  Payload(TlmPayloads& owner, Slot& slot)
      : tlm::tlm_generic_payload(&owner), owner_(owner), slot_(slot) {}
  ~Payload() override;

  static void* operator new(std::size_t /*size*/, void* place) { return place; }
  static void operator delete(void* /*payload*/) {}
  static void operator delete(void* /*payload*/, void* /*place*/) {}

 private:
  TlmPayloads& owner_;
  Slot& slot_;
};

struct TlmPayloads::Slot {
  alignas(Payload) unsigned char memory[sizeof(Payload)];
  Payload* payload = nullptr;  // null: deleted
};

TlmPayloads::Payload::~Payload() {
  if (slot_.payload == nullptr) return;
  slot_.payload = nullptr;
  owner_.broken(slot_, "has deleted a payload, which belongs to its initiator");
}

TlmPayloads::TlmPayloads(std::function<void(const std::string&)> fault, std::function<void()> idle)
    : fault_(std::move(fault)), idle_(std::move(idle)) {}

TlmPayloads::~TlmPayloads() {
  for (const auto& slot : slots_) {
    Payload* payload = std::exchange(slot->payload, nullptr);
    if (payload != nullptr) payload->~Payload();
  }
}

tlm::tlm_generic_payload& TlmPayloads::take() {
  if (free_.empty()) {
    slots_.push_back(std::make_unique<Slot>());
    Slot& slot = *slots_.back();
    slot.payload = new (slot.memory) Payload(*this, slot);
    free_.push_back(&slot);
  }
  current_ = free_.back();
  free_.pop_back();
  ++with_module_;
  current_->payload->acquire();
  return *current_->payload;
}

void TlmPayloads::give_back() {
  Payload& payload = *std::exchange(current_, nullptr)->payload;
  payload.release();
}

void TlmPayloads::free(tlm::tlm_generic_payload* payload) {
  const auto found = std::find_if(slots_.begin(), slots_.end(),
                                  [&](const auto& slot) { return slot->payload == payload; });
  if (found == slots_.end()) return;
  if (found->get() == current_)
    return broken(**found, "has released a payload more often than it has acquired it");
  payload->reset();
  payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  payload->set_byte_enable_ptr(nullptr);
  payload->set_byte_enable_length(0);
  payload->set_dmi_allowed(false);
  free_.push_back(found->get());
  if (--with_module_ == 0) idle_();
}

void TlmPayloads::broken(Slot& slot, const char* what) {
  if (&slot == current_) current_ = nullptr;
  fault_(what);
}

}  // namespace kernbench
