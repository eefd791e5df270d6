#include "sw/distributed/group.h"

#include "sw/distributed/process_group.h"

namespace kernbench {

std::string Group::str() const {
  return group_ == nullptr || group_->number() == 0 ? "all ranks" : group_->name();
}

}  // namespace kernbench
