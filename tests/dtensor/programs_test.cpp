// Programs of distributed tensors: PyTorch's examples and formula of costs, which decide what is
// redistributed.
#include <cmath>

#include "sw/dtensor/redistribute.h"
#include "tests/dtensor/placed_tensors.h"

namespace kernbench::dtensor {

BOOST_AUTO_TEST_SUITE(programs_of_distributed_tensors)

// PyTorch's formula: 6.6 us + hops * 0.6 us + bytes moved at 87.7 GB/s (GB of 1024^3 bytes).
BOOST_AUTO_TEST_CASE(costs_of_redistributions) {
  const Shape shape{1024, 1024};  // 4 MiB of f32 = 1/256 GB
  const auto cost = [&](const MeshPlacement& from, const MeshPlacement& to) {
    return redistribute_cost(shape, f32, {4}, {from}, {to});
  };
  const double all_bytes = 3. / 4 / 256 / 87.7 * 1e6;  // 3 of 4 parts of 4 MiB
  BOOST_CHECK_CLOSE(cost(rows, copies), 6.6 + 3 * 0.6 + all_bytes, 1e-9);
  BOOST_CHECK_CLOSE(cost(partial, copies), 6.6 + 6 * 0.6 + 2 * all_bytes, 1e-9);
  BOOST_CHECK_CLOSE(cost(partial, rows), 6.6 + 3 * 0.6 + all_bytes, 1e-9);
  BOOST_CHECK_CLOSE(cost(rows, columns), 6.6 + 3 * 0.6 + all_bytes / 4 + 1, 1e-9);
  BOOST_TEST(cost(copies, rows) == 0);
  BOOST_TEST(cost(copies, partial) == 0);
  BOOST_TEST(cost(rows, rows) == 0);
  BOOST_TEST(std::isinf(cost(rows, partial)));
  BOOST_TEST(std::isinf(cost(Partial(ReduceOp::max), partial)));
}

// Rows of x{m, k} x rows of w{k, n}: an all_gather of w moves (n - 1) / n of its bytes, an exchange
// of x a part of that of its own, plus 1 us. So large weights stay where they are.
KERNBENCH_SYSTEMC_TEST(the_bytes_of_operands_decide) {
  on_mesh({2}, [](Torch& torch, const DeviceMesh& mesh) {
    // 512 KiB: 2.8 us more than the all_gather of nothing.
    const DTensor x = placed(torch, mesh, {4, 64}, Values(256, 1), {rows}),
                  w = distribute_tensor(torch.zeros({64, 2048}, f32, one_pe, "w"), mesh, {rows});
    const CommDebugMode comm(mesh);
    const DTensor y = matmul(x, w);
    BOOST_TEST((y.placements() == Placements{partial}));
    BOOST_TEST(text_of_counts(comm.get_comm_counts()) == "all_to_all_single 1; ");
    BOOST_REQUIRE(comm.redistributions().size() == 1U);
    BOOST_TEST(comm.redistributions()[0] ==
               "matmul, operand 0: 'x' {4, 64} [Shard(0)] -> [Shard(1)]");
  });
}

// Placements and times do not depend on values.
BOOST_AUTO_TEST_CASE(a_program_takes_the_same_time_without_data) {
  const auto time_of = [](bool with_data) {
    return forked_value([with_data] {
      TorchMachine m("topology.tiny.yaml", sips("ring_1d", 2), with_data);
      const Fs time = m.run([](Torch& torch) {
        on_ranks(torch, {}, [&](int) {
          const DeviceMesh mesh = init_device_mesh(torch, {2});
          const DTensor x = placed(torch, mesh, {5, 6}, small_values({5, 6}), {rows}),
                        w = placed(torch, mesh, {6, 3}, small_values({6, 3}), {columns});
          sum(relu(matmul(x, w)), {0}).full_tensor();
          from_local(x.to_local(), mesh, {Shard(0)}, {true, Shape{5, 6}});
        });
      });
      return std::to_string(time);
    });
  };
  BOOST_TEST(time_of(true) == time_of(false));
}

// Of the README of torch.distributed.tensor.
BOOST_AUTO_TEST_CASE(the_examples_of_pytorch) {
  forked([] {
    on_a_ring(4, [](Torch& torch, int rank) {
      const DeviceMesh device_mesh = init_device_mesh(torch, {4});
      const Placements rowwise_placement{Shard(0)}, colwise_placement{Shard(1)},
          replica_placement{Replicate()};
      const Shape shape{888, 12};
      const Values values = small_values(shape);
      const HostArray big_tensor(shape, f32, values);
      const DTensor rowwise =
          distribute_tensor(big_tensor, device_mesh, rowwise_placement, {one_pe});
      BOOST_TEST((rowwise.to_local().shape() == Shape({222, 12})));
      const DTensor replica =
          distribute_tensor(big_tensor, device_mesh, replica_placement, {one_pe});
      expect(torch, replica.to_local(), values);
      const DeviceMesh mesh_2d = init_device_mesh(torch, {2, 2});
      const DTensor partial_replica =
          distribute_tensor(big_tensor, mesh_2d, {Replicate(), Shard(0)}, {one_pe});
      BOOST_TEST((partial_replica.to_local().shape() == Shape({444, 12})));
      expect_distributed(torch, partial_replica, values);

      const Tensor local_tensor = torch.full({8, 8}, rank, f32, one_pe, "local");
      const DTensor from_rows = from_local(local_tensor, device_mesh, rowwise_placement);
      BOOST_TEST((from_rows.shape() == Shape({32, 8})));
      const DTensor colwise = from_rows.redistribute(device_mesh, colwise_placement);
      BOOST_TEST((colwise.to_local().shape() == Shape({32, 2})));
      const DTensor all = colwise.redistribute(device_mesh, replica_placement);
      Values expected(256);
      for (std::size_t i = 0; i < 256; ++i) expected[i] = static_cast<double>(i / 64);
      expect(torch, all.to_local(), expected);
    });
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace kernbench::dtensor
