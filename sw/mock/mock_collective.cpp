#include "sw/mock/mock_collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/base/errors.h"
#include "sw/collectives/algorithm_registry.h"

namespace kernbench {
namespace {

CclSettings settings_of(const CollectiveAlgorithm& algorithm, const MockSetup& setup,
                        CclChanges changes) {
  AlgorithmRegistry algorithms = shipped_algorithms();
  const std::vector<std::string> names = algorithms.names(algorithm.op);
  if (std::find(names.begin(), names.end(), algorithm.name) == names.end())
    algorithms.add(algorithm);
  if (algorithm.op == CollectiveOp::all_reduce) changes.emplace_back("algorithm", algorithm.name);
  CclSettings settings = resolve({}, algorithms, changes);
  settings.rings.n_slots = setup.n_slots;
  settings.rings.slot_size = setup.slot_bytes;
  return settings;
}

// Ranks of the SIP in the cubes that have a shard.
std::vector<int> ranks_of(const MockRuntime& mock, const CollectiveCall& call, int sip) {
  const std::vector<int> cubes = call.layout.cubes();
  std::vector<int> ranks;
  for (int rank = 0; rank < mock.ranks(); ++rank) {
    const PeId where = mock.pe(rank);
    if (where.sip == sip && std::binary_search(cubes.begin(), cubes.end(), where.cube))
      ranks.push_back(rank);
  }
  return ranks;
}

}  // namespace

MockReport run_collective(MockRuntime& mock, const CollectiveAlgorithm& algorithm,
                          std::vector<CollectiveCall> calls, const CclChanges& changes,
                          graphs::SipGrid grid) {
  const MockSetup& setup = mock.setup();
  if (calls.size() != static_cast<std::size_t>(setup.sips)) {
    throw UsageError(fmt::format("{} on a mock runtime: {} calls for {} SIPs; each has one",
                                 algorithm.name, calls.size(), setup.sips));
  }
  if (grid.sips == 1 && grid.w * grid.h == 1) grid.sips = grid.w = setup.sips;
  const CclSettings settings = settings_of(algorithm, setup, changes);
  NeighbourGraph graph;
  std::vector<MockLaunch> launches;
  for (std::size_t rank = 0; rank < calls.size(); ++rank) {
    CollectiveCall& call = calls[rank];
    if (call.inputs.empty() && call.outputs.empty()) {
      throw UsageError(fmt::format("{} on a mock runtime: call {} has neither input nor output",
                                   algorithm.name, rank));
    }
    call.op = algorithm.op;
    call.rank = static_cast<int>(rank);
    call.group.size = setup.sips;
    call.group.grid = grid;
    call.group.cube_mesh_w = setup.cubes;
    call.group.pes = setup.pes;
    call.group.scratch_bytes = setup.scratch_bytes;
    call.settings = settings;
    call.layout = ShardLayout::of(call.tensor());
    algorithm.check(call);
    graph.add(algorithm.graph_of(call));
    launches.push_back({algorithm.kernel_of(call), ranks_of(mock, call, call.rank)});
  }
  mock.connect(graph);
  return mock.run(launches);
}

MockReport run_all_reduce(MockRuntime& mock, const CollectiveAlgorithm& algorithm,
                          const std::vector<tl::TensorInfoPtr>& tensors, ReduceOp op,
                          const CclChanges& changes, graphs::SipGrid grid) {
  std::vector<CollectiveCall> calls(tensors.size());
  for (std::size_t rank = 0; rank < tensors.size(); ++rank) {
    calls[rank].reduce_op = op;
    calls[rank].inputs = {tensors[rank]};
  }
  return run_collective(mock, algorithm, std::move(calls), changes, grid);
}

}  // namespace kernbench
