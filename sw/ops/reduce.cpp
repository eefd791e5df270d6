#include "sw/ops/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "models/base/errors.h"
#include "sw/ops/box.h"
#include "sw/ops/copy.h"

namespace kernbench::ops {
namespace {

struct ReduceBody {
  Reduce op;
  std::vector<int> axes;
  bool keep_dims;
  std::int64_t elements;  // largest piece of the input; pieces of the result have a 16th

  bool reduces(std::size_t axis) const {
    return std::find(axes.begin(), axes.end(), static_cast<int>(axis)) != axes.end();
  }

  // Elements of the input that are reduced to a box of the result.
  Box input_box(const Shape& in, const Box& out) const {
    Box box = Box::whole(in);
    std::size_t next = 0;
    for (std::size_t axis = 0; axis < in.rank(); ++axis) {
      if (!reduces(axis)) {
        box.start[axis] = out.start[next];
        box.extents[axis] = out.extents[next];
      }
      if (!reduces(axis) || keep_dims) ++next;
    }
    return box;
  }
  // Elements of the result, within `out`, that are reduced from a box of the input.
  Box output_box(const Box& in, const Box& out) const {
    Box box = out;
    std::size_t next = 0;
    for (std::size_t axis = 0; axis < in.start.size(); ++axis) {
      if (!reduces(axis)) {
        box.start[next] = in.start[axis];
        box.extents[next] = in.extents[axis];
      }
      if (!reduces(axis) || keep_dims) ++next;
    }
    return common(box, out);
  }

  // Parts of a box of the result that each come from whole placed boxes of the input along the
  // other axes.
  std::vector<Box> cells(const tl::TensorInfo& in, const Box& out) const {
    std::vector<Box> boxes;
    for (const PlacedBox& placed : placed_boxes(in)) {
      const Box box = output_box(placed.box, out);
      const bool known = std::any_of(boxes.begin(), boxes.end(), [&](const Box& other) {
        return other.start == box.start && other.extents == box.extents;
      });
      if (box.elements() > 0 && !known) boxes.push_back(box);
    }
    return boxes;
  }

  tl::Handle combined(tl::Program& tl, const std::optional<tl::Handle>& so_far,
                      tl::Handle part) const {
    const bool adds = op == Reduce::sum || op == Reduce::mean;
    if (adds) part = tl.cast(part, is_float(part.dtype()) ? DType::f32 : DType::i32);
    for (const int axis : axes)
      part = adds                ? tl.sum(part, axis)
             : op == Reduce::max ? tl.max(part, axis)
                                 : tl.min(part, axis);
    if (!so_far) return part;
    return adds                ? tl.add(*so_far, part)
           : op == Reduce::max ? tl.maximum(*so_far, part)
                               : tl.minimum(*so_far, part);
  }

  void compute(tl::Program& tl, const tl::Tensor& in, const tl::Tensor& out,
               const Box& piece) const {
    const Box needed = input_box(in.shape(), piece);
    std::optional<tl::Handle> result;
    for (const Box& part : parts_in_memory(*in.ptr().tensor(), needed)) {
      for (const Box& few : pieces_of(part, elements, axes))
        result = combined(tl, result, tl.load(block_at(tl, in, few)));
    }
    tl::Handle value = *result;
    if (op == Reduce::mean)
      value = value / static_cast<double>(needed.elements() / piece.elements());
    const Shape shape = piece.extents.empty() ? Shape{1} : Shape(piece.extents);
    tl.store(block_at(tl, out, piece), tl.reshape(tl.cast(value, out.dtype()), shape));
  }

  void run(tl::Program& tl, const tl::Tensor& in, const tl::Tensor& out) const {
    if (!out.has_local()) return;
    for (const Box& cell : cells(*in.ptr().tensor(), local_box(out))) {
      for (const Box& piece : pieces_of(cell, std::max<std::int64_t>(elements / 16, 1)))
        compute(tl, in, out, piece);
    }
  }
};

void fill_with_nothing(Torch& torch, Reduce op, const Tensor& in, const Tensor& out) {
  if (op == Reduce::max || op == Reduce::min)
    throw UsageError(fmt::format("ops::reduce({}): tensor '{}' {} has no elements", name_of(op),
                                 in.name(), in.shape().str()));
  fill(torch, out, op == Reduce::sum ? 0 : std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

const char* name_of(Reduce op) {
  switch (op) {
    case Reduce::sum:
      return "sum";
    case Reduce::mean:
      return "mean";
    case Reduce::max:
      return "max";
    default:
      return "min";
  }
}

std::vector<int> normal_axes(const std::string& call, const std::vector<int>& axes,
                             std::size_t rank) {
  std::vector<int> normal;
  const int count = static_cast<int>(rank);
  for (const int asked : axes) {
    const int axis = asked < 0 ? asked + count : asked;
    if (axis < 0 || axis >= count)
      throw UsageError(fmt::format("{}: axis {} of a tensor of {} axes; allowed: {} to {}", call,
                                   asked, count, -count, count - 1));
    if (std::find(normal.begin(), normal.end(), axis) != normal.end())
      throw UsageError(fmt::format("{}: axis {} appears twice", call, axis));
    normal.push_back(axis);
  }
  if (axes.empty()) {
    for (int axis = 0; axis < count; ++axis) normal.push_back(axis);
  }
  std::sort(normal.begin(), normal.end());
  return normal;
}

Shape reduced_shape(const Shape& shape, const std::vector<int>& axes, bool keep_dims) {
  Extents extents;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    const bool is_reduced =
        std::find(axes.begin(), axes.end(), static_cast<int>(axis)) != axes.end();
    if (!is_reduced) extents.push_back(shape[axis]);
    if (is_reduced && keep_dims) extents.push_back(1);
  }
  return Shape(extents);
}

DType reduced_dtype(Reduce op, DType dtype) {
  if (is_float(dtype)) return dtype;
  if (op == Reduce::mean)
    throw UsageError(fmt::format("ops::reduce(mean) of {}: a float dtype is expected",
                                 kernbench::name_of(dtype)));
  return op == Reduce::sum ? DType::i32 : dtype;
}

void reduce(Torch& torch, Reduce op, const Tensor& in, const std::vector<int>& axes, bool keep_dims,
            const Tensor& out) {
  const DType dtype = reduced_dtype(op, in.dtype());
  const Shape shape = reduced_shape(in.shape(), axes, keep_dims);
  if (out.shape() != shape || out.dtype() != dtype)
    throw UsageError(fmt::format("ops::reduce({}): the result '{}' is {}{}; {}{} is expected",
                                 name_of(op), out.name(), kernbench::name_of(out.dtype()),
                                 out.shape().str(), kernbench::name_of(dtype), shape.str()));
  if (out.nbytes() == 0) return;
  if (in.nbytes() == 0) return fill_with_nothing(torch, op, in, out);
  const ReduceBody body{op, axes, keep_dims, elements_at_once(torch.spec())};
  const auto kernel = [body](tl::Program& tl, tl::Tensor in, tl::Tensor out) {
    body.run(tl, in, out);
  };
  torch.launch(name_of(op), kernel, in, out);
}

}  // namespace kernbench::ops
