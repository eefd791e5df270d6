// Order of accesses inside a kernel: what a command that has not been waited for writes is neither
// read nor overwritten, and what it reads is not overwritten, whether it has completed or not
// (spec 6).
#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "sw/tl/program.h"
#include "tests/support/error_text.h"
#include "tests/tl/fake_pe.h"

using namespace kernbench;
using kernbench::test::FakePe;
using kernbench::test::with_text;

BOOST_AUTO_TEST_SUITE(order_test)

namespace {

const tl::TensorInfoPtr a_info = tl::TensorInfo::whole("a", 0x1000, {32, 32}, f16),
                        b_info = tl::TensorInfo::whole("b", 0x2000, {32, 32}, f16),
                        out_info = tl::TensorInfo::whole("out", 0x3000, {32, 32}, f16);

// A product of memory to memory, in flight.
struct InFlight {
  explicit InFlight(bool completes_at_once = false, bool with_data = true) : pe(with_data) {
    pe.completes_at_once = completes_at_once;
    line = __LINE__ + 1;
    product = tl.composite(tl::gemm(tl.ref(a, {32, 32}, f16), tl.ref(b, {32, 32}, f16)).to(out));
    pe.completes_at_once = true;
  }
  std::string at_line(const std::string& call) const {
    return call + " (order_test.cpp:" + std::to_string(line) + ")";
  }

  FakePe pe;
  tl::Program tl{pe};
  tl::Ptr a{a_info}, b{b_info}, out{out_info};
  tl::Composite product;
  int line = 0;
};

template <class Call>
void refused(InFlight& in_flight, Call call, const std::vector<std::string>& parts) {
  std::vector<std::string> all = parts;
  all.push_back(in_flight.at_line("tl.composite(gemm)"));
  all.push_back("; tl.wait for it first");
  BOOST_CHECK_EXCEPTION(call(), UsageError, with_text(all));
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_in_flight_is_not_read) {
  for (const bool completed : {false, true}) {
    for (const bool with_data : {true, false}) {
      InFlight k(completed, with_data);
      const int line = __LINE__ + 1;
      refused(k, [&] { k.tl.load(k.out + 2046, {1}, f16); },
              {"tl.load of 'out + 2046' (order_test.cpp:" + std::to_string(line) + ") reads what ",
               " writes"});
      refused(k, [&] { k.tl.send("E", k.out, {4}, f16); }, {"tl.send of 'out' (", " reads what "});
      const tl::Handle ref = k.tl.ref(k.out, {32, 32}, f16);
      refused(k, [&] { k.tl.composite(tl::gemm(ref, ref)); },
              {"tl.composite(gemm) of 'out' (", " reads what "});
      refused(k, [&] { k.tl.composite(tl::math(MathOp::exp, {ref})); },
              {"tl.composite(exp) of 'out' (", " reads what "});
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_in_flight_is_not_overwritten) {
  for (const bool completed : {false, true}) {
    InFlight k(completed);
    const tl::Handle block = k.tl.zeros({32, 32});
    refused(k, [&] { k.tl.store(k.out, block); }, {"tl.store of 'out' (", " overwrites what "});
    refused(k, [&] { k.tl.composite(tl::gemm(block, block).to(k.out)); },
            {"tl.composite(gemm) of 'out' (", " overwrites what ", " writes"});
    refused(k,
            [&] {
              k.tl.recv("E", {32, 32}, f16, k.out, MemorySpace::hbm);
            },
            {"tl.recv of 'out' (", " overwrites what "});
    refused(k, [&] { k.tl.store(k.b, block); },
            {"tl.store of 'b' (", " overwrites what ", " reads"});
  }
}

// By the bytes that they touch: lanes that are masked off, and elements between the runs, are none.
BOOST_AUTO_TEST_CASE(blocks_with_strides_masks_and_indices_are_checked_by_their_bytes) {
  for (const bool with_data : {true, false}) {
    InFlight k(false, with_data);
    const tl::Handle lanes = k.tl.arange(0, 64) - 32, block = k.tl.zeros({64});
    const tl::Ptr behind(k.out.address());  // no tensor: lanes lie on both sides of `out`
    const tl::Handle inside = lanes >= 0.0, outside = lanes < 0.0;
    refused(k, [&] { k.tl.store(behind, lanes, block, inside); }, {"tl.store of ", " overwrites "});
    refused(k, [&] { k.tl.store_async(behind, lanes, block, inside); }, {"tl.store_async of "});
    refused(k, [&] { k.tl.load(behind, lanes, f16, tl::Masked{inside}); },
            {"tl.load of ", "reads"});
    k.tl.store(behind, lanes, block, outside);
    k.tl.load(behind, lanes, f16, tl::Masked{outside});
    const auto column = k.tl.make_block_ptr(k.b, {32, 32}, {32, 1}, {0, 7}, {32, 1});
    refused(k,
            [&] {
              k.tl.store(column, k.tl.zeros({32, 1}));
            },
            {"tl.store of 'b", " overwrites "});
    const auto table = k.tl.make_tensor_descriptor(k.out, {32, 32}, {32, 1}, {1, 32});
    refused(k, [&] { table.gather(k.tl.arange(3, 5)); }, {"gather of 'out", " reads what "});
    refused(k, [&] { table.scatter(k.tl.zeros({2, 32}), k.tl.arange(3, 5)); }, {"scatter of 'out"});
  }
}

// A composite with strides reads and writes its elements, not what lies between them.
BOOST_AUTO_TEST_CASE(composites_with_strides_are_in_flight_in_their_own_bytes) {
  FakePe pe;
  pe.completes_at_once = false;
  tl::Program tl(pe);
  const tl::Ptr x(a_info), out(out_info);
  const auto half = [&](const tl::Ptr& base, std::int64_t column) {
    return tl.make_block_ptr(base, {32, 32}, {32, 1}, {0, column}, {32, 16});
  };
  const tl::Composite c =
      tl.composite(tl::math(MathOp::exp, {tl.ref(half(x, 0))}).to(half(out, 0)));
  tl.store(half(out, 16), tl.zeros({32, 16}));
  tl.store(half(x, 16), tl.zeros({32, 16}));
  const auto first_column = tl.make_block_ptr(x, {32, 32}, {32, 1}, {0, 0}, {32, 1});
  tl.load(first_column);
  BOOST_CHECK_EXCEPTION(tl.store(first_column, tl.zeros({32, 1})), UsageError,
                        with_text({"tl.store of 'a", "overwrites", "tl.composite(exp)", "reads"}));
  BOOST_CHECK_EXCEPTION(tl.load(half(out, 8)), UsageError,
                        with_text({"tl.load of 'out", "reads", "tl.composite(exp)", "writes"}));
  tl.wait(c);
  tl.load(half(out, 8));
}

BOOST_AUTO_TEST_CASE(bytes_that_it_reads_may_be_read_and_others_written) {
  InFlight k;
  k.tl.load(k.a, {32, 32}, f16);
  k.tl.composite(tl::gemm(k.tl.ref(k.a, {32, 32}, f16), k.tl.zeros({32, 32})));
  k.tl.store(tl::Ptr(0x4000), k.tl.zeros({4}));
}

BOOST_AUTO_TEST_CASE(a_wait_of_any_kind_permits_all_accesses) {
  const auto touch = [](InFlight& k) {
    k.tl.load(k.out, {32, 32}, f16);
    k.tl.store(k.b, k.tl.zeros({32, 32}));
  };
  InFlight one, all, asked;
  one.tl.wait(one.product), touch(one);
  all.tl.wait(), touch(all);
  BOOST_TEST(!asked.product.done());
  asked.pe.states.front()->complete();
  BOOST_CHECK_THROW(touch(asked), UsageError);
  BOOST_TEST(asked.product.done());
  touch(asked);
}

BOOST_AUTO_TEST_CASE(a_result_in_tcm_is_read_behind_a_wait_or_a_call_that_uses_it) {
  for (const bool completed : {false, true}) {
    FakePe pe;
    pe.completes_at_once = completed;
    tl::Program tl(pe);
    const tl::Handle x = tl.zeros({4, 4});
    const int line = __LINE__ + 1;
    const tl::Composite product = tl.composite(tl::gemm(x, x)),
                        other = tl.composite(tl::gemm(x, x));
    const std::string at = ":" + std::to_string(line) + ") makes, are read at order_test.cpp:";
    BOOST_CHECK_EXCEPTION(
        product.result().data(), UsageError,
        with_text({"values of f16{4, 4}, which tl.composite(gemm) (order_test.cpp", at,
                   "; tl.wait for it first"}));
    BOOST_CHECK_EXCEPTION(product.result().at({0, 0}), UsageError, with_text(at));
    tl.wait(product);
    BOOST_CHECK_EXCEPTION(product.result().data(), PendingDataError, with_text("pending"));
    tl.add(other.result(), 1.0);  // waits for it
    BOOST_CHECK_EXCEPTION(other.result().data(), PendingDataError, with_text("pending"));
  }
}

BOOST_AUTO_TEST_CASE(a_message_does_not_go_over_what_is_read) {
  FakePe pe;
  pe.completes_at_once = false;
  tl::Program tl(pe);
  const tl::Handle x = tl.zeros({4, 4});
  tl.composite(tl::gemm(x, x).to(tl::Ptr(0x3000)));
  BOOST_CHECK_EXCEPTION(tl.recv("E", {4, 4}, f16, x), UsageError,
                        with_text({"tl.recv into f16{4, 4} (order_test.cpp:", " overwrites what ",
                                   "tl.composite(gemm) (order_test.cpp:", " reads"}));
  tl.wait();
  tl.recv("E", {4, 4}, f16, x);
}

BOOST_AUTO_TEST_CASE(commands_that_are_never_waited_for_are_reported_at_the_end) {
  struct Reported final : FakePe {
    void leaves_unwaited(std::string what) override { text = std::move(what); }
    std::string text;
  };
  Reported pe;
  int line = 0;
  {
    tl::Program tl(pe);
    const tl::Handle x = tl.zeros({4, 4});
    tl.wait(tl.composite(tl::gemm(x, x).to(tl::Ptr(0x1000))));
    line = __LINE__ + 1;
    tl.composite(tl::math(MathOp::exp, {x}).to(tl::Ptr(0x2000)));
    tl.composite(tl::gemm(x, x).to(tl::Ptr(0x3000)));
    BOOST_TEST(pe.text == "");
  }
  BOOST_TEST(pe.text == "2 commands, the first of tl.composite(exp) (order_test.cpp:" +
                            std::to_string(line) + ")");
}

BOOST_AUTO_TEST_SUITE_END()
