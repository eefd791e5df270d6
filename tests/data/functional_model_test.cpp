// Values, not places (spec 9): what loads, stores and computations bind to.
#include "models/data/functional_model.h"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "models/base/errors.h"
#include "models/data/elements.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(functional_model_test)

namespace {

MathParams params_of(MathOp op) {
  MathParams params;
  params.op = op;
  return params;
}

TensorValue matrix(std::int64_t rows, std::int64_t columns, DType dtype = DType::f16) {
  return FunctionalModel::full({rows, columns}, dtype, 2);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_load_binds_to_what_is_visible_at_its_issue) {
  FunctionalModel functional_model;
  const std::int32_t before = 1, after = 2;
  functional_model.memory().write_bytes(0, &before, 4);
  const IssuedOp load = functional_model.load({{0, 4}}, {1}, DType::i32);
  functional_model.memory().write_bytes(0, &after, 4);
  BOOST_TEST(read_element(functional_model.bytes(load.value).data(), DType::i32) == 1);
}

BOOST_AUTO_TEST_CASE(a_store_is_visible_at_once_and_carries_pending_values) {
  FunctionalModel functional_model;
  const TensorValue sum =
      functional_model.math(params_of(MathOp::add), {matrix(4, 4), matrix(4, 4)}).value;
  const DataOpPtr store = functional_model.store(sum, {{1000, 32}});
  BOOST_TEST((std::get<MemoryParams>(store->params).values == std::vector<ValueId>{1}));
  const IssuedOp load = functional_model.load({{1008, 8}}, {4}, DType::f16);  // one row of it
  BOOST_TEST(!load.value.known());
  BOOST_TEST(load.value.image.segments()[0].value == 1u);
  BOOST_TEST(load.value.image.segments()[0].offset == 8u);
}

BOOST_AUTO_TEST_CASE(reading_a_compute_result_is_an_error_until_phase_2) {
  FunctionalModel functional_model;
  const TensorValue sum =
      functional_model.math(params_of(MathOp::add), {matrix(2, 2), matrix(2, 2)}).value;
  BOOST_TEST(!functional_model.known(sum.image));
  BOOST_CHECK_EXCEPTION(functional_model.bytes(sum), PendingDataError,
                        [](const PendingDataError& error) {
                          return std::string(error.what()).find("phase 2") != std::string::npos;
                        });
}

BOOST_AUTO_TEST_CASE(ops_and_values_are_numbered_in_order_of_issue) {
  FunctionalModel functional_model;
  const IssuedOp load = functional_model.load({{0, 8}}, {4}, DType::f16);
  const IssuedOp first = functional_model.math(params_of(MathOp::exp), {load.value});
  const IssuedOp second = functional_model.gemm({}, {matrix(2, 3), matrix(3, 4)});
  BOOST_TEST(load.op->id == 1u);
  BOOST_TEST(first.op->id == 2u);
  BOOST_TEST(second.op->id == 3u);
  BOOST_TEST(functional_model.values() == 2u);
  BOOST_TEST(functional_model.defining_op(2) == second.op);
  BOOST_TEST((functional_model.defining_op(2)->outputs.front().shape == Shape{2, 4}));
  BOOST_CHECK_THROW(functional_model.defining_op(3), ModelError);
}

BOOST_AUTO_TEST_CASE(gemm_fills_its_parameters) {
  FunctionalModel functional_model;
  GemmParams params;
  params.transpose_b = true;
  const IssuedOp issued =
      functional_model.gemm(params, {matrix(2, 3, DType::i8), matrix(5, 3, DType::i8)});
  const auto& filled = std::get<GemmParams>(issued.op->params);
  BOOST_TEST(filled.m == 2);
  BOOST_TEST(filled.k == 3);
  BOOST_TEST(filled.n == 5);
  BOOST_TEST((filled.acc_dtype == DType::i32));
  BOOST_TEST((issued.value.dtype == DType::i32));
  GemmParams wrong;
  wrong.acc_dtype = DType::f16;
  BOOST_CHECK_THROW(functional_model.gemm(wrong, {matrix(2, 3), matrix(3, 4)}), UsageError);
}

BOOST_AUTO_TEST_CASE(a_transposed_view_is_recorded_as_a_transpose) {
  FunctionalModel functional_model;
  GemmParams already;
  already.transpose_a = true;
  const auto recorded = [&functional_model](const GemmParams& params, const TensorValue& a,
                                            const TensorValue& b) {
    const IssuedOp issued = functional_model.gemm(params, {a, b});
    for (const TensorValue& input : issued.op->inputs) BOOST_TEST(input.dense());
    const auto& filled = std::get<GemmParams>(issued.op->params);
    BOOST_TEST((filled.m == 2 && filled.k == 3 && filled.n == 4));
    return std::make_pair(filled.transpose_a, filled.transpose_b);
  };
  BOOST_TEST((recorded({}, matrix(2, 3), matrix(3, 4)) == std::make_pair(false, false)));
  BOOST_TEST((recorded({}, matrix(2, 3), transposed(matrix(4, 3))) == std::make_pair(false, true)));
  BOOST_TEST((recorded({}, transposed(matrix(3, 2)), transposed(matrix(4, 3))) ==
              std::make_pair(true, true)));
  BOOST_TEST(
      (recorded(already, transposed(matrix(2, 3)), matrix(3, 4)) == std::make_pair(false, false)));
}

BOOST_AUTO_TEST_CASE(sizes_of_loads_and_stores_must_agree) {
  FunctionalModel functional_model;
  BOOST_CHECK_THROW(functional_model.load({{0, 8}}, {5}, DType::f16), UsageError);
  BOOST_CHECK_THROW(functional_model.store(matrix(2, 2), {{0, 7}}), UsageError);
}

BOOST_AUTO_TEST_CASE(surplus_operands_are_an_error) {
  FunctionalModel functional_model;
  BOOST_CHECK_THROW(functional_model.math(params_of(MathOp::exp), {matrix(2, 2), matrix(2, 2)}),
                    UsageError);
}

BOOST_AUTO_TEST_CASE(a_known_view_becomes_dense_without_an_op) {
  FunctionalModel functional_model;
  const std::int8_t elements[]{1, 2, 3, 4};
  const TensorValue value = FunctionalModel::constant(elements, {2, 2}, DType::i8);
  const TensorValue dense = functional_model.made_dense(transposed(value));
  BOOST_TEST(functional_model.values() == 0u);
  BOOST_TEST((dense_bytes(dense) ==
              std::vector<std::byte>{std::byte{1}, std::byte{3}, std::byte{2}, std::byte{4}}));
}

BOOST_AUTO_TEST_CASE(a_pending_view_becomes_dense_by_an_op) {
  FunctionalModel functional_model;
  const TensorValue sum = functional_model.math(params_of(MathOp::exp), {matrix(2, 3)}).value;
  functional_model.store(transposed(sum), {{0, 12}});
  BOOST_TEST(functional_model.values() == 2u);
  BOOST_TEST(std::holds_alternative<ConvertParams>(functional_model.defining_op(2)->params));
}

BOOST_AUTO_TEST_CASE(full_and_zeros_are_known) {
  BOOST_TEST(read_element(dense_bytes(FunctionalModel::full({3}, DType::f16, 0.1)).data() + 4,
                          DType::f16) == 0.0999755859375);
  BOOST_TEST(FunctionalModel::zeros({1024, 1024, 1024}, DType::f32).image.segments().size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
