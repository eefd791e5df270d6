// Operations against references of their own (spec 9, --verify-data=ops): what agrees, what does
// not, and what is reported.
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <limits>

#include "models/base/errors.h"
#include "platform/phase2/verify.h"
#include "tests/phase2/phase2_fixture.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(op_check_test)

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::array every_dtype{DType::f16, DType::bf16, DType::f32, DType::i8, DType::i32};

TensorValue random_tensor(std::uint64_t seed, const Shape& shape, DType dtype) {
  Numbers numbers(seed);
  return tensor(is_float(dtype) ? numbers.uniform(shape.elements(), -3, 3)
                                : numbers.integers(shape.elements(), -100, 100),
                shape, dtype);
}

OpCheck checked(FunctionalModel& functional_model) {
  DataExecutor executor(functional_model, 2);
  executor.run();
  return check_ops(
      functional_model.ops(), [&](ValueId id) { return executor.computed(id); }, 2);
}

std::string failures_of(const OpCheck& check) {
  std::string text;
  for (const OpFailure& failure : check.failures)
    text += describe(*failure.op) + ": " +
            mismatch_text(failure.op->outputs[0].shape, failure.comparison) + "\n";
  return text;
}

// One op, with this output instead of the computed one.
Comparison against(const DataOpPtr& op, const std::vector<double>& output) {
  const std::vector<std::byte> bytes =
      dense_bytes(tensor(output, op->outputs[0].shape, op->outputs[0].dtype));
  return check_op(*op, bytes.data(), {});
}

DataOpPtr math_op(FunctionalModel& functional_model, MathOp op,
                  const std::vector<TensorValue>& inputs, std::optional<int> axis = {},
                  std::optional<DType> out = {}) {
  MathParams params = math_of(op);
  params.axis = axis;
  params.out_dtype = out;
  return functional_model.math(params, inputs).op;
}

EpilogueOp entry(EpilogueOp::Kind kind, EpilogueScope scope = EpilogueScope::output_tile,
                 int input = -1) {
  EpilogueOp op;
  op.kind = kind;
  op.scope = scope;
  op.input = input;
  op.factor = 0.75;
  op.low = -1;
  op.high = 2;
  return op;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_operation_agrees_with_its_reference_in_every_dtype) {
  for (const DType dtype : every_dtype) {
    FunctionalModel functional_model;
    const TensorValue a = random_tensor(1, {7, 13}, dtype), row = random_tensor(2, {13}, dtype),
                      column = random_tensor(3, {7, 1}, dtype);
    for (int op = 0; op < math_op_count; ++op) {
      const auto math = static_cast<MathOp>(op);
      if (takes_integers_only(math) && is_float(dtype)) continue;
      if (is_reduction(math)) {
        for (const int axis : {0, -1}) math_op(functional_model, math, {a}, axis);
        math_op(functional_model, math, {transposed(a)}, 0);
        continue;
      }
      if (kind_of(math) != MathKind::element_wise) continue;  // operations_test.cpp
      std::vector<TensorValue> operands{a, row, column};
      operands.resize(static_cast<std::size_t>(operand_count(math)));
      math_op(functional_model, math, operands);
    }
    functional_model.gemm({}, {a, random_tensor(4, {13, 5}, dtype)});
    GemmParams turned;
    turned.transpose_a = turned.transpose_b = true;
    functional_model.gemm(turned,
                          {random_tensor(5, {300, 3}, dtype), random_tensor(6, {11, 300}, dtype)});
    for (const DType to : every_dtype) functional_model.converted(a, to);
    functional_model.made_dense(transposed(functional_model.math(math_of(MathOp::abs), {a}).value));
    const OpCheck check = checked(functional_model);
    BOOST_TEST(check.failures.empty(), name_of(dtype) << ": " << failures_of(check));
    BOOST_TEST(check.total() == functional_model.values());
    BOOST_TEST(check.checked[static_cast<std::size_t>(ComputedKind::gemm)] == 2U);
    BOOST_TEST(check.checked[static_cast<std::size_t>(ComputedKind::reduction)] ==
               (is_float(dtype) ? 24U : 27U));  // three each: of sum to softmax, and xor_sum
    BOOST_TEST(check.checked[static_cast<std::size_t>(ComputedKind::conversion)] ==
               5U);  // four dtypes and a dense form
  }
}

BOOST_AUTO_TEST_CASE(every_epilogue_agrees_with_its_reference_at_every_scope) {
  using Kind = EpilogueOp::Kind;
  using Scope = EpilogueScope;
  for (const DType dtype : {DType::f16, DType::f32, DType::i8}) {
    FunctionalModel functional_model;
    const TensorValue a = random_tensor(1, {6, 20}, dtype), b = random_tensor(2, {20, 9}, dtype),
                      columns = random_tensor(3, {9}, DType::f32),
                      whole = random_tensor(4, {6, 9}, DType::f16),
                      scales = random_tensor(5, {3}, DType::f32);
    for (const Scope scope : {Scope::k_tile, Scope::output_tile, Scope::kernel}) {
      for (const Kind kind : {Kind::bias, Kind::relu, Kind::scale, Kind::dequant, Kind::gelu,
                              Kind::silu, Kind::add, Kind::mul, Kind::clamp}) {
        GemmParams params;
        params.tile_k = 8;  // 8, 8 and 4
        params.out_dtype = DType::f32;
        const bool tensor = kind == Kind::bias || kind == Kind::add || kind == Kind::mul;
        params.epilogue = {entry(kind, scope, tensor ? 2 : -1)};
        functional_model.gemm(params, {a, b, columns});
      }
      GemmParams all;
      all.tile_k = 8;
      all.epilogue = {entry(Kind::scale, scope), entry(Kind::add, scope, 2),
                      entry(Kind::clamp, scope), entry(Kind::exp, scope),
                      entry(Kind::mul, scope, 3)};
      all.out_dtype = DType::f32;
      functional_model.gemm(all, {a, b, whole, columns});
    }
    GemmParams dequant;
    dequant.tile_k = 8;
    dequant.out_dtype = DType::f32;
    dequant.epilogue = {entry(Kind::dequant, Scope::k_tile, 2)};
    functional_model.gemm(dequant, {a, b, scales});
    const OpCheck check = checked(functional_model);
    BOOST_TEST(check.failures.empty(), name_of(dtype) << ": " << failures_of(check));
  }
}

// A fault counts at the op in which it arose; those behind it are right for the inputs that they
// got.
BOOST_AUTO_TEST_CASE(an_altered_value_is_reported_with_its_operation_index_and_both_values) {
  FunctionalModel functional_model;
  const TensorValue x = tensor({1, 2, 3, 4}, {2, 2}, DType::f16);
  const TensorValue doubled = functional_model.math(math_of(MathOp::add), {x, x}).value;  // 2 4 6 8
  functional_model.gemm({}, {x, x});
  functional_model.math(math_of(MathOp::relu), {doubled});
  DataExecutor executor(functional_model, 2);
  executor.run();
  const auto with_fault = [&](ValueId id) {
    const SharedBytes bytes = executor.computed(id);
    if (id != 1) return bytes;
    SharedBytes altered = make_shared_bytes(8, false);
    std::memcpy(altered.get(), bytes.get(), 8);
    write_element(altered.get() + 2 * 2, DType::f16, 7);
    return altered;
  };
  const OpCheck check = check_ops(functional_model.ops(), with_fault, 2);
  BOOST_TEST_REQUIRE(check.failures.size() ==
                     2U);  // relu was computed from the true value, and has another input here
  BOOST_TEST(check.failures[0].op->id == 1U);
  BOOST_TEST(check.failures[0].comparison.first_bad == 2U);
  BOOST_TEST(mismatch_text({2, 2}, check.failures[0].comparison) ==
             "1 of 4 elements differ; first at {1, 0}: got 7, expected 6; largest error 1 "
             "absolute, 0.166666667 relative");
  BOOST_TEST(check.summary() == "1 gemm, 2 element-wise");
}

// In f32 1e8 + 1 - 1e8 may give 0, 1 or 8: the terms decide how exact a sum can be. A lost term of
// their size shows.
BOOST_AUTO_TEST_CASE(sums_are_held_to_the_magnitude_of_their_terms) {
  FunctionalModel functional_model;
  const DataOpPtr sum =
      math_op(functional_model, MathOp::sum, {tensor({1e8, 1, -1e8}, {3}, DType::f32)}, 0);
  for (const double right : {0.0, 1.0, 8.0}) BOOST_TEST(against(sum, {right}).ok);
  BOOST_TEST(!against(sum, {1e8}).ok);
  BOOST_TEST(!against(sum, {4000}).ok);  // 1e-5 of 2e8 is 2000
  const DataOpPtr product = functional_model
                                .gemm({}, {tensor({1e4, 1, -1e4}, {1, 3}, DType::f32),
                                           tensor({1e4, 1, 1e4}, {3, 1}, DType::f32)})
                                .op;
  for (const double right : {0.0, 1.0, 8.0}) BOOST_TEST(against(product, {right}).ok);
  BOOST_TEST(!against(product, {1e8}).ok);
  // Elements of an element-wise op have no such allowance.
  const DataOpPtr difference =
      math_op(functional_model, MathOp::sub,
              {tensor({1e8}, {1}, DType::f32), tensor({1e8 - 8}, {1}, DType::f32)});
  BOOST_TEST(against(difference, {8}).ok);
  BOOST_TEST(!against(difference, {9}).ok);
}

BOOST_AUTO_TEST_CASE(an_error_in_front_of_an_epilogue_is_carried_through_it) {
  FunctionalModel functional_model;
  GemmParams params;
  params.epilogue = {entry(EpilogueOp::Kind::scale)};
  params.epilogue[0].factor = 1e4;
  const DataOpPtr op = functional_model
                           .gemm(params, {tensor({1e4, 1, -1e4}, {1, 3}, DType::f32),
                                          tensor({1e4, 1, 1e4}, {3, 1}, DType::f32)})
                           .op;
  BOOST_TEST(against(op, {8e4}).ok);
  BOOST_TEST(!against(op, {1e9}).ok);
  params.epilogue[0].kind = EpilogueOp::Kind::relu;
  BOOST_TEST(!against(functional_model
                          .gemm(params,
                                {tensor({-1}, {1, 1}, DType::f32), tensor({1}, {1, 1}, DType::f32)})
                          .op,
                      {-1})
                  .ok);
}

BOOST_AUTO_TEST_CASE(integers_are_exact_and_floats_made_integers_are_rounded) {
  FunctionalModel functional_model;
  const TensorValue a = tensor({2000000000, -7}, {2}, DType::i32),
                    b = tensor({2000000000, 2}, {2}, DType::i32);
  const DataOpPtr sum = math_op(functional_model, MathOp::add, {a, b});  // wraps: 4e9 - 2^32
  BOOST_TEST(against(sum, {-294967296, -5}).ok);
  BOOST_TEST(!against(sum, {-294967295, -5}).ok);
  const DataOpPtr quotient =
      math_op(functional_model, MathOp::div, {a, b}, {}, DType::i32);  // 1, -3.5
  BOOST_TEST(against(quotient, {1, -4}).ok);
  BOOST_TEST(!against(quotient, {1, -5}).ok);
  BOOST_TEST(!against(quotient, {2, -4}).ok);
  const DataOpPtr saturated =
      math_op(functional_model, MathOp::mul,
              {tensor({1000}, {1}, DType::f32), tensor({-1}, {1}, DType::f32)}, {}, DType::i8);
  BOOST_TEST(against(saturated, {-128}).ok);
  BOOST_TEST(!against(saturated, {127}).ok);
}

// Elements that are only selected or moved are exact, to the last bit of their dtype.
BOOST_AUTO_TEST_CASE(elements_that_are_not_computed_are_exact) {
  FunctionalModel functional_model;
  const TensorValue x = tensor({1, 2}, {2}, DType::f32);
  for (const MathOp op : {MathOp::sort, MathOp::cat}) {
    const DataOpPtr same = math_op(functional_model, op, {x}, 0);
    BOOST_TEST(against(same, {1, 2}).ok);
    BOOST_TEST(!against(same, {1 + 0x1p-23, 2}).ok);
  }
  const DataOpPtr largest = math_op(functional_model, MathOp::max, {x}, 0),
                  smallest = math_op(functional_model, MathOp::min, {x}, 0);
  BOOST_TEST(against(largest, {2}).ok);
  BOOST_TEST(!against(largest, {2 + 0x1p-22}).ok);
  BOOST_TEST(against(smallest, {1}).ok);
  BOOST_TEST(!against(smallest, {1 + 0x1p-23}).ok);
}

BOOST_AUTO_TEST_CASE(a_condition_between_integers_may_have_fractions) {
  FunctionalModel functional_model;
  const DataOpPtr chosen =
      math_op(functional_model, MathOp::where,
              {tensor({0.5, 0, -0.25}, {3}, DType::f16), tensor({1, 2, 3}, {3}, DType::i32),
               tensor({4, 5, 6}, {3}, DType::i32)});
  BOOST_TEST(against(chosen, {1, 5, 3}).ok);
  BOOST_TEST(!against(chosen, {4, 5, 3}).ok);
}

BOOST_AUTO_TEST_CASE(nan_and_infinity_must_be_where_ieee_puts_them) {
  FunctionalModel functional_model;
  const DataOpPtr log =
      math_op(functional_model, MathOp::log, {tensor({-1, 0, 1}, {3}, DType::f16)});
  BOOST_TEST(against(log, {std::nan(""), -infinity, 0}).ok);
  BOOST_TEST(against(log, {0, -infinity, 0}).first_bad == 0U);
  BOOST_TEST(against(log, {std::nan(""), -60000, 0}).first_bad == 1U);
  BOOST_TEST(against(log, {std::nan(""), -infinity, infinity}).first_bad == 2U);
  const DataOpPtr square =
      math_op(functional_model, MathOp::mul,
              {tensor({300, 200}, {2}, DType::f16), tensor({300, 200}, {2}, DType::f16)});
  BOOST_TEST(against(square, {infinity, 40000}).ok);  // 90000 is beyond f16
  BOOST_TEST(!against(square, {65504, 40000}).ok);
  BOOST_TEST(!against(square, {infinity, infinity}).ok);
  const DataOpPtr product = functional_model
                                .gemm({}, {tensor({infinity, 1}, {1, 2}, DType::f32),
                                           tensor({1, 0, -1, 2}, {2, 2}, DType::f32)})
                                .op;
  BOOST_TEST(against(product, {infinity, std::nan("")}).ok);
  BOOST_TEST(!against(product, {infinity, infinity}).ok);
}

// 3e38 + 3e38 - 3e38: infinite or not, as the order of the partial sums has it.
BOOST_AUTO_TEST_CASE(where_partial_sums_may_leave_f32_nothing_is_said) {
  FunctionalModel functional_model;
  const DataOpPtr sum =
      math_op(functional_model, MathOp::sum, {tensor({3e38, 3e38, -3e38}, {3}, DType::f32)}, 0);
  BOOST_TEST(against(sum, {infinity}).ok);
  BOOST_TEST(against(sum, {3e38}).ok);
}

BOOST_AUTO_TEST_CASE(an_error_of_the_check_reaches_the_caller) {
  FunctionalModel functional_model;
  functional_model.math(math_of(MathOp::exp), {tensor({1}, {1}, DType::f32)});
  const auto broken = [](ValueId) -> SharedBytes { throw ModelError("no value"); };
  BOOST_CHECK_THROW(check_ops(functional_model.ops(), broken, 2), ModelError);
}

// The exact result is 1.5 + 1.5 * 2^-10 - 2^-24; by way of f32 it becomes 1.5 + 2^-9.
BOOST_AUTO_TEST_CASE(a_result_that_was_rounded_twice_is_noticed) {
  FunctionalModel functional_model;
  const auto f16 = [](double x) { return tensor({x}, {1}, DType::f16); };
  const DataOpPtr fma =
      math_op(functional_model, MathOp::fma, {f16(1.5), f16(1 + 0x1p-10), f16(-0x1p-24)});
  BOOST_TEST(against(fma, {1.5 + 0x1p-10}).ok);
  BOOST_TEST(!against(fma, {1.5 + 0x1p-9}).ok);
}

BOOST_AUTO_TEST_CASE(zeros_are_no_softmax_of_many_columns) {
  FunctionalModel functional_model;
  const DataOpPtr softmax = math_op(functional_model, MathOp::softmax,
                                    {tensor(std::vector<double>(256, 1), {256}, DType::f16)}, 0);
  BOOST_TEST(against(softmax, std::vector<double>(256, 1.0 / 256)).ok);
  BOOST_TEST(!against(softmax, std::vector<double>(256, 0)).ok);
}

BOOST_AUTO_TEST_SUITE_END()
