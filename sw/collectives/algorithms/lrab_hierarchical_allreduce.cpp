// lrab_hierarchical_allreduce (spec 8.2, ADR-0032): every shard becomes the combination of all
// shards of all ranks. A rank that is a PE has one shard: what is left is the exchange between the
// ranks.
#include <fmt/format.h>

#include "models/base/errors.h"
#include "sw/collectives/algorithm_registry.h"
#include "sw/collectives/mesh_schedules.h"
#include "sw/collectives/rank_graphs.h"
#include "sw/collectives/schedule_kernels.h"

namespace kernbench::algorithms {
namespace {

constexpr const char* layout = "equal shards on the same PEs of the cubes of a rectangle";

int root_of(const CollectiveCall& call, const graphs::CubeRectangle& cubes) {
  if (call.settings.own.has("root_cube"))
    return static_cast<int>(call.settings.own.integer("root_cube"));
  return (cubes.y + cubes.h / 2) * call.group.cube_mesh_w + cubes.x + cubes.w / 2;
}

bool contains(const graphs::CubeRectangle& cubes, int x, int y) {
  return x >= cubes.x && x < cubes.x + cubes.w && y >= cubes.y && y < cubes.y + cubes.h;
}

std::string refuses(const CollectiveCall& call) {
  if (!call.layout.same_lanes()) return "the cubes have them on different PEs";
  if (!call.layout.equal_shards()) return "their sizes differ";
  const auto cubes = call.layout.rectangle(call.group.cube_mesh_w);
  if (!cubes) return "these cubes fill no rectangle";
  const int root = root_of(call, *cubes);
  if (!contains(*cubes, root % call.group.cube_mesh_w, root / call.group.cube_mesh_w))
    return fmt::format("root_cube {} is none of them", root);
  return "";
}

NeighbourGraph graph(const CollectiveCall& call) {
  const graphs::CubeRectangle cubes = call.layout.rectangle(call.group.cube_mesh_w).value();
  const std::vector<int> lanes = call.layout.lanes();
  NeighbourGraph graph;
  for (int sip = 0; sip < call.group.size; ++sip)
    graph.add(graphs::cube_mesh(sip, call.group.cube_mesh_w, cubes, lanes));
  std::vector<graphs::CubePe> members;
  for (const ShardLayout::Member& member : call.layout.members)
    members.push_back({member.cube, member.pe});
  return graph.add(between_ranks(graphs::sip(call.group.grid, members), call.group));
}

tl::KernelCall kernel(const CollectiveCall& call) {
  const graphs::CubeRectangle cubes = call.layout.rectangle(call.group.cube_mesh_w).value();
  const ScheduleOptions options = call.options(std::int64_t{cubes.w} * cubes.h * call.group.size);
  const auto body = [grid = call.group.grid, cubes, options](tl::Program& tl, tl::Tensor data,
                                                             int rank, int mesh_w, int root_cube) {
    if (!data.has_local()) return;
    const int cube = tl.program_id(1);
    const schedules::CubePosition place{
        cube % mesh_w - cubes.x,      cube / mesh_w - cubes.y,     cubes.w, cubes.h,
        root_cube % mesh_w - cubes.x, root_cube / mesh_w - cubes.y};
    run_schedule(tl, schedules::lrab_all_reduce(place, grid, rank), blocks_in_place(data, 1),
                 options);
  };
  return tl::bind_kernel(body, call.inputs.front(), call.rank, call.group.cube_mesh_w,
                         root_of(call, cubes));
}

}  // namespace

void register_lrab_hierarchical_allreduce(AlgorithmRegistry& registry) {
  CollectiveAlgorithm algorithm{
      "lrab_hierarchical_allreduce",
      "along the rows and columns of the cubes to a root cube, between the root cubes of the SIPs, "
      "and back",
      CollectiveOp::all_reduce,
      all_sip_topologies(),
      layout,
      {Parameter::integer("root_cube",
                          "cube that the others send to; default: the middle of the rectangle", "",
                          "ADR-0032")
           .range("0", "255")},
      refuses,
      graph,
      kernel};
  algorithm.combines_shards = true;
  registry.add(std::move(algorithm));
}

}  // namespace kernbench::algorithms
