#include "sw/tl/composite.h"

#include "models/base/errors.h"

namespace kernbench::tl {
namespace {

EpilogueEntry entry(EpilogueOp::Kind kind, EpilogueScope scope,
                    std::optional<Handle> operand = {}) {
  EpilogueEntry result;
  result.kind = kind;
  result.scope = scope;
  result.operand = std::move(operand);
  return result;
}

}  // namespace

EpilogueEntry relu(EpilogueScope scope) { return entry(EpilogueOp::Kind::relu, scope); }
EpilogueEntry gelu(EpilogueScope scope) { return entry(EpilogueOp::Kind::gelu, scope); }
EpilogueEntry silu(EpilogueScope scope) { return entry(EpilogueOp::Kind::silu, scope); }
EpilogueEntry exp(EpilogueScope scope) { return entry(EpilogueOp::Kind::exp, scope); }
EpilogueEntry bias(const Handle& bias, EpilogueScope scope) {
  return entry(EpilogueOp::Kind::bias, scope, bias);
}
EpilogueEntry add(const Handle& other, EpilogueScope scope) {
  return entry(EpilogueOp::Kind::add, scope, other);
}
EpilogueEntry mul(const Handle& other, EpilogueScope scope) {
  return entry(EpilogueOp::Kind::mul, scope, other);
}
EpilogueEntry dequant(const Handle& scales, EpilogueScope scope) {
  return entry(EpilogueOp::Kind::dequant, scope, scales);
}

EpilogueEntry scale(double factor, EpilogueScope scope) {
  EpilogueEntry result = entry(EpilogueOp::Kind::scale, scope);
  result.factor = factor;
  return result;
}

EpilogueEntry dequant(double scale, EpilogueScope scope) {
  EpilogueEntry result = entry(EpilogueOp::Kind::dequant, scope);
  result.factor = scale;
  return result;
}

EpilogueEntry clamp(double low, double high, EpilogueScope scope) {
  EpilogueEntry result = entry(EpilogueOp::Kind::clamp, scope);
  result.low = low;
  result.high = high;
  return result;
}

bool Composite::done(CallSite site) const {
  if (!command_) throw UsageError("a tl composite is used before it is made" + site.in_brackets());
  return command_->poll();
}

const Handle& Composite::result(CallSite site) const {
  if (!command_) throw UsageError("a tl composite is used before it is made" + site.in_brackets());
  if (!result_)
    throw UsageError("result of a composite that writes to memory" + site.in_brackets() +
                     ": load it from there");
  return *result_;
}

}  // namespace kernbench::tl
