#include "platform/observe/op_origins.h"

#include <fmt/format.h>

#include <systemc>

#include "models/data/data_op.h"

namespace kernbench {

void OpOrigins::write(const ExecutedOp& op) {
  if (op.data && !op.data->outputs.empty()) by_op_[op.data->id] = {op.node, op.name, op.t_start};
}

std::string OpOrigins::text(std::uint64_t data_op) const {
  const auto found = by_op_.find(data_op);
  if (found == by_op_.end() || found->second.node == nullptr) return "";
  return fmt::format("{} on {} at {}", found->second.name, found->second.node->name(),
                     format_ns(found->second.start));
}

}  // namespace kernbench
