// AddressBook: what the host program knows of virtual addresses, for the messages of faults.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "models/address/mapping_fault.h"
#include "models/protocol/host_messages.h"

namespace kernbench {

class AddressBook {
 public:
  // What stands at an address that `where` has no mapping for, and how it would have one.
  using Explain = std::function<std::string(std::uint64_t address, PeId where)>;
  // By the host's runtime while it lives; without: faults are not explained.
  void set(Explain explain) { explain_ = std::move(explain); }

  // The text of the fault, with the explanation behind it.
  std::string text_of(const MappingFault& fault, PeId where) const {
    if (!explain_) return fault.what();
    return std::string(fault.what()) + ": " + explain_(fault.address(), where);
  }

 private:
  Explain explain_;
};

}  // namespace kernbench
