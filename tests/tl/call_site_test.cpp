// The line of every call of a kernel, as reports of faults and errors name it.
#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "platform/phase2/data_executor.h"
#include "sw/tl/program.h"
#include "tests/support/error_text.h"
#include "tests/tl/fake_pe.h"

using namespace kernbench;
using kernbench::test::FakePe;
using kernbench::test::with_text;

BOOST_AUTO_TEST_SUITE(call_sites)

namespace {

struct Kernel {
  FakePe pe;
  DataExecutor executor{pe.functional_model, 1};
  tl::Program tl{pe};
  Kernel() { executor.start_eager(); }

  // The latest call is this one, of this line.
  void told(const std::string& call, CallSite site = CallSite::here()) const {
    BOOST_TEST(pe.last_call() == call);
    BOOST_TEST(pe.call_site().str() == site.str(), call << " at " << pe.call_site().str());
  }
};

std::string line(CallSite site = CallSite::here()) { return site.str(); }

const tl::Ptr at_1000(std::uint64_t{0x1000});

}  // namespace

BOOST_AUTO_TEST_CASE(calls_of_pe_math_tell_their_line) {
  Kernel k;
  tl::Program& tl = k.tl;
  const tl::Handle x = tl.full({2, 4}, 2, f32), i = tl.arange(0, 4);
  // clang-format off
  tl.exp(x); k.told("exp");
  tl.sqrt_rn(x); k.told("sqrt");
  tl.add(x, x); k.told("add");
  tl.sub(1.0, x); k.told("sub");
  tl.fdiv(x, 2); k.told("div");
  tl.fma(x, 2, x); k.told("fma");
  tl.clamp(x, 0, 1); k.told("clamp");
  tl.where(x, 1.0, x); k.told("where");
  tl.cdiv(i, 2); k.told("idiv");
  tl.cdiv(i, i); k.told("idiv");
  tl.eq(x, x); k.told("eq");
  tl.logical_not(x); k.told("logical_not");
  tl.bitwise_not(i); k.told("bitwise_not");
  tl.shl(i, 1); k.told("shl");
  tl.sum(x, 1); k.told("sum");
  tl.max(x, {0, 1}, false); k.told("reshape");  // without the axes
  tl.softmax(x); k.told("softmax");
  tl.argmax(x); k.told("argmax");
  tl.min_with_indices(x); k.told("argmin");
  tl.cumsum(x); k.told("cumsum");
  tl.sort(x); k.told("sort");
  tl.sort_with_indices(x); k.told("sort");
  tl.topk(x, 2); k.told("topk");
  tl.topk_with_indices(x, 2); k.told("topk");
  tl.cat({x, x}); k.told("cat");
  tl.join(x, x); k.told("cat");
  tl.interleave(x, x); k.told("reshape");
  tl.flip(x); k.told("flip");
  tl.gather(x, tl.zeros({2, 4}, i32), 1); k.told("gather");
  tl.update(x, x, {0, 0}); k.told("update");
  tl.rand(1, i); k.told("rand");
  tl.math(MathOp::mul, {x, x}, {}, f16); k.told("mul");
  tl.cast(x, f16); k.told("mul");
  x.to(f16); k.told("mul");
  tl.histogram(i, 4); k.told("reshape");
  tl.reduce(i, 0, [](const auto& a, const auto&) { return a; }); k.told("slice");
  // clang-format on
}

BOOST_AUTO_TEST_CASE(operators_tell_their_line) {
  Kernel k;
  const tl::Handle x = k.tl.full({2}, 2, f32), i = k.tl.arange(0, 2);
  // clang-format off
  x + x; k.told("add");
  x - 1; k.told("sub");
  2.0 * x; k.told("mul");
  x / x; k.told("div");
  i % 2; k.told("mod");
  x < 1; k.told("lt");
  1 >= x; k.told("ge");
  (x == x) & (x != 0); k.told("bitwise_and");
  1 << i; k.told("shl");
  -x; k.told("mul");
  ~i; k.told("bitwise_not");
  // clang-format on
  const tl::Handle y = 2.0 * (x + 1);
  BOOST_TEST(y.shape()[0] == 2);
  BOOST_TEST(k.pe.last_call() == std::string("mul"));
}

BOOST_AUTO_TEST_CASE(views_memory_and_metadata_tell_their_line) {
  Kernel k;
  tl::Program& tl = k.tl;
  const tl::Ptr p = at_1000.as(f32);
  const tl::Handle x = tl.full({2, 2}, 2, f32);
  // clang-format off
  tl.program_id(); k.told("program_id");
  tl.num_programs(1); k.told("num_programs");
  tl.connected("E"); k.told("connected");
  BOOST_CHECK_THROW(tl.ring_slots("E"), UsageError); k.told("ring_slots");
  tl.trans(x); k.told("trans");
  tl.permute(x, {1, 0}); k.told("permute");
  tl.ravel(x); k.told("reshape");
  tl.expand_dims(x, 0); k.told("expand_dims");
  tl.slice(x, 0, 1); k.told("slice");
  tl.split(x); k.told("reshape");
  tl.broadcast_to(x, {2, 2, 2}); k.told("broadcast_to");
  tl.broadcast(x, x); k.told("broadcast_to");
  tl.bitcast(x, i32); k.told("bitcast");
  tl.arange(0, 2); k.told("arange");
  tl.indices({0, 2}); k.told("indices");
  tl.zeros({2}); k.told("full");
  tl.zeros_like(x); k.told("full");
  tl.full({2}, 1); k.told("full");
  tl.ref(p, {2}, f32); k.told("ref");
  tl.store(p, x); k.told("store");
  tl.load(p, {2}, f32); k.told("load");
  tl.atomic_add(p, 1); k.told("atomic_add");
  tl.dot(x, x); k.told("dot");
  tl.wait(); k.told("wait");
  tl.cycles(1); k.told("cycles");
  tl.device_print("x", x); k.told("device_print");
  tl.device_assert(x); k.told("device_assert");
  const tl::BlockPtr b = tl.make_block_ptr(p, {2, 2}, {2, 1}, {0, 0}, {1, 2}); k.told("make_block_ptr");
  tl.advance(b, {1, 0}); k.told("advance");
  const tl::TensorDescriptor d = tl.make_tensor_descriptor(p, {2, 2}, {2, 1}, {1, 2}); k.told("make_tensor_descriptor");
  d.at({0, 0}); k.told("advance");
  d.load({0, 0}); k.told("load");
  d.ref({0, 0}); k.told("ref");
  const tl::Handle rows = tl.arange(0, 2);
  d.gather(rows); k.told("gather");
  d.scatter(d.gather_async(rows), rows); k.told("scatter");
  // clang-format on
}

// An error before a call begins is reported with its line, too.
BOOST_AUTO_TEST_CASE(errors_belong_to_the_call_that_makes_them) {
  Kernel k;
  tl::Program& tl = k.tl;
  const tl::Handle x = tl.full({3}, 2, f32);
  // clang-format off
  BOOST_CHECK_THROW(tl.rand(1, x, 0), UsageError); k.told("rand");
  BOOST_CHECK_THROW(tl.split(x), UsageError); k.told("split");
  BOOST_CHECK_THROW(tl.slice(x, 1, 9), UsageError); k.told("slice");
  BOOST_CHECK_THROW(tl.cat({}), UsageError); k.told("cat");
  BOOST_CHECK_THROW(tl.join(x, tl.full({4}, 1)), UsageError); k.told("broadcast");
  BOOST_CHECK_THROW(tl.wait(tl::Composite()), UsageError); k.told("wait");
  BOOST_CHECK_THROW(tl.recv("", {1}, f32), UsageError); k.told("recv");
  BOOST_CHECK_THROW(tl.math(MathOp::rand, {x}), UsageError); k.told("math");
  BOOST_CHECK_EXCEPTION(x + tl::Handle(), UsageError, with_text("before it is made")); k.told("add");
  BOOST_CHECK_EXCEPTION(tl::Handle() + x, UsageError, with_text("is made (" + line() + ")"));
  BOOST_CHECK_EXCEPTION(1.0 + tl::Handle(), UsageError, with_text("is made (" + line() + ")"));
  BOOST_CHECK_EXCEPTION(tl.static_assert_(false, "no"), UsageError, with_text("(" + line() + "): no"));
  BOOST_CHECK_EXCEPTION(tl.assume(false), UsageError, with_text("tl.assume (" + line() + ")"));
  BOOST_CHECK_EXCEPTION(tl.cdiv(-1, 2), UsageError, with_text("tl.cdiv(-1, 2) (" + line() + ")"));
  BOOST_CHECK_EXCEPTION(tl::Composite().result(), UsageError, with_text("(" + line() + ")"));
  BOOST_CHECK_EXCEPTION(tl.ref(at_1000, {1}, f32).item(), UsageError, with_text("are read at " + line()));
  // clang-format on
}

BOOST_AUTO_TEST_CASE(values_that_are_pending_name_the_line_that_reads_them) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Handle x = tl.exp(tl.load(at_1000, {1}, f32));
  // clang-format off
  BOOST_CHECK_EXCEPTION(x.item(), PendingDataError, with_text("are read at " + line() + ", but a compute result"));
  // clang-format on
}

BOOST_AUTO_TEST_SUITE_END()
