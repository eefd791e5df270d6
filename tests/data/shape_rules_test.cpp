// What `tl` checks at a call: shapes, dtypes, epilogues (spec 5.3, 6).
#include "models/data/shape_rules.h"

#include <boost/test/unit_test.hpp>
#include <string>

#include "models/base/errors.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(shape_rules_test)

namespace {

template <class Call>
void check_error(Call call, const std::string& part) {
  BOOST_CHECK_EXCEPTION(call(), UsageError, [&part](const UsageError& error) {
    if (std::string(error.what()).find(part) != std::string::npos) return true;
    BOOST_TEST_MESSAGE("error text: " << error.what());
    return false;
  });
}

MathParams params_of(MathOp op, std::optional<int> axis = {}) {
  MathParams params;
  params.op = op;
  params.axis = axis;
  return params;
}

EpilogueOp step(EpilogueOp::Kind kind, EpilogueScope scope = EpilogueScope::output_tile,
                int input = -1) {
  EpilogueOp op;
  op.kind = kind;
  op.scope = scope;
  op.input = input;
  return op;
}

}  // namespace

BOOST_AUTO_TEST_CASE(shapes_broadcast_like_numpy) {
  BOOST_TEST((broadcast({4, 1}, {3}) == Shape{4, 3}));
  BOOST_TEST((broadcast({}, {2, 2}) == Shape{2, 2}));
  BOOST_TEST((broadcast({5, 1, 7}, {6, 1}) == Shape{5, 6, 7}));
  check_error([] { broadcast({4, 2}, {3}); }, "{4, 2} and {3} do not broadcast");
}

BOOST_AUTO_TEST_CASE(dtypes_promote) {
  BOOST_TEST((promote(DType::f16, DType::f16) == DType::f16));
  BOOST_TEST((promote(DType::f16, DType::bf16) == DType::f32));
  BOOST_TEST((promote(DType::i32, DType::bf16) == DType::bf16));
  BOOST_TEST((promote(DType::i8, DType::i32) == DType::i32));
}

BOOST_AUTO_TEST_CASE(dot_of_shapes_that_do_not_fit_prints_both) {
  check_error(
      [] {
        gemm_extents({4, 8}, {9, 4});
      },
      "dot of {4, 8} x {9, 4}: inner extents 8 and 9 differ");
  check_error([] { gemm_extents({4}, {4, 4}); }, "two axes");
  const GemmExtents extents = gemm_extents({8, 4}, {5, 8}, true, true);
  BOOST_TEST(extents.m == 4);
  BOOST_TEST(extents.k == 8);
  BOOST_TEST(extents.n == 5);
  check_error([] { accumulator_dtype(DType::f16, DType::i8); }, "f16 x i8");
}

BOOST_AUTO_TEST_CASE(math_results_have_the_shape_of_their_operands_or_lose_an_axis) {
  BOOST_TEST((result_shape(params_of(MathOp::add), {{4, 1}, {3}}) == Shape{4, 3}));
  BOOST_TEST((result_shape(params_of(MathOp::sum, 0), {{4, 3}}) == Shape{1, 3}));
  BOOST_TEST((result_shape(params_of(MathOp::argmax, -1), {{4, 3}}) == Shape{4, 1}));
  BOOST_TEST((result_shape(params_of(MathOp::softmax, 1), {{4, 3}}) == Shape{4, 3}));
  check_error([] { result_shape(params_of(MathOp::add), {{4}}); }, "add takes 2 operands, not 1");
  check_error([] { result_shape(params_of(MathOp::sum), {{4}}); }, "sum of {4}: needs an axis");
  check_error([] { result_shape(params_of(MathOp::sum, 1), {{4}}); },
              "sum: axis 1 does not exist in {4}");
  check_error([] { result_shape(params_of(MathOp::exp, 0), {{4}}); }, "exp has no axis");
  MathParams scalars = params_of(MathOp::add);
  scalars.operands = {MathOperand::scalar(1), MathOperand::scalar(2)};
  check_error([&] { result_shape(scalars, {}); }, "at least one operand must be a tensor");
}

BOOST_AUTO_TEST_CASE(math_results_have_the_promoted_dtype) {
  BOOST_TEST((result_dtype(params_of(MathOp::add), {DType::i32, DType::f16}) == DType::f16));
  BOOST_TEST((result_dtype(params_of(MathOp::argmax, 0), {DType::f16}) == DType::i32));
  BOOST_TEST(
      (result_dtype(params_of(MathOp::where), {DType::i32, DType::f16, DType::f16}) == DType::f16));
  MathParams chosen = params_of(
      MathOp::where);  // where(condition, 0.5, 1.5): the result does not take the condition's dtype
  chosen.operands = {MathOperand::tensor(0), MathOperand::scalar(0.5), MathOperand::scalar(1.5)};
  BOOST_TEST((result_dtype(chosen, {DType::i32}) == DType::f32));
  MathParams scalar_first = params_of(MathOp::sub);
  scalar_first.operands = {MathOperand::scalar(1), MathOperand::tensor(0)};
  BOOST_TEST((result_dtype(scalar_first, {DType::bf16}) == DType::bf16));
  MathParams told = params_of(MathOp::add);
  told.out_dtype = DType::f32;
  BOOST_TEST((result_dtype(told, {DType::f16, DType::f16}) == DType::f32));
}

BOOST_AUTO_TEST_CASE(fractions_of_integers_are_f32_and_sums_of_i8_are_i32) {
  for (const DType dtype : {DType::i8, DType::i32}) {
    for (const MathOp op :
         {MathOp::exp, MathOp::log, MathOp::sqrt, MathOp::rsqrt, MathOp::sigmoid, MathOp::cos,
          MathOp::sin, MathOp::tanh, MathOp::gelu, MathOp::silu, MathOp::softmax}) {
      BOOST_TEST((result_dtype(params_of(op), {dtype}) == DType::f32));
    }
    BOOST_TEST((result_dtype(params_of(MathOp::div), {dtype, DType::i8}) == DType::f32));
    BOOST_TEST((result_dtype(params_of(MathOp::div), {dtype, DType::f16}) == DType::f16));
    BOOST_TEST((result_dtype(params_of(MathOp::sum, 0), {dtype}) == DType::i32));
    for (const MathOp op :
         {MathOp::abs, MathOp::relu, MathOp::floor, MathOp::ceil, MathOp::rint, MathOp::trunc})
      BOOST_TEST((result_dtype(params_of(op), {dtype}) == dtype));
    for (const MathOp op : {MathOp::max, MathOp::min})
      BOOST_TEST((result_dtype(params_of(op, 0), {dtype}) == dtype));
    for (const MathOp op :
         {MathOp::add, MathOp::sub, MathOp::mul, MathOp::maximum, MathOp::minimum, MathOp::mod})
      BOOST_TEST((result_dtype(params_of(op), {dtype, DType::i8}) == dtype));
  }
}

BOOST_AUTO_TEST_CASE(a_bad_epilogue_names_its_entry) {
  using Kind = EpilogueOp::Kind;
  using Scope = EpilogueScope;
  const Shapes inputs{{8, 64}, {64, 16}, {16}, {8, 16}, {4}};
  const Shape out{8, 16};
  check_epilogue({step(Kind::bias, Scope::output_tile, 2), step(Kind::relu),
                  step(Kind::add, Scope::kernel, 3), step(Kind::dequant, Scope::k_tile, 4)},
                 inputs, out, 4);
  check_error(
      [&] {
        check_epilogue({step(Kind::relu), step(Kind::bias)}, inputs, out, 4);
      },
      "epilogue entry 1 (bias, output_tile): the operand");
  check_error([&] { check_epilogue({step(Kind::bias, Scope::output_tile, 3)}, inputs, out, 4); },
              "operand {8, 16}");
  check_error([&] { check_epilogue({step(Kind::add, Scope::output_tile, 4)}, inputs, out, 4); },
              "operand {4}");
  check_error([&] { check_epilogue({step(Kind::add, Scope::output_tile, 9)}, inputs, out, 4); },
              "missing");
  check_error([&] { check_epilogue({step(Kind::relu, Scope::output_tile, 2)}, inputs, out, 4); },
              "takes no tensor");
  check_error([&] { check_epilogue({step(Kind::relu, Scope::k_tile)}, inputs, out, 0); },
              "only a gemm has k tiles");
  check_error([&] { check_epilogue({step(Kind::dequant, Scope::output_tile, 4)}, inputs, out, 4); },
              "needs scope k_tile");
  check_error([&] { check_epilogue({step(Kind::dequant, Scope::k_tile, 4)}, inputs, out, 5); },
              "each of 5 k tiles");
  EpilogueOp clamp = step(Kind::clamp);
  clamp.low = 2;
  clamp.high = 1;
  check_error([&] { check_epilogue({clamp}, inputs, out, 4); }, "min is above max");
}

BOOST_AUTO_TEST_SUITE_END()
