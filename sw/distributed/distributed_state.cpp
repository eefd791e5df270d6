#include "sw/distributed/distributed_state.h"

#include "sw/distributed/default_group.h"

namespace kernbench {

DistributedState::DistributedState(Runtime& of)
    : runtime(of), algorithms(std::make_shared<const AlgorithmRegistry>(shipped_algorithms())) {}

DistributedState::~DistributedState() = default;

void DistributedState::configure(CclFile file, std::shared_ptr<const AlgorithmRegistry> from) {
  ccl = std::move(file);
  if (from != nullptr) algorithms = std::move(from);
  rank_unit = resolve(ccl, *algorithms).rank_unit;
}

}  // namespace kernbench
