// The contents of a plain TLM-2.0 memory, and the record of a request to it.
#pragma once

#include <cstring>
#include <systemc>
#include <tlm>
#include <vector>

namespace plain_tlm {

struct Request {
  tlm::tlm_command command = tlm::TLM_IGNORE_COMMAND;
  sc_dt::uint64 address = 0;
  unsigned length = 0;
  sc_core::sc_time begin_req;
};

class ByteArray {
 public:
  explicit ByteArray(std::size_t size) : bytes_(size) {}
  std::vector<unsigned char>& bytes() { return bytes_; }

  void access(tlm::tlm_generic_payload& payload) {
    if (payload.get_byte_enable_ptr() != nullptr)
      return payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    if (payload.get_streaming_width() < payload.get_data_length())
      return payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    if (payload.get_address() + payload.get_data_length() > bytes_.size())
      return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    copy(payload, payload.get_data_length());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  unsigned debug(tlm::tlm_generic_payload& payload) {
    if (payload.get_address() >= bytes_.size()) return 0;
    const auto left = static_cast<unsigned>(bytes_.size() - payload.get_address());
    const unsigned count = payload.get_data_length() < left ? payload.get_data_length() : left;
    copy(payload, count);
    return count;
  }

 private:
  void copy(tlm::tlm_generic_payload& payload, unsigned count) {
    unsigned char* mine = bytes_.data() + payload.get_address();
    if (payload.is_write()) std::memcpy(mine, payload.get_data_ptr(), count);
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), mine, count);
  }

  std::vector<unsigned char> bytes_;
};

}  // namespace plain_tlm
