#include "sw/dtensor/mesh_collectives.h"

#include <fmt/format.h>

#include "models/base/errors.h"
#include "sw/ops/copy.h"

namespace kernbench::dtensor {
namespace {

using ops::Box;
using ops::BoxCopy;
using ops::Extents;

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

Shape with_extent(const Shape& shape, int axis, std::int64_t extent) {
  Extents extents = shape.extents();
  extents[at(axis)] = extent;
  return Shape(extents);
}

// Parts of all ranks, concatenated along axis 0.
Shape concatenated(const Shape& part, int count) { return with_extent(part, 0, part[0] * count); }

// Part `index` of concatenated parts.
Box part_box(const Shape& part, int index) {
  Box box = Box::whole(part);
  box.start[0] = part[0] * index;
  return box;
}

// [begin, end) of an axis of the box, counted from its start.
Box cut(Box box, int axis, std::int64_t begin, std::int64_t end) {
  box.start[at(axis)] += begin;
  box.extents[at(axis)] = end - begin;
  return box;
}

bool same(const DPPolicy& a, const DPPolicy& b) { return a.cube == b.cube && a.pe == b.pe; }

// Adds the box unless it is empty.
void add(std::vector<Box>& boxes, Box box) {
  if (box.elements() > 0) boxes.push_back(std::move(box));
}
void add(std::vector<BoxCopy>& copies, Extents from, Box to) {
  if (to.elements() > 0) copies.push_back({std::move(from), std::move(to)});
}

Extents offset(const Shape& shape, int axis, std::int64_t by) {
  Extents start(shape.rank(), 0);
  start[at(axis)] = by;
  return start;
}

}  // namespace

MeshCollectives::MeshCollectives(const DeviceMesh& mesh, std::size_t dim, const DPPolicy& policy)
    : mesh_(mesh), policy_(policy), group_(mesh.get_group(static_cast<int>(dim))),
      size_(mesh.shape()[dim]), mine_(mesh.get_local_rank(static_cast<int>(dim))) {}

Tensor MeshCollectives::make(const Shape& shape, const Tensor& like) const {
  return make_local(mesh_, shape, like.dtype(), policy_, like.name());
}

// Parts of all ranks; each PE has the same elements of each part.
Tensor MeshCollectives::make_parts(const Tensor& part) const {
  return mesh_.torch().empty(concatenated(part.shape(), size_), part.dtype(), part.policy(),
                             part.name());
}

// Zeros after the last element.
Tensor MeshCollectives::padded(const Tensor& local, int axis, std::int64_t extent) const {
  const std::int64_t present = local.shape()[at(axis)];
  if (present == extent) return local;
  const Shape shape = with_extent(local.shape(), axis, extent);
  Tensor out = make(shape, local);
  std::vector<BoxCopy> copies;
  std::vector<Box> zeros;
  add(copies, Extents(shape.rank(), 0), Box::whole(local.shape()));
  add(zeros, cut(Box::whole(shape), axis, present, extent));
  ops::copy(mesh_.torch(), local, out, copies, zeros);
  return out;
}

Tensor MeshCollectives::narrowed(const Tensor& tensor, int axis, const Chunk& chunk) const {
  const Shape shape = with_extent(tensor.shape(), axis, chunk.extent);
  const DPPolicy policy = local_policy(mesh_, shape, tensor.dtype(), policy_);
  if (shape == tensor.shape() && same(policy, tensor.policy())) return tensor;
  Tensor out = make(shape, tensor);
  ops::copy(mesh_.torch(), tensor, out, {{offset(shape, axis, chunk.start), Box::whole(shape)}});
  return out;
}

Tensor MeshCollectives::all_gather(const Tensor& local, int axis, std::int64_t extent) const {
  const Tensor part = padded(local, axis, full_chunk(extent, size_));
  const Tensor all = make_parts(part);
  called("all_gather_into_tensor");
  mesh_.torch().distributed.all_gather_into_tensor(all, part, group_);
  if (axis == 0) return narrowed(all, 0, {0, extent});
  const Shape shape = with_extent(local.shape(), axis, extent);
  Tensor out = make(shape, local);
  std::vector<BoxCopy> copies;
  for (int rank = 0; rank < size_; ++rank) {
    const Chunk chunk = chunk_of(extent, size_, rank);
    add(copies, part_box(part.shape(), rank).start,
        cut(Box::whole(shape), axis, chunk.start, chunk.start + chunk.extent));
  }
  ops::copy(mesh_.torch(), all, out, copies);
  return out;
}

Tensor MeshCollectives::all_reduce(const Tensor& local, ReduceOp op) const {
  Tensor out = make(local.shape(), local);
  called("all_reduce");
  mesh_.torch().distributed.all_reduce(out, local, op, group_);
  return out;
}

Tensor MeshCollectives::reduce_scatter(const Tensor& local, int axis, ReduceOp op) const {
  const std::int64_t extent = local.shape()[at(axis)], each = full_chunk(extent, size_);
  const Shape part = with_extent(local.shape(), axis, each);
  const Tensor out = make(part, local);
  Tensor in = local;
  if (axis != 0 || each * size_ != extent || !same(local.policy(), out.policy())) {
    in = make_parts(out);
    std::vector<BoxCopy> copies;
    std::vector<Box> zeros;
    for (int rank = 0; rank < size_; ++rank) {
      const Chunk chunk = chunk_of(extent, size_, rank);
      add(copies, offset(part, axis, chunk.start),
          cut(part_box(part, rank), axis, 0, chunk.extent));
      add(zeros, cut(part_box(part, rank), axis, chunk.extent, each));
    }
    ops::copy(mesh_.torch(), local, in, copies, zeros);
  }
  called("reduce_scatter_tensor");
  mesh_.torch().distributed.reduce_scatter_tensor(out, in, op, group_);
  return narrowed(out, axis, {0, chunk_of(extent, size_, mine_).extent});
}

Tensor MeshCollectives::all_to_all(const Tensor& local, int from, std::int64_t extent,
                                   int to) const {
  const std::int64_t present = local.shape()[at(from)], new_extent = local.shape()[at(to)];
  const std::int64_t each = full_chunk(extent, size_), new_each = full_chunk(new_extent, size_);
  const Shape part = with_extent(with_extent(local.shape(), from, each), to, new_each);
  const Tensor in = make(concatenated(part, size_), local), all = make(in.shape(), local);
  std::vector<BoxCopy> copies;
  std::vector<Box> zeros;
  for (int rank = 0; rank < size_; ++rank) {
    const Chunk chunk = chunk_of(new_extent, size_, rank);
    const Box box = part_box(part, rank), used = cut(box, from, 0, present);
    add(copies, offset(part, to, chunk.start), cut(used, to, 0, chunk.extent));
    add(zeros, cut(used, to, chunk.extent, new_each));
    add(zeros, cut(box, from, present, each));
  }
  ops::copy(mesh_.torch(), local, in, copies, zeros);
  called("all_to_all_single");
  mesh_.torch().distributed.all_to_all_single(all, in, group_);

  const Chunk mine = chunk_of(new_extent, size_, mine_);
  const Shape shape = with_extent(with_extent(local.shape(), from, extent), to, mine.extent);
  Tensor out = make(shape, local);
  copies.clear();
  for (int rank = 0; rank < size_; ++rank) {
    const Chunk chunk = chunk_of(extent, size_, rank);
    add(copies, part_box(part, rank).start,
        cut(Box::whole(shape), from, chunk.start, chunk.start + chunk.extent));
  }
  ops::copy(mesh_.torch(), all, out, copies);
  return out;
}

Tensor MeshCollectives::local_chunk(const Tensor& local, int axis) const {
  return narrowed(local, axis, chunk_of(local.shape()[at(axis)], size_, mine_));
}

Tensor MeshCollectives::partition(const Tensor& local, ReduceOp op) const {
  if (op != ReduceOp::sum || mine_ == 0) return local;
  Tensor out = make(local.shape(), local);
  ops::fill(mesh_.torch(), out, 0);
  return out;
}

Tensor MeshCollectives::scatter(const Tensor& tensor, int axis, int source) const {
  Distributed& dist = mesh_.torch().distributed;
  const std::int64_t extent = tensor.shape()[at(axis)], each = full_chunk(extent, size_);
  const Shape part = with_extent(tensor.shape(), axis, each);
  std::vector<Tensor> parts;
  for (int rank = 0; mine_ == source && rank < size_; ++rank)
    parts.push_back(
        extent == 0 ? make(part, tensor)
                    : padded(narrowed(tensor, axis, chunk_of(extent, size_, rank)), axis, each));
  const Tensor out = mine_ == source ? parts[at(mine_)] : make(part, tensor);
  called("scatter");
  dist.scatter(out, parts, dist.get_global_rank(group_, source), group_);
  return narrowed(out, axis, {0, chunk_of(extent, size_, mine_).extent});
}

Tensor MeshCollectives::broadcast(const Tensor& tensor, int source) const {
  Distributed& dist = mesh_.torch().distributed;
  Tensor out = mine_ == source ? tensor : make(tensor.shape(), tensor);
  called("broadcast");
  dist.broadcast(out, dist.get_global_rank(group_, source), group_);
  return out;
}

void compare_local_tensors(const Tensor& local, const DeviceMesh& mesh, bool shapes) {
  Torch& torch = mesh.torch();
  constexpr std::size_t most_axes = 8;
  std::vector<double> facts(most_axes, -1);
  facts[0] = static_cast<double>(local.dtype());
  for (std::size_t axis = 0; shapes && axis < local.shape().rank() && axis + 1 < most_axes; ++axis)
    facts[axis + 1] = static_cast<double>(local.shape()[axis]);
  const auto count = static_cast<std::int64_t>(facts.size());
  const DPPolicy one_pe = DPPolicy::on_one_pe();
  const Tensor mine = torch.from_host(HostArray({count}, i32, facts), one_pe, "local tensor");
  for (int dim = 0; dim < mesh.ndim(); ++dim) {
    const int size = mesh.size(dim);
    if (size == 1) continue;
    const Tensor all = torch.empty({size * count}, i32, one_pe, "local tensors");
    mesh.observers()->called("all_gather_into_tensor");
    torch.distributed.all_gather_into_tensor(all, mine, mesh.get_group(dim));
    if (!torch.with_data()) continue;
    const std::vector<double> values = all.to_host().values();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] != facts[i % facts.size()])
        throw UsageError(fmt::format(
            "from_local: tensor '{}' {}{} on rank {} differs from that of another rank in dtype "
            "or shape; pass the shape of the whole tensor if the parts differ",
            local.name(), name_of(local.dtype()), local.shape().str(),
            torch.distributed.get_rank()));
    }
  }
}

}  // namespace kernbench::dtensor
