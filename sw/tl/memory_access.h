// Declarations shared by the files of Program that access memory. Program::Access: a load or store
// that has been checked and bound, before its issue.
#pragma once

#include "sw/tl/block_access.h"
#include "sw/tl/program.h"

namespace kernbench::tl {

struct Program::Access {
  Command command;
  InFlight entry;                                          // operand: the block that is stored
  TensorValue value = {};                                  // value that is loaded
  std::shared_ptr<ScratchBlock> block;                     // destination of the load
  std::shared_ptr<const GatheredLoad> gathered = nullptr;  // Handle::State::gathered
};

// Values of an operand that selects the addresses of an access; `what` names it, "offsets".
std::vector<std::int64_t> known_indices(const char* call, const char* what, const Handle& handle,
                                        CallSite site);
std::vector<std::int64_t> broadcast_mask(const char* call, const Handle& mask, const Shape& shape,
                                         CallSite site);

}  // namespace kernbench::tl
