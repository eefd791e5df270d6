// ops::matmul for every placement of its operands, block by block and in parts of K.
#include "sw/ops/matmul.h"

#include "sw/benches/reference.h"
#include "tests/support/error_text.h"
#include "tests/support/torch_machine.h"

using namespace kernbench;
using namespace kernbench::test;
using ops::Activation;

BOOST_AUTO_TEST_SUITE(matmul_test)

namespace {

// One SIP of two cubes with 8 PEs.
std::vector<Override> two_cubes(const std::vector<Override>& more = {}) {
  std::vector<Override> overrides = sips("ring_1d", 1, 1, 2, 1);
  overrides.insert(overrides.end(), more.begin(), more.end());
  return overrides;
}

const DPPolicy copies{}, columns{Placement::column_wise, Placement::column_wise, {}, {}},
    rows{Placement::row_wise, Placement::row_wise, {}, {}},
    rows_columns{Placement::row_wise, Placement::column_wise, {}, {}},
    columns_of_copies{Placement::replicate, Placement::column_wise, {}, {}},
    tiles{Placement::row_wise, Placement::tiled_row_major, {}, {}},
    partial{Placement::partial, Placement::partial, {}, {}},
    partial_columns{Placement::partial, Placement::column_wise, {}, {}};

struct Product {
  std::int64_t m, k, n;
  DPPolicy a, b, out;
  DType dtype = f16, out_dtype = f16;
  bool bias = false;
  Activation activation = Activation::none;
};

void check(Torch& torch, const Product& p) {
  // Values as those of a trained layer: the result stays near 1.
  const auto scaled = [&](const Shape& shape) {
    const HostArray values = torch.random(shape, p.dtype);
    return is_float(p.dtype)
               ? HostArray(shape, p.dtype,
                           reference::each(values.values(), [](double v) { return v / 4; }))
               : values;
  };
  const HostArray a = torch.random({p.m, p.k}, p.dtype), b = scaled({p.k, p.n});
  const Tensor a_tensor = torch.from_host(a, p.a, "a"), b_tensor = torch.from_host(b, p.b, "b"),
               out = torch.empty({p.m, p.n}, p.out_dtype, p.out, "out");
  ops::MatmulOptions options;
  options.activation = p.activation;
  std::optional<HostArray> bias;
  if (p.bias) {
    bias = scaled({p.n});
    options.bias = torch.from_host(*bias, columns_of_copies, "bias");
  }
  ops::matmul(torch, a_tensor, b_tensor, out, options);
  torch.verify(
      out,
      [=] {
        std::vector<double> product = reference::matmul(a, b);
        if (bias) product = reference::add_to_rows(std::move(product), *bias);
        switch (p.activation) {
          case Activation::none:
            return product;
          case Activation::relu:
            return reference::each(product, reference::relu);
          case Activation::gelu:
            return reference::each(product, reference::gelu);
          case Activation::silu:
            return reference::each(product, reference::silu);
        }
        return product;
      },
      // Summands are rounded one by one.
      Accuracy(out.is_partial() ? 16 : 1, static_cast<double>(p.k) / 4));
}

std::string told(const std::function<void(Torch&)>& body) {
  return forked_value([&] {
    TorchMachine m("topology.tiny.yaml", two_cubes());
    return m.error(body);
  });
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(any_placement_of_operands_and_result) {
  TorchMachine m("topology.tiny.yaml", two_cubes());
  m.run([](Torch& torch) {
    for (const Product& each :
         std::vector<Product>{{1, 64, 32, copies, columns, columns},   // all operands are local
                              {5, 67, 37, copies, columns, columns},   // parts of different widths
                              {3, 64, 32, columns, columns, columns},  // a from all PEs, even
                              {3, 67, 37, columns, columns, columns},  // a from all PEs, uneven
                              {19, 33, 21, rows, columns, columns},    // bands of a
                              {19, 33, 21, rows_columns, columns, columns},  // tiles of a
                              {19, 33, 21, tiles, columns, tiles},           // tiles of the result
                              {16, 24, 40, rows, copies, rows},              // parts of M
                              {16, 24, 40, rows, columns, rows},             // b from all PEs
                              {16, 48, 40, copies, rows, columns},           // K in parts of b
                              {4, 50, 24, columns, rows, partial},  // summands of parts of K
                              {4, 50, 24, columns_of_copies, rows, partial},  //
                              {2, 24, 20, copies, copies, copies},  // computed on every PE
                              {2, 24, 20, columns_of_copies, copies, columns_of_copies}})
      check(torch, each);
  });
  BOOST_TEST(m.failures() == "");
}

// A launch before the product; none where each PE, or each cube, has what it needs.
KERNBENCH_SYSTEMC_TEST(an_operand_that_is_spread_over_cubes_is_copied_to_each_cube_once) {
  TorchMachine m("topology.tiny.yaml", two_cubes());
  m.run([](Torch& torch) {
    check(torch, {3, 64, 32, columns, columns, columns});
    check(torch, {3, 64, 32, columns_of_copies, columns, columns});
    check(torch, {16, 24, 40, rows, copies, rows});
    check(torch, {4, 50, 24, columns, rows, partial});
  });
  std::string names;
  for (const LaunchRecord& launch : m.runtime->launches) names += launch.name + " ";
  BOOST_TEST(names == "copy matmul matmul matmul matmul ");
  BOOST_TEST(m.failures() == "");
}

KERNBENCH_SYSTEMC_TEST(bias_and_activation_before_the_only_rounding) {
  TorchMachine m("topology.tiny.yaml", two_cubes());
  m.run([](Torch& torch) {
    for (const Activation activation :
         {Activation::none, Activation::relu, Activation::gelu, Activation::silu})
      check(torch, {3, 40, 32, copies, columns, columns, f16, f16, true, activation});
  });
  BOOST_TEST(m.failures() == "");
}

KERNBENCH_SYSTEMC_TEST(floats_and_integers) {
  TorchMachine m("topology.tiny.yaml", two_cubes());
  m.run([](Torch& torch) {
    check(torch, {3, 40, 32, copies, columns, columns, bf16, f32});
    check(torch, {3, 40, 32, columns, columns, columns, f32, f32, true});
    check(torch, {3, 40, 32, columns, columns, columns, i8, i32});
  });
  BOOST_TEST(m.failures() == "");
}

// 64 KiB of scratch: a panel has 65536 / 6 / 2 = 5461 elements, 32 rows of 128 of K. So 300 x 700
// is cut into 10 blocks of rows and 6 parts of K, whose sums stay in TCM.
KERNBENCH_SYSTEMC_TEST(operands_larger_than_the_tcm) {
  TorchMachine m("topology.tiny.yaml",
                 two_cubes({{"cube.pe_template.components.pe_cpu.attrs.scratch_bytes", "65536"}}));
  m.run([](Torch& torch) {
    check(torch, {300, 700, 48, copies, columns, columns, f16, f16, true, Activation::gelu});
    check(torch, {70, 704, 48, columns, columns, columns});
  });
  BOOST_TEST(m.failures() == "");
}

KERNBENCH_SYSTEMC_TEST(tiles_fit_the_register_file) {
  TorchMachine m("topology.tiny.yaml",
                 two_cubes({{"cube.pe_template.components.pe_fetch_store.attrs.register_file_bytes",
                             "8192"}}));
  m.run([](Torch& torch) {
    check(torch, {70, 300, 640, copies, columns, columns, f16, f16, true});
    check(torch, {1, 300, 4096, columns, columns, columns, f32, f32});
  });
  BOOST_TEST(m.failures() == "");
}

KERNBENCH_SYSTEMC_TEST(a_result_without_elements_takes_no_time) {
  TorchMachine m("topology.tiny.yaml", two_cubes());
  m.run([](Torch& torch) {
    const Tensor a = torch.zeros({0, 16}, f16, copies, "a"),
                 b = torch.zeros({16, 16}, f16, columns),
                 out = torch.empty({0, 16}, f16, columns, "out");
    const Fs before = torch.now();
    ops::matmul(torch, a, b, out);
    BOOST_TEST(torch.now() == before);
  });
}

BOOST_AUTO_TEST_CASE(wrong_operands_are_refused) {
  const auto product = [](const Shape& a, const Shape& b, const Shape& out, DType out_dtype = f16,
                          const DPPolicy& placed = columns, ops::MatmulOptions options = {}) {
    return told([=](Torch& torch) {
      ops::matmul(torch, torch.zeros(a, f16, copies, "a"), torch.zeros(b, f16, columns, "b"),
                  torch.zeros(out, out_dtype, placed, "out"), options);
    });
  };
  check_contains(product({2, 16}, {17, 16}, {2, 16}),
                 {"matmul: 'a' f16{2, 16} x 'b' f16{17, 16}: the second extent of the first"});
  check_contains(product({2, 16}, {16, 16}, {3, 16}),
                 {"the result 'out' f16{3, 16} has to be {2, 16}"});
  check_contains(product({16}, {16, 16}, {2, 16}), {"'a' f16{16} has rank 1, expected 2"});
  check_contains(product({2, 16}, {16, 16}, {2, 16}, i32), {"f16 x f16 -> i32: expected floats"});
  check_contains(product({2, 16}, {16, 16}, {2, 16}, f16, partial),
                 {"have to hold disjoint rows of 'b' f16{16, 16} that make up all 16"});
  ops::MatmulOptions gelu;
  gelu.activation = Activation::gelu;
  check_contains(product({2, 16}, {16, 16}, {2, 16}, f16, partial, gelu),
                 {"a bias or an activation has to follow their sum"});
  check_contains(told([](Torch& torch) {
                   const Tensor a = torch.zeros({2, 16}, f16, partial, "a"),
                                b = torch.zeros({16, 16}, f16, columns, "b"),
                                out = torch.zeros({2, 16}, f16, columns, "out");
                   ops::matmul(torch, a, b, out);
                 }),
                 {"input 'a' f16{2, 16} has partial sums"});
  check_contains(told([](Torch& torch) {
                   const Tensor a = torch.zeros({16, 16}, f16, copies, "a"),
                                b = torch.zeros({16, 16}, f16, columns, "b");
                   ops::matmul(torch, a, b, a);
                 }),
                 {"'a' f16{16, 16} is input and result"});
  check_contains(told([](Torch& torch) {
                   ops::MatmulOptions options;
                   options.bias = torch.zeros({15}, f16, copies, "bias");
                   ops::matmul(torch, torch.zeros({2, 16}, f16, copies, "a"),
                               torch.zeros({16, 16}, f16, columns, "b"),
                               torch.zeros({2, 16}, f16, columns, "out"), options);
                 }),
                 {"bias 'bias' f16{15}, expected {16}"});
}

BOOST_AUTO_TEST_SUITE_END()
