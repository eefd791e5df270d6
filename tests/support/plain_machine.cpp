#include "tests/support/plain_machine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "models/data/elements.h"
#include "platform/phase2/reference_functions.h"

namespace kernbench::test {
namespace {

constexpr std::array<DType, 5> dtypes{DType::f16, DType::bf16, DType::f32, DType::i8, DType::i32};
constexpr std::int64_t longest_side = 4;

DType common(DType a, DType b) {
  if (a == b) return a;
  if (is_float(a) && is_float(b)) return DType::f32;
  if (is_float(a) || is_float(b)) return is_float(a) ? a : b;
  return DType::i32;
}

bool definite(double value) { return !std::isnan(value); }
bool small_integer(double value) {
  return std::nearbyint(value) == value && std::fabs(value) <= 0x1p20;
}

}  // namespace

rc::Gen<std::vector<Step>> random_steps() {
  const auto number = rc::gen::inRange<unsigned>(0, 997);
  // Any number in any step, also of the first and shortest programs.
  const auto step = rc::gen::resize(
      rc::kNominalSize,
      rc::gen::build<Step>(
          rc::gen::set(&Step::kind, rc::gen::inRange<unsigned>(0, 16)),
          rc::gen::set(&Step::numbers, rc::gen::container<std::vector<unsigned>>(6, number))));
  return rc::gen::scale(2.0, rc::gen::container<std::vector<Step>>(step));
}

std::vector<std::byte> Block::bytes() const {
  std::vector<std::byte> bytes(elements.size() * size_of(dtype));
  for (std::size_t i = 0; i < elements.size(); ++i)
    write_element(bytes.data() + i * size_of(dtype), dtype, elements[i]);
  return bytes;
}

class PlainMachine::Numbers {
 public:
  explicit Numbers(const Step& step) : step_(step) {}
  std::size_t below(std::size_t end) {
    return (next_ < step_.numbers.size() ? step_.numbers[next_++] : 0U) % end;
  }
  std::int64_t side() { return static_cast<std::int64_t>(below(longest_side)) + 1; }
  DType dtype() { return dtypes[below(dtypes.size())]; }

 private:
  const Step& step_;
  std::size_t next_ = 0;
};

std::vector<std::byte> PlainMachine::first_memory() {
  std::vector<std::byte> memory(memory_bytes);
  const std::array<DType, 4> quarters{DType::i8, DType::f16, DType::f32, DType::i32};
  for (std::size_t at = 0; at < memory_bytes;) {
    const DType dtype = quarters[at / (memory_bytes / 4)];
    write_element(memory.data() + at, dtype, static_cast<double>(at % 11) - 5);
    at += size_of(dtype);
  }
  return memory;
}

PlainMachine::PlainMachine(const std::vector<Step>& steps) {
  for (const Step& step : steps) execute(step);
}

void PlainMachine::execute(const Step& step) {
  Numbers numbers(step);
  Action action;
  bool done = false;
  if (blocks_.empty() && step.kind >= 4) return;
  switch (step.kind) {
    case 0:
    case 1:
      done = load(numbers, action);
      break;
    case 2:
      done = make(numbers, action);
      break;
    case 3:
      done = copy(numbers, action);
      break;
    case 4:
    case 5:
      done = store(numbers, action);
      break;
    case 6:
    case 7:
    case 8:
      done = math(numbers, action);
      break;
    case 9:
      done = cast(numbers, action);
      break;
    case 10:
      done = reduce(numbers, action);
      break;
    case 11:
      done = dot(numbers, action);
      break;
    case 12:
      action.kind = ActionKind::read;
      action.operands = {numbers.below(blocks_.size())};
      done = true;
      break;
    default:
      done = view(numbers, action);
  }
  if (done) actions_.push_back(action);
}

bool PlainMachine::keep(const Action& action, std::vector<double> elements) {
  if (elements.size() > memory_bytes / 4 ||
      !std::all_of(elements.begin(), elements.end(), definite))
    return false;
  const bool view = action.kind == ActionKind::transpose || action.kind == ActionKind::broadcast;
  const bool still = action.kind == ActionKind::slice && !blocks_[action.operands[0]].as_computed;
  blocks_.push_back(
      {action.rows, action.columns, action.dtype, std::move(elements), !view && !still});
  return true;
}

// Any block, one that fits if there is one.
template <class Fits>
std::size_t PlainMachine::block_that(Numbers& numbers, Fits fits) const {
  const std::size_t first = numbers.below(blocks_.size());
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const std::size_t block = (first + i) % blocks_.size();
    if (fits(blocks_[block])) return block;
  }
  return first;
}

bool PlainMachine::load(Numbers& numbers, Action& action) {
  action.dtype = numbers.dtype();
  action.rows = numbers.side();
  action.columns = numbers.side();
  const std::size_t size = size_of(action.dtype),
                    count = static_cast<std::size_t>(action.rows * action.columns);
  action.at = numbers.below(memory_bytes / size - count + 1) * size;  // any element
  std::vector<double> elements;
  for (std::size_t i = 0; i < count; ++i)
    elements.push_back(read_element(memory_.data() + action.at + i * size, action.dtype));
  return keep(action, std::move(elements));
}

bool PlainMachine::make(Numbers& numbers, Action& action) {
  action.kind = ActionKind::make;
  action.dtype = numbers.dtype();
  action.rows = numbers.side();
  action.columns = numbers.side();
  action.scalar = static_cast<double>(numbers.below(15)) - 7;
  return keep(action, std::vector<double>(static_cast<std::size_t>(action.rows * action.columns),
                                          action.scalar));
}

bool PlainMachine::store(Numbers& numbers, Action& action) {
  action.kind = ActionKind::store;
  action.operands = {numbers.below(blocks_.size())};
  const std::vector<std::byte> bytes = blocks_[action.operands[0]].bytes();
  action.count = bytes.size();
  const std::size_t size = size_of(blocks_[action.operands[0]].dtype);
  action.at = numbers.below((memory_bytes - bytes.size()) / size + 1) * size;
  std::copy(bytes.begin(), bytes.end(), memory_.begin() + static_cast<std::ptrdiff_t>(action.at));
  return true;
}

bool PlainMachine::copy(Numbers& numbers, Action& action) {
  action.kind = ActionKind::copy;
  action.count = numbers.below(64) + 1;
  action.at = numbers.below(memory_bytes - action.count + 1);
  action.to = numbers.below(memory_bytes - action.count + 1);
  std::memmove(memory_.data() + action.to, memory_.data() + action.at, action.count);
  return true;
}

bool PlainMachine::math(Numbers& numbers, Action& action) {
  constexpr std::array<MathOp, 8> ops{MathOp::add,     MathOp::sub,   MathOp::mul,  MathOp::maximum,
                                      MathOp::minimum, MathOp::where, MathOp::relu, MathOp::abs};
  action.kind = ActionKind::math;
  action.op = ops[numbers.below(ops.size())];
  const std::size_t wanted = static_cast<std::size_t>(operand_count(action.op));
  const bool with_scalar = wanted > 1 && numbers.below(3) == 0;
  for (std::size_t i = 0; i + (with_scalar ? 1 : 0) < wanted; ++i) {
    action.operands.push_back(block_that(numbers, [&](const Block& block) {
      return (block.rows == action.rows || block.rows == 1 || action.rows == 1) &&
             (block.columns == action.columns || block.columns == 1 || action.columns == 1);
    }));
    action.rows = std::max(action.rows, blocks_[action.operands.back()].rows);
    action.columns = std::max(action.columns, blocks_[action.operands.back()].columns);
  }
  action.has_scalar = with_scalar;
  if (with_scalar) action.scalar = static_cast<double>(numbers.below(9)) - 4;

  std::optional<DType> dtype;
  for (std::size_t i = 0; i < action.operands.size(); ++i) {
    const Block& block = blocks_[action.operands[i]];
    if (action.op != MathOp::where || i > 0)
      dtype = dtype ? common(*dtype, block.dtype) : block.dtype;
  }
  action.dtype = *dtype;
  const bool in_integers = !is_float(action.dtype);
  std::vector<double> elements;
  for (std::int64_t row = 0; row < action.rows; ++row) {
    for (std::int64_t column = 0; column < action.columns; ++column) {
      std::array<double, 3> x{};
      for (std::size_t i = 0; i < action.operands.size(); ++i) {
        const Block& block = blocks_[action.operands[i]];
        x[i] = block.at(block.rows == 1 ? 0 : row, block.columns == 1 ? 0 : column);
        if (!in_integers) x[i] = reference_rounding(DType::f32, x[i]);
      }
      if (with_scalar) x[wanted - 1] = action.scalar;
      const bool of_extremes = action.op == MathOp::maximum || action.op == MathOp::minimum;
      if (of_extremes && x[0] == 0 && x[1] == 0 && std::signbit(x[0]) != std::signbit(x[1]))
        return false;  // either may be the larger
      if (in_integers) {
        if (action.op == MathOp::where) x[0] = x[0] != 0 ? 1 : 0;
        elements.push_back(reference_integer(action.op, action.dtype, x[0], x[1], x[2]));
      } else {
        const double result = reference_function(action.op, x[0], x[1], x[2]);
        elements.push_back(
            reference_rounding(action.dtype, reference_rounding(DType::f32, result)));
      }
    }
  }
  return keep(action, std::move(elements));
}

bool PlainMachine::cast(Numbers& numbers, Action& action) {
  action.kind = ActionKind::cast;
  action.operands = {numbers.below(blocks_.size())};
  action.dtype = numbers.dtype();
  const Block& block = blocks_[action.operands[0]];
  if (block.dtype == action.dtype) return false;
  action.rows = block.rows;
  action.columns = block.columns;
  std::vector<double> elements = block.elements;
  for (double& element : elements) element = reference_rounding(action.dtype, element);
  return keep(action, std::move(elements));
}

bool PlainMachine::reduce(Numbers& numbers, Action& action) {
  constexpr std::array<MathOp, 4> ops{MathOp::sum, MathOp::max, MathOp::min, MathOp::argmax};
  action.kind = ActionKind::reduce;
  action.op = ops[numbers.below(ops.size())];
  action.operands = {numbers.below(blocks_.size())};
  action.axis = static_cast<int>(numbers.below(2));
  const Block& block = blocks_[action.operands[0]];
  const bool sum = action.op == MathOp::sum;
  if (sum && !std::all_of(block.elements.begin(), block.elements.end(), small_integer))
    return false;
  const std::int64_t extent = action.axis == 0 ? block.rows : block.columns;
  action.rows = action.axis == 0 ? 1 : block.rows;
  action.columns = action.axis == 0 ? block.columns : 1;
  action.dtype =
      action.op == MathOp::argmax || (sum && block.dtype == DType::i8) ? DType::i32 : block.dtype;
  std::vector<double> elements;
  for (std::int64_t i = 0; i < action.rows * action.columns; ++i) {
    const auto at = [&](std::int64_t k) {
      return action.axis == 0 ? block.at(k, i) : block.at(i, k);
    };
    double total = at(0);
    std::int64_t best = 0;
    bool zeros_differ = false;
    for (std::int64_t k = 1; k < extent; ++k) {
      total += at(k);
      zeros_differ = zeros_differ || std::signbit(at(k)) != std::signbit(at(0));
      if (action.op == MathOp::min ? at(k) < at(best) : at(k) > at(best)) best = k;
    }
    if (at(best) == 0 && zeros_differ && !sum && action.op != MathOp::argmax) return false;
    elements.push_back(sum                           ? reference_rounding(action.dtype, total)
                       : action.op == MathOp::argmax ? static_cast<double>(best)
                                                     : at(best));
  }
  return keep(action, std::move(elements));
}

bool PlainMachine::dot(Numbers& numbers, Action& action) {
  action.kind = ActionKind::dot;
  const auto exact = [](const Block& block) {  // four products of these are, in f32
    return std::all_of(block.elements.begin(), block.elements.end(),
                       [](double x) { return small_integer(x) && std::fabs(x) <= 1024; });
  };
  action.operands = {block_that(numbers, exact)};
  action.operands.push_back(block_that(numbers, [&](const Block& block) {
    const Block& left = blocks_[action.operands[0]];
    return left.columns == block.rows && is_float(left.dtype) == is_float(block.dtype) &&
           exact(block);
  }));
  const Block &a = blocks_[action.operands[0]], &b = blocks_[action.operands[1]];
  if (!exact(a) || !exact(b) || a.columns != b.rows || is_float(a.dtype) != is_float(b.dtype))
    return false;
  action.rows = a.rows;
  action.columns = b.columns;
  action.dtype = is_float(a.dtype) ? common(a.dtype, b.dtype) : DType::i32;
  std::vector<double> elements;
  for (std::int64_t row = 0; row < a.rows; ++row) {
    for (std::int64_t column = 0; column < b.columns; ++column) {
      double sum = 0;
      for (std::int64_t k = 0; k < a.columns; ++k) sum += a.at(row, k) * b.at(k, column);
      elements.push_back(reference_rounding(action.dtype, sum));
    }
  }
  return keep(action, std::move(elements));
}

bool PlainMachine::view(Numbers& numbers, Action& action) {
  constexpr std::array<ActionKind, 4> kinds{ActionKind::transpose, ActionKind::slice,
                                            ActionKind::reshape, ActionKind::broadcast};
  action.kind = kinds[numbers.below(kinds.size())];
  action.operands = {numbers.below(blocks_.size())};
  const Block& block = blocks_[action.operands[0]];
  action.dtype = block.dtype;
  action.rows = block.rows;
  action.columns = block.columns;
  std::vector<double> elements;
  switch (action.kind) {
    case ActionKind::transpose:
      std::swap(action.rows, action.columns);
      for (std::int64_t row = 0; row < action.rows; ++row) {
        for (std::int64_t column = 0; column < action.columns; ++column)
          elements.push_back(block.at(column, row));
      }
      break;
    case ActionKind::slice:
      action.begin = static_cast<std::int64_t>(numbers.below(static_cast<std::size_t>(block.rows)));
      action.end = action.begin + 1 +
                   static_cast<std::int64_t>(
                       numbers.below(static_cast<std::size_t>(block.rows - action.begin)));
      action.rows = action.end - action.begin;
      elements.assign(block.elements.begin() + action.begin * block.columns,
                      block.elements.begin() + action.end * block.columns);
      break;
    case ActionKind::reshape:
      if (!block.as_computed) return false;
      action.rows = block.rows * block.columns;  // one column, or one row
      action.columns = 1;
      if (numbers.below(2) == 0) std::swap(action.rows, action.columns);
      elements = block.elements;
      break;
    default:
      if (block.rows == 1) action.rows = numbers.side();
      if (block.columns == 1) action.columns = numbers.side();
      for (std::int64_t row = 0; row < action.rows; ++row) {
        for (std::int64_t column = 0; column < action.columns; ++column)
          elements.push_back(block.at(block.rows == 1 ? 0 : row, block.columns == 1 ? 0 : column));
      }
  }
  return keep(action, std::move(elements));
}

}  // namespace kernbench::test
