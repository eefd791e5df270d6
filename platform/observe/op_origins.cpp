#include "platform/observe/op_origins.h"

#include <fmt/format.h>

#include <algorithm>
#include <systemc>

#include "models/data/data_op.h"

namespace kernbench {

void OpOrigins::write(const ExecutedOp& op) {
  if (!op.data || op.data->outputs.empty()) return;
  if (by_op_.size() >= limit_) forget_gone();
  by_op_[op.data->id] = {op.data, op.node, op.name, op.t_start};
}

// The limit is twice the remaining number, so that each entry is examined a constant number of
// times.
void OpOrigins::forget_gone() {
  for (auto entry = by_op_.begin(); entry != by_op_.end();)
    entry = entry->second.op.expired() ? by_op_.erase(entry) : std::next(entry);
  limit_ = std::max(least, 2 * by_op_.size());
}

std::string OpOrigins::text(std::uint64_t data_op) const {
  const auto found = by_op_.find(data_op);
  if (found == by_op_.end() || found->second.node == nullptr) return "";
  return fmt::format("{} on {} at {}", found->second.name, found->second.node->name(),
                     format_ns(found->second.start));
}

}  // namespace kernbench
