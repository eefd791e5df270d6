// Composites on a PE without time (spec 5.3, 6).
#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "sw/tl/program.h"
#include "tests/support/error_text.h"
#include "tests/tl/fake_pe.h"

using namespace kernbench;
using kernbench::test::FakePe;
using kernbench::test::with_text;

BOOST_AUTO_TEST_SUITE(composite_test)

namespace {

const tl::Ptr at_1000{std::uint64_t{0x1000}};
const tl::Ptr at_2000{std::uint64_t{0x2000}};

}  // namespace

BOOST_AUTO_TEST_CASE(a_composite_gemm_streams_references_and_pins_blocks) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Handle a = tl.load(at_1000, {32, 64}, f16);
  const auto h = tl.composite(tl::gemm(a, tl.ref(at_2000, {64, 32}, f16))
                                  .to(tl::Ptr(std::uint64_t{0x8000}))
                                  .epilogue({tl::relu(), tl::scale(0.5)}));
  tl.wait(h);
  BOOST_TEST(tl::describe(pe.commands.at(1)) ==
             "gemm 32x64x32 a=tcm b=0x2000 out=0x8000 f16 relu@output_tile mul@output_tile");
  BOOST_TEST(!pe.functional_model.memory().known(0x8000, 32 * 32 * 2));
  BOOST_CHECK_THROW(h.result(), UsageError);
}

BOOST_AUTO_TEST_CASE(a_composite_without_a_target_keeps_its_result_in_tcm) {
  FakePe pe;
  pe.completes_at_once = false;
  tl::Program tl(pe);
  const tl::Handle ref = tl.ref(at_1000, {8, 8}, f32);
  const auto h = tl.composite(tl::gemm(ref, ref));
  BOOST_TEST(!h.done());
  BOOST_TEST(h.result().str() == "f32{8, 8}");
  tl.store(at_2000, h.result());  // waits for the composite first
  BOOST_TEST(h.done());
  BOOST_TEST(pe.waits == (std::vector<std::uint64_t>{0, 1}));
}

BOOST_AUTO_TEST_CASE(a_composite_writes_in_the_dtype_of_its_target) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Handle ref = tl.ref(at_1000, {8, 8}, f16);
  tl.composite(tl::gemm(ref, ref).to(tl::Ptr(tl::TensorInfo::whole("out", 0x8000, {8, 8}, f32))));
  BOOST_TEST(tl::describe(pe.commands.at(0)) == "gemm 8x8x8 a=0x1000 b=0x1000 out=0x8000 f32");
}

BOOST_AUTO_TEST_CASE(composite_math_streams_element_wise_operations) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Handle x = tl.ref(at_1000, {4, 8}, f32), bias = tl.zeros({8}, f32);
  tl.composite(tl::math(MathOp::add, {x, bias}).to(at_2000));
  BOOST_TEST(tl::describe(pe.commands.at(0)) ==
             "composite add 4x8 in=0x1000 in=tcm out=0x2000 f32");
  BOOST_CHECK_EXCEPTION(
      tl.composite(tl::math(MathOp::add, {tl.ref(at_1000, {8}, f32), tl.zeros({4, 8}, f32)})),
      UsageError, with_text("only blocks in TCM broadcast"));
  BOOST_CHECK_THROW(tl.composite(tl::math(MathOp::sum, {x})), UsageError);
}

BOOST_AUTO_TEST_CASE(composite_math_takes_an_epilogue_but_none_per_k_tile) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Handle x = tl.ref(at_1000, {4, 8}, f32), bias = tl.zeros({8}, f32);
  tl.composite(tl::math(MathOp::exp, {x})
                   .to(at_2000)
                   .epilogue({tl::bias(bias), tl::clamp(0, 1, EpilogueScope::kernel)}));
  BOOST_TEST(tl::describe(pe.commands.at(0)) ==
             "composite exp 4x8 in=0x1000 out=0x2000 f32 add@output_tile clamp@kernel");
  const auto& params = std::get<MathParams>(pe.commands.at(0).data->params);
  BOOST_TEST(params.epilogue.size() == 2U);
  BOOST_TEST(params.epilogue.at(0).input == 1);  // behind the operands
  BOOST_CHECK_EXCEPTION(
      tl.composite(
          tl::math(MathOp::exp, {x}).to(at_2000).epilogue({tl::relu(EpilogueScope::k_tile)})),
      UsageError, with_text("only a gemm has k tiles"));
}

BOOST_AUTO_TEST_CASE(an_epilogue_entry_that_does_not_fit_is_named) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Handle x = tl.zeros({4, 8}), y = tl.zeros({8, 6});
  BOOST_CHECK_EXCEPTION(
      tl.composite(tl::gemm(x, y).to(at_1000).epilogue({tl::relu(), tl::bias(tl.zeros({5}))})),
      UsageError, with_text("epilogue entry 1 (bias, output_tile)"));
  BOOST_CHECK_EXCEPTION(
      tl.composite(tl::gemm(x, y).to(at_1000).epilogue({tl::bias(tl.ref(at_2000, {6}, f16))})),
      UsageError, with_text("tl.load it first"));
  BOOST_TEST(pe.commands.empty());
}

BOOST_AUTO_TEST_CASE(a_reference_is_not_a_block) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Handle ref = tl.ref(at_1000, {8, 8}, f16);
  BOOST_CHECK_THROW(tl.dot(ref, ref), UsageError);
  BOOST_CHECK_THROW(tl.relu(ref), UsageError);
  BOOST_CHECK_THROW(tl.store(at_2000, ref), UsageError);
  BOOST_CHECK_EXCEPTION(tl.send("E", ref), UsageError,
                        with_text("tl.send: f16{8, 8} at 0x1000 is a reference; tl.load it first"));
  BOOST_CHECK_EXCEPTION(tl.recv("E", {8}, f16, ref), UsageError,
                        with_text("tl.recv: f16{8, 8} at 0x1000 is a reference"));
  BOOST_CHECK_THROW(ref.data(), UsageError);
}

BOOST_AUTO_TEST_CASE(what_was_never_made_is_an_error) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Composite none;
  BOOST_CHECK_EXCEPTION(none.done(), UsageError, with_text("used before it is made"));
  BOOST_CHECK_EXCEPTION(none.result(), UsageError, with_text("used before it is made"));
  BOOST_CHECK_EXCEPTION(tl.wait(none), UsageError,
                        with_text("tl.wait for a composite that was not made"));
  BOOST_CHECK_EXCEPTION(tl.exp(tl::Handle()), UsageError, with_text("used before it is made"));
}

BOOST_AUTO_TEST_CASE(wait_without_a_handle_waits_for_all_composites) {
  FakePe pe;
  pe.completes_at_once = false;
  tl::Program tl(pe);
  const tl::Handle x = tl.zeros({4, 4});
  tl.composite(tl::gemm(x, x).to(at_1000));
  tl.composite(tl::gemm(x, x).to(at_2000));
  tl.wait();
  BOOST_TEST(pe.waits == (std::vector<std::uint64_t>{0, 1}));
}

BOOST_AUTO_TEST_CASE(a_composite_that_has_failed_is_reported_by_a_later_wait) {
  FakePe pe;
  pe.completes_at_once = false;
  tl::Program tl(pe);
  const tl::Handle x = tl.zeros({4, 4});
  tl.composite(tl::gemm(x, x).to(at_1000));
  pe.states.at(0)->fail("no mapping");
  pe.states.at(0)->complete();
  tl.zeros({4});
  BOOST_CHECK_EXCEPTION(tl.wait(), AccessFault, with_text("no mapping"));
}

BOOST_AUTO_TEST_SUITE_END()
