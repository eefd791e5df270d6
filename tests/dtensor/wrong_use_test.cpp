// Misuse of meshes and distributed tensors: errors that say what is expected.
#include "tests/dtensor/mesh_ranks.h"

namespace kernbench::dtensor {

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(wrong_use_of_distributed_tensors)

namespace {

DTensor matrix(const DeviceMesh& mesh, const Shape& shape, const Placements& placements,
               DType dtype = f32) {
  return distribute_tensor(HostArray::full(shape, dtype, 1), mesh, placements, {one_pe, "x", 0});
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(meshes_that_do_not_fit_the_ranks) {
  on_a_ring(3, [](Torch& torch, int /*rank*/) {
    const auto mesh = [&](const std::vector<int>& shape,
                          const std::vector<std::string>& names = {}) {
      return told([&] { init_device_mesh(torch, shape, names); });
    };
    check_contains(mesh({2}), {"init_device_mesh (2): 2 ranks, but the world has 3"});
    check_contains(mesh({}), {"device mesh without dimensions"});
    check_contains(mesh({3, 0}), {"device mesh (3, 0): extents of at least 1 are expected"});
    check_contains(mesh({3, 1}, {"dp"}), {"1 names; one for each of 2 dimensions, or none"});
    check_contains(mesh({3, 1}, {"dp", "dp"}), {"names dp, dp repeat"});
    check_contains(told([&] {
                     device_mesh(torch, {0, 4}, {2});
                   }),
                   {"rank 4, but there are ranks 0 to 2"});
    check_contains(told([&] { device_mesh(torch, {1, 0}, {2}); }), {"not in ascending order"});
    check_contains(told([&] {
                     device_mesh(torch, {0, 1}, {3});
                   }),
                   {"device mesh (3) has 3 ranks; ranks (0, 1) are 2"});
  });
}

KERNBENCH_SYSTEMC_TEST(unknown_dimensions_of_a_mesh) {
  on_mesh({3, 1},
          [](Torch& /*torch*/, const DeviceMesh& mesh) {
            check_contains(told([&] { mesh.size(2); }), {"size: dimension 2 of ", "-2 to 1"});
            check_contains(told([&] { mesh.get_local_rank("pp"); }), {"has no dimension 'pp'"});
            check_contains(told([&] { mesh.get_group(); }), {"has 2 dimensions; one of them"});
            check_contains(told([&] {
                             mesh.submesh({"tp", "dp"});
                           }),
                           {"names tp, dp are not in the order"});
          },
          {"dp", "tp"});
}

// Rank 2 is not in the mesh, which it has to create as the others do.
KERNBENCH_SYSTEMC_TEST(a_rank_outside_the_mesh_has_no_part) {
  on_a_ring(3, [](Torch& torch, int rank) {
    const DeviceMesh mesh = device_mesh(torch, {0, 1}, {2});
    if (rank == 2) {
      BOOST_TEST(!mesh.get_coordinate().has_value());
      check_contains(told([&] { mesh.get_local_rank(); }),
                     {"rank 2 is not in DeviceMesh(2; ranks 0, 1)"});
      check_contains(told([&] {
                       matrix(mesh, {4, 2}, {Shard(0)});
                     }),
                     {"distribute_tensor: rank 2 is not in"});
      return;
    }
    expect(torch, matrix(mesh, {4, 2}, {Shard(0)}).full_tensor(), Values(8, 1));
  });
}

KERNBENCH_SYSTEMC_TEST(placements_that_do_not_fit_the_tensor) {
  on_mesh({2}, [](Torch& torch, const DeviceMesh& mesh) {
    const auto distribute = [&](const Placements& placements) {
      return told([&] { matrix(mesh, {4, 2}, placements); });
    };
    check_contains(distribute({Shard(2)}), {"Shard(2) of a tensor {4, 2}; allowed: -2 to 1"});
    check_contains(distribute({Shard(0), Shard(1)}),
                   {"2 placements", "one for each of 1 dimensions"});
    check_contains(distribute({Partial()}), {"Shard or Replicate is expected; from_local makes"});
    check_contains(told([&] { Partial("prod"); }), {"Partial(prod): sum, avg, max or min"});
    check_contains(told([&] { from_local(torch.zeros({}, f32, one_pe), mesh, {Shard(0)}); }),
                   {"Shard(0) of a tensor without axes"});
    check_contains(
        told([&] {
          distribute_tensor(HostArray::full({4}, f32, 1), mesh, {Shard(0)}, {one_pe, "x", 2});
        }),
        {"src_data_rank 2", "ranks 0 to 1"});
  });
}

KERNBENCH_SYSTEMC_TEST(local_tensors_that_are_no_parts) {
  on_mesh({2, 1}, [](Torch& torch, const DeviceMesh& mesh) {
    const int rank = torch.distributed.get_rank();
    const auto from = [&](const Tensor& local, const Placements& placements,
                          const FromLocalOptions& options = {}) {
      return told([&] { from_local(local, mesh, placements, options); });
    };
    // 5 rows: 3 and 2.
    check_contains(from(some(torch, 4, f32, "local"), {Shard(0), Replicate()}, {false, Shape{5}}),
                   {"from_local: tensor 'local' {4} on rank " + std::to_string(rank),
                    rank == 0 ? "is {3}" : "is {2}"});
    check_contains(from(some(torch), {Replicate(), Replicate()}, {false, Shape{8, 1}}),
                   {"the whole tensor is {8, 1}; both have the same axes"});
    check_contains(from(some(torch), {Partial(), Partial("max")}),
                   {"the order of Partial(sum) and Partial(max) matters"});
    check_contains(from(some(torch, 4, i32), {Partial("avg"), Replicate()}),
                   {"Partial(avg) of i32: a float dtype"});
    check_contains(from(torch.zeros({8}, f32, {Placement::replicate, Placement::partial, 1, 2}),
                        {Replicate(), Replicate()}),
                   {"has partial sums within a device"});
    check_contains(from(some(torch, 4 + rank), {Shard(0), Replicate()}, {true}),
                   {"differs from that of another rank in dtype or shape"});
  });
}

KERNBENCH_SYSTEMC_TEST(redistributions_that_do_not_exist) {
  on_mesh({2}, [](Torch& torch, const DeviceMesh& mesh) {
    const DTensor x = matrix(mesh, {4, 2}, {Shard(0)});
    const DeviceMesh other = init_device_mesh(torch, {2, 1});
    check_contains(told([&] {
                     x.redistribute(other, {Replicate(), Replicate()});
                   }),
                   {"redistribute: tensor 'x' is on DeviceMesh(2; ranks 0, 1), not on "
                    "DeviceMesh(2, 1; ranks 0, 1); the same mesh is expected"});
    check_contains(told([&] { x.redistribute({Partial()}); }),
                   {"from Shard(0) to Partial(sum): only operators make a Partial"});
    check_contains(told([&] { x.redistribute(Placements{}); }), {"without placements"});
    check_contains(told([&] { x.redistribute({Shard(5)}); }), {"Shard(5) of a tensor {4, 2}"});
  });
}

KERNBENCH_SYSTEMC_TEST(operands_that_do_not_fit) {
  on_mesh({2}, [](Torch& torch, const DeviceMesh& mesh) {
    const DTensor x = matrix(mesh, {4, 2}, {Shard(0)}), y = matrix(mesh, {3, 4}, {Shard(0)}),
                  half = matrix(mesh, {4, 2}, {Shard(0)}, f16),
                  elsewhere =
                      matrix(init_device_mesh(torch, {2, 1}), {4, 2}, {Shard(0), Replicate()});
    check_contains(told([&] { matmul(x, y); }),
                   {"matmul: 'x' {4, 2} and 'x' {3, 4}; {M, K} and {K, N} are expected"});
    check_contains(told([&] { matmul(x, half); }), {"{M, K} and {K, N} are expected"});
    check_contains(told([&] { matmul(y, half); }), {"'x' is f32, 'x' is f16; operands have one"});
    check_contains(told([&] { add(x, elsewhere); }),
                   {"add: 'x' is on DeviceMesh(2; ranks 0, 1)", "one mesh is expected"});
    check_contains(told([&] { add(x, half); }), {"'x' is f32, 'x' is f16"});
    check_contains(told([&] { mul(x, y); }), {"shapes {4, 2} and {3, 4} do not broadcast"});
    check_contains(told([&] { sum(x, {2}); }), {"sum: axis 2 of a tensor of 2 axes"});
    check_contains(told([&] { mean(matrix(mesh, {4}, {Shard(0)}, i32)); }), {"mean) of i32"});
    check_contains(told([&] { elementwise(MathOp::add, {1, 2}); }), {"of 0 tensors"});
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace kernbench::dtensor
