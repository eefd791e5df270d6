// mesh_allreduce: the sum over a mesh of ranks, along its rows and then along its columns; twice:
// the algorithm mesh_allreduce of all_reduce, whose ranks are SIPs, and the bench mesh-allreduce,
// whose ranks are the PEs of a cube. Explained in sw/collectives/README.md.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "models/base/plugin.h"
#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/collectives/algorithm_registry.h"
#include "sw/collectives/shipped_graphs.h"
#include "sw/torch/torch.h"

namespace acme {

using namespace kernbench;

namespace {

// --- the sum

// A row or a column of the mesh: `place` of this rank in it, and the directions that lead along it.
struct MeshLine {
  int place = 0, length = 1;
  std::string next, previous;
};

// Every rank of the line returns the sum of all: sums go to place 0, and the result comes back.
tl::Handle sum_of_line(tl::Program& tl, tl::Handle sum, const MeshLine& line) {
  const Shape shape = sum.shape();
  const bool has_next = line.place + 1 < line.length;
  if (has_next) sum = sum + tl.recv(line.next, shape, sum.dtype());
  if (line.place > 0) {
    tl.send(line.previous, sum);
    sum = tl.recv(line.previous, shape, sum.dtype());
  }
  if (has_next) tl.send(line.next, sum);
  return sum;
}

// The shard of this rank becomes the sum of the shards of all, a message at a time.
void sum_of_mesh(tl::Program& tl, const tl::Tensor& data, const MeshLine& row,
                 const MeshLine& column) {
  const std::int64_t size = static_cast<std::int64_t>(size_of(data.dtype()));
  const std::int64_t elements = data.local_shape().elements();
  const std::int64_t per_slot = static_cast<std::int64_t>(tl.slot_bytes()) / size;
  for (std::int64_t first = 0; first < elements; first += per_slot) {
    const Shape piece{std::min(per_slot, elements - first)};
    const tl::Ptr place = data.local() + first * size;
    const tl::Handle own = tl.load(place, piece, data.dtype());
    tl.store(place, sum_of_line(tl, sum_of_line(tl, own, row), column));
  }
}

}  // namespace

// --- PEs: `columns` of them are a row, with the directions of graphs::intra_mesh

void mesh_allreduce(tl::Program& tl, tl::Tensor data, int columns) {
  const int rank = tl.program_id(0), rows = tl.num_programs(0) / columns;
  sum_of_mesh(tl, data, {rank % columns, columns, "intra_E", "intra_W"},
              {rank / columns, rows, "intra_S", "intra_N"});
}

namespace {

// --- the algorithm: a mesh of SIPs

// A ring is a mesh of one row, whose ends are not joined.
int columns_of(const RankGroup& group) {
  return group.grid.topology == "ring_1d" ? group.size : group.grid.w;
}

NeighbourGraph graph(const CollectiveCall& call) {
  const RankGroup& group = call.group;
  const int columns = columns_of(group);
  NeighbourGraph graph;
  const auto join = [&](int a, const char* there, int b, const char* back) {
    for (const ShardLayout::Member& shard : call.layout.members) {
      const PeId pe_a = group.place(a, shard.cube, shard.pe);
      const PeId pe_b = group.place(b, shard.cube, shard.pe);
      graph.connect(pe_a, there, pe_b).connect(pe_b, back, pe_a);
    }
  };
  for (int rank = 0; rank < group.size; ++rank) {
    if (rank % columns + 1 < columns) join(rank, "mesh_E", rank + 1, "mesh_W");
    if (rank + columns < group.size) join(rank, "mesh_S", rank + columns, "mesh_N");
  }
  return graph;
}

tl::KernelCall kernel(const CollectiveCall& call) {
  const RankGroup& group = call.group;
  const int columns = columns_of(group);
  const MeshLine row{call.rank % columns, columns, group.direction("mesh_E"),
                     group.direction("mesh_W")};
  const MeshLine column{call.rank / columns, group.size / columns, group.direction("mesh_S"),
                        group.direction("mesh_N")};
  const auto body = [row, column](tl::Program& tl, tl::Tensor data) {
    if (data.has_local()) sum_of_mesh(tl, data, row, column);
  };
  return tl::bind_kernel(body, call.inputs.front());
}

std::string refuses(const CollectiveCall& call) {
  if (call.reduce_op != ReduceOp::sum)
    return std::string("it sums, and does not ") + name_of(call.reduce_op);
  return call.outputs.empty() ? "" : "it works in place";
}

}  // namespace

CollectiveAlgorithm mesh_algorithm() {
  return {"mesh_allreduce",
          "along the rows of the ranks, then along their columns",
          CollectiveOp::all_reduce,
          all_sip_topologies(),
          "any shards, the same on every rank",
          {},
          refuses,
          graph,
          kernel};
}

namespace {

// --- the bench: the PEs of cube 0 are a mesh of two rows

void run(Torch& torch) {
  const int pes = torch.spec().pes, columns = pes / 2;
  const Shape shape{pes, torch.parameters().integer("n_elem")};
  const DPPolicy rows{Placement::replicate, Placement::row_wise, 1, pes};
  const benches::Input x = benches::random_input(torch, shape, DType::f32, rows, "x");

  torch.ipcq.install(graphs::intra_mesh(this_device, 0, pes));
  torch.launch("mesh_allreduce", mesh_allreduce, x.tensor, columns);

  // Every row is the sum of all rows.
  const auto extent = static_cast<std::size_t>(shape[1]);
  torch.verify(
      x.tensor,
      [x = x.host, extent] {
        const std::vector<double> values = x->values();
        std::vector<double> expected(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
          for (std::size_t row = 0; row < values.size(); row += extent)
            expected[row + i % extent] += values[i];
        }
        return expected;
      },
      pes);
}

void add_all(PluginRegistries& to) {
  to.algorithms.add(mesh_algorithm());
  to.benches.add({"mesh-allreduce",
                  "the sum over the PEs of a cube, as a mesh of two rows",
                  {Parameter::integer("n_elem", "elements of each PE", "", "assumption")
                       .default_val(5000)
                       .range(1, 65536)},
                  &run});
}

}  // namespace
}  // namespace acme

KERNBENCH_PLUGIN("acme_mesh_allreduce", acme::add_all);
