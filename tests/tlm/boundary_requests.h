// What initiators at the external TLM boundary of the tiny machine ask for.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/address/phys_addr.h"
#include "tests/tlm/boundary_machine.h"

namespace kernbench::test {

inline plain_tlm::AtRequest write_request(std::uint64_t address, std::vector<unsigned char> data,
                                          Fs start = 0, Fs delay = 0) {
  return {tlm::TLM_WRITE_COMMAND, address, std::move(data), fs(start), fs(delay)};
}
inline plain_tlm::AtRequest read_request(std::uint64_t address, std::size_t nbytes, Fs start = 0,
                                         Fs delay = 0) {
  return {tlm::TLM_READ_COMMAND, address, std::vector<unsigned char>(nbytes, 0xee), fs(start),
          fs(delay)};
}

// The tiny machine's addresses, before there is a machine.
inline std::uint64_t hbm_address(unsigned pe, std::uint64_t offset) {
  return PhysAddr::pe_hbm_addr(0, 0, pe, offset, std::uint64_t{6} << 30).encode();
}

}  // namespace kernbench::test
