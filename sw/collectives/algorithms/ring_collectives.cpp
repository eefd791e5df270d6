// Collectives other than all_reduce, along a ring of the ranks for every PE that holds a shard.
// Lists of tensors are indexed by rank, blocks by position in the ring.
#include "sw/collectives/algorithm_registry.h"
#include "sw/collectives/holder_tree.h"
#include "sw/collectives/rank_graphs.h"
#include "sw/collectives/ring_schedules.h"
#include "sw/collectives/schedule_kernels.h"

namespace kernbench::algorithms {
namespace {

using Blocks = std::vector<BlockPosition>;

// Blocks at once if they circulate sequentially: the incoming one and the previous one, which is
// sent.
constexpr std::int64_t blocks_of_a_stream = 2;

CollectiveAlgorithm on_ring(const char* name, const char* description, CollectiveOp op,
                            std::function<tl::KernelCall(const CollectiveCall&)> kernel) {
  return {name, description, op,        all_sip_topologies(), "any shards, the same on every rank",
          {},   {},          rank_ring, std::move(kernel)};
}

std::int64_t elements_of(const tl::Tensor& tensor) { return tensor.local_shape().elements(); }
BlockPosition read_from(const tl::Tensor& tensor) {
  return {elements_of(tensor), tensor.local(), {}};
}
BlockPosition write_to(const tl::Tensor& tensor) {
  return {elements_of(tensor), {}, tensor.local()};
}

tl::KernelCall broadcast(const CollectiveCall& call) {
  const int position = ring_position(call.group, call.rank),
            root = ring_position(call.group, call.root);
  return schedule_kernel(call, schedules::ring_broadcast(position, call.group.size, root),
                         [position, root](const LocalShards& shards) {
                           return position == root ? blocks_in_place(shards.inputs[0], 1)
                                                   : Blocks{write_to(shards.inputs[0])};
                         });
}

HolderTree holders(const CollectiveCall& call) { return {call, HolderTree::Form::mesh}; }

NeighbourGraph graph_of_reduce(const CollectiveCall& call) {
  return holders(call).graph(call, rank_ring);
}

// Only the root's holders receive the result; the others keep their values, including partial sums.
tl::KernelCall reduce(const CollectiveCall& call) {
  const int position = ring_position(call.group, call.rank),
            root = ring_position(call.group, call.root);
  const auto schedule = [tree = holders(call), position, root, count = call.group.size](PeId here) {
    const Schedule ring = schedules::ring_reduce(position, count, root);
    if (position == root) return tree.around(here, ring);
    Schedule schedule = tree.sum_up(here);
    if (tree.is_root(here)) schedules::append(schedule, ring);
    return schedule;
  };
  return schedule_kernel(call, schedule, [position, root](const LocalShards& shards) {
    return position == root ? blocks_in_place(shards.inputs[0], 1)
                            : Blocks{read_from(shards.inputs[0])};
  });
}

tl::KernelCall all_gather(const CollectiveCall& call) {
  const std::vector<int> order = call.group.ring();
  const int position = ring_position(call.group, call.rank);
  return schedule_kernel(
      call, schedules::ring_all_gather(position, call.group.size),
      [order, rank = call.rank](const LocalShards& shards) {
        Blocks blocks;
        for (const int source : order) {
          blocks.push_back(write_to(shards.outputs[static_cast<std::size_t>(source)]));
          if (source == rank) blocks.back().from = shards.inputs[0].local();
        }
        return blocks;
      },
      blocks_of_a_stream);
}

tl::KernelCall reduce_scatter(const CollectiveCall& call) {
  const std::vector<int> order = call.group.ring();
  const int position = ring_position(call.group, call.rank);
  return schedule_kernel(
      call, schedules::ring_reduce_scatter(position, call.group.size),
      [order, rank = call.rank](const LocalShards& shards) {
        Blocks blocks;
        for (const int target : order) {
          blocks.push_back(read_from(shards.inputs[static_cast<std::size_t>(target)]));
          if (target == rank) blocks.back().to = shards.outputs[0].local();
        }
        return blocks;
      },
      blocks_of_a_stream);
}

// Blocks of other ranks that pass through a rank have no place in its memory; the root has all
// blocks.
tl::KernelCall gather(const CollectiveCall& call) {
  const std::vector<int> order = call.group.ring();
  const int position = ring_position(call.group, call.rank),
            root = ring_position(call.group, call.root);
  return schedule_kernel(
      call, schedules::ring_gather(position, call.group.size, root),
      [order, rank = call.rank](const LocalShards& shards) {
        Blocks blocks;
        for (const int source : order) {
          blocks.push_back({elements_of(shards.inputs[0]), {}, {}});
          if (source == rank) blocks.back().from = shards.inputs[0].local();
          if (!shards.outputs.empty())
            blocks.back().to = shards.outputs[static_cast<std::size_t>(source)].local();
        }
        return blocks;
      },
      blocks_of_a_stream);
}

tl::KernelCall scatter(const CollectiveCall& call) {
  const std::vector<int> order = call.group.ring();
  const int position = ring_position(call.group, call.rank),
            root = ring_position(call.group, call.root);
  return schedule_kernel(
      call, schedules::ring_scatter(position, call.group.size, root),
      [order, rank = call.rank](const LocalShards& shards) {
        Blocks blocks;
        for (const int target : order) {
          blocks.push_back({elements_of(shards.outputs[0]), {}, {}});
          if (!shards.inputs.empty())
            blocks.back().from = shards.inputs[static_cast<std::size_t>(target)].local();
          if (target == rank) blocks.back().to = shards.outputs[0].local();
        }
        return blocks;
      },
      blocks_of_a_stream);
}

// One tensor with parts of different sizes: its rows from each rank for each rank.
class RowsOfRanks {
 public:
  explicit RowsOfRanks(const CollectiveCall& call)
      : rows_(call.rows), ranks_(call.group.size), rank_(call.rank) {}

  Blocks blocks(const LocalShards& shards, const std::vector<int>& order) const {
    const tl::Tensor &input = shards.inputs[0], &output = shards.outputs[0];
    std::int64_t row = 1;
    for (std::size_t axis = 1; axis < input.shape().rank(); ++axis)
      row *= input.local_shape()[axis];
    const auto size = static_cast<std::int64_t>(size_of(input.dtype()));
    Blocks blocks;
    for (const int source : order) {
      for (const int target : order) {
        BlockPosition block{row * rows(source, target), {}, {}};
        if (source == rank_)
          block.from = input.local() + row * size * rows_for_those_before(target);
        if (target == rank_) block.to = output.local() + row * size * rows_of_those_before(source);
        blocks.push_back(std::move(block));
      }
    }
    return blocks;
  }

 private:
  std::int64_t rows(int source, int target) const {
    return rows_[static_cast<std::size_t>(source * ranks_ + target)];
  }
  std::int64_t rows_for_those_before(int target) const {
    std::int64_t sum = 0;
    for (int rank = 0; rank < target; ++rank) sum += rows(rank_, rank);
    return sum;
  }
  std::int64_t rows_of_those_before(int source) const {
    std::int64_t sum = 0;
    for (int rank = 0; rank < source; ++rank) sum += rows(rank, rank_);
    return sum;
  }

  std::vector<std::int64_t> rows_;
  int ranks_, rank_;
};

// Block s * count + d: from the rank at position s to the rank at position d.
tl::KernelCall all_to_all(const CollectiveCall& call) {
  const std::vector<int> order = call.group.ring();
  const int position = ring_position(call.group, call.rank), count = call.group.size;
  if (!call.rows.empty()) {
    return schedule_kernel(call, schedules::ring_all_to_all(position, count),
                           [order, rows = RowsOfRanks(call)](const LocalShards& shards) {
                             return rows.blocks(shards, order);
                           });
  }
  return schedule_kernel(
      call, schedules::ring_all_to_all(position, count),
      [order, position, count](const LocalShards& shards) {
        Blocks blocks;
        for (int source = 0; source < count; ++source) {
          for (int target = 0; target < count; ++target) {
            BlockPosition block{elements_of(shards.inputs[0]), {}, {}};
            if (source == position)
              block.from =
                  shards.inputs[static_cast<std::size_t>(order[static_cast<std::size_t>(target)])]
                      .local();
            if (target == position)
              block.to =
                  shards.outputs[static_cast<std::size_t>(order[static_cast<std::size_t>(source)])]
                      .local();
            blocks.push_back(std::move(block));
          }
        }
        return blocks;
      },
      count);  // forwarded blocks: a block received in one round is sent in the next
}

tl::KernelCall send_or_recv(const CollectiveCall& call) {
  const bool sender = call.rank == call.root;
  Schedule schedule{{sender ? schedules::send(direction_to_rank(call.peer) + call.rings)
                            : schedules::receive(direction_to_rank(call.root) + call.rings)}};
  return schedule_kernel(call, std::move(schedule), [sender](const LocalShards& shards) {
    return Blocks{sender ? read_from(shards.inputs[0]) : write_to(shards.inputs[0])};
  });
}

}  // namespace

void register_ring_collectives(AlgorithmRegistry& registry) {
  registry.add(on_ring("ring_broadcast", "the root's values, forwarded along the ring",
                       CollectiveOp::broadcast, broadcast));
  CollectiveAlgorithm reduction =
      on_ring("ring_reduce", "all values, combined along the ring towards the root",
              CollectiveOp::reduce, reduce);
  reduction.graph = graph_of_reduce;
  reduction.serves_holders = true;
  registry.add(std::move(reduction));
  registry.add(on_ring("ring_all_gather", "every rank's values to all ranks, in n - 1 rounds",
                       CollectiveOp::all_gather, all_gather));
  registry.add(on_ring("ring_reduce_scatter",
                       "all values, combined, one part for each rank, in n - 1 rounds",
                       CollectiveOp::reduce_scatter, reduce_scatter));
  registry.add(on_ring("ring_all_to_all",
                       "a part of every rank's values to each rank, forwarded along the ring",
                       CollectiveOp::all_to_all, all_to_all));
  registry.add(on_ring("ring_gather", "every rank's values to the root, forwarded along the ring",
                       CollectiveOp::gather, gather));
  registry.add(on_ring("ring_scatter",
                       "a part of the root's values to each rank, forwarded along the ring",
                       CollectiveOp::scatter, scatter));
  registry.add({"send_recv",
                "values of one rank to another rank",
                CollectiveOp::send_recv,
                all_sip_topologies(),
                "any shards, the same on both ranks",
                {},
                {},
                [](const CollectiveCall& call) { return rank_pair(call, call.root, call.peer); },
                send_or_recv});
}

}  // namespace kernbench::algorithms
