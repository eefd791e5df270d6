// CollectiveAlgorithm: implementation of a collective (spec 8.2). Each file in algorithms/
// registers its own; ccl.yaml names the one that all_reduce uses. How to write one: README.md.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sw/collectives/collective_call.h"
#include "sw/collectives/neighbour_graph.h"

namespace kernbench {

struct CollectiveAlgorithm {
  std::string name;  // snake_case
  std::string description;
  CollectiveOp op = CollectiveOp::all_reduce;
  std::vector<std::string> sip_topologies;  // that it works on
  std::string layout;                       // of the shards that it accepts, in words
  ParameterSchema parameters;               // its own in ccl.yaml, beside ccl_parameters()

  // Check of the layout of the call's shards against `layout`: the reason of a refusal, else "".
  // Empty: any layout will do.
  std::function<std::string(const CollectiveCall& call)> refuses;
  // The queue pairs of all ranks.
  std::function<NeighbourGraph(const CollectiveCall& call)> graph;
  // The kernel with its arguments for the call's rank; it starts on every PE that holds a shard.
  std::function<tl::KernelCall(const CollectiveCall& call)> kernel;

  // Where several PEs of a rank hold the same part of a tensor, copies or partial sums of it:
  // whether the algorithm does its work once per part and gives all holders the result
  // (HolderTree). If not, an all_reduce is asked for one holder of each part, and what comes before
  // and behind is done around it, through memory.
  bool serves_holders = false;
  // It has levels within a rank: init_process_group installs their rings, too.
  bool levels_within_ranks = false;
  bool every_pe = false;  // these levels go down to all PEs of every cube
  // Its kernels run ahead of their messages: its rings have `pipelined_n_slots`, else `n_slots`.
  bool deep_rings = true;

  // UsageError: a SIP topology or a layout that the algorithm does not support, with what it
  // expects.
  void check_topology(const RankGroup& group) const;
  void check(const CollectiveCall& call) const;
  // No error, the graph included.
  bool accepts(const CollectiveCall& call) const;
  // `graph` and `kernel` of a call with any holders.
  NeighbourGraph graph_of(const CollectiveCall& call) const;
  tl::KernelCall kernel_of(const CollectiveCall& call) const;

 private:
  bool is_surrounded(const CollectiveCall& call) const;
};

// An all_reduce of any shards on every topology, which serves all holders of a part.
CollectiveAlgorithm all_reduce_for_holders(
    std::string name, std::string description,
    std::function<NeighbourGraph(const CollectiveCall& call)> graph,
    std::function<tl::KernelCall(const CollectiveCall& call)> kernel);

// Every topology that there is.
const std::vector<std::string>& all_sip_topologies();

}  // namespace kernbench
