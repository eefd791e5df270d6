// Placements of a distributed tensor over one dimension of a device mesh, as in PyTorch:
//
//   Shard(0)         rank i has part i of axis 0, cut as torch.chunk does
//   Replicate()      every rank has the whole tensor
//   Partial("sum")   the tensor is the reduction of what the ranks have
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "models/base/dtype.h"
#include "sw/collectives/reduce_op.h"

namespace kernbench::dtensor {

// Negative axes count from the last.
struct Shard {
  explicit Shard(int of) : axis(of) {}
  int axis;
};
struct Replicate {};
// sum, avg, max or min. UsageError: another operation.
struct Partial {
  explicit Partial(ReduceOp of = ReduceOp::sum);
  explicit Partial(const std::string& name) : Partial(parse_reduce_op(name)) {}
  ReduceOp op;
};

// One of the three.
class MeshPlacement {
 public:
  MeshPlacement(Shard shard) : kind_(shard) {}              // NOLINT(google-explicit-constructor)
  MeshPlacement(Replicate replicate) : kind_(replicate) {}  // NOLINT(google-explicit-constructor)
  MeshPlacement(Partial partial) : kind_(partial) {}        // NOLINT(google-explicit-constructor)

  bool is_shard() const { return std::holds_alternative<Shard>(kind_); }
  bool is_shard(int axis) const { return is_shard() && this->axis() == axis; }
  bool is_replicate() const { return std::holds_alternative<Replicate>(kind_); }
  bool is_partial() const { return std::holds_alternative<Partial>(kind_); }
  int axis() const { return std::get<Shard>(kind_).axis; }            // of a Shard only
  ReduceOp reduce_op() const { return std::get<Partial>(kind_).op; }  // of a Partial only
  std::string str() const;  // "Shard(0)", "Replicate()", "Partial(sum)"

  friend bool operator==(const MeshPlacement& a, const MeshPlacement& b);
  friend bool operator!=(const MeshPlacement& a, const MeshPlacement& b) { return !(a == b); }

 private:
  std::variant<Shard, Replicate, Partial> kind_;
};

// One for each dimension of the mesh.
using Placements = std::vector<MeshPlacement>;
std::string text_of(const Placements& placements);  // "[Shard(0), Replicate()]"

// Part `index` of `parts` of an extent, as torch.chunk cuts it: each has ceil(extent / parts), the
// last ones fewer or none.
struct Chunk {
  std::int64_t start, extent;
};
std::int64_t full_chunk(std::int64_t extent, int parts);
Chunk chunk_of(std::int64_t extent, int parts, int index);

// Shape of what the rank at `coordinate` has of a tensor that is cut by the first `dims`
// placements, from left to right, on a mesh of that shape.
Shape local_shape(const Shape& shape, const Placements& placements,
                  const std::vector<int>& mesh_shape, const std::vector<int>& coordinate,
                  std::size_t dims);

}  // namespace kernbench::dtensor
