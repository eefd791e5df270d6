// Redistribution between all placements, with the collectives that PyTorch calls: rows of
// torch/distributed/tensor/_redistribute.py.
#include "tests/dtensor/mesh_ranks.h"

namespace kernbench::dtensor {

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(redistribute)

namespace {

DTensor distributed_of(const DeviceMesh& mesh, const Shape& shape, const Placements& placements,
                       const DPPolicy& policy = one_pe) {
  return dtensor::distribute_tensor(HostArray(shape, f32, counted(shape)), mesh, placements,
                                    {policy, "x", 0});
}

// Each rank has `counted` times (1 + its number), or the same everywhere.
DTensor partial_of(Torch& torch, const DeviceMesh& mesh, const Shape& shape, ReduceOp op) {
  const int rank = torch.distributed.get_rank();
  Values values = counted(shape);
  for (double& value : values) value *= 1 + rank;
  const Tensor local = torch.from_host(HostArray(shape, f32, values), one_pe, "p");
  return dtensor::from_local(local, mesh,
                             Placements(static_cast<std::size_t>(mesh.ndim()), Partial(op)));
}

double factor_of(ReduceOp op, int ranks) {
  switch (op) {
    case ReduceOp::sum:
      return ranks * (ranks + 1) / 2.0;  // 1 + 2 + ... + ranks
    case ReduceOp::avg:
      return (ranks + 1) / 2.0;
    case ReduceOp::max:
      return ranks;
    default:
      return 1;
  }
}

// Over one dimension.
std::string collectives_of(const MeshPlacement& from, const MeshPlacement& to) {
  if (from == to || from.is_replicate()) return "";
  if (from.is_partial()) return to.is_shard() ? "reduce_scatter_tensor 1; " : "all_reduce 1; ";
  return to.is_shard() ? "all_to_all_single 1; " : "all_gather_into_tensor 1; ";
}

void check_pair(Torch& torch, const DTensor& x, const Placements& to, const Values& values,
                const std::string& collectives) {
  const CommDebugMode comm(x.device_mesh());
  const DTensor result = x.redistribute(to);
  BOOST_TEST(text_of_counts(comm.get_comm_counts()) == collectives,
             x.str() << " to " << dtensor::text_of(to));
  BOOST_TEST((result.placements() == to));
  expect_distributed(torch, result, values, 4);
}

const std::vector<MeshPlacement> of_values{Shard(0), Shard(1), Replicate()};

}  // namespace

KERNBENCH_SYSTEMC_TEST(distribute_tensor_scatters_and_broadcasts_from_rank_0) {
  on_mesh({3}, [](Torch& torch, const DeviceMesh& mesh) {
    const CommDebugMode comm(mesh);
    // The arrays of other ranks are not used. 8 rows: 3, 3, 2; 2 columns: 1, 1, 0.
    const int rank = torch.distributed.get_rank();
    const HostArray array({8, 2}, f32, counted({8, 2}, rank == 0 ? 1 : 100));
    for (const MeshPlacement& placement : of_values)
      expect_distributed(torch, dtensor::distribute_tensor(array, mesh, {placement}, {one_pe}),
                         counted({8, 2}));
    BOOST_TEST(text_of_counts(comm.get_comm_counts()) == "broadcast 1; scatter 2; ");
    // Without a source every rank takes a part of its own array.
    const DTensor own =
        dtensor::distribute_tensor(array, mesh, {Shard(0)}, {one_pe, "own", std::nullopt});
    expect_distributed(torch, own, counted({8, 2}, rank == 0 ? 1 : 100));
    // From rank 1.
    const DTensor other = dtensor::distribute_tensor(array, mesh, {Shard(-1)}, {one_pe, "x", 1});
    expect_distributed(torch, other, counted({8, 2}, 100));
    BOOST_TEST(text_of_counts(comm.get_comm_counts()) == "broadcast 1; scatter 3; ");
  });
}

// [[0, 1, 2], [3, 4, 5]], (Shard(0), Replicate()): rank 0 scatters to 0 and 3, rank 1 to 1 and 4,
// rank 2 to 2 and 5; then 0 broadcasts to 1 and 2, 3 to 4 and 5. So all have what rank 0 had.
KERNBENCH_SYSTEMC_TEST(distribute_tensor_on_two_dimensions_uses_rank_0_of_each) {
  on_mesh({2, 3}, [](Torch& torch, const DeviceMesh& mesh) {
    const int rank = torch.distributed.get_rank();
    const HostArray array({5, 4}, f32, counted({5, 4}, 1 + 100 * rank));
    const CommDebugMode comm(mesh);
    for (const Placements& placements :
         {Placements{Shard(0), Replicate()}, Placements{Shard(0), Shard(0)},
          Placements{Shard(1), Shard(0)}, Placements{Replicate(), Replicate()}})
      expect_distributed(torch, dtensor::distribute_tensor(array, mesh, placements, {one_pe}),
                         counted({5, 4}));
    BOOST_TEST(text_of_counts(comm.get_comm_counts()) == "broadcast 3; scatter 5; ");
  });
}

// Extents 5 and 3: on 4 ranks rows 2, 2, 1, 0 and columns 1, 1, 1, 0.
BOOST_AUTO_TEST_CASE(every_pair_of_placements_on_1_dimension) {
  for (const int ranks : {2, 3, 4}) {
    forked([ranks] {
      on_mesh({ranks}, [](Torch& torch, const DeviceMesh& mesh) {
        const Shape shape{5, 3};
        for (const MeshPlacement& from : of_values) {
          const DTensor x = distributed_of(mesh, shape, {from});
          for (const MeshPlacement& to : of_values)
            check_pair(torch, x, {to}, counted(shape), collectives_of(from, to));
        }
        for (const ReduceOp op : {ReduceOp::sum, ReduceOp::avg, ReduceOp::max, ReduceOp::min}) {
          const DTensor x = partial_of(torch, mesh, shape, op);
          Values values = counted(shape);
          for (double& value : values) value *= factor_of(op, mesh.size());
          for (const MeshPlacement& to : of_values)
            check_pair(torch, x, {to}, values, collectives_of(Partial(op), to));
        }
      });
    });
  }
}

// Values only; counts below.
BOOST_AUTO_TEST_CASE(every_pair_of_placements_on_2_dimensions) {
  forked([] {
    on_mesh({2, 3}, [](Torch& torch, const DeviceMesh& mesh) {
      const Shape shape{5, 3};
      for (const MeshPlacement& first : of_values) {
        for (const MeshPlacement& second : of_values) {
          const DTensor x = distributed_of(mesh, shape, {first, second});
          for (const MeshPlacement& third : of_values) {
            for (const MeshPlacement& fourth : of_values)
              expect_distributed(torch, x.redistribute({third, fourth}), counted(shape));
          }
        }
      }
    });
  });
}

// Dimensions from the last to the first; what is cut inside a cut that changes is gathered first.
KERNBENCH_SYSTEMC_TEST(collectives_of_redistributions_on_2_dimensions) {
  const std::string gather = "all_gather_into_tensor ", exchange = "all_to_all_single ";
  struct Row {
    Placements from, to;
    std::string collectives;
  };
  const MeshPlacement rows = Shard(0), columns = Shard(1), copies = Replicate();
  const std::vector<Row> table{
      // Dimension 1, then dimension 0.
      {{rows, rows}, {copies, copies}, gather + "2; "},
      {{rows, columns}, {copies, copies}, gather + "2; "},
      // Inside rows of dimension 0, which remain.
      {{rows, rows}, {rows, copies}, gather + "1; "},
      {{rows, rows}, {rows, columns}, exchange + "1; "},
      // Rows of dimension 1 are those of the whole tensor afterwards: gathered, then cut again.
      {{rows, rows}, {copies, rows}, gather + "2; "},
      {{copies, rows}, {rows, rows}, gather + "1; "},
      // Dimension 1 is gathered, dimension 0 exchanged, dimension 1 cut.
      {{rows, columns}, {columns, rows}, gather + "1; " + exchange + "1; "},
      {{columns, rows}, {rows, rows}, gather + "1; " + exchange + "1; "},
      // From one dimension to the other.
      {{copies, rows}, {rows, copies}, gather + "1; "},
      {{rows, copies}, {copies, rows}, gather + "1; "},
      {{copies, copies}, {rows, columns}, ""}};
  on_mesh({2, 3}, [&](Torch& torch, const DeviceMesh& mesh) {
    const Shape shape{7, 4};
    for (const Row& row : table)
      check_pair(torch, distributed_of(mesh, shape, row.from), row.to, counted(shape),
                 row.collectives);
    // 1 + ... + 6 = 21. Partial on both: dimension 0 first, as nothing is cut.
    const DTensor x = partial_of(torch, mesh, shape, ReduceOp::sum);
    Values values = counted(shape);
    for (double& value : values) value *= 21;
    check_pair(torch, x, {copies, copies}, values, "all_reduce 2; ");
    check_pair(torch, x, {rows, copies}, values, "all_reduce 1; reduce_scatter_tensor 1; ");
    check_pair(torch, x, {rows, rows}, values, "reduce_scatter_tensor 2; ");
    BOOST_TEST((x.redistribute({rows, columns}).full_tensor().shape() == shape));
  });
}

// Shards over the PEs of a device: gathers and exchanges cross columns of PEs. One column is not
// cut, and has copies.
KERNBENCH_SYSTEMC_TEST(local_tensors_are_cut_over_pes) {
  on_mesh({3}, [](Torch& torch, const DeviceMesh& mesh) {
    const Shape shape{5, 7};
    for (const DPPolicy& policy :
         {DPPolicy{}, DPPolicy{Placement::replicate, Placement::column_wise, 1, 2},
          DPPolicy{Placement::replicate, Placement::row_wise, 1, 2}}) {
      for (const MeshPlacement& from : of_values) {
        const DTensor x = distributed_of(mesh, shape, {from}, policy);
        for (const MeshPlacement& to : of_values)
          check_pair(torch, x, {to}, counted(shape), collectives_of(from, to));
      }
    }
  });
}

KERNBENCH_SYSTEMC_TEST(tensors_without_elements_are_redistributed) {
  on_mesh({2}, [](Torch& torch, const DeviceMesh& mesh) {
    const Shape shape{0, 3};
    for (const MeshPlacement& from : of_values) {
      const DTensor x = distributed_of(mesh, shape, {from});
      for (const MeshPlacement& to : of_values)
        check_pair(torch, x, {to}, {}, collectives_of(from, to));
    }
  });
}

// Of a part without elements on rank 3: 3 rows on 4 ranks.
KERNBENCH_SYSTEMC_TEST(from_local_takes_parts_of_different_sizes_with_their_shape) {
  on_mesh({4}, [](Torch& torch, const DeviceMesh& mesh) {
    const int rank = torch.distributed.get_rank();
    const Shape shape{3, 2};
    const auto [part, values] =
        part_of_rank(shape, counted(shape), {Shard(0)}, mesh.shape(), {rank});
    const Tensor local = torch.from_host(HostArray(part, f32, values), one_pe, "local");
    const DTensor x = dtensor::from_local(local, mesh, {Shard(0)}, {true, shape});
    BOOST_TEST((x.shape() == shape));
    expect(torch, x.full_tensor(), counted(shape));
  });
}

// With run_check the copies of Replicate are those of the first rank, after a comparison.
KERNBENCH_SYSTEMC_TEST(from_local_with_run_check_broadcasts_replicas) {
  on_mesh({3}, [](Torch& torch, const DeviceMesh& mesh) {
    const double rank = torch.distributed.get_rank();
    const CommDebugMode comm(mesh);
    const Tensor local = vector_of(torch, Values(4, rank));
    expect(torch, dtensor::from_local(local, mesh).to_local(), Values(4, rank));
    BOOST_TEST(comm.get_total_counts() == 0);
    expect(torch, dtensor::from_local(local, mesh, {Replicate()}, {true}).to_local(), Values(4, 0));
    BOOST_TEST(text_of_counts(comm.get_comm_counts()) == "all_gather_into_tensor 1; broadcast 1; ");
    // Of the same size on each: 12 elements.
    const DTensor cut = dtensor::from_local(local, mesh, {Shard(0)});
    BOOST_TEST((cut.shape() == Shape{12}));
    expect(torch, cut.full_tensor(), {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2});
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace kernbench::dtensor
