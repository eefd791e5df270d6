// Where the operands of a kernel's commands lie (spec 5.2): references, blocks, views of blocks.
#include <boost/test/unit_test.hpp>

#include "models/address/phys_addr.h"
#include "models/base/errors.h"
#include "sw/tl/program.h"
#include "tests/support/error_text.h"
#include "tests/tl/fake_pe.h"

using namespace kernbench;
using kernbench::test::FakePe;

BOOST_AUTO_TEST_SUITE(operand_references)

namespace {

const tl::Ptr at_1000{std::uint64_t{0x1000}};
const tl::Ptr at_2000{std::uint64_t{0x2000}};

// Of the TCM of FakePe.
std::uint64_t tcm(std::uint64_t offset) { return PhysAddr::pe_tcm_addr(0, 1, 2, offset).encode(); }

std::vector<std::int64_t> numbers(const CompositeOperand& operand) {
  const TensorLayout& at = operand.layout.value();
  return {at.rows, at.columns, at.row_stride, at.column_stride};
}
using Numbers = std::vector<std::int64_t>;

}  // namespace

BOOST_AUTO_TEST_CASE(a_composite_tells_where_its_operands_and_its_result_lie) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Handle a = tl.load(at_1000, {32, 64}, f16);                            // TCM 0
  const tl::Handle bias = tl.full({16}, 1, f16), other = tl.zeros({32, 16}, f16);  // 4096, 4128
  tl.composite(tl::gemm(a, tl.ref(at_2000, {64, 16}, f16))
                   .epilogue({tl::bias(bias), tl::add(other, EpilogueScope::kernel)}));
  const auto& gemm = std::get<CompositeGemm>(pe.commands.at(1).what);
  BOOST_TEST(gemm.a.pinned);
  BOOST_TEST(gemm.a.address == tcm(0));
  BOOST_TEST(numbers(gemm.a) == (Numbers{32, 64, 128, 2}), boost::test_tools::per_element());
  BOOST_TEST(!gemm.b.pinned);
  BOOST_TEST(gemm.b.address == 0x2000U);
  BOOST_TEST(gemm.epilogue.at(0).operand->address == tcm(4096));
  BOOST_TEST(gemm.epilogue.at(1).operand->address == tcm(4096 + 32));
  BOOST_TEST(gemm.out.pinned);
  BOOST_TEST(gemm.out.address == tcm(4096 + 32 + 1024));
}

BOOST_AUTO_TEST_CASE(a_view_lies_in_the_block_that_it_shows) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Handle block = tl.load(at_1000, {8, 4}, f32);
  const tl::Handle rows = tl.slice(block, 2, 8);  // {6, 4}
  tl.dot(tl.trans(rows), tl.slice(rows, 0, 6));   // {4, 6} x {6, 4}
  const auto& dot = std::get<DotCommand>(pe.commands.at(1).what);
  BOOST_REQUIRE(dot.operands.size() == 3U);
  BOOST_TEST(dot.operands[0].address == tcm(2 * 16));
  BOOST_TEST(numbers(dot.operands[0]) == (Numbers{4, 6, 4, 16}), boost::test_tools::per_element());
  BOOST_TEST(dot.operands[1].address == tcm(2 * 16));
  BOOST_TEST(numbers(dot.operands[2]) == (Numbers{4, 4, 16, 4}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_broadcasts_has_a_stride_of_0) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Handle column = tl.zeros({4, 1}, f32), row = tl.zeros({8}, f32);
  tl.composite(tl::math(MathOp::add, {column, row}));
  const auto& math = std::get<CompositeMath>(pe.commands.at(0).what);
  BOOST_TEST(numbers(math.inputs.at(0)) == (Numbers{4, 8, 4, 0}), boost::test_tools::per_element());
  BOOST_TEST(numbers(math.inputs.at(1)) == (Numbers{4, 8, 0, 4}), boost::test_tools::per_element());
}

// Rows 0, 1, 2 of the result show row 0 of {2, 1, 4}, rows 3, 4, 5 its row 1.
BOOST_AUTO_TEST_CASE(a_broadcast_between_other_axes_has_no_one_pitch) {
  FakePe pe;
  tl::Program tl(pe);
  tl.composite(tl::math(MathOp::add, {tl.zeros({2, 1, 4}, f32), tl.zeros({2, 3, 4}, f32)}));
  const auto& math = std::get<CompositeMath>(pe.commands.at(0).what);
  BOOST_TEST(!math.inputs.at(0).layout->regular());
  BOOST_TEST(numbers(math.inputs.at(1)) == (Numbers{6, 4, 16, 4}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_simple_operation_tells_its_operands_as_they_are) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Handle x = tl.zeros({2, 3, 4}, f16);
  tl.sum(x, 2);
  const auto& sum = std::get<MathCommand>(pe.commands.at(0).what);
  BOOST_REQUIRE(sum.operands.size() == 2U);
  BOOST_TEST(numbers(sum.operands[0]) == (Numbers{6, 4, 8, 2}), boost::test_tools::per_element());
  BOOST_TEST(numbers(sum.operands[1]) == (Numbers{6, 1, 2, 2}), boost::test_tools::per_element());
}

// B^T, and a head's slice of {T, H * d}.
BOOST_AUTO_TEST_CASE(composites_stream_strided_references) {
  FakePe pe;
  tl::Program tl(pe);
  const auto b = tl::TensorInfo::whole("b", 0x1000, {4, 8}, f16),
             x = tl::TensorInfo::whole("x", 0x2000, {2, 3 * 8}, f16),
             y = tl::TensorInfo::whole("y", 0x3000, {2, 3 * 4}, f16);
  const tl::BlockPtr transposed = tl.make_block_ptr(tl::Ptr(b), {8, 4}, {1, 8}, {0, 0}, {8, 4}),
                     head = tl.make_block_ptr(tl::Ptr(x), {2, 24}, {24, 1}, {0, 8}, {2, 8}),
                     out = tl.make_block_ptr(tl::Ptr(y), {2, 12}, {12, 1}, {0, 4}, {2, 4});
  tl.composite(tl::gemm(tl.ref(head), tl.ref(transposed)).to(out));
  BOOST_TEST(tl::describe(pe.commands.at(0)) ==
             "gemm 2x8x4 a=0x2010[48,2] b=0x1000[2,16] out=0x3008[24,2] f16");
  const tl::BlockPtr whole = tl.make_block_ptr(tl::Ptr(b), {4, 8}, {8, 1}, {0, 0}, {4, 8});
  tl.composite(tl::math(MathOp::exp, {tl.ref(whole)}));
  BOOST_TEST(!std::get<CompositeMath>(pe.commands.at(1).what).inputs.at(0).strided);
  BOOST_CHECK_EXCEPTION(
      tl.composite(tl::math(MathOp::exp, {tl.ref(head)}).to(transposed)), Error,
      test::with_text("the result {2, 8} goes to a block {8, 4}: the shapes differ"));
  BOOST_CHECK_EXCEPTION(tl.ref(tl.advance(head, {1, 0})), Error, test::with_text("on axis 0"));
}

BOOST_AUTO_TEST_SUITE_END()
