// CollectiveCall: call of a collective by one rank, as algorithms see it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/collectives/ccl_settings.h"
#include "sw/collectives/reduce_op.h"
#include "sw/collectives/run_schedule.h"
#include "sw/collectives/shard_layout.h"
#include "sw/tl/kernel.h"

namespace kernbench {

enum class CollectiveOp : std::uint8_t {
  all_reduce,
  broadcast,
  reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  gather,
  scatter,
  send_recv
};
const char* name_of(CollectiveOp op);
const std::vector<std::string>& collective_op_names();  // in the order of the enumeration
bool is_reduction(CollectiveOp op);
// Whether some rank has a list of tensors, one for each rank.
bool has_a_part_for_each_rank(CollectiveOp op);
bool has_root(CollectiveOp op);
// Whether on every rank the result replaces its input, or is stored to the output if there is one.
bool works_on_one_tensor(CollectiveOp op);

// Ranks of a process group and their locations. Rank of the world = SIP, or with RankUnit::pe a PE,
// counted through all cubes of all SIPs.
struct RankGroup {
  int size = 1;
  RankUnit unit = RankUnit::sip;
  graphs::SipGrid grid;      // grid of ranks; a ring for RankUnit::pe and for subgroups
  std::vector<int> members;  // ranks of the world, by rank of the group; empty: all ranks
  std::string directions;    // prefix of its direction names: each group has its own rings
  int cube_mesh_w = 1, cube_mesh_h = 1;
  int pes = 1;  // per cube
  std::uint64_t scratch_bytes = 1 << 20;

  int cubes() const { return cube_mesh_w * cube_mesh_h; }
  int world_rank(int rank) const;
  std::optional<int> rank_of(int world_rank) const;  // none: not a member
  // Name of an installed direction, for kernels that send themselves; run_schedule() adds the
  // prefix.
  std::string direction(const std::string& name) const { return directions + name; }
  // Subgroup of this group, which must be the world: all ranks in its grid, some ranks in a ring.
  RankGroup of(std::vector<int> some, std::string their_directions) const;
  // PE of a rank that exchanges data with (cube, pe) of every other rank.
  PeId place(int rank, int cube, int pe) const;
  std::vector<int> ring()
      const;  // ranks in ring order; UsageError for a mesh without a Hamiltonian cycle
};

struct CollectiveCall {
  CollectiveOp op = CollectiveOp::all_reduce;
  ReduceOp reduce_op = ReduceOp::sum;
  int rank = 0;
  int root = 0;       // for broadcast, reduce, gather and scatter; sender of send_recv
  int peer = 0;       // receiver of send_recv
  std::string rings;  // suffix of direction names of send_recv
  RankGroup group;
  CclSettings settings;
  // Tensors of this rank; all with one layout and dtype.
  std::vector<tl::TensorInfoPtr> inputs, outputs;
  std::vector<tl::TensorInfoPtr>
      wholes;  // whole tensors, if inputs or outputs are parts of tensors
  ShardLayout layout;
  // all_to_all of one tensor with parts of different sizes, whose `layout` is that of a row: rows
  // from each rank to each rank, at from * size + to.
  std::vector<std::int64_t> rows;
  bool one_tensor_each = false;  // the input holds all parts, of different sizes

  const tl::TensorInfo& tensor() const {
    return inputs.empty() ? *outputs.front() : *inputs.front();
  }
  // Destination of an all_reduce: the output, or in place the input.
  const tl::TensorInfoPtr& result() const {
    return outputs.empty() ? inputs.front() : outputs.front();
  }
  DType dtype() const { return tensor().dtype; }
  // Tensors whose memory the kernel uses.
  std::vector<tl::TensorInfoPtr> tensors() const;
  bool has_no_elements() const;
  // Size of the call as in nccl-tests: of the logical tensor of a rank, with all parts if there is
  // one per rank.
  std::uint64_t nbytes() const;
  // `contributions`: number of values that each result combines.
  ScheduleOptions options(std::int64_t contributions = 1) const;
  std::vector<int> pes() const;  // PEs of a cube that have shards
  // Upper bound of the scratch that a PE's schedule needs.
  std::uint64_t scratch_bytes() const;
};

}  // namespace kernbench
