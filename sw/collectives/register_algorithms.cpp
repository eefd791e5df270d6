// The list of algorithms. A new one is a file with a function that returns it, its declaration in
// shipped_algorithms.h and a line here.
#include "sw/collectives/algorithm_registry.h"
#include "sw/collectives/shipped_algorithms.h"

namespace kernbench {

void register_algorithms(AlgorithmRegistry& registry) {
  registry.add(algorithms::lrab_hierarchical_allreduce());
  registry.add(algorithms::hierarchical_allreduce());
  registry.add(algorithms::ring_allreduce());
  registry.add(algorithms::tree_allreduce());
  registry.add(algorithms::ring_broadcast());
  registry.add(algorithms::ring_reduce());
  registry.add(algorithms::ring_all_gather());
  registry.add(algorithms::ring_reduce_scatter());
  registry.add(algorithms::ring_all_to_all());
  registry.add(algorithms::ring_gather());
  registry.add(algorithms::ring_scatter());
  registry.add(algorithms::send_recv());
}

AlgorithmRegistry shipped_algorithms() {
  AlgorithmRegistry registry;
  register_algorithms(registry);
  return registry;
}

}  // namespace kernbench
