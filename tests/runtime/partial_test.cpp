// Partial tensors (spec 7): every holder has a summand of all elements of its part, and the value
// is the sum, whichever way the host writes and reads it.
#include <rapidcheck/boost_test.h>

#include <numeric>
#include <sstream>

#include "sw/runtime/partial_sum.h"
#include "tests/runtime/stub_host.h"
#include "tests/support/error_text.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(partial_tensors)

namespace {

constexpr auto replicate = Placement::replicate, partial = Placement::partial,
               row_wise = Placement::row_wise;
const DPPolicy over_pes{replicate, partial, 1, 3};

std::vector<double> ints(int count, double from = 1) {
  std::vector<double> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), from);
  return values;
}

using Summands = std::vector<int>;
Summands summands_of(const DPPolicy& policy) {
  Summands summands;
  for (const tl::Block& block : place("t", {4, 6}, f16, policy, 0, 4, 8))
    summands.push_back(block.summand);
  return summands;
}

}  // namespace

BOOST_AUTO_TEST_CASE(summands_are_counted_over_the_axes_that_sum) {
  BOOST_TEST(summands_of({partial, partial, 2, 3}) == (Summands{0, 1, 2, 3, 4, 5}));
  BOOST_TEST(summands_of({partial, replicate, 2, 3}) == (Summands{0, 0, 0, 1, 1, 1}));
  BOOST_TEST(summands_of({replicate, partial, 2, 3}) == (Summands{0, 1, 2, 0, 1, 2}));
  BOOST_TEST(summands_of({row_wise, partial, 2, 3}) == (Summands{0, 1, 2, 0, 1, 2}));
  BOOST_TEST(summands_of({partial, row_wise, 2, 2}) == (Summands{0, 0, 1, 1}));
  BOOST_TEST((parse_placement("partial") == partial));
  BOOST_TEST((DPPolicy{partial, row_wise, 2, {}}).str() == "DPPolicy{partial, row_wise, 2, all}");
}

// One message for each holder; the first has the value, the others zeros.
KERNBENCH_SYSTEMC_TEST(what_is_written_is_the_value) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    const HostArray values({2, 3}, i32, ints(6));
    Tensor t = torch.from_host(values, over_pes, "t");
    BOOST_TEST(t.is_partial());
    BOOST_TEST(t.nbytes() == 24U);
    BOOST_TEST(t.to_host().values() == ints(6));
    BOOST_TEST(t.local(0, 0).to_host().values() == ints(6));
    BOOST_TEST(t.local(0, 2).to_host().values() == std::vector<double>(6, 0));
    host.log.clear();
    t.fill_(7);
    BOOST_TEST(host.log == (Lines{"MemoryWrite sip0.cube0.pe0 24", "MemoryWrite sip0.cube0.pe1 24",
                                  "MemoryWrite sip0.cube0.pe2 24"}));
    BOOST_TEST(t.to_host().values() == std::vector<double>(6, 7));
    t.local(0, 1).fill_(5);  // a summand of its own
    BOOST_TEST(t.to_host().values() == std::vector<double>(6, 12));
    t.copy_(values);
    BOOST_TEST(t.to_host().values() == ints(6));
    torch.untimed([&] { t.local(0, 2).copy_(values); });
    BOOST_TEST(t.to_host().at({1, 2}) == 12);
    torch.untimed([&] { t.fill_(1); });
    BOOST_TEST(t.to_host().values() == std::vector<double>(6, 1));
    std::ostringstream text;
    text << t;
    BOOST_TEST(text.str() == t.str() + " = i32{2, 3} [[1, 1, 1], [1, 1, 1]]");
    check_contains(t.str(), {"t i32{2, 3} in 3 partial sums at 0x"});
  });
}

// In (cube, pe) order: what DTensor.from_local takes from its ranks.
KERNBENCH_SYSTEMC_TEST(parts_are_given_one_by_one) {
  StubHost host;
  run_on(host, [](Torch& torch, Runtime&) {
    const auto part = [](double value) { return HostArray::full({2}, f32, value); };
    const Tensor t = torch.from_local({part(1), part(2), part(1), part(2)}, {2},
                                      {replicate, partial, 2, 2}, "t");
    BOOST_TEST(t.to_host().values() == std::vector<double>(2, 3));
    const Tensor cut = torch.from_local({part(1), part(2)}, {4}, {replicate, row_wise, 1, 2}, "c");
    BOOST_TEST(cut.to_host().values() == (std::vector<double>{1, 1, 2, 2}));
    const auto told = [&](const std::vector<HostArray>& parts, const DPPolicy& policy) {
      try {
        torch.from_local(parts, {2}, policy, "t");
      } catch (const UsageError& error) {
        return std::string(error.what());
      }
      return std::string();
    };
    BOOST_TEST(told({}, over_pes) == "from_local: no parts");
    BOOST_TEST(told({part(1)}, over_pes) == "1 arrays for the 3 shards of tensor 't'");
    BOOST_TEST(told({part(1), part(1), HostArray::full({3}, f32, 1)}, over_pes) ==
               "f32{3} for the shard f32{2} of tensor 't' on sip0.cube0.pe2");
    BOOST_TEST(told({part(1), part(2)}, {replicate, replicate, 1, 2}) ==
               "tensor 't' on sip0.cube0.pe1 is a copy of what sip0.cube0.pe0 has, and gets other "
               "values");
  });
}

// 1 + 2^-11 is halfway between two f16: rounded at each step it would stay 1, in f32 it is 1 +
// 2^-10.
KERNBENCH_SYSTEMC_TEST(partial_sums_are_added_in_f32_and_rounded_once) {
  StubHost host;
  run_on(host, [](Torch& torch, Runtime&) {
    const auto sum = [&](DType dtype, const std::vector<double>& summands) {
      std::vector<HostArray> parts;
      for (const double value : summands) parts.push_back(HostArray::full({1}, dtype, value));
      return torch.from_local(parts, {1}, over_pes, "t").to_host().values().front();
    };
    BOOST_TEST(sum(f16, {1, 0x1p-11, 0x1p-11}) == 1 + 0x1p-10);
    BOOST_TEST(sum(bf16, {1, 0x1p-8, 0x1p-8}) == 1 + 0x1p-7);
    BOOST_TEST(sum(f32, {1, 0x1p-24, 0x1p-24}) == 1);  // in the order of the summands
    BOOST_TEST(sum(i32, {2147483647, 1, 0}) == -2147483648.0);
    BOOST_TEST(sum(i8, {100, 100, 0}) == -56);
  });
}

// Rows over cubes, partial over PEs: the slice of a cube's rows is whole summands.
KERNBENCH_SYSTEMC_TEST(slices_of_partial_tensors_are_sums) {
  StubHost host;
  run_on(host, [](Torch& torch, Runtime&) {
    Tensor t = torch.full({4, 2}, 1, i32, {row_wise, partial, 2, 2}, "t");
    t.local(1, 1).fill_(4);
    TensorSlice lower = t[{{2, 4}}], upper = t[{{0, 2}}];
    BOOST_TEST(lower.to_host().values() == std::vector<double>(4, 5));
    BOOST_TEST(upper.to_host().values() == std::vector<double>(4, 1));
    lower.fill_(9);
    BOOST_TEST(t.to_host().values() == (std::vector<double>{1, 1, 1, 1, 9, 9, 9, 9}));
    const auto cut = [&] { t[{{2, 3}}].fill_(0); };
    BOOST_CHECK_EXCEPTION(cut(), UsageError, with_text("cuts the shard"));
    BOOST_CHECK_EXCEPTION(t.local(3, 0), UsageError,
                          with_text("tensor 't' has no shard on sip0.cube3.pe0"));
  });
}

// Of any placement to any other, each random, the value is the same.
RC_BOOST_PROP(copies_between_placements_keep_the_value, ()) {
  const auto any = [] {
    const auto level = [] { return *rc::gen::element(replicate, partial, row_wise); };
    return DPPolicy{level(), level(), *rc::gen::inRange(1, 3), *rc::gen::inRange(1, 4)};
  };
  const DPPolicy from = any(), to = any();
  const bool same = forked_value([&] {
    bool ok = true;
    StubHost host;
    run_on(host, [&](Torch& torch, Runtime&) {
      std::vector<HostArray> parts;
      for (const tl::Block& block : place("t", {8}, i32, from, 0, 4, 8)) {
        const auto number = 10 * block.summand + static_cast<int>(block.start[0]);
        parts.push_back(HostArray::full(block.shape, i32, number));
      }
      const Tensor t = torch.from_local(parts, {8}, from, "t");
      Tensor copy = torch.full({8}, 99, i32, to, "copy");
      copy.copy_(t);
      ok = copy.to_host().bytes() == t.to_host().bytes();
      if (from.str() != to.str()) return;
      for (const tl::Block& block : copy.info()->blocks) {  // of one placement summand by summand
        const auto part = [&](const Tensor& of) {
          return of.local(block.where.cube, block.where.pe).to_host().bytes();
        };
        ok = ok && part(copy) == part(t);
      }
    });
    return ok;
  });
  RC_ASSERT(same);
}

BOOST_AUTO_TEST_SUITE_END()
