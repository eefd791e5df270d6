// Moves between placed tensors: blocks of TCM size, refusals. Values of all ranks: tests/tp.
#include "sw/ops/part.h"

#include <numeric>

#include "tests/support/error_text.h"
#include "tests/support/torch_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(part_test)

namespace {

const DPPolicy copies{}, columns{Placement::column_wise, Placement::column_wise, {}, {}},
    rows{Placement::row_wise, Placement::row_wise, {}, {}},
    partial{Placement::replicate, Placement::partial, {}, {}};

std::string told(const std::function<void(Torch&)>& body) {
  return forked_value([&] {
    TorchMachine m;
    return m.error(body);
  });
}

}  // namespace

// 4 KiB of scratch: 682 bytes for a block, of parts of 13 or 12 columns of i32 13 rows of 40.
KERNBENCH_SYSTEMC_TEST(parts_larger_than_the_scratch_move_in_blocks) {
  TorchMachine m("topology.tiny.yaml",
                 {{"cube.pe_template.components.pe_cpu.attrs.scratch_bytes", "4096"}});
  m.run([](Torch& torch) {
    std::vector<double> values(40 * 101);
    std::iota(values.begin(), values.end(), 0.0);
    const Tensor source = torch.from_host(HostArray({40, 101}, i32, values), rows, "source"),
                 copy = torch.empty({40, 101}, i32, columns, "copy"),
                 part = torch.empty({33, 50}, i32, columns, "part");
    ops::slice(torch, source, 0, 0, copy);
    torch.verify(copy, [values] { return values; });
    ops::slice(torch, copy, 5, 51, part);
    torch.verify(part, [values] {
      std::vector<double> expected;
      for (int row = 5; row < 38; ++row)
        expected.insert(expected.end(), values.begin() + row * 101 + 51,
                        values.begin() + (row + 1) * 101);
      return expected;
    });
    const Tensor addend = torch.from_host(HostArray::full({101}, i32, 7), copies, "addend");
    ops::add_row_(torch, copy, addend);
    torch.verify(copy, [values] {
      std::vector<double> expected = values;
      for (double& value : expected) value += 7;
      return expected;
    });
  });
  BOOST_TEST(m.failures() == "");
}

BOOST_AUTO_TEST_CASE(wrong_parts_are_refused) {
  const auto slice = [](const Shape& source, std::int64_t row, const Shape& out, DType dtype = f16,
                        const DPPolicy& policy = copies) {
    return told([=](Torch& torch) {
      ops::slice(torch, torch.zeros(source, f16, policy, "x"), row, 0,
                 torch.zeros(out, dtype, copies, "y"));
    });
  };
  check_contains(slice({4, 8}, 1, {4, 8}), {"slice: 'y' f16{4, 8} at (1, 0) is not inside 'x'"});
  check_contains(slice({4, 8}, -1, {2, 8}), {"at (-1, 0) is not inside"});
  check_contains(slice({8}, 0, {8}), {"slice: 'x' f16{8} has rank 1, expected 2"});
  check_contains(slice({4, 8}, 0, {4, 8}, f32), {"the dtypes differ"});
  check_contains(slice({4, 8}, 0, {4, 8}, f16, partial), {"partial sums have to be reduced first"});
  check_contains(told([](Torch& torch) {
                   ops::unstack_columns(torch, torch.zeros({6, 4}, f16, copies, "x"),
                                        torch.zeros({4, 6}, f16, copies, "y"));
                 }),
                 {"unstack_columns: 'x' f16{6, 4} to 'y' f16{4, 6}: expected {n * M, w}"});
  check_contains(told([](Torch& torch) {
                   ops::add_row_(torch, torch.zeros({6, 4}, f16, copies, "x"),
                                 torch.zeros({6}, f16, copies, "y"));
                 }),
                 {"add_row_: 'y' f16{6} to 'x' f16{6, 4}: expected {N} to {M, N}"});
}

BOOST_AUTO_TEST_SUITE_END()
