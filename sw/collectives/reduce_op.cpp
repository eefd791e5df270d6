#include "sw/collectives/reduce_op.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"

namespace kernbench {

const std::vector<std::string>& reduce_op_names() {
  static const std::vector<std::string> names{"sum", "max",  "min", "prod",
                                              "avg", "band", "bor", "bxor"};
  return names;
}

const char* name_of(ReduceOp op) { return reduce_op_names()[static_cast<std::size_t>(op)].c_str(); }

ReduceOp parse_reduce_op(const std::string& name) {
  const auto& names = reduce_op_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<ReduceOp>(found - names.begin());
  std::string known;
  for (const std::string& each : names) known += (known.empty() ? "" : ", ") + each;
  throw UsageError(fmt::format("reduction '{}', allowed: {}", name, known));
}

bool takes_integers_only(ReduceOp op) { return takes_integers_only(math_op_of(op)); }

MathOp math_op_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::max:
      return MathOp::maximum;
    case ReduceOp::min:
      return MathOp::minimum;
    case ReduceOp::prod:
      return MathOp::mul;
    case ReduceOp::band:
      return MathOp::bitwise_and;
    case ReduceOp::bor:
      return MathOp::bitwise_or;
    case ReduceOp::bxor:
      return MathOp::bitwise_xor;
    case ReduceOp::sum:
    case ReduceOp::avg:
      break;
  }
  return MathOp::add;
}

}  // namespace kernbench
