// ops::copy, elementwise and reduce on one device: for each placement, also where operands and
// results are cut differently, and in pieces where a block does not fit a kernel's scratch.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "sw/ops/copy.h"
#include "sw/ops/elementwise.h"
#include "sw/ops/reduce.h"
#include "tests/distributed/ranks.h"

using namespace kernbench;
using namespace kernbench::test;
using ops::Reduce;

BOOST_AUTO_TEST_SUITE(local_operators)

namespace {

constexpr auto replicate = Placement::replicate, rows = Placement::row_wise,
               columns = Placement::column_wise;

// One SIP of two cubes.
std::vector<Override> two_cubes() { return sips("ring_1d", 1, 1, 2, 1); }

const std::vector<DPPolicy>& policies() {
  static const std::vector<DPPolicy> all{one_pe,
                                         {replicate, replicate, 2, 2},
                                         {replicate, rows, 2, 3},
                                         {rows, replicate, 2, 2},
                                         {columns, rows, 2, 2},
                                         {rows, Placement::tiled_row_major, 2, 4}};
  return all;
}

Values counted(std::int64_t count) {
  Values values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(i % 1000));
  return values;
}

void run_on_two_cubes(const std::function<void(Torch&)>& body) {
  TorchMachine m("topology.tiny.yaml", two_cubes());
  m.run(body);
  BOOST_TEST(m.failures() == "");
}

}  // namespace

// Columns 1 to 3 of 6 x 5 to columns 2 to 4 of 6 x 7; zeros in column 6; others keep 9.
KERNBENCH_SYSTEMC_TEST(boxes_are_copied_between_tensors_that_are_cut_alike) {
  run_on_two_cubes([](Torch& torch) {
    for (const DPPolicy& policy : policies()) {
      const Tensor from = made(torch, {6, 5}, f32, counted(30), policy);
      const Tensor to = torch.full({6, 7}, 9, f32, policy, "to");
      ops::copy(torch, from, to, {{{0, 1}, {{0, 2}, {6, 3}}}}, {{{0, 6}, {6, 1}}});
      Values expected;
      for (int row = 0; row < 6; ++row) {
        for (const double value : {9., 9., 5. * row + 1, 5. * row + 2, 5. * row + 3, 9., 0.})
          expected.push_back(value);
      }
      expect(torch, to, expected);
      ops::fill(torch, to, 4);
      expect(torch, to, Values(42, 4));
    }
  });
}

// 40,000 elements: more than a kernel loads at once.
KERNBENCH_SYSTEMC_TEST(long_blocks_are_processed_in_pieces) {
  run_on_two_cubes([](Torch& torch) {
    const Tensor x = made(torch, {5, 8000}, f32, counted(40'000)),
                 y = torch.empty({5, 8000}, f32, one_pe, "y"),
                 sum = torch.empty({8000}, f32, one_pe, "sum"),
                 all = torch.empty({}, f32, one_pe, "all");
    ops::copy(torch, x, y, {{{0, 0}, ops::Box::whole({5, 8000})}});
    expect(torch, y, counted(40'000));
    ops::elementwise(torch, MathOp::mul, {x, tl::Number(2)}, y);
    ops::reduce(torch, Reduce::sum, x, {0}, false, sum);
    ops::reduce(torch, Reduce::max, x, {0, 1}, false, all);
    Values twice = counted(40'000), sums(8000);
    for (double& value : twice) value *= 2;
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = 5 * static_cast<double>(i % 1000);
    expect(torch, y, twice);
    expect(torch, sum, sums);  // 8000 is a multiple of 1000
    expect(torch, all, {999});
  });
}

// 4 KiB of scratch: pieces of 64 elements, of parts of 13 or 12 columns of i32 4 or 5 rows of 40.
KERNBENCH_SYSTEMC_TEST(parts_larger_than_the_scratch_are_processed_in_pieces) {
  TorchMachine m("topology.tiny.yaml",
                 {{"cube.pe_template.components.pe_cpu.attrs.scratch_bytes", "4096"}});
  m.run([](Torch& torch) {
    const DPPolicy all_rows{rows, rows, {}, {}}, all_columns{columns, columns, {}, {}};
    Values values(40 * 101);
    std::iota(values.begin(), values.end(), 0.0);
    const Tensor source = torch.from_host(HostArray({40, 101}, i32, values), all_rows, "source"),
                 copy = torch.empty({40, 101}, i32, all_columns, "copy"),
                 part = torch.empty({33, 50}, i32, all_columns, "part");
    ops::slice(torch, source, {0, 0}, copy);
    torch.verify(copy, [values] { return values; });
    ops::slice(torch, copy, {5, 51}, part);
    torch.verify(part, [values] {
      Values expected;
      for (int row = 5; row < 38; ++row)
        expected.insert(expected.end(), values.begin() + row * 101 + 51,
                        values.begin() + (row + 1) * 101);
      return expected;
    });
    const Tensor addend = torch.from_host(HostArray::full({101}, i32, 7), {}, "addend");
    ops::elementwise(torch, MathOp::add, {copy, addend}, copy);
    torch.verify(copy, [values] {
      Values expected = values;
      for (double& value : expected) value += 7;
      return expected;
    });
  });
  BOOST_TEST(m.failures() == "");
}

KERNBENCH_SYSTEMC_TEST(operands_of_elementwise_broadcast) {
  run_on_two_cubes([](Torch& torch) {
    for (const DPPolicy& policy : policies()) {
      const Tensor x = made(torch, {6, 5}, f32, counted(30), policy),
                   row = made(torch, {5}, f32, {1, 2, 3, 4, 5}),
                   column = made(torch, {6, 1}, f32, {0, 10, 20, 30, 40, 50}),
                   out = torch.empty({6, 5}, f32, policy, "out"),
                   table = torch.empty({6, 5}, f32, one_pe, "table");
      ops::elementwise(torch, MathOp::sub, {tl::Number(100), x}, out);
      Values expected = counted(30);
      for (double& value : expected) value = 100 - value;
      expect(torch, out, expected);
      ops::elementwise(torch, MathOp::add, {row, column}, table);
      for (std::size_t i = 0; i < 30; ++i)
        expected[i] = static_cast<double>(i % 5 + 1 + 10 * (i / 5));
      expect(torch, table, expected);
    }
  });
}

KERNBENCH_SYSTEMC_TEST(the_dtype_of_a_result_is_that_of_the_operation) {
  run_on_two_cubes([](Torch& torch) {
    const Tensor x = made(torch, {4}, i32, {-3, -1, 2, 7});
    const auto dtype = [&](MathOp op, const std::vector<ops::Operand>& operands) {
      return std::string(name_of(ops::result_dtype(op, operands)));
    };
    BOOST_TEST(dtype(MathOp::mul, {x, tl::Number(2)}) == "i32");
    BOOST_TEST(dtype(MathOp::mul, {x, tl::Number(0.5)}) == "f32");
    BOOST_TEST(dtype(MathOp::div, {x, x}) == "f32");
    BOOST_TEST(dtype(MathOp::lt, {x, tl::Number(0)}) == "i8");
    const Tensor halves = torch.empty({4}, f32, one_pe),
                 signs = torch.empty({4}, DType::i8, one_pe);
    ops::elementwise(torch, MathOp::div, {x, tl::Number(2)}, halves);
    expect(torch, halves, {-1.5, -0.5, 1, 3.5});
    ops::elementwise(torch, MathOp::lt, {x, tl::Number(0)}, signs);
    expect(torch, signs, {1, 1, 0, 0});
  });
}

// x{4, 3, 5} of 0, 1, ... 59; the mean over the first and the last axis is that of 20 elements.
KERNBENCH_SYSTEMC_TEST(reductions_over_any_axes) {
  run_on_two_cubes([](Torch& torch) {
    for (const DPPolicy& policy :
         {one_pe, DPPolicy{replicate, columns, 2, 2}, DPPolicy{columns, Placement::cut(1), 2, 2}}) {
      const Tensor x = made(torch, {4, 3, 5}, f32, counted(60), policy);
      const bool cut = policy.pe.cuts();
      const DPPolicy copies{replicate, replicate, 2, 2}, by_columns{replicate, columns, 2, 2};
      const Tensor mean = torch.empty({3}, f32, cut ? copies : policy, "mean"),
                   least = torch.empty({4, 1, 5}, f32, cut ? by_columns : policy, "least");
      ops::reduce(torch, Reduce::mean, x, {0, 2}, false, mean);
      // 15 i + 5 j + k: 22.5 + 5 j + 2
      expect(torch, mean, {24.5, 29.5, 34.5});
      ops::reduce(torch, Reduce::min, x, {1}, true, least);
      Values expected;
      for (int i = 0; i < 20; ++i) expected.push_back(15 * (i / 5) + i % 5);
      expect(torch, least, expected);
    }
  });
}

// 300 ones in f16 are summed in f32; 200 times 100 exceeds i8.
KERNBENCH_SYSTEMC_TEST(sums_are_wider_than_their_elements) {
  run_on_two_cubes([](Torch& torch) {
    const Tensor ones = torch.full({3000}, 1, f16, one_pe, "ones"),
                 hundreds = torch.full({200}, 100, DType::i8, one_pe, "hundreds"),
                 sum = torch.empty({}, f16, one_pe, "sum"),
                 integers = torch.empty({}, i32, one_pe, "integers");
    ops::reduce(torch, Reduce::sum, ones, {0}, false, sum);
    ops::reduce(torch, Reduce::sum, hundreds, {0}, false, integers);
    expect(torch, sum, {3000});
    expect(torch, integers, {20'000});
  });
}

KERNBENCH_SYSTEMC_TEST(a_reduction_of_no_elements) {
  run_on_two_cubes([](Torch& torch) {
    const Tensor none = torch.zeros({0, 3}, f32, one_pe, "none"),
                 sum = torch.empty({3}, f32, one_pe, "sum");
    ops::reduce(torch, Reduce::sum, none, {0}, false, sum);
    expect(torch, sum, {0, 0, 0});
    check_contains(told([&] { ops::reduce(torch, Reduce::max, none, {0}, false, sum); }),
                   {"ops::reduce(max): tensor 'none' {0, 3} has no elements"});
  });
}

KERNBENCH_SYSTEMC_TEST(wrong_operands_are_refused) {
  run_on_two_cubes([](Torch& torch) {
    const Tensor x = some(torch, 8, f16, "x"), y = some(torch, 8, f32, "y"),
                 z = some(torch, 6, f16, "z");
    const auto one = [&](MathOp op, const std::vector<ops::Operand>& operands, const Tensor& out) {
      return told([&] { ops::elementwise(torch, op, operands, out); });
    };
    check_contains(one(MathOp::add, {x, y}, x), {"ops::elementwise(add): 'x' is f16, 'y' is f32"});
    check_contains(one(MathOp::add, {x, z}, x), {"shapes {8} and {6} do not broadcast"});
    check_contains(one(MathOp::add, {x}, x), {"an element-wise operation of that many operands"});
    check_contains(one(MathOp::sum, {x}, x), {"an element-wise operation of that many operands"});
    check_contains(one(MathOp::shl, {x, x}, x), {"of f16: integers are expected"});
    check_contains(one(MathOp::exp, {x}, z), {"the result 'z' is f16{6}; f16{8} is expected"});
    check_contains(told([&] {
                     ops::copy(torch, x, z, {{{4}, {{0}, {6}}}});
                   }),
                   {"ops::copy: {6} elements from {4} are not inside tensor 'x' {8}"});
    check_contains(told([&] { ops::slice(torch, x, {-1}, z); }),
                   {"{6} elements from {-1} are not inside tensor 'x' {8}"});
    check_contains(told([&] {
                     ops::slice(torch, x, {0, 0}, z);
                   }),
                   {"{6} elements from {0, 0} are not inside"});
    check_contains(told([&] { ops::copy(torch, y, z, {}); }), {"'y' is f32, 'z' is f16"});
    const Tensor partial =
        torch.zeros({8}, f16, {Placement::replicate, Placement::partial, 1, 2}, "partial");
    check_contains(told([&] { ops::slice(torch, partial, {0}, z); }),
                   {"'partial' f16{8} to 'z' f16{6}: partial sums have to be reduced first"});
    check_contains(told([&] { ops::normal_axes("sum", {2}, 2); }), {"sum: axis 2", "-2 to 1"});
    check_contains(told([&] { ops::normal_axes("sum", {1, -1}, 2); }), {"axis 1 appears twice"});
    check_contains(told([&] { ops::reduced_dtype(Reduce::mean, i32); }), {"mean) of i32"});
  });
}

BOOST_AUTO_TEST_SUITE_END()
