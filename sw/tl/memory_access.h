// Program::Access: a load or store that has been checked and bound, before its issue. For the files
// of Program that make them.
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

}  // namespace kernbench::tl
