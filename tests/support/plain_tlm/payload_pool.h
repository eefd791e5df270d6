// A memory manager of a plain TLM-2.0 initiator. This folder is independent of the platform.
#pragma once

#include <memory>
#include <tlm>
#include <vector>

namespace plain_tlm {

class PayloadPool final : public tlm::tlm_mm_interface {
 public:
  tlm::tlm_generic_payload& take() {
    if (idle_.empty()) {
      all_.push_back(std::make_unique<tlm::tlm_generic_payload>(this));
      idle_.push_back(all_.back().get());
    }
    tlm::tlm_generic_payload& payload = *idle_.back();
    idle_.pop_back();
    payload.acquire();
    return payload;
  }
  void free(tlm::tlm_generic_payload* payload) override {
    payload->reset();
    idle_.push_back(payload);
  }
  std::size_t outstanding() const { return all_.size() - idle_.size(); }

 private:
  std::vector<std::unique_ptr<tlm::tlm_generic_payload>> all_;
  std::vector<tlm::tlm_generic_payload*> idle_;
};

// Sets every attribute that the standard leaves to the initiator.
inline void prepare(tlm::tlm_generic_payload& payload, tlm::tlm_command command,
                    sc_dt::uint64 address, std::vector<unsigned char>& data) {
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(data.data());
  payload.set_data_length(static_cast<unsigned>(data.size()));
  payload.set_streaming_width(static_cast<unsigned>(data.size()));
  payload.set_byte_enable_ptr(nullptr);
  payload.set_byte_enable_length(0);
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

}  // namespace plain_tlm
