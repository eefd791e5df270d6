// MappingFault: an access to a virtual or logical address that nothing is mapped to.
#pragma once

#include <cstdint>
#include <string>

#include "models/base/errors.h"

namespace kernbench {

class MappingFault : public AccessFault {
 public:
  // `address`: the first one without a mapping.
  MappingFault(std::uint64_t address, const std::string& what)
      : AccessFault(what), address_(address) {}
  std::uint64_t address() const { return address_; }

 private:
  std::uint64_t address_;
};

}  // namespace kernbench
