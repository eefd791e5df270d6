// The kernel API on a PE without time (spec 6): values, blocks, shapes, errors.
#include "sw/tl/program.h"

#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "models/data/elements.h"
#include "tests/support/error_text.h"
#include "tests/tl/fake_pe.h"

using namespace kernbench;
using kernbench::test::FakePe;
using kernbench::test::with_text;

BOOST_AUTO_TEST_SUITE(program_test)

namespace {

void write(FakePe& pe, std::uint64_t pa, const std::vector<float>& values) {
  pe.functional_model.memory().write_bytes(pa, values.data(), values.size() * 4);
}

const tl::Ptr at_1000{std::uint64_t{0x1000}};
const tl::Ptr at_2000{std::uint64_t{0x2000}};

}  // namespace

BOOST_AUTO_TEST_CASE(a_load_returns_the_values_that_are_visible_at_its_issue) {
  FakePe pe;
  tl::Program tl(pe);
  write(pe, 0x1000, {1, 2, 3, 4});
  const tl::Handle x = tl.load(at_1000, {2, 2}, f32);
  write(pe, 0x1000, {9, 9, 9, 9});
  BOOST_TEST(x.data() == (std::vector<double>{1, 2, 3, 4}));
  BOOST_TEST(x.at({1, 0}) == 3);
  BOOST_TEST(tl::describe(pe.commands.at(0)) == "dma_read 0x1000 16");
}

BOOST_AUTO_TEST_CASE(a_store_is_visible_at_its_issue_and_known_values_stay_known) {
  FakePe pe;
  tl::Program tl(pe);
  tl.store(at_2000, tl.full({3}, 2.5, f32));
  const tl::Handle x = tl.load(at_2000, {3}, f32);
  BOOST_TEST(x.data() == (std::vector<double>{2.5, 2.5, 2.5}));
  BOOST_TEST(tl::describe(pe.commands.at(0)) == "dma_write 0x2000 12");
}

// A load reads, and a store is seen, once the call has been dispatched (spec 6).
BOOST_AUTO_TEST_CASE(memory_that_changes_during_dispatch_is_what_a_load_sees) {
  FakePe pe;
  tl::Program tl(pe);
  write(pe, 0x1000, {1});
  pe.at_dispatch = [&] { write(pe, 0x1000, {2}); };
  BOOST_TEST(tl.load(at_1000, {1}, f32).item() == 2);
  pe.at_dispatch = [&] { write(pe, 0x1000, {3}); };
  tl.composite(tl::math(MathOp::mul, {tl.ref(at_1000, {1}, f32), 1.0}).to(at_2000));
  pe.at_dispatch = nullptr;
  const TensorValue& read = pe.commands.back().data->inputs.at(0);
  BOOST_TEST(read_element(pe.functional_model.bytes(read).data(), f32) == 3);
}

BOOST_AUTO_TEST_CASE(a_store_is_not_visible_before_it_has_been_dispatched) {
  FakePe pe;
  tl::Program tl(pe);
  write(pe, 0x1000, {1});
  std::vector<double> seen;
  pe.at_dispatch = [&] {
    seen.push_back(read_element(
        pe.functional_model.bytes(pe.functional_model.view({{0x1000, 4}}, {1}, f32)).data(), f32));
  };
  tl.store(at_1000, tl.full({1}, 7, f32));
  tl.wait();
  BOOST_TEST(seen == (std::vector<double>{1, 7}));
}

// One dispatch per call, also where a call issues no command; none for identity, reference, shape
// and make.
BOOST_AUTO_TEST_CASE(every_call_that_is_not_metadata_is_dispatched_once) {
  FakePe pe;
  tl::Program tl(pe);
  pe.answers = std::vector<IpcqReceived>(5, {"E", nullptr});
  const tl::Handle x = tl.full({4, 4}, 1, f32);
  const tl::Ptr p(std::uint64_t{0x1000});
  const auto dispatches = [&pe](const std::function<void()>& call) {
    const std::uint64_t before = pe.dispatches;
    call();
    return pe.dispatches - before;
  };
  BOOST_TEST(dispatches([&] {
               tl.program_id(), tl.num_programs(), tl.ref(p, {4}, f32);
               tl.trans(x), tl.reshape(x, {16}), tl.slice(x, 0, 1),
                   tl.broadcast_to(tl.slice(x, 0, 1), {4, 4});
               tl.arange(0, 4), tl.zeros({4}), tl.full({4}, 2), tl.cast(x, f32),
                   tl::Program::cdiv(3, 2), tl.connected("E");
             }) == 0U);
  const std::vector<std::function<void()>> calls{
      [&] { tl.load(p, {4}, f32); },
      [&] { tl.store(p, x); },
      [&] { tl.dot(x, x); },
      [&] { tl.exp(x); },
      [&] { x + 1.0; },
      [&] { tl.sum(x, 0); },
      [&] { tl.cast(x, f16); },
      [&] { tl.composite(tl::gemm(x, x).to(p + 64)); },
      [&] { tl.composite(tl::math(MathOp::exp, {x}).to(p + 128)); },
      [&] { tl.send("E", x); },
      [&] { tl.send("E", p, {4}, f32); },
      [&] { tl.send("E", p, 16); },
      [&] { tl.recv("E", {4}, f32); },
      [&] { tl.recv({4}, f32); },
      [&] { tl.recv("E", {4}, f32, x); },
      [&] { tl.recv_no_consume("E", {4}, f32); },
      [&] { tl.wait(); },
      [&] { tl.cycles(1); },
  };
  for (std::size_t i = 0; i < calls.size(); ++i)
    BOOST_TEST(dispatches(calls[i]) == 1U, "call " << i);
  tl::RecvFuture future;
  BOOST_TEST(dispatches([&] { future = tl.recv_async("E", {4}, f32); }) == 1U);
  BOOST_TEST(dispatches([&] { tl.wait(future); }) == 1U);
  BOOST_TEST(dispatches([&] { tl.wait(future); }) == 1U);  // received already
  const tl::Composite composite = tl.composite(tl::gemm(x, x));
  BOOST_TEST(dispatches([&] { tl.wait(composite); }) == 1U);
}

BOOST_AUTO_TEST_CASE(a_kernel_may_branch_on_loaded_values) {
  FakePe pe;
  tl::Program tl(pe);
  write(pe, 0x1000, {0});
  write(pe, 0x2000, {7});
  BOOST_TEST(!static_cast<bool>(tl.load(at_1000, {1}, f32)));
  BOOST_TEST(static_cast<bool>(tl.load(at_2000, {1}, f32)));
  BOOST_TEST(tl.load(at_2000, {1}, f32).item() == 7);
}

BOOST_AUTO_TEST_CASE(
    reading_the_result_of_a_computation_is_a_pending_data_error_that_names_phase_2) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Handle x = tl.load(at_1000, {2, 2}, f32);
  const tl::Handle y = tl.dot(x, x);
  BOOST_CHECK_EXCEPTION(y.data(), PendingDataError, with_text("phase 2"));
  BOOST_CHECK_THROW(y.at({0, 0}), PendingDataError);
  BOOST_CHECK_THROW(static_cast<void>(static_cast<bool>(tl.sum(tl.reshape(y, {4}), 0))),
                    PendingDataError);
  tl.store(at_2000, y);
  BOOST_CHECK_THROW(tl.load(at_2000, {2, 2}, f32).data(),
                    PendingDataError);  // pending data stay pending through memory
}

BOOST_AUTO_TEST_CASE(with_data_off_there_is_no_data_op_and_values_cannot_be_read) {
  FakePe pe(false);
  tl::Program tl(pe);
  const tl::Handle x = tl.load(at_1000, {2, 2}, f32);
  tl.store(at_2000, tl.relu(tl.dot(x, x) + 1));
  tl.composite(tl::gemm(x, x).to(at_2000));
  for (const Command& command : pe.commands) BOOST_TEST(command.data == nullptr);
  BOOST_TEST(pe.commands.size() == 6);
  BOOST_CHECK_EXCEPTION(x.data(), UsageError, with_text("--data"));
}

BOOST_AUTO_TEST_CASE(every_command_carries_what_it_does_to_values) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Handle x = tl.load(at_1000, {2, 2}, f32);
  tl.store(at_2000, tl.dot(x, x) + 1);
  for (const Command& command : pe.commands) BOOST_TEST(command.data != nullptr);
  // (sip 0, cube 1, pe 2)'s TCM, in the order of allocation: x at 0, the product at 16
  BOOST_TEST(describe(*pe.commands.at(1).data).find("in0=f32:2x2 in1=f32:2x2 out=f32:2x2") !=
                 std::string::npos,
             describe(*pe.commands.at(1).data));
}

BOOST_AUTO_TEST_CASE(dot_of_shapes_that_do_not_fit_is_an_error_that_prints_both) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Handle a = tl.zeros({4, 8}), b = tl.zeros({9, 4});
  const auto both = [](const UsageError& error) {
    const std::string text = error.what();
    return text.find("{4, 8}") != std::string::npos && text.find("{9, 4}") != std::string::npos;
  };
  BOOST_CHECK_EXCEPTION(tl.dot(a, b), UsageError, both);
  BOOST_CHECK_EXCEPTION(tl.composite(tl::gemm(a, b).to(at_1000)), UsageError, both);
  BOOST_CHECK_EXCEPTION(tl.add(a, b), UsageError, both);
  BOOST_TEST(pe.commands.empty());
}

BOOST_AUTO_TEST_CASE(a_float_times_an_integer_is_an_error) {
  FakePe pe;
  tl::Program tl(pe);
  BOOST_CHECK_EXCEPTION(tl.dot(tl.zeros({2, 2}, f16), tl.zeros({2, 2}, i8)), UsageError,
                        with_text("f16 x i8"));
}

BOOST_AUTO_TEST_CASE(dot_has_the_dtype_of_its_operands_and_i32_for_integers) {
  FakePe pe;
  tl::Program tl(pe);
  BOOST_TEST((tl.dot(tl.zeros({2, 3}, bf16), tl.zeros({3, 4}, bf16)).str() == "bf16{2, 4}"));
  BOOST_TEST((tl.dot(tl.zeros({2, 3}, i8), tl.zeros({3, 4}, i8)).str() == "i32{2, 4}"));
  BOOST_TEST((tl.dot(tl.zeros({2, 3}, f16), tl.zeros({3, 4}, f16), f32).str() == "f32{2, 4}"));
}

BOOST_AUTO_TEST_CASE(element_wise_operations_broadcast_and_take_scalars) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Handle x = tl.zeros({4, 8}), row = tl.zeros({8}), column = tl.zeros({4, 1});
  BOOST_TEST((x + row).str() == "f16{4, 8}");
  BOOST_TEST((row + column).str() == "f16{4, 8}");
  BOOST_TEST((2.0 * x - 1).str() == "f16{4, 8}");
  BOOST_TEST(tl.where(x, 1.0, row).str() == "f16{4, 8}");
  BOOST_TEST(tl.sum(x, -1).str() == "f16{4, 1}");
  BOOST_TEST(tl.argmax(x, 0).str() == "i32{1, 8}");
  // MATH works through the elements of the widest operand, also when that is only wide once
  // broadcast.
  BOOST_TEST(tl::describe(pe.commands.at(0)) == "math add 32");
  BOOST_TEST(tl::describe(pe.commands.at(1)) == "math add 32");
  BOOST_CHECK_EXCEPTION(tl.add(1.0, 2.0), UsageError,
                        with_text("at least one operand must be a tensor"));
}

BOOST_AUTO_TEST_CASE(
    cast_is_one_math_operation_in_the_dtype_asked_for_and_nothing_where_there_is_nothing_to_do) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Handle x = tl.full({4, 8}, 1.5, f16);
  BOOST_TEST(tl.cast(x, f32).str() == "f32{4, 8}");
  BOOST_TEST(tl.cast(tl.trans(x), bf16).str() == "bf16{8, 4}");
  BOOST_TEST(tl.cast(tl.arange(0, 5), f32).str() == "f32{5}");
  BOOST_TEST(pe.commands.size() == 3U);
  BOOST_TEST(tl::describe(pe.commands.at(0)) == "math mul 32");
  BOOST_TEST(tl.cast(x, f16).data() == x.data());  // the same block: known
  BOOST_TEST(pe.commands.size() == 3U);
}

BOOST_AUTO_TEST_CASE(every_math_operation_is_one_simple_command) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Handle x = tl.full({4, 4}, 1, f32), i = tl.full({4, 4}, 1, i32);
  tl.exp(x), tl.log(x), tl.sqrt(x), tl.rsqrt(x), tl.abs(x), tl.sigmoid(x), tl.cos(x), tl.sin(x),
      tl.tanh(x), tl.relu(x), tl.gelu(x), tl.silu(x), tl.exp2(x), tl.log2(x), tl.erf(x), tl.asin(x),
      tl.acos(x), tl.atan(x), tl.log1p(x), tl.expm1(x), tl.floor(x), tl.ceil(x), tl.rint(x),
      tl.trunc(x), tl.logical_not(x), tl.bitwise_not(i), tl.randint(7, i), tl.rand(7, i),
      tl.randn(7, i);
  tl.add(x, x), tl.sub(x, x), tl.mul(x, x), tl.div(x, x), tl.maximum(x, x), tl.minimum(x, x),
      tl.mod(x, x), tl.atan2(x, x), tl.pow(x, x), tl.idiv(i, i), tl.eq(x, x), tl.ne(x, x),
      tl.lt(x, x), tl.le(x, x), tl.gt(x, x), tl.ge(x, x), tl.logical_and(x, x), tl.logical_or(x, x),
      tl.bitwise_and(i, i), tl.bitwise_or(i, i), tl.bitwise_xor(i, i), tl.shl(i, i), tl.shr(i, i);
  tl.fma(x, x, x), tl.clamp(x, 0.0, 1.0), tl.where(x, x, x);
  tl.sum(x, 0), tl.max(x, 0), tl.min(x, 0), tl.softmax(x), tl.argmax(x), tl.argmin(x), tl.any(x, 0),
      tl.all(x, 0), tl.xor_sum(i, 0);
  tl.cumsum(x), tl.cumprod(x), tl.sort(x), tl.topk(x, 2);
  tl.cat({tl.slice(x, 0, 2), tl.slice(x, 2, 4)}), tl.flip(x), tl.gather(x, i, 0),
      tl.update(x, tl.slice(x, 0, 1), {1, 0});
  // The calls above are in the order of the operations; those without a call of their own:
  const auto text_of = [](MathOp op) { return "math " + std::string(name_of(op)) + " 16"; };
  std::vector<MathOp> unnamed;
  std::size_t named = 0;
  for (int number = 0; number < math_op_count; ++number) {
    const auto op = static_cast<MathOp>(number);
    if (named < pe.commands.size() && tl::describe(pe.commands.at(named)) == text_of(op)) {
      ++named;
    } else {
      unnamed.push_back(op);
    }
  }
  BOOST_TEST(named == pe.commands.size());
  for (const MathOp op : unnamed) {
    const std::vector<tl::Operand> operands(static_cast<std::size_t>(operand_count(op)),
                                            takes_integers_only(op) ? i : x);
    tl.math(op, operands);
    BOOST_TEST(tl::describe(pe.commands.back()) == text_of(op));
  }
}

BOOST_AUTO_TEST_CASE(views_share_the_block_and_cost_nothing) {
  FakePe pe;
  tl::Program tl(pe);
  write(pe, 0x1000, {0, 1, 2, 3, 4, 5});
  const tl::Handle x = tl.load(at_1000, {2, 3}, f32);
  const std::uint64_t used = pe.scratch().used_bytes();
  const tl::Handle turned = tl.trans(x), row = tl.slice(x, 1, 2), flat = tl.reshape(x, {6}),
                   wide = tl.broadcast_to(row, {2, 3});
  BOOST_TEST(turned.data() == (std::vector<double>{0, 3, 1, 4, 2, 5}));
  BOOST_TEST(row.data() == (std::vector<double>{3, 4, 5}));
  BOOST_TEST(flat.at({4}) == 4);
  BOOST_TEST(wide.data() == (std::vector<double>{3, 4, 5, 3, 4, 5}));
  BOOST_TEST(pe.commands.size() == 1);
  BOOST_TEST(pe.scratch().used_bytes() == used);
  tl.store(at_2000, turned);  // bytes of a view are stored in row-major order
  BOOST_TEST(tl.load(at_2000, {6}, f32).data() == (std::vector<double>{0, 3, 1, 4, 2, 5}));
}

BOOST_AUTO_TEST_CASE(arange_indices_zeros_and_full_are_known_and_issue_nothing) {
  FakePe pe;
  tl::Program tl(pe);
  BOOST_TEST(tl.arange(2, 5).data() == (std::vector<double>{2, 3, 4}));
  BOOST_TEST(tl.indices({7, 0, -1}).index_values() == (std::vector<std::int64_t>{7, 0, -1}));
  BOOST_TEST(tl.zeros({2}).data() == (std::vector<double>{0, 0}));
  BOOST_TEST(tl.full({2}, 0.1, f16).data() ==
             (std::vector<double>{0.0999755859375, 0.0999755859375}));
  BOOST_TEST(pe.commands.empty());
  BOOST_CHECK_THROW(tl.arange(2, 2), UsageError);
  BOOST_CHECK_THROW(tl.indices({}), UsageError);
  BOOST_CHECK_THROW(tl.indices({0, std::int64_t{1} << 40}), UsageError);
}

// --- pointers ---

BOOST_AUTO_TEST_CASE(an_access_outside_the_tensor_is_a_fault_that_names_it) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Ptr a(tl::TensorInfo::whole("a", 0x1000, {4, 4}, f32));  // 64 bytes
  BOOST_CHECK_NO_THROW(tl.load(a + 48, {4}, f32));
  BOOST_CHECK_EXCEPTION(
      tl.load(a + 52, {4}, f32), AccessFault,
      with_text("tl.load: 16 bytes at a + 52 are not all inside tensor 'a' of 64 bytes"));
  BOOST_CHECK_EXCEPTION(tl.store(a - 4, tl.zeros({1}, f32)), AccessFault, with_text("a - 4"));
  BOOST_CHECK_THROW(tl.ref(a, {5, 4}, f32), AccessFault);
  BOOST_CHECK_THROW(tl.composite(tl::gemm(tl.zeros({8, 8}, f32), tl.zeros({8, 8}, f32)).to(a)),
                    AccessFault);
}

BOOST_AUTO_TEST_CASE(a_pointer_knows_the_type_that_it_points_to) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Ptr a(tl::TensorInfo::whole("a", 0x1000, {4, 4}, f32));
  BOOST_CHECK_EXCEPTION(tl.load(a, {4}, f16), UsageError, with_text("which holds f32"));
  BOOST_CHECK_THROW(tl.store(a, tl.zeros({4}, f16)), UsageError);
  BOOST_CHECK_NO_THROW(tl.load(a.as(f16), {4}, f16));
}

BOOST_AUTO_TEST_CASE(an_access_over_two_shards_gathers_their_bytes) {
  FakePe pe;
  pe.split = 0x1008;
  tl::Program tl(pe);
  write(pe, 0x1000, {1, 2, 3, 4});
  BOOST_TEST(tl.load(at_1000, {4}, f32).data() == (std::vector<double>{1, 2, 3, 4}));
  tl.store(at_1000 + 4, tl.full({2}, 8, f32));
  pe.split = 0;
  BOOST_TEST(tl.load(at_1000, {4}, f32).data() == (std::vector<double>{1, 8, 8, 4}));
}

// --- identity, control ---

// The PE is 2 of cube 1.
BOOST_AUTO_TEST_CASE(program_ids_and_counts_are_those_of_the_launch) {
  FakePe pe;
  tl::Program tl(pe);
  const auto ids = [&tl] {
    return std::vector<int>{tl.program_id(0), tl.program_id(1), tl.program_id(2)};
  };
  const auto counts = [&tl] {
    return std::vector<int>{tl.num_programs(0), tl.num_programs(1), tl.num_programs(2)};
  };
  const auto per_element = boost::test_tools::per_element();
  pe.launch_.grid = {{0, 1, 2, 3}, {0, 1}, {0, 1}};
  BOOST_TEST(ids() == (std::vector<int>{2, 1, 0}), per_element);
  BOOST_TEST(counts() == (std::vector<int>{4, 2, 2}), per_element);
  pe.launch_.grid = {{2, 5}, {1}, {0}};
  BOOST_TEST(ids() == (std::vector<int>{0, 0, 0}), per_element);
  BOOST_TEST(counts() == (std::vector<int>{2, 1, 1}), per_element);
  pe.launch_.grid = {};  // from the targets
  pe.launch_.targets = {{0, 0, 1}, {0, 0, 2}, {0, 1, 1}, {0, 1, 2}};
  BOOST_TEST(ids() == (std::vector<int>{1, 1, 0}), per_element);
  BOOST_TEST(counts() == (std::vector<int>{2, 2, 1}), per_element);
  BOOST_TEST((tl.pe_id() == PeId{0, 1, 2}));
  BOOST_CHECK_THROW(tl.program_id(3), UsageError);
  BOOST_CHECK_THROW(tl.num_programs(-1), UsageError);
}

BOOST_AUTO_TEST_CASE(cycles_are_spent_on_the_pe_cpu_and_cdiv_rounds_up) {
  FakePe pe;
  tl::Program tl(pe);
  tl.cycles(40);
  BOOST_TEST(pe.cycles_spent == 40);
  BOOST_TEST(tl::Program::cdiv(9, 4) == 3);
  BOOST_TEST(tl::Program::cdiv(8, 4) == 2);
  BOOST_CHECK_THROW(tl::Program::cdiv(8, 0), UsageError);
}

BOOST_AUTO_TEST_SUITE_END()
