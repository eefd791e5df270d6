#include "sw/ops/copy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/errors.h"
#include "sw/ops/operands.h"
#include "sw/ops/placed_matrix.h"

namespace kernbench::ops {
namespace {

void check_box(const Tensor& tensor, const Extents& start, const Extents& extents) {
  bool inside = start.size() == tensor.shape().rank() && extents.size() == start.size();
  for (std::size_t axis = 0; inside && axis < start.size(); ++axis)
    inside = start[axis] >= 0 && start[axis] + extents[axis] <= tensor.shape()[axis];
  if (!inside)
    throw UsageError(fmt::format(
        "ops::copy: {{{}}} elements from {{{}}} are not inside tensor '{}' {}",
        fmt::join(extents, ", "), fmt::join(start, ", "), tensor.name(), tensor.shape().str()));
}

void check_copy(const Tensor& from, const Tensor& to, const std::vector<BoxCopy>& copies,
                const std::vector<Box>& zeros) {
  if (from.dtype() != to.dtype())
    throw UsageError(fmt::format("ops::copy: '{}' is {}, '{}' is {}; both have one dtype",
                                 from.name(), name_of(from.dtype()), to.name(),
                                 name_of(to.dtype())));
  if (from.is_partial() || to.is_partial())
    throw UsageError(fmt::format("ops::copy: {} to {}: partial sums have to be reduced first",
                                 text_of(from), text_of(to)));
  for (const BoxCopy& copy : copies) {
    check_box(from, copy.from_start, copy.to.extents);
    check_box(to, copy.to.start, copy.to.extents);
  }
  for (const Box& box : zeros) check_box(to, box.start, box.extents);
}

Extents difference(const Extents& a, const Extents& b) {
  Extents result = a;
  for (std::size_t axis = 0; axis < b.size(); ++axis) result[axis] -= b[axis];
  return result;
}

void fill_box(tl::Program& tl, const tl::Tensor& to, const Box& box, double value,
              std::int64_t elements) {
  if (box.elements() == 0) return;
  for (const Box& piece : pieces_of(box, elements)) {
    const Shape shape = piece.extents.empty() ? Shape{1} : Shape(piece.extents);
    tl.store_async(block_at(tl, to, piece), tl.full(shape, value, to.dtype()));
  }
}

// Elements of a box, in as few accesses as their placement allows.
tl::Handle load_matrix(tl::Program& tl, const PlacedMatrix& from, const Box& box) {
  const std::size_t rank = box.start.size();
  const auto range = [&](std::size_t axis) {
    return Range{box.start[axis], box.start[axis] + box.extents[axis]};
  };
  if (rank == 2) return from.load_async(range(0), range(1));
  return tl.reshape(from.load_async({0, 1}, range(0)), Shape(box.extents));
}

void copy_box(tl::Program& tl, const tl::Tensor& from, const tl::Tensor& to, const BoxCopy& copy,
              std::int64_t elements) {
  const Box own = common(local_box(to), copy.to);
  if (own.elements() == 0) return;
  const Extents by = difference(copy.from_start, copy.to.start),
                back = difference(copy.to.start, copy.from_start);
  const Box source = own.moved(by);
  if (const std::size_t rank = source.start.size(); rank == 1 || rank == 2) {
    const PlacedMatrix matrix(tl, from);
    for (const Box& piece : pieces_of(source, elements))
      tl.store_async(block_at(tl, to, piece.moved(back)), load_matrix(tl, matrix, piece));
    return;
  }
  for (const Box& part : parts_in_memory(*from.ptr().tensor(), source)) {
    for (const Box& piece : pieces_of(part, elements))
      tl.store_async(block_at(tl, to, piece.moved(back)), tl.load_async(block_at(tl, from, piece)));
  }
}

}  // namespace

void copy(Torch& torch, const Tensor& from, const Tensor& to, const std::vector<BoxCopy>& copies,
          const std::vector<Box>& zeros) {
  check_copy(from, to, copies, zeros);
  if (to.nbytes() == 0) return;
  const auto kernel = [copies, zeros, elements = elements_at_once(torch.spec())](
                          tl::Program& tl, tl::Tensor from, tl::Tensor to) {
    if (!to.has_local()) return;
    for (const Box& box : zeros) fill_box(tl, to, common(local_box(to), box), 0, elements);
    for (const BoxCopy& each : copies) copy_box(tl, from, to, each, elements);
    tl.wait();
  };
  torch.launch(launch_on_holders("copy", {to}), kernel, from, to);
}

void slice(Torch& torch, const Tensor& from, const Extents& from_start, const Tensor& to) {
  copy(torch, from, to, {{from_start, Box::whole(to.shape())}});
}

void fill(Torch& torch, const Tensor& to, double value) {
  if (to.nbytes() == 0) return;
  const auto kernel = [value, elements = elements_at_once(torch.spec())](tl::Program& tl,
                                                                         tl::Tensor to) {
    if (!to.has_local()) return;
    fill_box(tl, to, local_box(to), value, elements);
    tl.wait();
  };
  torch.launch(launch_on_holders("fill", {to}), kernel, to);
}

}  // namespace kernbench::ops
