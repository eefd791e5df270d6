#include "sw/dtensor/placement.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"

namespace kernbench::dtensor {

Partial::Partial(ReduceOp of) : op(of) {
  if (op != ReduceOp::sum && op != ReduceOp::avg && op != ReduceOp::max && op != ReduceOp::min)
    throw UsageError(fmt::format("Partial({}): sum, avg, max or min is expected", name_of(op)));
}

std::string MeshPlacement::str() const {
  if (is_shard()) return fmt::format("Shard({})", axis());
  if (is_partial()) return fmt::format("Partial({})", name_of(reduce_op()));
  return "Replicate()";
}

bool operator==(const MeshPlacement& a, const MeshPlacement& b) {
  if (a.kind_.index() != b.kind_.index()) return false;
  if (a.is_shard()) return a.axis() == b.axis();
  return !a.is_partial() || a.reduce_op() == b.reduce_op();
}

std::string text_of(const Placements& placements) {
  std::string text;
  for (const MeshPlacement& placement : placements)
    text += (text.empty() ? "" : ", ") + placement.str();
  return "[" + text + "]";
}

std::int64_t full_chunk(std::int64_t extent, int parts) { return (extent + parts - 1) / parts; }

Chunk chunk_of(std::int64_t extent, int parts, int index) {
  const std::int64_t each = full_chunk(extent, parts);
  const std::int64_t start = std::min(each * index, extent);
  return {start, std::min(each, extent - start)};
}

Shape local_shape(const Shape& shape, const Placements& placements,
                  const std::vector<int>& mesh_shape, const std::vector<int>& coordinate,
                  std::size_t dims) {
  std::vector<std::int64_t> extents = shape.extents();
  for (std::size_t dim = 0; dim < dims; ++dim) {
    if (!placements[dim].is_shard()) continue;
    std::int64_t& extent = extents[static_cast<std::size_t>(placements[dim].axis())];
    extent = chunk_of(extent, mesh_shape[dim], coordinate[dim]).extent;
  }
  return Shape(extents);
}

}  // namespace kernbench::dtensor
