// Slices of tensors (spec 7): the host reads and writes whole shards, one message each, all at
// once.
#include <rapidcheck/boost_test.h>

#include <numeric>
#include <sstream>

#include "tests/runtime/stub_host.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(slice_test)

namespace {

constexpr auto replicate = Placement::replicate, row_wise = Placement::row_wise,
               column_wise = Placement::column_wise;

HostArray counted(const Shape& shape, DType dtype, double from = 0) {
  std::vector<double> values(static_cast<std::size_t>(shape.elements()));
  std::iota(values.begin(), values.end(), from);
  return {shape, dtype, values};
}

}  // namespace

// 8 rows over 4 PEs, 2 each: rows 2 to 5 are the shards of PE 1 and PE 2.
KERNBENCH_SYSTEMC_TEST(a_slice_reads_and_writes_one_message_per_shard_that_it_touches) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    Tensor t = torch.from_host(counted({8, 4}, i32), {replicate, row_wise, 1, 4}, "t");
    host.log.clear();
    const HostArray middle = t[{{2, 6}}].to_host();
    BOOST_TEST(host.log == (Lines{"MemoryRead sip0.cube0.pe1 32", "MemoryRead sip0.cube0.pe2 32"}));
    BOOST_TEST((middle.shape() == Shape{4, 4}));
    BOOST_TEST(middle.values().front() == 8);
    BOOST_TEST(middle.at({3, 3}) == 23);
    host.log.clear();
    t[{{4, 8}}].copy_(counted({4, 4}, i32, 100));
    BOOST_TEST(host.log ==
               (Lines{"MemoryWrite sip0.cube0.pe2 32", "MemoryWrite sip0.cube0.pe3 32"}));
    BOOST_TEST(t.to_host().at({3, 3}) == 15);
    BOOST_TEST(t.to_host().at({4, 0}) == 100);
    t[{{0, 2}}].fill_(-1);
    BOOST_TEST(t.to_host().at({1, 3}) == -1);
    BOOST_TEST(t.to_host().at({2, 0}) == 8);
  });
}

KERNBENCH_SYSTEMC_TEST(a_discarding_read_sends_the_same_messages_and_makes_no_values) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    const Tensor t = torch.from_host(counted({8, 4}, i32), {replicate, row_wise, 1, 4}, "t");
    host.log.clear();
    t[{{2, 6}}].read_discard();
    BOOST_TEST(host.log == (Lines{"MemoryRead sip0.cube0.pe1 32 discarded",
                                  "MemoryRead sip0.cube0.pe2 32 discarded"}));
    host.log.clear();
    torch.untimed([&] { t.read_discard(); });
    BOOST_TEST(host.log.empty());
  });
}

// Rows over 2 cubes, columns over 2 PEs: 4 shards of {4, 3}.
KERNBENCH_SYSTEMC_TEST(a_slice_may_name_any_axis_and_leaves_out_the_others) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    const Tensor t = torch.from_host(counted({8, 6}, f32), {row_wise, column_wise, 2, 2}, "t");
    const HostArray right = t[{{}, {3, 6}}].to_host();
    BOOST_TEST((right.shape() == Shape{8, 3}));
    BOOST_TEST(right.at({0, 0}) == 3);
    BOOST_TEST(right.at({7, 2}) == 47);
    const HostArray corner = t[{{4, 8}, {0, 3}}].to_host();
    BOOST_TEST(corner.values() ==
               (std::vector<double>{24, 25, 26, 30, 31, 32, 36, 37, 38, 42, 43, 44}));
    BOOST_TEST((t[{}].to_host().bytes() == t.to_host().bytes()));
  });
}

KERNBENCH_SYSTEMC_TEST(a_write_to_a_slice_reaches_every_replica) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    const Tensor t = torch.zeros({4, 2}, f16, {replicate, row_wise, 2, 2},
                                 "t");  // rows over PEs, on 2 cubes alike
    host.log.clear();
    t[{{2, 4}}].fill_(1);
    BOOST_TEST(host.log == (Lines{"MemoryWrite sip0.cube0.pe1 8", "MemoryWrite sip0.cube1.pe1 8"}));
    for (const Shard& shard : t.shards()) {
      BOOST_TEST((host.functional_model.memory().read_bytes(shard.pa, 2)[1] == std::byte{0x3c}) ==
                 (shard.offset == 8));
    }
  });
}

KERNBENCH_SYSTEMC_TEST(a_slice_that_cuts_a_shard_or_leaves_the_tensor_is_an_error_that_names_it) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    const Tensor t = torch.zeros({8, 4}, f16, {replicate, row_wise, 1, 4}, "t");
    host.log.clear();
    BOOST_CHECK_EXCEPTION(
        (t[{{2, 5}}]), UsageError,
        with_text<UsageError>(
            {"tensor 't' f16{8, 4}", "[2:5, 0:4] cuts the shard [4:6, 0:4] on sip0.cube0.pe2"}));
    BOOST_CHECK_EXCEPTION((t[{{}, {0, 2}}]), UsageError,
                          with_text<UsageError>({"cuts the shard [0:2, 0:4]"}));
    BOOST_CHECK_EXCEPTION((t[{{6, 9}}]), UsageError,
                          with_text<UsageError>({"range 6:9 of axis 0", "end <= 8"}));
    BOOST_CHECK_EXCEPTION((t[{{4, 3}}]), UsageError, with_text<UsageError>({"range 4:3"}));
    BOOST_CHECK_EXCEPTION((t[{{-2, 2}}]), UsageError, with_text<UsageError>({"range -2:2"}));
    BOOST_CHECK_EXCEPTION((t[{{}, {}, {}}]), UsageError,
                          with_text<UsageError>({"3 ranges for 2 axes"}));
    BOOST_CHECK_EXCEPTION((t[{{0, 2}}].copy_(counted({2, 3}, f16))), UsageError,
                          with_text<UsageError>({"f16{2, 3}", "'t[0:2, 0:4]' f16{2, 4}"}));
    BOOST_CHECK_THROW((Tensor()[{{0, 2}}]), UsageError);
    BOOST_TEST(host.log.empty());
  });
}

KERNBENCH_SYSTEMC_TEST(slices_copy_from_slices_and_keep_pending_values_pending) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    Tensor from = torch.from_host(counted({4, 2}, f32), {replicate, row_wise, 1, 2}, "from");
    Tensor to = torch.zeros({2, 2}, f32, DPPolicy::on_one_pe(), "to");
    to.copy_(from[{{2, 4}}]);
    BOOST_TEST(to.to_host().values() == (std::vector<double>{4, 5, 6, 7}));
    from[{{0, 2}}].copy_(to);
    BOOST_TEST(from.to_host().values() == (std::vector<double>{4, 5, 6, 7, 4, 5, 6, 7}));
    const TensorValue zeros = FunctionalModel::zeros({2, 2}, f32);
    const IssuedOp product = host.functional_model.gemm({}, {zeros, zeros});
    host.functional_model.memory().write_image(from.shards().at(0).pa, product.value.image);
    to.copy_(from[{{0, 2}}]);
    BOOST_CHECK_THROW(to.to_host(), PendingDataError);
    BOOST_TEST((from[{{2, 4}}].to_host().at({0, 0}) == 4));  // the shard that is known
  });
}

KERNBENCH_SYSTEMC_TEST(slices_wait_for_pending_launches_and_print_their_values) {
  StubHost host;
  run_on(host, [&](Torch& torch, Runtime&) {
    const Tensor t = torch.zeros({4, 2}, f16, {replicate, row_wise, 1, 2}, "t");
    for (const bool write : {false, true}) {
      torch.launch_async("k", do_nothing, t);
      host.log.clear();
      if (write)
        t[{{0, 2}}].fill_(2);
      else
        t[{{0, 2}}].to_host();
      BOOST_TEST(host.log.front() == "launch ended");
    }
    std::ostringstream text;
    text << t[{{0, 2}}];
    BOOST_TEST(contains(text.str(), "t[0:2, 0:2] = f16{2, 2} [[2, 2], [2, 2]]"), text.str());
  });
}

// What is written box by box, in any order, is what a plain array holds.
RC_BOOST_PROP(slices_of_whole_shards_behave_like_boxes_of_an_array, ()) {
  const int cubes = *rc::gen::inRange(1, 4), pes = *rc::gen::inRange(1, 5);
  const auto rows = *rc::gen::inRange(cubes, 13), columns = *rc::gen::inRange(pes, 9);
  const auto values = *rc::gen::container<std::vector<int>>(6, rc::gen::inRange(-8, 9));
  const auto picks = *rc::gen::container<std::vector<unsigned>>(12, rc::gen::inRange(0u, 1000u));
  const bool same = forked_value([&] {
    bool ok = true;
    StubHost host;
    run_on(host, [&](Torch& torch, Runtime&) {
      const Tensor t = torch.zeros({rows, columns}, i32, {row_wise, column_wise, cubes, pes}, "t");
      std::vector<double> plain(static_cast<std::size_t>(rows * columns), 0);
      const auto blocks = t.info()->blocks;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const tl::Block& a = blocks[picks[2 * i] % blocks.size()];
        const tl::Block& b = blocks[picks[2 * i + 1] % blocks.size()];
        const std::int64_t top = std::min(a.start[0], b.start[0]),
                           left = std::min(a.start[1], b.start[1]);
        const std::int64_t bottom = std::max(a.start[0] + a.shape[0], b.start[0] + b.shape[0]);
        const std::int64_t right = std::max(a.start[1] + a.shape[1], b.start[1] + b.shape[1]);
        t[{{top, bottom}, {left, right}}].fill_(values[i]);
        for (std::int64_t row = top; row < bottom; ++row) {
          for (std::int64_t column = left; column < right; ++column)
            plain[static_cast<std::size_t>(row * columns + column)] = values[i];
        }
      }
      ok = t.to_host().values() == plain;
    });
    return ok;
  });
  RC_ASSERT(same);
}

BOOST_AUTO_TEST_SUITE_END()
