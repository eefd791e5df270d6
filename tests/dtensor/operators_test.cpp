// Operators of distributed tensors: placements of the results, communication and values, as
// PyTorch's sharding propagation has them.
#include <cmath>

#include "sw/benches/reference.h"
#include "tests/dtensor/placed_tensors.h"

namespace kernbench::dtensor {

BOOST_AUTO_TEST_SUITE(operators_of_distributed_tensors)

// {8, 6} x {6, 10} on 2 ranks. Bytes: a 192, b 240, latencies by far the largest part of each
// collective, so that one collective is better than two, and half an all_reduce better than all.
KERNBENCH_SYSTEMC_TEST(placements_of_products) {
  struct Row {
    MeshPlacement a, b, out;
    std::string collectives;
  };
  const std::vector<Row> table{
      {copies, copies, copies, ""},
      {rows, copies, rows, ""},
      {copies, columns, columns, ""},
      {columns, rows, partial, ""},
      // b, or a, cut locally.
      {columns, copies, partial, ""},
      {copies, rows, partial, ""},
      // An all_gather of the operand without place in the product.
      {rows, rows, rows, gather},
      {columns, columns, columns, gather},
      // Of a with 6.6 + 0.6 + 192 / 2 / 87.7e3 us, or of b with 240 bytes: a, for [Shard(1)].
      {rows, columns, columns, gather},
      // No product of sums: a reduce_scatter is half an all_reduce; of those to columns and to rows
      // of a the first.
      {partial, copies, partial, scatter_sum},
      {partial, rows, partial, scatter_sum},
      {columns, partial, partial, scatter_sum}};
  on_mesh({2}, [&](Torch& torch, const DeviceMesh& mesh) {
    const Shape m_k{8, 6}, k_n{6, 10};
    const Values a = small_values(m_k), b = small_values(k_n, 1),
                 product = reference::matmul(a, b, 8, 6, 10);
    for (const Row& row : table) {
      const DTensor x = placed(torch, mesh, m_k, a, {row.a}),
                    y = placed(torch, mesh, k_n, b, {row.b});
      const CommDebugMode comm(mesh);
      const DTensor result = matmul(x, y);
      check_result(torch, result, {row.out}, product, comm, row.collectives,
                   row.a.str() + " x " + row.b.str());
    }
  });
}

// Data parallel rows of x, tensor parallel columns of w: nothing moves, as in Megatron's first
// layer; its second one leaves a partial sum over tp.
KERNBENCH_SYSTEMC_TEST(a_two_layer_network_on_a_2_d_mesh) {
  on_mesh({2, 2},
          [](Torch& torch, const DeviceMesh& mesh) {
            const Values a = small_values({4, 6}), b = small_values({6, 8}, 1),
                         c = small_values({8, 2}, 2);
            const DTensor x = placed(torch, mesh, {4, 6}, a, {rows, copies}),
                          w1 = placed(torch, mesh, {6, 8}, b, {copies, columns}),
                          w2 = placed(torch, mesh, {8, 2}, c, {copies, rows});
            const CommDebugMode comm(mesh);
            const DTensor h = relu(matmul(x, w1));
            BOOST_TEST((h.placements() == Placements{rows, columns}));
            const DTensor y = matmul(h, w2);
            BOOST_TEST((y.placements() == Placements{rows, partial}));
            BOOST_TEST(comm.get_total_counts() == 0);
            const DTensor out = y.redistribute({rows, copies});
            BOOST_TEST(text_of_counts(comm.get_comm_counts()) == reduce_all);
            Values hidden = reference::each(reference::matmul(a, b, 4, 6, 8), reference::relu);
            expect_distributed(torch, out, reference::matmul(hidden, c, 4, 8, 2));
          },
          {"dp", "tp"});
}

KERNBENCH_SYSTEMC_TEST(placements_of_element_wise_operations) {
  const MeshPlacement avg = Partial(ReduceOp::avg), max = Partial(ReduceOp::max),
                      min = Partial(ReduceOp::min);
  struct Row {
    MathOp op;
    MeshPlacement a, b, out;
    std::string collectives;
  };
  const std::vector<Row> table{{MathOp::add, rows, rows, rows, ""},
                               {MathOp::add, rows, copies, rows, ""},
                               {MathOp::add, copies, columns, columns, ""},
                               {MathOp::add, rows, columns, rows, "all_to_all_single 1; "},
                               {MathOp::add, partial, partial, partial, ""},
                               // The first rank keeps b, the others add 0.
                               {MathOp::add, partial, copies, partial, ""},
                               {MathOp::add, partial, rows, rows, scatter_sum},
                               {MathOp::sub, avg, copies, avg, ""},
                               {MathOp::add, copies, avg, avg, ""},
                               {MathOp::add, max, copies, max, ""},
                               // One becomes copies: max(a) + max(b) is no max of a + b.
                               {MathOp::add, max, max, max, reduce_all},
                               {MathOp::mul, partial, copies, partial, ""},
                               {MathOp::mul, copies, partial, partial, ""},
                               {MathOp::mul, partial, partial, partial, reduce_all},
                               {MathOp::div, partial, copies, partial, ""},
                               {MathOp::maximum, max, max, max, ""},
                               {MathOp::maximum, min, copies, min, ""},
                               {MathOp::minimum, min, min, min, ""},
                               // A reduce_scatter is half an all_reduce.
                               {MathOp::maximum, partial, copies, rows, scatter_sum}};
  on_mesh({2}, [&](Torch& torch, const DeviceMesh& mesh) {
    const Shape shape{6, 4};
    const Values a = small_values(shape), b(size_in(shape), 2);
    for (const Row& row : table) {
      Values expected = a;
      for (double& value : expected) {
        value = row.op == MathOp::add       ? value + 2
                : row.op == MathOp::sub     ? value - 2
                : row.op == MathOp::mul     ? value * 2
                : row.op == MathOp::div     ? value / 2
                : row.op == MathOp::maximum ? std::max(value, 2.0)
                                            : std::min(value, 2.0);
      }
      const DTensor x = placed(torch, mesh, shape, a, {row.a}),
                    y = placed(torch, mesh, shape, b, {row.b});
      const CommDebugMode comm(mesh);
      const DTensor result = elementwise(row.op, {x, y});
      check_result(torch, result, {row.out}, expected, comm, row.collectives,
                   x.str() + " " + std::string(name_of(row.op)) + " " + row.b.str());
    }
  });
}

KERNBENCH_SYSTEMC_TEST(placements_of_operations_on_one_tensor) {
  const MeshPlacement max = Partial(ReduceOp::max);
  on_mesh({2}, [&](Torch& torch, const DeviceMesh& mesh) {
    const Shape shape{5, 4};
    const Values a = small_values(shape);
    const auto check = [&](const MeshPlacement& from, const MeshPlacement& to,
                           const std::string& collectives,
                           const std::function<DTensor(const DTensor&)>& operation,
                           const std::function<double(double)>& function) {
      const DTensor x = placed(torch, mesh, shape, a, {from});
      const CommDebugMode comm(mesh);
      const DTensor result = operation(x);
      check_result(torch, result, {to}, reference::each(a, function), comm, collectives, x.str());
    };
    const auto twice = [](const DTensor& x) { return x * 2.0; };
    const auto doubled = [](double x) { return 2 * x; };
    check(rows, rows, "", twice, doubled);
    check(partial, partial, "", twice, doubled);
    check(max, rows, scatter_sum, twice, doubled);  // a negative number would turn it round
    check(
        partial, rows, scatter_sum, [](const DTensor& x) { return x + 1; },
        [](double x) { return x + 1; });
    check(
        partial, partial, "", [](const DTensor& x) { return x / 2.0; },
        [](double x) { return x / 2; });
    check(
        partial, rows, scatter_sum, [](const DTensor& x) { return relu(x); }, reference::relu);
    check(
        max, max, "", [](const DTensor& x) { return relu(x); }, reference::relu);
    check(
        columns, columns, "", [](const DTensor& x) { return abs(x); },
        [](double x) { return std::abs(x); });
    check(
        rows, rows, "", [](const DTensor& x) { return 4 - x * x; },
        [](double x) { return 4 - x * x; });
    // A number divided by a sum is not the sum of the quotients.
    const DTensor ones = placed(torch, mesh, shape, Values(20, 4), {partial});
    const CommDebugMode comm(mesh);
    check_result(torch, 2.0 / ones, {rows}, Values(20, 0.5), comm, scatter_sum, "2 / x");
  });
}

// A row of biases is repeated: columns of x need columns of the bias.
KERNBENCH_SYSTEMC_TEST(operands_broadcast) {
  on_mesh({2}, [](Torch& torch, const DeviceMesh& mesh) {
    const Values a = small_values({6, 4}), b{10, 20, 30, 40};
    Values expected = a;
    for (std::size_t i = 0; i < a.size(); ++i) expected[i] += b[i % 4];
    for (const MeshPlacement& placement : {rows, columns, copies}) {
      const DTensor x = placed(torch, mesh, {6, 4}, a, {placement}),
                    bias = placed(torch, mesh, {4}, b, {copies});
      const CommDebugMode comm(mesh);
      check_result(torch, x + bias, {placement}, expected, comm, "", placement.str());
    }
    const DTensor x = placed(torch, mesh, {6, 4}, a, {columns}),
                  bias = placed(torch, mesh, {4}, b, {rows});
    const CommDebugMode comm(mesh);
    check_result(torch, x + bias, {columns}, expected, comm, "", "Shard(1) + Shard(0)");
  });
}

// x{5, 4} on 2 ranks: rows 3 and 2.
KERNBENCH_SYSTEMC_TEST(placements_of_reductions) {
  const MeshPlacement avg = Partial(ReduceOp::avg), max = Partial(ReduceOp::max);
  using ops::Reduce;
  struct Row {
    Reduce op;
    MeshPlacement from;
    std::vector<int> axes;
    bool keep_dims;
    MeshPlacement out;
    std::string collectives;
  };
  const std::vector<Row> table{
      {Reduce::sum, rows, {0}, false, partial, ""},
      {Reduce::sum, rows, {}, false, partial, ""},
      {Reduce::sum, columns, {0}, false, rows, ""},  // axis 1 is axis 0 of the result
      {Reduce::sum, columns, {0}, true, columns, ""},
      {Reduce::sum, rows, {-1}, true, rows, ""},
      {Reduce::sum, partial, {1}, false, partial, ""},
      {Reduce::max, rows, {0}, false, max, ""},
      {Reduce::max, max, {0}, false, max, ""},
      {Reduce::max, partial, {0}, false, copies, reduce_all},
      // 4 columns are equal parts, 5 rows are not.
      {Reduce::mean, columns, {1}, false, avg, ""},
      {Reduce::mean, rows, {0}, false, copies, gather},
      {Reduce::mean, partial, {0}, false, copies, reduce_all},
      {Reduce::min, copies, {0, 1}, false, copies, ""}};
  on_mesh({2}, [&](Torch& torch, const DeviceMesh& mesh) {
    const Shape shape{5, 4};
    const Values a = small_values(shape);
    for (const Row& row : table) {
      const std::vector<int> axes = ops::normal_axes("test", row.axes, 2);
      const Shape reduced = ops::reduced_shape(shape, axes, true);
      Values expected(size_in(reduced), row.op == Reduce::max   ? -100
                                        : row.op == Reduce::min ? 100
                                                                : 0);
      for (std::int64_t i = 0; i < 20; ++i) {
        const std::int64_t at =
            (reduced[0] == 1 ? 0 : i / 4) * reduced[1] + (reduced[1] == 1 ? 0 : i % 4);
        double& value = expected[static_cast<std::size_t>(at)];
        const double x = a[static_cast<std::size_t>(i)];
        value = row.op == Reduce::max   ? std::max(value, x)
                : row.op == Reduce::min ? std::min(value, x)
                                        : value + x;
      }
      if (row.op == Reduce::mean) {
        for (double& value : expected) value /= 20. / static_cast<double>(expected.size());
      }
      const DTensor x = placed(torch, mesh, shape, a, {row.from});
      const CommDebugMode comm(mesh);
      const DTensor result = dtensor::reduce(row.op, x, row.axes, row.keep_dims);
      BOOST_TEST((result.shape() == ops::reduced_shape(shape, axes, row.keep_dims)));
      BOOST_TEST((result.placements() == Placements{row.out}), result.str());
      BOOST_TEST(text_of_counts(comm.get_comm_counts()) == row.collectives,
                 ops::name_of(row.op) << " of " << x.str());
      torch.verify(
          result.full_tensor(), [expected] { return expected; }, 3);
    }
  });
}

// 3 rows on 4 ranks: the last one has none. Its sum is 0; a maximum needs the rows of the others.
KERNBENCH_SYSTEMC_TEST(a_rank_without_elements_takes_part) {
  on_mesh({4}, [](Torch& torch, const DeviceMesh& mesh) {
    const Values a{1, -2, 3, -4, 5, -6};
    const DTensor x = placed(torch, mesh, {3, 2}, a, {rows}),
                  w = placed(torch, mesh, {2, 2}, {1, 0, 0, 1}, {copies});
    const CommDebugMode comm(mesh);
    BOOST_TEST((relu(x).placements() == Placements{rows}));
    BOOST_TEST((sum(x, {0}).placements() == Placements{partial}));
    BOOST_TEST(comm.get_total_counts() == 0);
    BOOST_TEST((amax(x, {0}).placements() == Placements{copies}));
    BOOST_TEST(text_of_counts(comm.get_comm_counts()) == gather);
    expect(torch, relu(x).full_tensor(), {1, 0, 3, 0, 5, 0});
    expect(torch, sum(x, {0}).full_tensor(), {9, -12});
    expect(torch, amax(x, {0}).full_tensor(), {5, -2});
    // A product cuts no operand into parts without elements, as in PyTorch.
    const DTensor product = matmul(x, w);
    BOOST_TEST((product.placements() == Placements{copies}));
    expect(torch, product.to_local(), a);
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace kernbench::dtensor
