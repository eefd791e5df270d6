// Commands left in flight (spec 6): asynchronous loads and stores, tl::Overlap, and what waits for
// them. The commands of the PE complete when the test or a wait says so.
#include "sw/tl/overlap.h"

#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "models/data/elements.h"
#include "sw/tl/prefetch.h"
#include "tests/support/error_text.h"
#include "tests/tl/fake_pe.h"

using namespace kernbench;
using kernbench::test::FakePe;
using kernbench::test::with_text;

BOOST_AUTO_TEST_SUITE(overlap)

namespace {

using Waits = std::vector<std::uint64_t>;

void write(FakePe& pe, std::uint64_t pa, const std::vector<float>& values) {
  pe.functional_model.memory().write_bytes(pa, values.data(), values.size() * 4);
}

const tl::Ptr at_1000{std::uint64_t{0x1000}};
const tl::Ptr at_2000{std::uint64_t{0x2000}};
const tl::Ptr at_3000{std::uint64_t{0x3000}};

struct BusyPe : FakePe {
  explicit BusyPe(std::uint64_t scratch_bytes = 1 << 20) : FakePe(true, scratch_bytes) {
    completes_at_once = false;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(an_asynchronous_load_binds_at_its_issue_and_the_first_use_waits) {
  BusyPe pe;
  tl::Program tl(pe);
  write(pe, 0x1000, {1, 2});
  const tl::Handle x = tl.load_async(at_1000, {2}, f32);
  BOOST_TEST(pe.waits.empty());
  write(pe, 0x1000, {9, 9});
  BOOST_TEST(x.shape().elements() == 2);  // no values: no wait
  BOOST_TEST(pe.waits.empty());
  BOOST_TEST(x.data() == (std::vector<double>{1, 2}));
  BOOST_TEST(pe.waits == (Waits{0}));
  tl.exp(x);  // complete by now: waits for itself alone
  BOOST_TEST(pe.waits == (Waits{0, 1}));
}

BOOST_AUTO_TEST_CASE(an_asynchronous_store_is_visible_at_its_issue_and_its_block_may_be_used) {
  BusyPe pe;
  tl::Program tl(pe);
  const tl::Handle x = tl.full({2}, 3, f32);
  const tl::Handle stored = tl.store_async(at_1000, x);
  const TensorValue seen = pe.functional_model.view({{0x1000, 4}}, {1}, f32);
  BOOST_TEST(read_element(pe.functional_model.bytes(seen).data(), f32) == 3);
  BOOST_TEST(x.data() == (std::vector<double>{3, 3}));
  BOOST_TEST(pe.waits.empty());
  BOOST_CHECK_EXCEPTION(tl.load(at_1000, {2}, f32), UsageError, with_text("tl.wait for it first"));
  tl.wait(stored);
  BOOST_TEST(pe.waits == (Waits{0}));
  BOOST_TEST(stored.data() == (std::vector<double>{3, 3}));
  BOOST_TEST(tl.load(at_1000, {2}, f32).data() == (std::vector<double>{3, 3}));
}

BOOST_AUTO_TEST_CASE(what_a_load_in_flight_reads_is_not_overwritten_before_its_use) {
  BusyPe pe;
  tl::Program tl(pe);
  const tl::Handle x = tl.load_async(at_1000, {2}, f32), zero = tl.zeros({2}, f32);
  BOOST_CHECK_EXCEPTION(tl.store(at_1000, zero), UsageError, with_text("tl.wait for it first"));
  BOOST_CHECK_EXCEPTION(tl.store_async(at_1000, zero), UsageError, with_text("overwrites"));
  tl.exp(x);
  BOOST_CHECK_NO_THROW(tl.store(at_1000, zero));
}

BOOST_AUTO_TEST_CASE(a_wait_without_a_handle_is_for_all_that_is_in_flight) {
  BusyPe pe;
  tl::Program tl(pe);
  const tl::Handle a = tl.load_async(at_1000, {4}, f32), b = tl.load_async(at_2000, {4}, f32);
  tl.composite(tl::math(MathOp::exp, {tl.ref(at_1000, {4}, f32)}).to(at_3000));
  tl.wait();
  BOOST_TEST(pe.waits == (Waits{0, 1, 2}));
  tl.wait();
  tl.wait(a);
  BOOST_TEST(pe.waits.size() >= 3U);
  for (const auto& state : pe.states) BOOST_TEST(state->done());
}

BOOST_AUTO_TEST_CASE(a_wait_for_a_handle_is_for_its_command_and_pays_dispatch) {
  BusyPe pe;
  tl::Program tl(pe);
  const tl::Handle a = tl.load_async(at_1000, {4}, f32), b = tl.load_async(at_2000, {4}, f32);
  const std::uint64_t dispatches = pe.dispatches;
  tl.wait(b);
  BOOST_TEST(pe.waits == (Waits{1}));
  BOOST_TEST(!pe.states.at(0)->done());
  tl.wait(tl.zeros({4}));  // nothing makes it
  BOOST_TEST(pe.waits == (Waits{1}));
  BOOST_TEST(pe.dispatches == dispatches + 2);
  BOOST_CHECK_EXCEPTION(tl.wait(tl::Handle()), UsageError, with_text("before it is made"));
}

BOOST_AUTO_TEST_CASE(under_overlap_computations_return_at_their_issue) {
  BusyPe pe;
  tl::Program tl(pe);
  const tl::Handle a = tl.full({4, 4}, 1, f16), b = tl.full({4, 4}, 2, f16);
  {
    const tl::Overlap overlap(tl);
    const tl::Handle c = tl.dot(a, b), d = tl.exp(a);
    BOOST_TEST(pe.waits.empty());
    const tl::Handle e = c + 1.0;  // needs c
    BOOST_TEST(pe.waits == (Waits{0}));
    { const tl::Overlap inner(tl); }
    tl.sum(e, 0);
    BOOST_TEST(pe.waits == (Waits{0, 2}));
    BOOST_TEST(!pe.states.at(1)->done());
    tl.store(at_1000, d);
    BOOST_TEST(pe.waits == (Waits{0, 2, 1, 4}));
  }
  tl.exp(a);
  BOOST_TEST(pe.waits.back() == 5U);
}

// No time passes where only the shape changes.
// Both results of one command are in flight, and in use by it.
BOOST_AUTO_TEST_CASE(under_overlap_operations_of_every_kind_return_at_their_issue) {
  BusyPe pe;
  tl::Program tl(pe);
  const tl::Overlap overlap(tl);
  const tl::Handle x = tl.zeros({4, 8}, f32);
  const tl::ValuesAndIndices best = tl.topk_with_indices(x, 2);
  const tl::Handle running = tl.cumsum(x, 1), mask = x < 1.0, bits = tl.rand(1, tl.arange(0, 4));
  BOOST_TEST(pe.commands.size() == 4U);
  BOOST_TEST(pe.waits.empty());
  tl.slice(running, 1, 0, 8, 2);  // views
  tl.expand_dims(tl.permute(best.indices, {1, 0}), 0);
  tl.bitcast(bits, i32);
  BOOST_TEST(pe.waits.empty());
  tl.where(mask, running, 0.0);
  BOOST_TEST(pe.waits == (Waits{2, 1}));
  tl.wait(best.indices);
  tl.add(best.values, 1.0);  // of the same command
  BOOST_TEST(pe.waits == (Waits{2, 1, 0}));
  tl.wait();
  BOOST_TEST(pe.waits == (Waits{2, 1, 0, 3, 4, 5}));
}

BOOST_AUTO_TEST_CASE(views_do_not_wait_and_their_uses_do) {
  BusyPe pe;
  tl::Program tl(pe);
  write(pe, 0x1000, {1, 2, 3, 4});
  const tl::Handle x = tl.load_async(at_1000, {2, 2}, f32);
  const tl::Handle turned = tl.trans(x), row = tl.slice(x, 1, 2), flat = tl.reshape(x, {4}),
                   wide = tl.broadcast_to(tl.slice(flat, 0, 1), {3});
  BOOST_TEST(pe.waits.empty());
  BOOST_TEST(turned.data() == (std::vector<double>{1, 3, 2, 4}));
  BOOST_TEST(pe.waits == (Waits{0}));
  BOOST_TEST(row.data() == (std::vector<double>{3, 4}));
  BOOST_TEST(wide.data() == (std::vector<double>{1, 1, 1}));
  tl.store(at_2000, turned);
  BOOST_TEST(tl.load(at_2000, {4}, f32).data() == (std::vector<double>{1, 3, 2, 4}));
}

BOOST_AUTO_TEST_CASE(commands_in_flight_keep_operands_and_results) {
  BusyPe pe;
  tl::Program tl(pe);
  const tl::Overlap overlap(tl);
  tl.load_async(at_1000, {16}, f32);                     // 64 bytes, dropped
  tl.dot(tl.zeros({4, 4}, f32), tl.zeros({4, 4}, f32));  // 3 x 64, dropped
  tl.store_async(at_2000, tl.zeros({16}, f32));          // 64
  BOOST_TEST(pe.scratch().used_bytes() == 5 * 64);
  for (const auto& state : pe.states) state->complete();
  const tl::Handle next = tl.zeros({4}, f32);
  BOOST_TEST(pe.scratch().used_bytes() == 16);
}

// 4 blocks of 64 bytes fit: the fifth computation waits for the first one.
BOOST_AUTO_TEST_CASE(a_full_scratch_waits_for_the_oldest_command) {
  BusyPe pe(5 * 64);
  tl::Program tl(pe);
  const tl::Overlap overlap(tl);
  const tl::Handle x = tl.full({16}, 1, f32);
  for (int i = 0; i < 4; ++i) tl.exp(x);
  BOOST_TEST(pe.waits.empty());
  tl.exp(x);
  BOOST_TEST(pe.waits == (Waits{0}));
  BOOST_CHECK_EXCEPTION(tl.zeros({65}, f32), AllocationError, with_text("no room for f32{65}"));
  BOOST_TEST(pe.waits == (Waits{0, 1, 2, 3, 4}));  // nothing was left to wait for
}

BOOST_AUTO_TEST_CASE(a_fault_of_a_command_in_flight_is_thrown_at_the_first_use) {
  BusyPe pe;
  tl::Program tl(pe);
  const tl::Handle x = tl.load_async(at_1000, {4}, f32);
  pe.states.at(0)->fail("no answer");
  pe.states.at(0)->complete();
  BOOST_CHECK_EXCEPTION(tl.exp(x), AccessFault, with_text("no answer"));
}

// --- blocks of tensors

BOOST_AUTO_TEST_CASE(every_form_of_load_and_store_can_be_left_in_flight) {
  BusyPe pe;
  tl::Program tl(pe);
  const auto tensor = tl::TensorInfo::whole("x", 0x1000, {2, 3}, f32);
  write(pe, 0x1000, {1, 2, 3, 4, 5, 6});
  // Its columns as rows, and a row beyond the tensor.
  const tl::BlockPtr columns = tl.make_block_ptr(tl::Ptr(tensor), {3, 2}, {1, 3}, {0, 0}, {4, 2});
  const tl::Handle x = tl.load_async(columns, {{0}});
  const tl::Handle lanes = tl.arange(0, 2);
  const tl::Handle y =
      tl.load_async(tl::Ptr(tensor), lanes, f32, tl::Masked{tl.full({2}, 0, i8), -1.0});
  BOOST_TEST(pe.waits.empty());
  write(pe, 0x1000, {9, 9, 9, 9, 9, 9});
  BOOST_TEST(x.str() == "f32{4, 2}");
  BOOST_TEST(pe.waits.empty());
  BOOST_TEST(tl.trans(x).data() == (std::vector<double>{1, 2, 3, 0, 4, 5, 6, 0}));
  BOOST_TEST(pe.waits == (Waits{0}));
  BOOST_TEST(y.data() == (std::vector<double>{-1, -1}));
  BOOST_TEST(pe.waits == (Waits{0, 1}));
  const tl::Handle stored = tl.store_async(columns, x, {{0}});
  BOOST_CHECK_EXCEPTION(tl.load(tl::Ptr(tensor), {6}, f32), UsageError,
                        with_text("tl.store_async"));
  tl.wait(stored);
  BOOST_TEST(tl.load(tl::Ptr(tensor), {6}, f32).data() == (std::vector<double>{1, 2, 3, 4, 5, 6}));
  const tl::TensorDescriptor rows =
      tl.make_tensor_descriptor(tl::Ptr(tensor), {2, 3}, {3, 1}, {1, 3});
  tl.wait(rows.store_async({0, 0}, tl.full({1, 3}, 7, f32)));
  BOOST_TEST(rows.load_async({0, 0}).data() == (std::vector<double>{7, 7, 7}));
}

// --- products that accumulate

BOOST_AUTO_TEST_CASE(a_moved_accumulator_gives_its_bytes_to_the_sum) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Handle a = tl.full({2, 3}, 1, f16), b = tl.full({3, 2}, 2, f16);
  tl::Handle acc = tl.zeros({2, 2}, f32);
  const std::uint64_t used = pe.scratch().used_bytes();
  for (int i = 0; i < 3; ++i) acc = tl.dot(a, b, std::move(acc));
  BOOST_TEST(pe.scratch().used_bytes() == used);
  const tl::Handle kept = acc;
  acc = tl.dot(a, b, std::move(acc));  // another handle has the bytes
  BOOST_TEST(pe.scratch().used_bytes() == used + 16);
  const tl::Handle sum = tl.dot(a, b, acc);
  BOOST_TEST(pe.scratch().used_bytes() == used + 32);
  BOOST_TEST(tl::describe(pe.commands.back()) == "dot 2x3x2 f16 accumulates");
  BOOST_TEST(std::get<DotCommand>(pe.commands.back().what).operands.size() == 4U);
  tl.dot(sum, sum, tl.trans(tl.zeros({2, 2}, f32)));  // no dense block: a new one
  const tl::Handle whole = tl.zeros({4, 2}, f32);
  tl.dot(a, b, tl.slice(whole, 0, 2));
  BOOST_TEST(pe.scratch().used_bytes() == used + 32 + 32);
}

BOOST_AUTO_TEST_CASE(an_accumulator_in_flight_is_taken_over_when_it_is_there) {
  BusyPe pe;
  tl::Program tl(pe);
  const tl::Handle a = tl.full({2, 3}, 1, f16), b = tl.full({3, 2}, 2, f16);
  tl::Handle acc = tl.zeros({2, 2}, f32);
  const std::uint64_t used = pe.scratch().used_bytes();
  const tl::Overlap overlap(tl);
  for (int i = 0; i < 3; ++i) acc = tl.dot(a, b, std::move(acc));
  BOOST_TEST(pe.waits == (Waits{0, 1}));
  BOOST_TEST(pe.scratch().used_bytes() == used);
  tl.wait();
  tl.store_async(at_1000, acc);
  acc = tl.dot(a, b, std::move(acc));  // the store reads it still
  BOOST_TEST(pe.scratch().used_bytes() == used + 16);
}

BOOST_AUTO_TEST_CASE(an_accumulator_has_the_shape_of_the_product_and_the_dtype_of_its_sums) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Handle a = tl.full({2, 3}, 1, f16), b = tl.full({3, 4}, 2, f16);
  BOOST_CHECK_EXCEPTION(tl.dot(a, b, tl.zeros({2, 4}, f16)), UsageError,
                        with_text("accumulator f16{2, 4}: must be f32{2, 4}"));
  BOOST_CHECK_EXCEPTION(tl.dot(a, b, tl.zeros({4, 2}, f32)), UsageError,
                        with_text("accumulator f32{4, 2}: must be f32{2, 4}"));
  const tl::Handle i = tl.full({2, 2}, 1, i8);
  BOOST_CHECK_EXCEPTION(tl.dot(i, i, tl.zeros({2, 2}, f32)), UsageError, with_text("must be i32"));
  BOOST_TEST((tl.dot(i, i, tl.zeros({2, 2}, i32)).dtype() == i32));
  tl::Handle acc = tl.zeros({3, 3}, f32);
  BOOST_CHECK_NO_THROW(tl.dot(acc, acc, std::move(acc)));  // all three, the same block
}

// --- batches

BOOST_AUTO_TEST_CASE(a_product_of_three_axes_is_one_command) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Handle a = tl.zeros({5, 2, 3}), b = tl.zeros({5, 3, 4});
  BOOST_TEST(tl.dot(a, b).str() == "f16{5, 2, 4}");
  BOOST_TEST(tl.dot(a, b, tl.zeros({5, 2, 4}, f32)).str() == "f32{5, 2, 4}");
  BOOST_TEST(pe.commands.size() == 2U);
  BOOST_TEST(tl::describe(pe.commands.at(0)) == "dot 5 of 2x3x4 f16");
  BOOST_CHECK_EXCEPTION(tl.dot(a, tl.zeros({4, 3, 4})), UsageError,
                        with_text("batches of 5 and 4 products"));
  BOOST_CHECK_EXCEPTION(tl.dot(a, tl.zeros({5, 4, 4})), UsageError, with_text("3 and 4 differ"));
  BOOST_CHECK_EXCEPTION(tl.dot(a, tl.zeros({3, 4})), UsageError, with_text("two axes"));
  BOOST_CHECK_EXCEPTION(tl.composite(tl::gemm(a, b)), UsageError, with_text("two axes"));
}

// A load is issued one iteration ahead, none behind the last one.
BOOST_AUTO_TEST_CASE(prefetch_loads_one_iteration_ahead) {
  std::vector<std::int64_t> issued;
  const auto load = [&issued](std::int64_t i) {
    issued.push_back(i);
    return 10 * i;
  };
  tl::Prefetch none(0, load);
  BOOST_TEST(issued.empty());
  tl::Prefetch loads(3, load);
  for (std::int64_t i = 0; i < 3; ++i) {
    BOOST_TEST(issued.back() == i);
    BOOST_TEST(loads.next() == 10 * i);
  }
  BOOST_TEST((issued == std::vector<std::int64_t>{0, 1, 2}));
}

BOOST_AUTO_TEST_SUITE_END()
