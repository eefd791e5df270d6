// The TCM bytes of handles on a PE without time (spec 6).
#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "sw/tl/program.h"
#include "tests/support/error_text.h"
#include "tests/tl/fake_pe.h"

using namespace kernbench;
using kernbench::test::FakePe;
using kernbench::test::with_text;

BOOST_AUTO_TEST_SUITE(scratch_test)

namespace {

const tl::Ptr at_1000{std::uint64_t{0x1000}};

}  // namespace

BOOST_AUTO_TEST_CASE(blocks_are_16_byte_aligned_first_fit_and_freed_by_the_last_copy) {
  FakePe pe;
  tl::Program tl(pe);
  tl::Handle a = tl.zeros({3}, f16);  // [0, 6)
  tl::Handle b = tl.zeros({3}, f16);  // [16, 22)
  BOOST_TEST(pe.scratch().used_bytes() == 12);
  tl::Handle copy = a;
  a = tl::Handle();
  BOOST_TEST(pe.scratch().used_bytes() == 12);
  copy = tl::Handle();
  BOOST_TEST(pe.scratch().used_bytes() == 6);
  const tl::Handle c = tl.zeros({8}, f16);  // first fit: where a was
  BOOST_TEST(pe.scratch().largest_free_bytes() == (1 << 20) - 22);
}

BOOST_AUTO_TEST_CASE(overflow_of_the_scratch_says_what_was_asked_and_the_largest_block) {
  FakePe pe;
  tl::Program tl(pe);
  const tl::Handle first = tl.zeros({512, 512}, f16);  // 512 KiB of 1 MiB
  BOOST_CHECK_EXCEPTION(
      tl.load(at_1000, {512, 513}, f16), AllocationError, [](const AllocationError& error) {
        const std::string text = error.what();
        return text.find("tl.load: no room for f16{512, 513} on sip0.cube1.pe2") !=
                   std::string::npos &&
               text.find("525312") != std::string::npos && text.find("524288") != std::string::npos;
      });
  BOOST_CHECK_NO_THROW(tl.load(at_1000, {512, 512}, f16));
}

BOOST_AUTO_TEST_CASE(loads_in_a_loop_do_not_leak) {
  FakePe pe;
  tl::Program tl(pe);
  tl::Handle sum = tl.zeros({16, 16});
  for (int i = 0; i < 100'000; ++i) {
    const tl::Handle x = tl.load(at_1000, {16, 16}, f16);
    if (i % 1000 == 0) sum = sum + x;
    pe.commands.clear();
    pe.states.clear();
  }
  BOOST_TEST(pe.scratch().used_bytes() == 512);
}

BOOST_AUTO_TEST_CASE(a_command_keeps_its_operands_alive_until_it_completes) {
  FakePe pe;
  pe.completes_at_once = false;
  tl::Program tl(pe);
  {
    const tl::Handle a = tl.zeros({16, 16}), b = tl.zeros({16, 16});
    tl.composite(tl::gemm(a, b).to(at_1000));
  }
  BOOST_TEST(pe.scratch().used_bytes() == 1024);
  pe.states.at(0)->complete();
  const tl::Handle next = tl.zeros({8});  // the next call notices
  BOOST_TEST(pe.scratch().used_bytes() == 16);
}

BOOST_AUTO_TEST_CASE(handles_that_outlive_the_kernel_own_nothing) {
  FakePe pe;
  tl::Handle survivor, reference;
  {
    tl::Program tl(pe);
    survivor = tl.zeros({16});
    reference = tl.ref(at_1000, {16}, f16);
  }
  const auto ended = with_text("used after its kernel has ended");
  BOOST_CHECK_EXCEPTION(survivor.shape(), UsageError, ended);
  BOOST_CHECK_EXCEPTION(survivor + 1.0, UsageError, ended);
  BOOST_CHECK_EXCEPTION(reference + 1.0, UsageError, ended);
  tl::Program next(pe);
  BOOST_CHECK_EXCEPTION(next.exp(survivor), UsageError, ended);
  pe.scratch() = FreeListAllocator("scratch", 0, 1 << 20);  // reset at launch
  survivor = tl::Handle();
  BOOST_TEST(pe.scratch().used_bytes() == 0);
  BOOST_CHECK_THROW(survivor.shape(), UsageError);
}

BOOST_AUTO_TEST_SUITE_END()
