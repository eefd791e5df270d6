// What the files of Program that access memory share; Program::Access: a load or store that has
// been checked and bound, before its issue.
#pragma once

#include "sw/tl/block_access.h"
#include "sw/tl/program.h"

namespace kernbench::tl {

struct Program::Access {
  Command command;
  InFlight entry;                                          // its operands: the block that is stored
  TensorValue value = {};                                  // that is loaded
  std::shared_ptr<ScratchBlock> block;                     // for it
  std::shared_ptr<const GatheredLoad> gathered = nullptr;  // Handle::State::gathered
};

// The values of an operand that says where an access goes: `what` it is, "offsets".
std::vector<std::int64_t> known_indices(const char* call, const char* what, const Handle& handle,
                                        CallSite site);
std::vector<std::int64_t> broadcast_mask(const char* call, const Handle& mask, const Shape& shape,
                                         CallSite site);

}  // namespace kernbench::tl
