#include "sw/ops/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "models/base/errors.h"
#include "sw/ops/box.h"
#include "sw/tl/overlap.h"

namespace kernbench::ops {
namespace {

std::vector<Tensor> tensors_of(const std::vector<Operand>& operands) {
  std::vector<Tensor> tensors;
  for (const Operand& operand : operands) {
    if (const auto* tensor = std::get_if<Tensor>(&operand)) tensors.push_back(*tensor);
  }
  return tensors;
}

std::string call_of(MathOp op) { return fmt::format("ops::elementwise({})", name_of(op)); }

void check_operands(MathOp op, const std::vector<Operand>& operands) {
  if (kind_of(op) != MathKind::element_wise || is_random(op) ||
      operand_count(op) != static_cast<int>(operands.size()))
    throw UsageError(fmt::format(
        "{} of {} operands: an element-wise operation of that many operands is expected",
        call_of(op), operands.size()));
  const std::size_t tensors = tensors_of(operands).size();
  if (tensors < 1 || tensors > 2)
    throw UsageError(
        fmt::format("{} of {} tensors: one or two are expected", call_of(op), tensors));
}

// Elements of an operand from which those of a box of the result are computed.
Box operand_box(const Shape& operand, const Box& out) {
  const std::size_t missing = out.start.size() - operand.rank();
  Box box;
  for (std::size_t axis = 0; axis < operand.rank(); ++axis) {
    const bool repeats = operand[axis] == 1;
    box.start.push_back(repeats ? 0 : out.start[missing + axis]);
    box.extents.push_back(repeats ? 1 : out.extents[missing + axis]);
  }
  return box;
}

// Elements of `out` that are computed from a part of its operand_box().
Box result_box(const Shape& operand, const Box& part, const Box& out) {
  const std::size_t missing = out.start.size() - operand.rank();
  Box box = out;
  for (std::size_t axis = 0; axis < operand.rank(); ++axis) {
    if (operand[axis] == 1) continue;
    box.start[missing + axis] = part.start[axis];
    box.extents[missing + axis] = part.extents[axis];
  }
  return box;
}

// Parts of a box of the result, each from one placed box of each operand.
std::vector<Box> cells(const Box& out, const std::vector<const tl::Tensor*>& operands) {
  std::vector<Box> boxes{out};
  for (const tl::Tensor* operand : operands) {
    std::vector<Box> smaller;
    for (const Box& box : boxes) {
      const Box needed = operand_box(operand->shape(), box);
      for (const Box& part : parts_in_memory(*operand->ptr().tensor(), needed))
        smaller.push_back(result_box(operand->shape(), part, box));
    }
    boxes = std::move(smaller);
  }
  return boxes;
}

// `numbers`: by operand; none: the next tensor.
struct ElementwiseBody {
  MathOp op;
  std::vector<std::optional<tl::Number>> numbers;
  std::int64_t elements;  // largest piece

  void run(tl::Program& tl, const std::vector<const tl::Tensor*>& tensors,
           const tl::Tensor& out) const {
    if (!out.has_local()) return;
    const tl::Overlap overlap(tl);
    for (const Box& cell : cells(local_box(out), tensors)) {
      for (const Box& piece : pieces_of(cell, elements)) compute(tl, tensors, out, piece);
    }
    tl.wait();
  }
  void compute(tl::Program& tl, const std::vector<const tl::Tensor*>& tensors,
               const tl::Tensor& out, const Box& piece) const {
    std::vector<tl::Operand> operands;
    auto next = tensors.begin();
    for (const auto& number : numbers) {
      if (number) {
        operands.emplace_back(*number);
        continue;
      }
      const tl::Tensor& tensor = **next++;
      operands.emplace_back(
          tl.load_async(block_at(tl, tensor, operand_box(tensor.shape(), piece))));
    }
    tl.store_async(block_at(tl, out, piece), tl.cast(tl.math(op, operands), out.dtype()));
  }
};

}  // namespace

Shape broadcast_shape(const std::string& call, const std::vector<Shape>& shapes) {
  std::size_t rank = 0;
  for (const Shape& shape : shapes) rank = std::max(rank, shape.rank());
  Extents extents(rank, 1);
  for (const Shape& shape : shapes) {
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      std::int64_t& extent = extents[rank - shape.rank() + axis];
      if (extent == 1) extent = shape[axis];
      if (shape[axis] == 1 || shape[axis] == extent) continue;
      std::string all;
      for (const Shape& each : shapes) all += (all.empty() ? "" : " and ") + each.str();
      throw UsageError(fmt::format(
          "{}: shapes {} do not broadcast; aligned at the last axis, extents are equal or 1", call,
          all));
    }
  }
  return Shape(extents);
}

DType result_dtype(MathOp op, const std::vector<Operand>& operands) {
  check_operands(op, operands);
  const std::vector<Tensor> tensors = tensors_of(operands);
  const DType dtype = tensors.front().dtype();
  if (tensors.back().dtype() != dtype)
    throw UsageError(fmt::format("{}: '{}' is {}, '{}' is {}; operands have one dtype", call_of(op),
                                 tensors.front().name(), name_of(dtype), tensors.back().name(),
                                 name_of(tensors.back().dtype())));
  if (gives_mask(op)) return DType::i8;
  if (is_float(dtype)) {
    if (takes_integers_only(op))
      throw UsageError(fmt::format("{} of {}: integers are expected", call_of(op), name_of(dtype)));
    return dtype;
  }
  const bool fraction = std::any_of(operands.begin(), operands.end(), [](const Operand& operand) {
    const auto* number = std::get_if<tl::Number>(&operand);
    return number != nullptr && number->is_floating();
  });
  return fraction || gives_fractions(op) ? DType::f32 : dtype;
}

void elementwise(Torch& torch, MathOp op, const std::vector<Operand>& operands, const Tensor& out) {
  const DType dtype = result_dtype(op, operands);
  const std::vector<Tensor> tensors = tensors_of(operands);
  const Shape shape =
      broadcast_shape(call_of(op), {tensors.front().shape(), tensors.back().shape()});
  if (out.shape() != shape || out.dtype() != dtype)
    throw UsageError(fmt::format("{}: the result '{}' is {}{}; {}{} is expected", call_of(op),
                                 out.name(), name_of(out.dtype()), out.shape().str(),
                                 name_of(dtype), shape.str()));
  if (out.nbytes() == 0) return;
  ElementwiseBody body{op, {}, elements_at_once(torch.spec())};
  for (const Operand& operand : operands) {
    const auto* number = std::get_if<tl::Number>(&operand);
    body.numbers.push_back(number ? std::optional(*number) : std::nullopt);
  }
  const std::string name(name_of(op));
  if (tensors.size() == 1) {
    const auto kernel = [body](tl::Program& tl, tl::Tensor x, tl::Tensor out) {
      body.run(tl, {&x}, out);
    };
    torch.launch(name, kernel, tensors[0], out);
  } else {
    const auto kernel = [body](tl::Program& tl, tl::Tensor x, tl::Tensor y, tl::Tensor out) {
      body.run(tl, {&x, &y}, out);
    };
    torch.launch(name, kernel, tensors[0], tensors[1], out);
  }
}

}  // namespace kernbench::ops
