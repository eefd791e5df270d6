// Random gemms and element-wise operations with random epilogues, scopes, k tiles, transposes and
// dtypes, against the references of the check of operations (spec 5.3, 9).
#include <rapidcheck.h>

#include <boost/test/unit_test.hpp>
#include <optional>

#include "platform/phase2/verify.h"
#include "tests/phase2/phase2_fixture.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(random_epilogues_test)

namespace {

using Kind = EpilogueOp::Kind;
using Scope = EpilogueScope;

class RandomOperation {
 public:
  // What it was is part of a counterexample.
  void check() {
    DataExecutor executor(functional_model_, 1);
    executor.run();
    const ValueLookup values = [&executor](ValueId id) { return executor.computed(id); };
    for (const DataOpPtr& op : functional_model_.ops()) {
      RC_LOG() << describe(*op) << "\n";
      const Comparison comparison = check_op(*op, values(op->outputs[0].id).get(), values);
      if (!comparison.ok) RC_FAIL(mismatch_text(op->outputs[0].shape, comparison));
    }
  }

  void gemm() {
    const std::int64_t m = extent(), k = extent(), n = extent();
    const bool integers = *rc::gen::arbitrary<bool>();
    GemmParams params;
    params.transpose_a = *rc::gen::arbitrary<bool>();
    params.tile_k = *rc::gen::inRange<std::int64_t>(0, k + 1);
    const std::int64_t tiles = params.tile_k > 0 ? (k + params.tile_k - 1) / params.tile_k : 1;
    std::vector<TensorValue> inputs{params.transpose_a ? matrix(k, m, operand_dtype(integers))
                                                       : matrix(m, k, operand_dtype(integers))};
    const bool turned = *rc::gen::arbitrary<bool>();
    const DType b_dtype = operand_dtype(integers);
    inputs.push_back(turned ? transposed(matrix(n, k, b_dtype)) : matrix(k, n, b_dtype));
    params.out_dtype = any_dtype();
    params.epilogue = epilogue(m, n, tiles, inputs);
    functional_model_.gemm(params, inputs);
  }

  void math() {
    const std::int64_t m = extent(), n = extent();
    MathParams params =
        math_of(*rc::gen::element(MathOp::add, MathOp::mul, MathOp::maximum, MathOp::sub));
    params.operands = {MathOperand::tensor(0), MathOperand::tensor(1)};
    params.out_dtype = any_dtype();
    std::vector<TensorValue> inputs{matrix(m, n, any_dtype()), matrix(1, n, any_dtype())};
    params.epilogue = epilogue(m, n, 0, inputs);
    functional_model_.math(params, inputs);
  }

 private:
  static std::int64_t extent() { return *rc::gen::inRange<std::int64_t>(1, 40); }
  static DType any_dtype() {
    return *rc::gen::element(DType::f16, DType::bf16, DType::f32, DType::i8, DType::i32);
  }
  static DType operand_dtype(bool integers) {
    return integers ? *rc::gen::element(DType::i8, DType::i32)
                    : *rc::gen::element(DType::f16, DType::bf16, DType::f32);
  }

  TensorValue matrix(std::int64_t rows, std::int64_t columns, DType dtype) {
    Numbers numbers(*rc::gen::inRange<std::uint32_t>(0, 1000));
    return tensor(is_float(dtype) ? numbers.uniform(rows * columns, -2, 2)
                                  : numbers.integers(rows * columns, -100, 100),
                  {rows, columns}, dtype);
  }

  // `tiles` is 0 for a math op: no k tiles.
  std::vector<EpilogueOp> epilogue(std::int64_t m, std::int64_t n, std::int64_t tiles,
                                   std::vector<TensorValue>& inputs) {
    std::vector<EpilogueOp> list;
    const int count = *rc::gen::inRange(0, 5);
    for (int i = 0; i < count; ++i) {
      EpilogueOp op;
      op.kind = *rc::gen::element(Kind::bias, Kind::relu, Kind::scale, Kind::dequant, Kind::gelu,
                                  Kind::silu, Kind::add, Kind::mul, Kind::clamp);
      op.scope = tiles > 0 ? *rc::gen::element(Scope::k_tile, Scope::output_tile, Scope::kernel)
                           : *rc::gen::element(Scope::output_tile, Scope::kernel);
      op.factor = *rc::gen::element(0.5, -1.25, 3.0);
      op.low = -1.5;
      op.high = 20;
      const auto operand = [&](std::int64_t rows, std::int64_t columns) {
        op.input = static_cast<int>(inputs.size());
        inputs.push_back(matrix(rows, columns, *rc::gen::element(DType::f16, DType::f32)));
      };
      if (op.kind == Kind::bias) operand(1, n);
      if (op.kind == Kind::add || op.kind == Kind::mul)
        operand(*rc::gen::arbitrary<bool>() ? m : 1, n);
      if (op.kind == Kind::dequant && op.scope == Scope::k_tile && *rc::gen::arbitrary<bool>())
        operand(1, tiles);
      list.push_back(op);
    }
    return list;
  }

  FunctionalModel functional_model_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(random_gemms_with_epilogues_agree_with_their_references) {
  BOOST_TEST(rc::check("gemm", [] {
    RandomOperation operation;
    operation.gemm();
    operation.check();
  }));
}

BOOST_AUTO_TEST_CASE(random_math_operations_with_epilogues_agree_with_their_references) {
  BOOST_TEST(rc::check("math", [] {
    RandomOperation operation;
    operation.math();
    operation.check();
  }));
}

BOOST_AUTO_TEST_SUITE_END()
