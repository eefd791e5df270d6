// CollectiveCall: one rank's call of a collective, as algorithms see it.
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
// Some rank has a list of tensors, one for each rank.
bool has_a_part_for_each_rank(CollectiveOp op);
bool has_root(CollectiveOp op);
// On every rank the result takes the place of what it is computed from, or with an output goes
// there.
bool works_on_one_tensor(CollectiveOp op);

// The ranks of a process group and where they are. Rank of the world = SIP, or with RankUnit::pe a
// PE, counted through all cubes of all SIPs.
struct RankGroup {
  int size = 1;
  RankUnit unit = RankUnit::sip;
  graphs::SipGrid grid;      // of ranks; for RankUnit::pe, and of some ranks only, a ring
  std::vector<int> members;  // ranks of the world, by rank; empty: all of them
  std::string directions;    // before the names of its directions: groups have rings of their own
  int cube_mesh_w = 1, cube_mesh_h = 1;
  int pes = 1;  // per cube
  std::uint64_t scratch_bytes = 1 << 20;

  int cubes() const { return cube_mesh_w * cube_mesh_h; }
  int world_rank(int rank) const;
  std::optional<int> rank_of(int world_rank) const;  // none: it is no member
  // As the rings are installed, for kernels that send themselves; run_schedule() adds the prefix.
  std::string direction(const std::string& name) const { return directions + name; }
  // Some ranks of this group, which is the world: all of them in its grid, else in a ring.
  RankGroup of(std::vector<int> some, std::string their_directions) const;
  // Of a rank: the PE that works with (cube, pe) of every other one.
  PeId place(int rank, int cube, int pe) const;
  std::vector<int> ring()
      const;  // the ranks in ring order; UsageError for a mesh without a closed way round
};

struct CollectiveCall {
  CollectiveOp op = CollectiveOp::all_reduce;
  ReduceOp reduce_op = ReduceOp::sum;
  int rank = 0;
  int root = 0;       // of broadcast, reduce, gather and scatter; the sender of send_recv
  int peer = 0;       // the receiver of send_recv
  std::string rings;  // of send_recv: behind the names of its directions
  RankGroup group;
  CclSettings settings;
  std::vector<tl::TensorInfoPtr> inputs, outputs;  // of this rank; all of one layout and dtype
  std::vector<tl::TensorInfoPtr>
      wholes;  // where inputs or outputs are parts of tensors: all of these
  ShardLayout layout;
  // Of an all_to_all of one tensor with parts of different sizes, of which `layout` is a row: those
  // from each rank to each one, at from * size + to.
  std::vector<std::int64_t> rows;
  bool one_tensor_each = false;  // the input has all parts, of different sizes

  const tl::TensorInfo& tensor() const {
    return inputs.empty() ? *outputs.front() : *inputs.front();
  }
  // Where an all_reduce leaves its values: in the output, in place in the input.
  const tl::TensorInfoPtr& result() const {
    return outputs.empty() ? inputs.front() : outputs.front();
  }
  DType dtype() const { return tensor().dtype; }
  // Whose memory the kernel uses.
  std::vector<tl::TensorInfoPtr> tensors() const;
  bool has_no_elements() const;
  // The size of the call as nccl-tests count it: of the logical tensor of a rank, with all parts
  // where there is one for each rank.
  std::uint64_t nbytes() const;
  // `contributions`: how many values each result combines.
  ScheduleOptions options(std::int64_t contributions = 1) const;
  std::vector<int> pes() const;  // of a cube, that have shards
  // Of a PE, that its schedule needs at most.
  std::uint64_t scratch_bytes() const;
};

}  // namespace kernbench
