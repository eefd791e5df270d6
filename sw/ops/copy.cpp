#include "sw/ops/copy.h"

#include <fmt/format.h>

#include "models/base/errors.h"

namespace kernbench::ops {
namespace {

void check_box(const Tensor& tensor, const Extents& start, const Extents& extents) {
  bool inside = start.size() == tensor.shape().rank() && extents.size() == start.size();
  for (std::size_t axis = 0; inside && axis < start.size(); ++axis)
    inside = start[axis] >= 0 && start[axis] + extents[axis] <= tensor.shape()[axis];
  if (!inside)
    throw UsageError(fmt::format("ops::copy: {} elements from {} are not inside tensor '{}' {}",
                                 Shape(extents).str(), Shape(start).str(), tensor.name(),
                                 tensor.shape().str()));
}

void check_copy(const Tensor& from, const Tensor& to, const std::vector<BoxCopy>& copies,
                const std::vector<Box>& zeros) {
  if (from.dtype() != to.dtype())
    throw UsageError(fmt::format("ops::copy: '{}' is {}, '{}' is {}; both have one dtype",
                                 from.name(), name_of(from.dtype()), to.name(),
                                 name_of(to.dtype())));
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

void fill_box(tl::Program& tl, const tl::Tensor& to, const Box& box, double value) {
  if (box.elements() == 0) return;
  for (const Box& piece : pieces_of(box, elements_at_once)) {
    const Shape shape = piece.extents.empty() ? Shape{1} : Shape(piece.extents);
    store_box(tl, to, piece, tl.full(shape, value, to.dtype()));
  }
}

void copy_box(tl::Program& tl, const tl::Tensor& from, const tl::Tensor& to, const BoxCopy& copy) {
  const Box own = common(local_box(to), copy.to);
  if (own.elements() == 0) return;
  const Extents by = difference(copy.from_start, copy.to.start);
  for (const Box& part : parts_in_blocks(*from.ptr().tensor(), own.moved(by))) {
    for (const Box& piece : pieces_of(part, elements_at_once))
      store_box(tl, to, piece.moved(difference(copy.to.start, copy.from_start)),
                load_box(tl, from, piece));
  }
}

}  // namespace

void copy(Torch& torch, const Tensor& from, const Tensor& to, const std::vector<BoxCopy>& copies,
          const std::vector<Box>& zeros) {
  check_copy(from, to, copies, zeros);
  if (to.nbytes() == 0) return;
  const auto kernel = [copies, zeros](tl::Program& tl, tl::Tensor from, tl::Tensor to) {
    if (!to.has_local()) return;
    for (const Box& box : zeros) fill_box(tl, to, common(local_box(to), box), 0);
    for (const BoxCopy& each : copies) copy_box(tl, from, to, each);
  };
  torch.launch("copy", kernel, from, to);
}

void fill(Torch& torch, const Tensor& to, double value) {
  if (to.nbytes() == 0) return;
  const auto kernel = [value](tl::Program& tl, tl::Tensor to) {
    if (to.has_local()) fill_box(tl, to, local_box(to), value);
  };
  torch.launch("fill", kernel, to);
}

}  // namespace kernbench::ops
