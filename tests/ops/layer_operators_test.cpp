// Operators of a transformer layer for each placement of their inputs, and what they refuse. Their
// use in a layer: tests/benches/llama_layer_test.cpp.
#include <cmath>

#include "sw/benches/reference.h"
#include "sw/ops/experts.h"
#include "sw/ops/kv_cache.h"
#include "sw/ops/matmul.h"
#include "sw/ops/norm.h"
#include "sw/ops/residual.h"
#include "sw/ops/rotary.h"
#include "sw/ops/swiglu.h"
#include "tests/support/error_text.h"
#include "tests/support/torch_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(layer_operators_test)

namespace {

// One SIP of two cubes with 8 PEs.
std::vector<Override> two_cubes() { return sips("ring_1d", 1, 1, 2, 1); }

const DPPolicy copies{}, columns{Placement::column_wise, Placement::column_wise, {}, {}},
    rows{Placement::row_wise, Placement::row_wise, {}, {}},
    tiles{Placement::row_wise, Placement::tiled_row_major, {}, {}},
    partial{Placement::partial, Placement::partial, {}, {}};
const std::vector<DPPolicy> placements{copies, columns, rows, tiles};

std::string told(const std::function<void(Torch&)>& body) {
  return forked_value([&] {
    TorchMachine m("topology.tiny.yaml", two_cubes());
    return m.error(body);
  });
}

// Each row of x{rows, width} -> (x - mean) / sqrt(variance + epsilon) * gamma + beta, without mean
// and beta if `layer` is false.
std::vector<double> normalised(std::vector<double> x, const std::vector<double>& gamma,
                               const std::vector<double>& beta, bool layer) {
  const std::size_t width = gamma.size();
  for (std::size_t row = 0; row < x.size(); row += width) {
    double mean = 0, squares = 0;
    for (std::size_t i = 0; layer && i < width; ++i)
      mean += x[row + i] / static_cast<double>(width);
    for (std::size_t i = 0; i < width; ++i) squares += std::pow(x[row + i] - mean, 2);
    const double root = std::sqrt(squares / static_cast<double>(width) + 1e-5);
    for (std::size_t i = 0; i < width; ++i)
      x[row + i] = (x[row + i] - mean) / root * gamma[i] + (layer ? beta[i] : 0);
  }
  return x;
}

}  // namespace

// 19 rows of 37: more than one row on some PEs, shards of different widths.
KERNBENCH_SYSTEMC_TEST(norms_of_any_placement) {
  TorchMachine m("topology.tiny.yaml", two_cubes());
  m.run([](Torch& torch) {
    const HostArray x = torch.random({19, 37}, f16), gamma = torch.random({37}, f16),
                    beta = torch.random({37}, f16);
    const Tensor weights = torch.from_host(gamma, columns, "gamma"),
                 biases = torch.from_host(beta, copies, "beta");
    for (const DPPolicy& policy : placements) {
      const Tensor input = torch.from_host(x, policy, "x");
      for (const bool layer : {false, true}) {
        const Tensor out = torch.empty({19, 37}, f16, rows, "out");
        if (layer)
          ops::layer_norm(torch, input, weights, biases, out);
        else
          ops::rms_norm(torch, input, weights, out);
        torch.verify(out,
                     [=] { return normalised(x.values(), gamma.values(), beta.values(), layer); });
      }
    }
  });
  BOOST_TEST(m.failures() == "");
}

// Three heads of 8 elements, of rows that have 30.
KERNBENCH_SYSTEMC_TEST(rotation_by_position_of_the_leading_heads) {
  TorchMachine m("topology.tiny.yaml", two_cubes());
  m.run([](Torch& torch) {
    const std::vector<std::int64_t> positions{0, 1, 2, 7, 100};
    const HostArray x = torch.random({5, 30}, f16);
    const DPPolicy five{Placement::replicate, Placement::row_wise, 1, 5};
    const auto table = [&](double (*function)(double)) {
      return torch.from_host(
          HostArray({5, 4}, f32, ops::rotary_table(positions, 8, 10000, function)), five, "angles");
    };
    const Tensor cos = table(&std::cos), sin = table(&std::sin);
    for (const DPPolicy& policy : {columns, copies}) {
      const Tensor input = torch.from_host(x, policy, "x");
      const Tensor out = torch.empty({5, 24}, f16, five, "out");
      ops::rotary(torch, input, 8, cos, sin, out);
      torch.verify(out, [=] {
        std::vector<double> expected;
        for (std::int64_t t = 0; t < 5; ++t) {
          for (std::int64_t i = 0; i < 24; ++i) {
            const std::int64_t head = i / 8 * 8, in_head = i % 8, pair = in_head % 4;
            const double angle = static_cast<double>(positions[static_cast<std::size_t>(t)]) *
                                 std::pow(10000, -static_cast<double>(pair) / 4),
                         first = x.at({t, head + pair}), second = x.at({t, head + pair + 4});
            expected.push_back(in_head < 4 ? first * std::cos(angle) - second * std::sin(angle)
                                           : first * std::sin(angle) + second * std::cos(angle));
          }
        }
        return expected;
      });
    }
  });
  BOOST_TEST(m.failures() == "");
}

KERNBENCH_SYSTEMC_TEST(gated_activation_and_residual_block_of_any_placement) {
  TorchMachine m("topology.tiny.yaml", two_cubes());
  m.run([](Torch& torch) {
    const HostArray gate = torch.random({19, 37}, f16), up = torch.random({19, 37}, f16),
                    x = torch.random({19, 60}, f16), bias = torch.random({60}, f16);
    const Tensor other = torch.from_host(up, columns, "up"),
                 biases = torch.from_host(bias, copies, "bias");
    for (const DPPolicy& policy : placements) {
      const Tensor input = torch.from_host(gate, policy, "gate"),
                   out = torch.empty({19, 37}, f16, policy, "out");
      ops::swiglu(torch, input, other, out);
      torch.verify(out, [=] {
        std::vector<double> expected = reference::each(gate.values(), reference::silu);
        const std::vector<double> factors = up.values();
        for (std::size_t i = 0; i < expected.size(); ++i) expected[i] *= factors[i];
        return expected;
      });
      const Tensor sum = torch.from_host(x, rows, "x");
      ops::add_residual(torch, sum, input, biases, sum, {{0, 19}, {11, 48}});
      torch.verify(sum, [=] {
        std::vector<double> expected = x.values();
        for (std::int64_t row = 0; row < 19; ++row) {
          for (std::int64_t i = 0; i < 37; ++i)
            expected[static_cast<std::size_t>(row * 60 + 11 + i)] +=
                gate.at({row, i}) + bias.at({11 + i});
        }
        return expected;
      });
      // Rows 4 to 12 of the result: rows 7 to 15 of x and the first 8 of 19 rows of an addend.
      const Tensor part = torch.from_host(x, rows, "part");
      ops::add_residual(torch, torch.from_host(x, policy, "x"), input, {}, part,
                        {{4, 12}, {11, 48}, 7});
      torch.verify(part, [=] {
        std::vector<double> expected = x.values();
        for (std::int64_t row = 0; row < 8; ++row) {
          for (std::int64_t i = 0; i < 37; ++i)
            expected[static_cast<std::size_t>((row + 4) * 60 + 11 + i)] =
                x.at({row + 7, 11 + i}) + gate.at({row, i});
        }
        return expected;
      });
    }
  });
  BOOST_TEST(m.failures() == "");
}

// Rows of one token may be summands of others, too; rows 3 and 4 of the sums have none.
KERNBENCH_SYSTEMC_TEST(rows_are_copied_and_added_with_weights) {
  TorchMachine m("topology.tiny.yaml", two_cubes());
  m.run([](Torch& torch) {
    const HostArray x = torch.random({6, 37}, f16), weights = torch.random({4, 2}, f32);
    const Tensor factors = torch.from_host(weights, copies, "weights");
    for (const DPPolicy& policy : {copies, columns}) {
      const Tensor input = torch.from_host(x, policy, "x"),
                   out = torch.zeros({4, 37}, f16, policy, "out");
      ops::copy_rows(torch, input, {{5, 0}, {0, 3}, {5, 1}}, out);
      torch.verify(out, [=] {
        std::vector<double> expected;
        for (const std::int64_t row : {5, 5, -1, 0}) {
          for (std::int64_t i = 0; i < 37; ++i) expected.push_back(row < 0 ? 0 : x.at({row, i}));
        }
        return expected;
      });
      const Tensor sums =
          torch.empty({5, 37}, f16, {Placement::row_wise, Placement::row_wise, 1, 5}, "sums");
      ops::sum_weighted_rows(torch, input, factors,
                             {{{2, {3, 1}}, {0, {0, 0}}}, {{5, {1, 0}}}, {{2, {2, 0}}}}, sums);
      torch.verify(sums, [=] {
        std::vector<double> expected(5 * 37);
        for (std::int64_t i = 0; i < 37; ++i) {
          const auto at = static_cast<std::size_t>(i);
          expected[at] = x.at({2, i}) * weights.at({3, 1}) + x.at({0, i}) * weights.at({0, 0});
          expected[at + 37] = x.at({5, i}) * weights.at({1, 0});
          expected[at + 74] = x.at({2, i}) * weights.at({2, 0});
        }
        return expected;
      });
    }
  });
  BOOST_TEST(m.failures() == "");
}

BOOST_AUTO_TEST_CASE(wrong_operands_are_refused) {
  check_contains(told([](Torch& torch) {
                   ops::rms_norm(torch, torch.zeros({16, 32}, f16, rows, "x"),
                                 torch.zeros({32}, f16, copies, "gamma"),
                                 torch.zeros({16, 32}, f16, columns, "out"));
                 }),
                 {"rms_norm: 'out' {16, 32} has to have whole rows on each PE"});
  check_contains(told([](Torch& torch) {
                   ops::rms_norm(torch, torch.zeros({16, 32}, f16, rows, "x"),
                                 torch.zeros({31}, f16, copies, "gamma"),
                                 torch.zeros({16, 32}, f16, rows, "out"));
                 }),
                 {"rms_norm: 'gamma' is {31}, expected {32}"});
  check_contains(told([](Torch& torch) {
                   ops::swiglu(torch, torch.zeros({16, 32}, f16, partial, "gate"),
                               torch.zeros({16, 32}, f16, columns, "up"),
                               torch.zeros({16, 32}, f16, columns, "out"));
                 }),
                 {"swiglu: 'gate' has partial sums"});
  check_contains(told([](Torch& torch) {
                   const Tensor x = torch.zeros({16, 32}, f16, rows, "x");
                   ops::add_residual(torch, x, torch.zeros({16, 16}, f16, columns, "y"), {}, x,
                                     {{0, 16}, {17, 33}});
                 }),
                 {"add_residual: rows 0 to 16, columns 17 to 33 of 'x' {16, 32}", "'y' {16, 16}",
                  "x and the result have the same columns"});
  check_contains(told([](Torch& torch) {
                   const ops::KvCache cache = ops::make_kv_cache(torch, {1, 20, 2, 8}, f16, {2, 8});
                   ops::TokenBatch batch{{{1, 20, {0}}}};
                   ops::write_block_tables(torch, batch, cache.shape, {2, 8});
                   const Tensor keys = torch.zeros({1, 24}, f16, copies, "keys");
                   ops::append(torch, batch, keys, 0, keys, 16, cache);
                 }),
                 {"kv_append: 'keys' is f16{1, 24}, expected f16{1, at least 32}"});
  check_contains(told([](Torch& torch) {
                   ops::copy_rows(torch, torch.zeros({4, 16}, f16, columns, "x"), {{4, 0}},
                                  torch.zeros({1, 16}, f16, copies, "out"));
                 }),
                 {"copy_rows: row 4 of 'x' {4, 16} to row 0 of 'out' {1, 16}"});
  check_contains(told([](Torch& torch) {
                   ops::sum_weighted_rows(torch, torch.zeros({4, 16}, f16, columns, "x"),
                                          torch.zeros({2, 2}, f32, copies, "weights"),
                                          {{{0, {2, 0}}}}, torch.zeros({2, 16}, f16, copies, "y"));
                 }),
                 {"sum_weighted_rows: row 0 of 'x' {4, 16} times weight 2, 0 of {2, 2}"});
  check_contains(told([](Torch& torch) {
                   ops::MatmulOptions options;
                   options.rows = ops::Range{3, 5};
                   ops::matmul(torch, torch.zeros({4, 16}, f16, columns, "a"),
                               torch.zeros({16, 16}, f16, columns, "b"),
                               torch.zeros({2, 16}, f16, columns, "out"), options);
                 }),
                 {"matmul: rows 3 to 5 of 'a' f16{4, 16}, allowed: 0 to 4"});
}

BOOST_AUTO_TEST_SUITE_END()
