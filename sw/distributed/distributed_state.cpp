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

void DistributedState::end_group_if_over() {
  if (group == nullptr || !group->over()) return;
  group.reset();
  group_ended.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace kernbench
