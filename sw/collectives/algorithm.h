// CollectiveAlgorithm: implementation of a collective (spec 8.2). Each file in algorithms/
// registers its own; ccl.yaml names the one that all_reduce uses. README.md describes how to write
// an algorithm.
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
  std::vector<std::string> sip_topologies;  // supported SIP topologies
  std::string layout;                       // accepted shard layout, in words
  ParameterSchema parameters;  // own parameters in ccl.yaml, in addition to ccl_parameters()

  // Checks the layout of the call's shards against `layout`: returns the reason of a refusal, else
  // "". Empty: any layout is accepted.
  std::function<std::string(const CollectiveCall& call)> refuses;
  // Returns the queue pairs of all ranks.
  std::function<NeighbourGraph(const CollectiveCall& call)> graph;
  // Returns the kernel with its arguments for the call's rank; it starts on every PE that holds a
  // shard.
  std::function<tl::KernelCall(const CollectiveCall& call)> kernel;

  // If several PEs of a rank hold the same part of a tensor (copies or partial sums): whether the
  // algorithm works once per part and distributes the result to all holders (HolderTree). If not,
  // an all_reduce is called for one holder of each part, and the steps before and after it go
  // through memory.
  bool serves_holders = false;
  // Has levels within a rank: init_process_group installs their rings, too.
  bool levels_within_ranks = false;
  bool every_pe = false;  // these levels include all PEs of every cube
  // Kernels issue operations ahead of their messages: its rings have `pipelined_n_slots`, else
  // `n_slots`.
  bool deep_rings = true;

  // UsageError: a SIP topology or a layout that the algorithm does not support; the text states the
  // supported ones.
  void check_topology(const RankGroup& group) const;
  void check(const CollectiveCall& call) const;
  // Whether the call raises no error, graph included.
  bool accepts(const CollectiveCall& call) const;
  // `graph` and `kernel` of a call with any number of holders.
  NeighbourGraph graph_of(const CollectiveCall& call) const;
  tl::KernelCall kernel_of(const CollectiveCall& call) const;

 private:
  bool is_surrounded(const CollectiveCall& call) const;
};

// all_reduce of any shards on every topology, which serves all holders of a part.
CollectiveAlgorithm all_reduce_for_holders(
    std::string name, std::string description,
    std::function<NeighbourGraph(const CollectiveCall& call)> graph,
    std::function<tl::KernelCall(const CollectiveCall& call)> kernel);

// All topologies.
const std::vector<std::string>& all_sip_topologies();

}  // namespace kernbench
