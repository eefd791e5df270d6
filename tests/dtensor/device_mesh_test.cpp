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

BOOST_AUTO_TEST_SUITE_END()

}  // namespace kernbench::dtensor
