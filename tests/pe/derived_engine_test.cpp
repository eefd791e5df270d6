// Components derived from built-in ones: their rules are asked when the contract says, and all else
// stays (docs/contracts, "Components as base classes").
#include <boost/test/unit_test.hpp>

#include "models/pe/pe_dma.h"
#include "models/pe/pe_scheduler.h"
#include "tests/pe/pe_testbench.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(derived_engine_test)

namespace {

constexpr Fs ns = fs_per_ns;

// One command at a time, 3 ns for the dispatch of each.
class OneCommand final : public PeScheduler {
 public:
  explicit OneCommand(const ComponentInit& init) : PeScheduler(init) {}

 private:
  Fs dispatch_time(const CommandContext& /*command*/) override { return 3 * ns; }
  bool may_dispatch(const CommandContext& /*command*/, std::size_t dispatched) override {
    return dispatched == 0;
  }
};

// 10 ns for each tile of a composite, 3 ns for a simple command.
class TilesFirst final : public PeScheduler {
 public:
  explicit TilesFirst(const ComponentInit& init) : PeScheduler(init) {}

 private:
  Fs dispatch_time(const CommandContext& command) override {
    return command.plan() != nullptr ? command.plan()->tile_count() * 10 * ns : 3 * ns;
  }
};

// One access at a time over both directions, first come, first served; 5 ns before each.
class OneAccess final : public PeDma {
 public:
  explicit OneAccess(const ComponentInit& init) : PeDma(init) {}

 private:
  bool may_grant(const DmaDirection& of, const DmaDirection& other) override {
    if (of.use.held() + other.use.held() > 0) return false;
    return other.use.waiting() == 0 || of.use.first_before(other.use);
  }
  Fs setup_time(const DmaDirection& /*of*/, std::uint64_t /*bytes*/, Fs addresses) override {
    return 5 * ns + addresses;
  }
};

// A flit each: 1 ns and 2 fs on the link and in the memory.
const DmaCommand load{false, 0, 256}, store{true, 4096, 256};

}  // namespace

// Dispatch 3 ns, DMA 1 ns + 1 ns + 2 fs; the second one begins when the first has ended.
KERNBENCH_SYSTEMC_TEST(a_scheduler_may_keep_one_command_in_flight) {
  PeTestbench pe;
  pe.replace<OneCommand>("pe_scheduler");
  pe.at(0, [&] {
    pe.submit(load);
    pe.submit(load);
  });
  pe.run();
  BOOST_TEST(pe.done_at(1) == 5 * ns + 2);
  BOOST_TEST(pe.done_at(2) == 10 * ns + 4);
}

// A composite of two tiles is dispatched at 20 ns, the dot behind it at 23 ns; it takes 16 ns.
KERNBENCH_SYSTEMC_TEST(the_dispatch_of_a_command_may_depend_on_its_plan) {
  PeTestbench pe;
  pe.replace<TilesFirst>("pe_scheduler");
  CompositeMath add;
  add.op = MathOp::add;
  add.m = 64;
  add.n = 32;
  add.tile = TileShape{32, 32, 32};
  add.inputs = {{}, {}};
  pe.at(0, [&] {
    pe.submit(add);
    pe.submit(DotCommand{32, 64, 32, DType::f16});
  });
  pe.run();
  BOOST_TEST(pe.done_at(2) == (20 + 3 + 16) * ns);
}

// Commands that drop all of their tiles complete at their dispatch; those behind have their turn.
KERNBENCH_SYSTEMC_TEST(a_scheduler_goes_on_behind_a_command_that_feeds_nothing) {
  PeTestbench pe;
  pe.replace<OneCommand>("pe_scheduler");
  CompositeMath add;
  add.op = MathOp::add;
  add.m = add.n = 32;
  add.inputs = {{}, {}};
  pe.at(0, [&] {
    for (int i = 0; i < 3; ++i) pe.submit(add);
  });
  pe.at(1 * ns, [&] { pe.commands().abandon(pe.kernel(), "the kernel has failed"); });
  pe.run();
  for (const std::uint64_t command : {1, 2, 3}) BOOST_TEST(pe.done_at(command) == command * 3 * ns);
  BOOST_TEST(pe.statistic("pe_scheduler", "failed") == 3U);
}

// Dispatched at 1, 2, 3 and 4 ns. An access takes 5 + 1 ns + 2 fs: the write has its turn before
// the reads that came later.
KERNBENCH_SYSTEMC_TEST(a_dma_may_serve_one_access_over_both_directions) {
  PeTestbench pe;
  pe.replace<OneAccess>("pe_dma");
  pe.at(0, [&] {
    for (const DmaCommand& command : {load, store, load, load}) pe.submit(command);
  });
  pe.run();
  for (const std::uint64_t command : {1, 2, 3, 4})
    BOOST_TEST(pe.done_at(command) == 1 * ns + command * (6 * ns + 2));
}

BOOST_AUTO_TEST_SUITE_END()
