// A sequential machine: the reference for random programs of loads, stores, views and computations.
// It shares no code with the value graph: memory is an array of bytes, blocks are arrays of
// doubles, and every operation is computed at once, by the reference of phase 2
// (platform/phase2/reference_functions.h).
//
// A program is a list of Steps, numbers without meaning of their own; the machine gives each a
// meaning at its position, so that any list is a program, also one that a shrinking generator has
// cut down. What it has executed are Actions, which print as lines of a program and are carried out
// by what is under test. Values are compared exactly: a step whose result would depend on the order
// of sums, or would be NaN (of which there are many bit patterns), is passed over.
#pragma once

#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "models/base/dtype.h"
#include "models/base/math_op.h"

namespace kernbench::test {

struct Step {
  unsigned kind = 0;
  std::vector<unsigned> numbers;  // drawn upon in turn; zeros behind the last
};
rc::Gen<std::vector<Step>> random_steps();
void showValue(const Step& step, std::ostream& out);

enum class ActionKind {
  load,
  make,
  store,
  copy,
  math,
  cast,
  reduce,
  dot,
  transpose,
  slice,
  reshape,
  broadcast,
  read
};

struct Action {
  ActionKind kind = ActionKind::load;
  std::vector<std::size_t> operands;      // blocks by number
  std::size_t at = 0, to = 0, count = 0;  // bytes of memory: load, store, copy
  std::int64_t rows = 1, columns = 1;     // of the result
  DType dtype = DType::f32;               // of the result
  MathOp op = MathOp::add;
  double scalar =
      0;  // the operand behind the blocks of a math op that takes one more; what make makes
  bool has_scalar = false;
  int axis = 0;
  std::int64_t begin = 0, end = 0;  // of slice
};

struct Block {
  std::int64_t rows = 1, columns = 1;
  DType dtype = DType::f32;
  std::vector<double> elements;  // row-major
  bool as_computed = true;       // not a transposed or repeated view: may be reshaped

  double at(std::int64_t row, std::int64_t column) const {
    return elements[static_cast<std::size_t>(row * columns + column)];
  }
  std::vector<std::byte> bytes() const;
};

class PlainMachine {
 public:
  static constexpr std::size_t memory_bytes = 256;
  static std::vector<std::byte>
  first_memory();  // small integers: a quarter of i8, of f16, of f32, of i32

  explicit PlainMachine(const std::vector<Step>& steps);

  const std::vector<Action>& actions() const { return actions_; }
  const std::vector<Block>& blocks() const {
    return blocks_;
  }  // one for each action but store, copy and read
  const std::vector<std::byte>& memory() const { return memory_; }
  std::string listing() const;  // one action in a line

 private:
  class Numbers;
  void execute(const Step& step);
  template <class Fits>
  std::size_t block_that(Numbers& numbers, Fits fits) const;
  bool load(Numbers& numbers, Action& action);
  bool make(Numbers& numbers, Action& action);
  bool store(Numbers& numbers, Action& action);
  bool copy(Numbers& numbers, Action& action);
  bool math(Numbers& numbers, Action& action);
  bool cast(Numbers& numbers, Action& action);
  bool reduce(Numbers& numbers, Action& action);
  bool dot(Numbers& numbers, Action& action);
  bool view(Numbers& numbers, Action& action);
  // As a new block, unless memory is too small for it or a value has no definite bytes.
  bool keep(const Action& action, std::vector<double> elements);

  std::vector<std::byte> memory_ = first_memory();
  std::vector<Block> blocks_;
  std::vector<Action> actions_;
};

}  // namespace kernbench::test
