// Column- and row-parallel layers against the layers of one rank, computed sequentially, and the
// number and kind of their collectives.
#include "sw/tp/linear.h"

#include "sw/tp/regions.h"
#include "tests/tp/parallel_ranks.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(linear_test)

namespace {

constexpr std::int64_t tokens = 8, in = 24, hidden = 64, out = 32;

HostArray x_of(int seed = 1) { return pattern_array({tokens, in}, seed); }
const auto w1 = [] { return pattern_array({in, hidden}, 2); };
const auto b1 = [] { return pattern_array({hidden}, 3); };
const auto w2 = [] { return pattern_array({hidden, out}, 4); };
const auto b2 = [] { return pattern_array({out}, 5); };

Values hidden_layer(const HostArray& x) {
  return reference::each(reference::add_to_rows(reference::matmul(x, w1()), b1()), reference::gelu);
}

Values mlp(const HostArray& x) {
  const HostArray rounded({tokens, hidden}, f16, hidden_layer(x));
  return reference::add_to_rows(reference::matmul(rounded, w2()), b2());
}

// Products of each rank are rounded to f16, then their sums.
const Accuracy roundings(8, 32);

tp::ColumnParallelLinear first_layer(const tp::ParallelState& state,
                                     tp::ColumnParallelOptions options = {}) {
  options.bias = true;
  options.activation = ops::Activation::gelu;
  tp::ColumnParallelLinear layer(state, in, hidden, options);
  layer.copy_weight_(w1());
  layer.copy_bias_(b1());
  return layer;
}

tp::RowParallelLinear second_layer(const tp::ParallelState& state,
                                   tp::RowParallelOptions options = {}) {
  options.bias = true;
  tp::RowParallelLinear layer(state, hidden, out, options);
  layer.copy_weight_(w2());
  layer.copy_bias_(b2());
  return layer;
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(between_a_column_and_a_row_parallel_layer_there_is_no_collective) {
  const std::string calls = on_parallel_ranks(4, 4, [](const tp::ParallelState& state) {
    Torch& torch = state.torch();
    const Tensor h = first_layer(state).forward(torch.from_host(x_of(), copies, "x"));
    torch.verify(h, [rank = state.rank()] {
      return box(hidden_layer(x_of()), hidden, 0, tokens, rank * hidden / 4, hidden / 4);
    });
    torch.verify(
        second_layer(state).forward(h), [] { return mlp(x_of()); }, roundings);
  });
  BOOST_TEST(calls == "all_reduce sum of 4");
}

KERNBENCH_SYSTEMC_TEST(with_one_rank_there_is_no_collective) {
  const std::string calls = on_parallel_ranks(1, 1, [](const tp::ParallelState& state) {
    const Tensor x = state.torch().from_host(x_of(), copies, "x");
    state.torch().verify(
        second_layer(state).forward(first_layer(state).forward(x)), [] { return mlp(x_of()); },
        roundings);
  });
  BOOST_TEST(calls == "");
}

KERNBENCH_SYSTEMC_TEST(gather_output_is_one_all_gather_and_whole_on_every_rank) {
  const std::string calls = on_parallel_ranks(2, 2, [](const tp::ParallelState& state) {
    tp::ColumnParallelOptions options;
    options.gather_output = true;
    const Tensor x = state.torch().from_host(x_of(), copies, "x"),
                 h = first_layer(state, options).forward(x);
    state.torch().verify(h, [] { return hidden_layer(x_of()); });
    // An input that is not parallel is scattered without a collective.
    tp::RowParallelOptions row;
    row.input_is_parallel = false;
    state.torch().verify(
        second_layer(state, row).forward(h), [] { return mlp(x_of()); }, roundings);
  });
  BOOST_TEST(calls == "all_gather of 2, all_reduce sum of 2");
}

KERNBENCH_SYSTEMC_TEST(sequence_parallel_gathers_rows_before_and_scatters_them_after) {
  const std::string calls = on_parallel_ranks(4, 4, [](const tp::ParallelState& state) {
    Torch& torch = state.torch();
    const std::int64_t rows = tokens / 4, first = state.rank() * rows;
    const Tensor x = torch.from_host(
        HostArray({rows, in}, f16, box(x_of().values(), in, first, rows, 0, in)), copies, "x");
    tp::ColumnParallelOptions column;
    tp::RowParallelOptions row;
    column.sequence_parallel = row.sequence_parallel = true;
    const Tensor y = second_layer(state, row).forward(first_layer(state, column).forward(x));
    torch.verify(
        y, [=] { return box(mlp(x_of()), out, first, rows, 0, out); }, roundings);
  });
  BOOST_TEST(calls == "all_gather of 4, reduce_scatter sum of 4");
}

KERNBENCH_SYSTEMC_TEST(each_replica_of_data_parallel_ranks_has_its_own_sums) {
  const std::string calls = on_parallel_ranks(4, 2, [](const tp::ParallelState& state) {
    BOOST_TEST(state.size() == 2);
    BOOST_TEST(state.data_size() == 2);
    const HostArray x = x_of(state.data_rank());
    const Tensor on_device = state.torch().from_host(x, copies, "x");
    state.torch().verify(
        second_layer(state).forward(first_layer(state).forward(on_device)), [x] { return mlp(x); },
        roundings);
  });
  BOOST_TEST(calls == "all_reduce sum of 2, all_reduce sum of 2");
}

// Rows of the second weight next to the columns of the hidden layer: each PE reads its own part of
// it, and the all_reduce adds the partial sums of the PEs, too. The result is on every PE.
KERNBENCH_SYSTEMC_TEST(rows_of_a_weight_over_pes_yield_partial_sums_that_the_all_reduce_adds) {
  const std::string calls = on_parallel_ranks(2, 2, [](const tp::ParallelState& state) {
    tp::RowParallelOptions options;
    options.policy = {Placement::row_wise, Placement::row_wise, {}, {}};
    const Tensor x = state.torch().from_host(x_of(), copies, "x"),
                 y = second_layer(state, options).forward(first_layer(state).forward(x));
    BOOST_TEST(!y.is_partial());
    BOOST_TEST(y.policy().pe.replicates());
    state.torch().verify(
        y, [] { return mlp(x_of()); }, Accuracy(32, 32));
  });
  BOOST_TEST(calls == "all_reduce sum of 2");
}

KERNBENCH_SYSTEMC_TEST(weights_are_zero_until_they_are_set_also_part_by_part) {
  on_parallel_ranks(2, 2, [](const tp::ParallelState& state) {
    Torch& torch = state.torch();
    tp::ColumnParallelLinear layer(state, in, hidden);
    const Tensor x = torch.from_host(x_of(), copies, "x");
    torch.verify(layer.forward(x), [] { return Values(tokens * hidden / 2, 0.0); });
    const HostArray part({in, hidden / 2}, f16,
                         box(w1().values(), hidden, 0, in, state.rank() * hidden / 2, hidden / 2));
    layer.weight.copy_(part);
    torch.verify(layer.forward(x), [part] { return reference::matmul(x_of(), part); });
  });
}

BOOST_AUTO_TEST_CASE(wrong_layers_and_inputs_are_refused) {
  check_contains(error_on_ranks([](const tp::ParallelState& state) {
                   tp::ColumnParallelLinear layer(state, 16, 33);
                 }),
                 {"column_parallel: out_features is 33: expected a multiple of the 2 "
                  "tensor-parallel ranks"});
  check_contains(error_on_ranks([](const tp::ParallelState& state) {
                   tp::RowParallelLinear layer(state, 17, 32);
                 }),
                 {"row_parallel: in_features is 17: expected a multiple of the 2"});
  check_contains(error_on_ranks([](const tp::ParallelState& state) {
                   tp::RowParallelLinear layer(state, 16, 32);
                   layer.forward(state.torch().zeros({2, 16}, f16, copies, "x"));
                 }),
                 {"row_parallel: input 'x' {2, 16}, expected {M, 8}: the rank's part of "
                  "in_features"});
  check_contains(error_on_ranks([](const tp::ParallelState& state) {
                   tp::ColumnParallelLinear layer(state, 16, 32);
                   layer.copy_weight_(HostArray::full({16, 16}, f16, 1));
                 }),
                 {"column_parallel: weight: f16 {16, 16}, expected f16 {16, 32} of the whole "
                  "layer"});
  check_contains(error_on_ranks([](const tp::ParallelState& state) {
                   tp::ColumnParallelOptions options;
                   options.gather_output = options.sequence_parallel = true;
                   tp::ColumnParallelLinear layer(state, 16, 32, options);
                 }),
                 {"gather_output and sequence_parallel exclude each other"});
  check_contains(error_on_ranks([](const tp::ParallelState& state) {
                   tp::RowParallelOptions options;
                   options.sequence_parallel = true;
                   options.input_is_parallel = false;
                   tp::RowParallelLinear layer(state, 16, 32, options);
                 }),
                 {"sequence_parallel requires input_is_parallel"});
  check_contains(error_on_ranks([](const tp::ParallelState& state) {
                   tp::ColumnParallelOptions options;
                   options.policy.pe = Placement::tiled_row_major;
                   tp::ColumnParallelLinear layer(state, 16, 32, options);
                 }),
                 {"expected replicate, column_wise or row_wise"});
}

BOOST_AUTO_TEST_SUITE_END()
