// rtl.pe_gemm in a machine: its products are the values of the run, its cycles the time.
#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>

#include "sw/tl/overlap.h"
#include "tests/rtl/gemm_machine.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(rtl_gemm_test)

namespace {

std::vector<double> turned(const std::vector<double>& a, std::int64_t rows, std::int64_t columns) {
  std::vector<double> result;
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < rows; ++i)
      result.push_back(a[static_cast<std::size_t>(i * columns + j)]);
  return result;
}

struct Case {
  std::int64_t m, k, n;
  DType dtype;
  TileShape tile;
  std::string operand_gaps, result_gaps, seed;
};

// Whether the result is that of the operands.
struct Outcome {
  bool equal = false;
  std::uint64_t cycles = 0;  // of the first tile
  Fs busy = 0;               // of the engine
};
Outcome composite(const Case& c) {
  GemmMachine m(rtl({{"operand_gaps", c.operand_gaps},
                     {"result_gaps", c.result_gaps},
                     {"gap_seed", c.seed},
                     {"check_result", "true"}}));
  const std::uint64_t a = m.hbm({0, 0, 0}), b = a + 0x8000, out = b + 0x8000;
  const std::vector<double> left = m.fill(a, c.m * c.k, c.dtype),
                            right = m.fill(b, c.k * c.n, c.dtype);
  const DType result = c.dtype == DType::i8 ? DType::i32 : DType::f16;
  const std::string failure = m.launch([&](tl::Program& tl) {
    const tl::Handle x = tl.ref(tl::Ptr(a), {c.m, c.k}, c.dtype),
                     y = tl.ref(tl::Ptr(b), {c.k, c.n}, c.dtype);
    tl.wait(tl.composite(tl::gemm(x, y).to(tl::Ptr(out)).tile(c.tile)));
  });
  return {failure.empty() && m.read(out, c.m * c.n, result) == product(left, right, c.m, c.k, c.n),
          m.cycles_of_tile(), m.gemm_statistic("gemm_busy")};
}

using Numbers = std::vector<std::uint64_t>;  // equal, cycles of the first tile, time in service
Numbers outcome(const Case& c) {
  return forked_value([&c] {
    const Outcome found = composite(c);
    return Numbers{found.equal ? 1U : 0U, found.cycles, found.busy};
  });
}

}  // namespace

// Of 16 x 20 x 12 on 8 x 8: four folds of 20 + 2 * 8 + 8 - 2 edges, and one for the task.
BOOST_AUTO_TEST_CASE(a_tile_takes_the_cycles_of_its_folds_and_its_values_are_those_of_the_run) {
  for (const DType dtype : {DType::f16, DType::i8}) {
    const Numbers found = outcome({16, 20, 12, dtype, {16, 20, 12}, "0", "0", "1"});
    BOOST_TEST(found[0] == 1U);
    BOOST_TEST(found[1] == 4U * 42 + 1);
  }
}

// Whatever the shapes, the tiles, the types and who waits when: gaps make it longer, never wrong.
RC_BOOST_PROP(results_are_equal_under_any_gaps_and_times_are_longer, ()) {
  const auto extent = [] { return *rc::gen::inRange<std::int64_t>(1, 41); };
  Case c{extent(),
         extent(),
         extent(),
         *rc::gen::element(DType::f16, DType::i8),
         {*rc::gen::inRange<std::int64_t>(1, 20), *rc::gen::inRange<std::int64_t>(1, 30),
          *rc::gen::inRange<std::int64_t>(1, 20)},
         "0",
         "0",
         std::to_string(*rc::gen::inRange(1, 1000))};
  Case waiting = c;
  waiting.operand_gaps = std::to_string(*rc::gen::inRange(20, 80));
  waiting.result_gaps = std::to_string(*rc::gen::inRange(20, 80));
  const Numbers free = outcome(c), slowed = outcome(waiting);
  RC_ASSERT(free[0] == 1U);
  RC_ASSERT(slowed[0] == 1U);
  RC_ASSERT(slowed[1] >= free[1]);
  RC_ASSERT(outcome(waiting) == slowed);
}

// Nine folds of 40 beats and 8 rows. With a gap in half of the cycles a pair of beats waits 5/3
// cycles on average (the later of two) and a row one: at least 1 and 1/2 in this draw.
BOOST_AUTO_TEST_CASE(each_side_can_hold_up_the_other) {
  const auto cycles = [](const std::string& operand_gaps, const std::string& result_gaps) {
    const Numbers found =
        outcome({24, 40, 24, DType::f16, {24, 40, 24}, operand_gaps, result_gaps, "5"});
    BOOST_TEST(found[0] == 1U);
    return found[1];
  };
  const std::uint64_t free = cycles("0", "0");
  BOOST_TEST(free == 9U * (40 + 22) + 1);
  BOOST_TEST(cycles("50", "0") > free + 9 * 40);
  BOOST_TEST(cycles("0", "50") > free + 9 * 4);
}

KERNBENCH_SYSTEMC_TEST(views_pinned_operands_and_a_simple_dot_are_computed) {
  GemmMachine m(rtl({{"check_result", "true"}}));
  const std::uint64_t x = m.hbm({0, 0, 0}), y = x + 0x4000, out = y + 0x4000;
  const std::vector<double> a = m.fill(x, 24 * 24, DType::f16), b = m.fill(y, 24 * 24, DType::f16);
  const std::string failure = m.launch([&](tl::Program& tl) {
    const tl::Handle left = tl.load(tl::Ptr(x), {24, 24}, DType::f16);
    const tl::Handle across = tl.trans(left), part = tl.slice(left, 8, 24);
    const tl::Handle right = tl.ref(tl::Ptr(y), {24, 24}, DType::f16);
    tl.composite(tl::gemm(across, right).to(tl::Ptr(out)).tile({7, 9, 5}));
    tl.composite(tl::gemm(part, right).to(tl::Ptr(out + 0x1000)).tile({7, 9, 5}));
    tl.store(tl::Ptr(out + 0x2000), tl.dot(part, across));
    tl.wait();
    tl.wait(tl.composite(tl::gemm(right, right).to(tl::Ptr(y)).tile({7, 9, 5})));
  });
  BOOST_TEST(failure == "");
  const std::vector<double> across = turned(a, 24, 24), part(a.begin() + 8 * 24, a.end());
  BOOST_TEST((m.read(out, 24 * 24, DType::f16) == product(across, b, 24, 24, 24)));
  BOOST_TEST((m.read(out + 0x1000, 16 * 24, DType::f16) == product(part, b, 16, 24, 24)));
  BOOST_TEST((m.read(out + 0x2000, 16 * 24, DType::f16) == product(part, across, 16, 24, 24)));
  std::vector<double> squared = product(b, b, 24, 24, 24);
  BOOST_TEST((m.read(y, 24 * 24, DType::f16) == squared));
}

// Each product of the batch is a task of the 8x8 array: 1 cycle and 2 x 2 folds of 20 + 22. The sum
// is the accumulator's and the engine's.
KERNBENCH_SYSTEMC_TEST(a_batch_is_so_many_tasks_and_an_accumulator_is_added_to_the_products) {
  GemmMachine m(rtl({{"check_result", "true"}}));
  const std::uint64_t x = m.hbm({0, 0, 0}), y = x + 0x4000, z = y + 0x4000, out = z + 0x4000;
  const std::vector<double> a = m.fill(x, 3 * 12 * 20, DType::f16),
                            b = m.fill(y, 3 * 20 * 10, DType::f16),
                            c = m.fill(z, 3 * 12 * 10, DType::f32);
  const std::string failure = m.launch([&](tl::Program& tl) {
    const tl::Handle left = tl.load(tl::Ptr(x), {3, 12, 20}, DType::f16),
                     right = tl.load(tl::Ptr(y), {3, 20, 10}, DType::f16),
                     sum = tl.load(tl::Ptr(z), {3, 12, 10}, DType::f32);
    const tl::Overlap overlap(tl);
    tl.store(tl::Ptr(out), tl.dot(left, right, sum));
    BOOST_TEST(tl.dot(left, right).data().size() == 360U);  // waits for the engine
  });
  BOOST_TEST(failure == "");
  std::vector<double> expected;
  for (std::ptrdiff_t i = 0; i < 3; ++i) {
    const std::vector<double> part = product({a.begin() + i * 240, a.begin() + (i + 1) * 240},
                                             {b.begin() + i * 200, b.end()}, 12, 20, 10);
    expected.insert(expected.end(), part.begin(), part.end());
  }
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += c[i];
  BOOST_TEST((m.read(out, 360, DType::f32) == expected));
  const ExecutedOp op = m.ops("gemm_f16").at(0);
  const Fs first_edge = (op.t_start + ns - 1) / ns * ns;
  BOOST_TEST((op.t_end - first_edge) / ns == 3U * (4 * (20 + 22) + 1));
  BOOST_TEST(op.macs == 3U * 12 * 20 * 10);
}

// The values behind them are the engine's: they wait for it, and for nothing else.
KERNBENCH_SYSTEMC_TEST(epilogues_and_operations_behind_go_on_with_the_products) {
  GemmMachine m;
  const std::uint64_t x = m.hbm({0, 0, 0}), y = x + 0x4000, out = y + 0x4000;
  const std::vector<double> a = m.fill(x, 12 * 20, DType::i8), b = m.fill(y, 20 * 12, DType::i8);
  const std::string failure = m.launch([&](tl::Program& tl) {
    const tl::Handle left = tl.ref(tl::Ptr(x), {12, 20}, DType::i8),
                     right = tl.ref(tl::Ptr(y), {20, 12}, DType::i8);
    const tl::Handle scales = tl.full({2}, 0.5, DType::f32);
    tl.wait(tl.composite(tl::gemm(left, right)
                             .to(tl::Ptr(out))
                             .as(DType::f32)
                             .tile({12, 10, 12})
                             .epilogue({tl::dequant(scales, EpilogueScope::k_tile), tl::relu()})));
    const tl::Handle sum = tl.load(tl::Ptr(out), {12, 12}, DType::f32);
    tl.store(tl::Ptr(out + 0x1000), sum + sum);
  });
  BOOST_TEST(failure == "");
  std::vector<double> expected = product(a, b, 12, 20, 12);
  for (double& value : expected) value = std::max(0.0, value * 0.5);
  BOOST_TEST((m.read(out, 144, DType::f32) == expected));
  for (double& value : expected) value *= 2;
  BOOST_TEST((m.read(out + 0x1000, 144, DType::f32) == expected));
}

KERNBENCH_SYSTEMC_TEST(another_dtype_fails_the_command_and_names_engine_dtype_and_what_is_allowed) {
  GemmMachine m;
  const std::uint64_t x = m.hbm({0, 0, 0});
  const std::string failure = m.launch([&](tl::Program& tl) {
    const tl::Handle left = tl.ref(tl::Ptr(x), {40, 40}, DType::bf16);
    tl.wait(tl.composite(tl::gemm(left, left).to(tl::Ptr(x + 0x4000))));
  });
  check_contains(failure, {"sip0.cube0.pe0.pe_gemm: a product of bf16 x bf16; allowed are i8 x i8 "
                           "and f16 x f16"});
  BOOST_CHECK_EXCEPTION(
      m.read(x + 0x4000, 1, DType::bf16), PendingDataError,
      with_text<PendingDataError>("has not been computed by sip0.cube0.pe0.pe_gemm"));
}

KERNBENCH_SYSTEMC_TEST(reading_a_product_before_the_engine_is_done_is_an_error) {
  GemmMachine m;
  const std::uint64_t x = m.hbm({0, 0, 0});
  m.fill(x, 40 * 40, DType::f16);
  const std::string failure = m.launch([&](tl::Program& tl) {
    const tl::Handle left = tl.ref(tl::Ptr(x), {40, 40}, DType::f16);
    tl.composite(tl::gemm(left, left).to(tl::Ptr(x + 0x4000)));
    tl.load(tl::Ptr(x + 0x4000), {1, 1}, DType::f16).item();
  });
  check_contains(failure, {"reads what tl.composite(gemm) (rtl_gemm_test.cpp:",
                           "writes; tl.wait for it first"});
}

BOOST_AUTO_TEST_CASE(an_array_that_is_not_built_is_refused_with_those_that_are) {
  check_contains(forked_value([] {
                   return error_of<Error>([] { GemmMachine m(rtl({{"rows", "16"}})); });
                 }),
                 {"found an array of 16x8 (rows x columns); built are 8x8, 32x32"});
}

// With data off zeros stream: the same cycles.
KERNBENCH_SYSTEMC_TEST(without_data_the_cycles_are_the_same) {
  MachineOptions options = builtin_engines();
  options.data = false;
  WholeMachine m("topology.tiny.yaml", rtl({{"rows", "32"}, {"columns", "32"}}), options);
  const std::uint64_t x = m.hbm({0, 0, 0});
  run_kernel(m, [&](KernelContext& context) {
    tl::Program tl(context);
    const tl::Handle left = tl.ref(tl::Ptr(x), {64, 64}, DType::f16);
    tl.wait(tl.composite(tl::gemm(left, left).to(tl::Ptr(x + 0x4000)).tile({64, 64, 64})));
  });
  BOOST_TEST(tile_cycles(m) == 4U * (64 + 3 * 32 - 2) + 1);
}

// The estimation of limits names what makes the engine faster.
KERNBENCH_SYSTEMC_TEST(the_rate_of_the_engine_is_that_of_its_clock) {
  const GemmMachine m;
  const Component& engine =
      m.platform->component(m.platform->machine().engine({0, 0, 0}, PeEngine::pe_gemm));
  for (const Statistic& each : engine.statistics()) {
    if (each.name != "gemm_busy") continue;
    const std::string attribute = each.server.attribute;
    BOOST_TEST(attribute == "clock_period_ns");
    BOOST_TEST(engine.attributes().has(attribute.c_str()));
  }
}

BOOST_AUTO_TEST_SUITE_END()
