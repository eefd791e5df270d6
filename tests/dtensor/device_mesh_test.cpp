// DeviceMesh: ranks as a grid, groups along its dimensions, submeshes.
#include "tests/dtensor/mesh_ranks.h"

namespace kernbench::dtensor {

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(device_meshes)

// [[0, 1, 2], [3, 4, 5]]
KERNBENCH_SYSTEMC_TEST(a_mesh_has_groups_along_each_dimension) {
  on_mesh({2, 3},
          [](Torch& torch, const DeviceMesh& mesh) {
            const int rank = torch.distributed.get_rank();
            BOOST_TEST(mesh.ndim() == 2);
            BOOST_TEST(mesh.size() == 6);
            BOOST_TEST(mesh.size(0) == 2);
            BOOST_TEST(mesh.size("tp") == 3);
            BOOST_TEST(mesh.size(-1) == 3);
            BOOST_TEST((*mesh.get_coordinate() == std::vector<int>{rank / 3, rank % 3}));
            BOOST_TEST(mesh.get_local_rank("dp") == rank / 3);
            BOOST_TEST(mesh.get_local_rank(1) == rank % 3);
            const std::vector<int> row{rank / 3 * 3, rank / 3 * 3 + 1, rank / 3 * 3 + 2},
                column{rank % 3, rank % 3 + 3};
            BOOST_TEST(torch.distributed.get_process_group_ranks(mesh.get_group("tp")) == row);
            BOOST_TEST(torch.distributed.get_process_group_ranks(mesh.get_group(0)) == column);
            const DeviceMesh tp = mesh["tp"];
            BOOST_TEST(tp.ranks() == row);
            BOOST_TEST(tp.get_local_rank() == rank % 3);
            BOOST_TEST((tp.get_group() == mesh.get_group("tp")));
            BOOST_TEST((mesh.submesh({"dp", "tp"}) == mesh));
            BOOST_TEST((tp != mesh));
            BOOST_TEST(mesh.str() == "DeviceMesh(dp=2, tp=3; ranks 0, 1, 2, 3, 4, 5)");
          },
          {"dp", "tp"});
}

// The example of PyTorch's DeviceMesh, [[0, 1, 2, 3], [4, 5, 6, 7]]: a reduction over the first
// dimension is over the columns (0, 4), ..., (3, 7), one over the second over the rows.
KERNBENCH_SYSTEMC_TEST(the_example_of_pytorch_reduces_over_columns_and_rows) {
  on_mesh({2, 4}, [](Torch& torch, const DeviceMesh& mesh) {
    const int rank = torch.distributed.get_rank();
    const Tensor column = vector_of(torch, {1. * rank}), row = vector_of(torch, {1. * rank});
    torch.distributed.all_reduce(column, "sum", mesh.get_group(0));
    torch.distributed.all_reduce(row, "sum", mesh.get_group(1));
    expect(torch, column, {2. * (rank % 4) + 4});
    expect(torch, row, {rank < 4 ? 6. : 22.});
  });
}

// Ranks 0 and 2, and 1 and 3, as meshes of their own, which all ranks create; 0 to 3 as columns.
KERNBENCH_SYSTEMC_TEST(some_ranks_are_a_mesh) {
  on_a_ring(5, [](Torch& torch, int rank) {
    const DeviceMesh even = device_mesh(torch, {0, 2}, {2}), odd = device_mesh(torch, {1, 3}, {2}),
                     four = device_mesh(torch, {0, 1, 2, 3}, {2, 2}, {"dp", "tp"});
    if (rank == 4) {
      BOOST_TEST(!four.get_coordinate().has_value());
      return;
    }
    const DeviceMesh& mine = rank % 2 == 0 ? even : odd;
    BOOST_TEST(mine.get_local_rank() == rank / 2);
    const Tensor x = vector_of(torch, {1. * rank});
    expect(torch, from_local(x, mine, {Partial()}).full_tensor(), {rank % 2 == 0 ? 2. : 4.});
    expect(torch, from_local(x, four["tp"], {Shard(0)}).full_tensor(),
           rank < 2 ? Values{0, 1} : Values{2, 3});
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace kernbench::dtensor
