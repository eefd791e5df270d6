#include "platform/phase2/epilogue.h"

#include <algorithm>

#include "platform/phase2/math_functions.h"

namespace kernbench {
namespace {

template <class Function>
void for_each(float* values, std::int64_t count, Function function) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = function(values[i]);
}

// Combines results with an operand of one element per column, or one per result.
template <class Function>
void with_operand(float* values, std::int64_t begin, std::int64_t count, const float* operand,
                  std::int64_t period, Function function) {
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t at = (begin + done) % period, run = std::min(count - done, period - at);
    for (std::int64_t i = 0; i < run; ++i)
      values[done + i] = function(values[done + i], operand[at + i]);
    done += run;
  }
}

}  // namespace

Epilogue::Epilogue(const std::vector<EpilogueOp>& ops, const std::vector<TensorValue>& inputs,
                   const ValueLookup& lookup) {
  for (const EpilogueOp& op : ops) {
    Step step{op, nullptr, 0};
    if (op.input >= 0) {
      const TensorValue& input = inputs.at(static_cast<std::size_t>(op.input));
      step.operand = floats_of(input, lookup);
      step.elements = input.shape.elements();
    }
    steps_.push_back(std::move(step));
  }
}

bool Epilogue::has(EpilogueScope scope) const {
  return std::any_of(steps_.begin(), steps_.end(),
                     [scope](const Step& step) { return step.op.scope == scope; });
}

void Epilogue::apply(EpilogueScope scope, float* values, std::int64_t begin, std::int64_t count,
                     std::int64_t k_tile) const {
  for (const Step& step : steps_) {
    if (step.op.scope == scope) apply_step(step, values, begin, count, k_tile);
  }
}

void Epilogue::finish(float* values, std::int64_t begin, std::int64_t count) const {
  apply(EpilogueScope::output_tile, values, begin, count);
  apply(EpilogueScope::kernel, values, begin, count);
}

void Epilogue::apply_step(const Step& step, float* values, std::int64_t begin, std::int64_t count,
                          std::int64_t k_tile) {
  using Kind = EpilogueOp::Kind;
  const EpilogueOp& op = step.op;
  // The operand of bias, add and mul repeats after one row, or covers the whole output.
  const std::int64_t period = step.elements;
  switch (op.kind) {
    case Kind::bias:
    case Kind::add:
      return with_operand(values, begin, count, step.operand.get(), period,
                          [](float x, float y) { return x + y; });
    case Kind::mul:
      return with_operand(values, begin, count, step.operand.get(), period,
                          [](float x, float y) { return x * y; });
    case Kind::relu:
      return for_each(values, count, [](float x) { return math_functions::relu(x); });
    case Kind::gelu:
      return for_each(values, count, [](float x) { return math_functions::gelu(x); });
    case Kind::silu:
      return for_each(values, count, [](float x) { return math_functions::silu(x); });
    case Kind::exp:
      return for_each(values, count, [](float x) { return std::exp(x); });
    case Kind::scale:
    case Kind::dequant: {
      const float factor = !step.operand
                               ? static_cast<float>(op.factor)
                               : step.operand[static_cast<std::size_t>(period == 1 ? 0 : k_tile)];
      return for_each(values, count, [factor](float x) { return x * factor; });
    }
    case Kind::clamp: {
      const auto low = static_cast<float>(op.low), high = static_cast<float>(op.high);
      return for_each(values, count,
                      [low, high](float x) { return math_functions::clamp(x, low, high); });
    }
  }
}

}  // namespace kernbench
