// Tile plans (spec 5.1, ADR-0042): which stages, which bytes, which addresses.
#include "models/timing/tile_plan.h"

#include <rapidcheck/boost_test.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "models/base/errors.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(tile_plan)

namespace {

std::string stages_of(const Tile& tile) {
  std::string text;
  for (std::size_t i = 0; i < tile.size(); ++i)
    text += std::string(i == 0 ? "" : " ") + name_of(tile[i].type);
  return text;
}

const Stage& stage_of(const Tile& tile, StageType type, int nth = 0) {
  for (std::size_t i = 0; i < tile.size(); ++i) {
    if (tile[i].type == type && nth-- == 0) return tile[i];
  }
  throw std::logic_error(std::string("no ") + name_of(type));
}

CompositeGemm gemm(std::int64_t m, std::int64_t k, std::int64_t n) {
  CompositeGemm g;
  g.m = m;
  g.k = k;
  g.n = n;
  g.a.address = 0x10000;
  g.b.address = 0x20000;
  g.out.address = 0x30000;
  return g;
}

EpilogueStage epilogue(MathOp op, EpilogueScope scope, std::uint64_t per_column = 0,
                       std::uint64_t per_element = 0) {
  return {op, scope, per_column, per_element};
}

using Range = std::pair<std::uint64_t, std::uint64_t>;

// Sorted, they must follow each other without gap or overlap from `base` on.
bool cover(std::vector<Range> ranges, std::uint64_t base, std::uint64_t bytes) {
  std::sort(ranges.begin(), ranges.end());
  std::uint64_t at = base;
  for (const auto& [address, length] : ranges) {
    if (address != at) return false;
    at += length;
  }
  return at == base + bytes;
}

bool same(const Tile& a, const Tile& b) {
  if (a.id != b.id || a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].type != b[i].type || a[i].address != b[i].address || a[i].bytes != b[i].bytes ||
        a[i].m != b[i].m || a[i].k != b[i].k || a[i].n != b[i].n || a[i].batch != b[i].batch ||
        a[i].register_bytes != b[i].register_bytes) {
      return false;
    }
  }
  return true;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_gemm_loops_over_m_then_n_then_k) {
  const TilePlan plan(gemm(64, 128, 64), {32, 64, 32});
  BOOST_TEST(plan.tile_count() == 2u * 2 * 2);
  // Tile 1 is the second k of the first output; tile 2 the next n; tile 4 the next m.
  BOOST_TEST(stage_of(plan.tile(1), StageType::dma_read, 0).address ==
             0x10000u + 2 * (0 * 128 + 32 * 64));
  BOOST_TEST(stage_of(plan.tile(1), StageType::dma_read, 1).address ==
             0x20000u + 2 * (64 * 64 + 64 * 0));
  BOOST_TEST(stage_of(plan.tile(2), StageType::dma_read, 1).address ==
             0x20000u + 2 * (0 * 64 + 64 * 32));
  BOOST_TEST(stage_of(plan.tile(4), StageType::dma_read, 0).address ==
             0x10000u + 2 * (32 * 128 + 0));
}

BOOST_AUTO_TEST_CASE(only_the_last_k_stores_and_writes) {
  const TilePlan plan(gemm(32, 128, 32), {32, 64, 32});
  BOOST_TEST(stages_of(plan.tile(0)) == "DMA_READ DMA_READ FETCH GEMM");
  BOOST_TEST(stages_of(plan.tile(1)) == "DMA_READ DMA_READ FETCH GEMM STORE DMA_WRITE");
}

BOOST_AUTO_TEST_CASE(pinned_operands_skip_their_dma_read) {
  CompositeGemm g = gemm(32, 64, 32);
  g.a.pinned = true;
  BOOST_TEST(stages_of(TilePlan(g, {}).tile(0)) == "DMA_READ FETCH GEMM STORE DMA_WRITE");
  BOOST_TEST(stage_of(TilePlan(g, {}).tile(0), StageType::dma_read).address == 0x20000u);
  g.b.pinned = true;
  BOOST_TEST(stages_of(TilePlan(g, {}).tile(0)) == "FETCH GEMM STORE DMA_WRITE");
}

BOOST_AUTO_TEST_CASE(results_kept_in_tcm_skip_their_dma_write) {
  CompositeGemm g = gemm(32, 64, 32);
  g.out.pinned = true;
  BOOST_TEST(stages_of(TilePlan(g, {}).tile(0)) == "DMA_READ DMA_READ FETCH GEMM STORE");
}

BOOST_AUTO_TEST_CASE(epilogues_follow_their_scope) {
  CompositeGemm g = gemm(32, 128, 32);
  g.epilogue = {epilogue(MathOp::relu, EpilogueScope::output_tile),
                epilogue(MathOp::mul, EpilogueScope::k_tile),
                epilogue(MathOp::exp, EpilogueScope::output_tile)};
  const TilePlan plan(g, {});
  BOOST_TEST(stages_of(plan.tile(0)) == "DMA_READ DMA_READ FETCH GEMM MATH");
  BOOST_TEST(stages_of(plan.tile(1)) ==
             "DMA_READ DMA_READ FETCH GEMM MATH MATH MATH STORE DMA_WRITE");
  // k_tile first, then output_tile in list order.
  BOOST_CHECK(stage_of(plan.tile(1), StageType::math, 0).math_op == MathOp::mul);
  BOOST_CHECK(stage_of(plan.tile(1), StageType::math, 1).math_op == MathOp::relu);
  BOOST_CHECK(stage_of(plan.tile(1), StageType::math, 2).math_op == MathOp::exp);
  BOOST_TEST(stage_of(plan.tile(1), StageType::math, 2).elements == 32 * 32);
}

BOOST_AUTO_TEST_CASE(a_kernel_epilogue_runs_once_over_the_output_after_the_last_tile) {
  CompositeGemm g = gemm(64, 128, 32);
  g.epilogue = {epilogue(MathOp::relu, EpilogueScope::kernel),
                epilogue(MathOp::add, EpilogueScope::kernel, 0, 2)};
  const TilePlan plan(g, {});
  BOOST_TEST(plan.tile_count() == 4u + 2u);
  for (std::uint64_t i = 0; i < 6; ++i) BOOST_TEST(plan.waits_for_all(i) == (i == 4));
  BOOST_TEST(stages_of(plan.tile(3)) == "DMA_READ DMA_READ FETCH GEMM STORE DMA_WRITE");
  BOOST_TEST(stages_of(plan.tile(4)) == "DMA_READ FETCH MATH MATH STORE DMA_WRITE");
  BOOST_TEST(plan.tile(5).id == 5u);
  BOOST_TEST(stage_of(plan.tile(5), StageType::dma_read).address == 0x30000u + 2 * 32 * 32);
  // The output tile and as many elements of the added tensor.
  BOOST_TEST(stage_of(plan.tile(4), StageType::fetch).bytes == 2u * (2 * 32 * 32));
  g.out.pinned = true;
  BOOST_TEST(stages_of(TilePlan(g, {}).tile(4)) == "FETCH MATH MATH STORE");
}

BOOST_AUTO_TEST_CASE(a_math_plan_has_one_dma_read_per_operand) {
  CompositeMath m;
  m.op = MathOp::add;
  m.m = 40;
  m.n = 40;
  m.inputs.resize(2);
  m.inputs[1].address = 0x4000;
  m.out.address = 0x8000;
  const TilePlan plan(m, {32, 64, 32});
  BOOST_TEST(plan.tile_count() == 4u);
  BOOST_TEST(stages_of(plan.tile(0)) == "DMA_READ DMA_READ FETCH MATH STORE DMA_WRITE");
  BOOST_TEST(stage_of(plan.tile(3), StageType::math).elements == 8 * 8);
  // m, then n: tile 1 is (0, 32), 32 rows high and 8 wide.
  BOOST_TEST(stage_of(plan.tile(1), StageType::dma_read, 1).address ==
             0x4000u + 2 * (0 * 40 + 32 * 32));
  BOOST_TEST(stage_of(plan.tile(1), StageType::dma_read, 1).bytes == 2u * 32 * 8);
  m.inputs[0].pinned = true;
  m.out.pinned = true;
  BOOST_TEST(stages_of(TilePlan(m, {}).tile(0)) == "DMA_READ FETCH MATH STORE");
}

// The bias of 8 columns and the tensor of the output's shape come with FETCH: (2 * 8 * 8 * 2 + 8 *
// 2 + 8 * 8 * 2) B.
BOOST_AUTO_TEST_CASE(
    a_math_plan_has_its_epilogue_before_the_store_and_kernel_scope_in_a_pass_of_its_own) {
  CompositeMath m;
  m.m = m.n = 8;
  m.inputs.resize(2);
  m.epilogue = {{MathOp::add, EpilogueScope::output_tile, 2, 0},
                {MathOp::exp, EpilogueScope::kernel, 0, 0},
                {MathOp::mul, EpilogueScope::output_tile, 0, 2}};
  const TilePlan plan(m, {32, 64, 32});
  BOOST_TEST(plan.tile_count() == 2u);
  BOOST_TEST(stages_of(plan.tile(0)) == "DMA_READ DMA_READ FETCH MATH MATH MATH STORE DMA_WRITE");
  BOOST_TEST(stage_of(plan.tile(0), StageType::fetch).bytes == 256u + 16 + 128);
  BOOST_TEST(stages_of(plan.tile(1)) == "DMA_READ FETCH MATH STORE DMA_WRITE");
  BOOST_TEST((stage_of(plan.tile(1), StageType::math).math_op == MathOp::exp));
  BOOST_TEST(plan.waits_for_all(1));
  BOOST_TEST(std::string(plan.op_log_name()) == "composite_add");
  m.epilogue = {{MathOp::relu, EpilogueScope::k_tile, 0, 0}};
  BOOST_CHECK_THROW(TilePlan(m, {32, 64, 32}), UsageError);
}

BOOST_AUTO_TEST_CASE(edge_tiles_have_their_true_size) {
  const TilePlan plan(gemm(40, 70, 33), {32, 64, 32});
  BOOST_TEST(plan.tile_count() == 2u * 2 * 2);
  const Stage last = stage_of(plan.tile(7), StageType::gemm);
  BOOST_TEST(last.m == 8);
  BOOST_TEST(last.k == 6);
  BOOST_TEST(last.n == 1);
  BOOST_TEST(stage_of(plan.tile(7), StageType::store).bytes == 2u * 8 * 1);
}

BOOST_AUTO_TEST_CASE(fetch_moves_all_operands_also_pinned_ones_and_those_of_the_epilogue) {
  CompositeGemm g = gemm(32, 64, 32);
  g.a.pinned = g.b.pinned = true;
  g.epilogue = {epilogue(MathOp::add, EpilogueScope::output_tile, 2, 0),
                epilogue(MathOp::mul, EpilogueScope::output_tile, 0, 2)};
  // A 32 x 64 and B 64 x 32 in f16, a bias of 32 columns, a factor of the output's shape.
  BOOST_TEST(stage_of(TilePlan(g, {}).tile(0), StageType::fetch).bytes ==
             4096u + 4096 + 2 * 32 + 2 * 32 * 32);
  BOOST_TEST(stage_of(TilePlan(g, {}).tile(0), StageType::store).bytes == 2u * 32 * 32);
}

BOOST_AUTO_TEST_CASE(registers_are_taken_by_fetch_and_given_back_by_gemm_math_and_store) {
  CompositeGemm g = gemm(32, 128, 32);
  g.epilogue = {epilogue(MathOp::add, EpilogueScope::output_tile, 2, 0)};
  const TilePlan plan(g, {});
  // The accumulator (32 x 32 f32) comes with the first k and goes with the STORE of the last.
  BOOST_TEST(stage_of(plan.tile(0), StageType::fetch).register_bytes == 8192u + 4096);
  BOOST_TEST(stage_of(plan.tile(0), StageType::gemm).register_bytes == 8192u);
  BOOST_TEST(stage_of(plan.tile(1), StageType::fetch).register_bytes == 8192u + 64);
  BOOST_TEST(stage_of(plan.tile(1), StageType::gemm).register_bytes == 8192u);
  BOOST_TEST(stage_of(plan.tile(1), StageType::math).register_bytes == 64u);
  BOOST_TEST(stage_of(plan.tile(1), StageType::store).register_bytes == 4096u);
  BOOST_TEST(plan.largest_register_bytes() == 8192u + 64 + 4096);
}

BOOST_AUTO_TEST_CASE(a_tile_buffer_holds_unpinned_operands_and_the_result_that_is_written) {
  CompositeGemm g = gemm(32, 128, 32);
  const TilePlan plan(g, {});
  BOOST_TEST(buffer_bytes(plan.tile(0)) == 8192u);
  BOOST_TEST(buffer_bytes(plan.tile(1)) == 8192u + 2048);
  BOOST_TEST(plan.largest_buffer_bytes() == 8192u + 2048);
  g.a.pinned = true;
  BOOST_TEST(buffer_bytes(TilePlan(g, {}).tile(0)) == 4096u);
}

BOOST_AUTO_TEST_CASE(the_command_s_tile_shape_goes_before_the_scheduler_s) {
  CompositeGemm g = gemm(64, 64, 64);
  g.tile = TileShape{64, 64, 64};
  BOOST_TEST(TilePlan(g, {32, 64, 32}).tile_count() == 1u);
}

BOOST_AUTO_TEST_CASE(tiles_are_not_materialised) {
  const TilePlan plan(gemm(1 << 20, 1 << 20, 1 << 20), {32, 64, 32});
  BOOST_TEST(plan.tile_count() == (std::uint64_t{1} << 15) * (1 << 15) * (1 << 14));
  BOOST_TEST(plan.tile(plan.tile_count() - 1).size() == 6u);
  BOOST_CHECK_THROW(plan.tile(plan.tile_count()), ModelError);
}

BOOST_AUTO_TEST_CASE(wrong_extents_are_errors_at_the_call) {
  BOOST_CHECK_THROW(TilePlan(gemm(0, 1, 1), {}), UsageError);
  BOOST_CHECK_THROW(TilePlan(gemm(1, 1, 1), {0, 64, 32}), UsageError);
  CompositeGemm g = gemm(1, 1, 1);
  g.epilogue.assign(30, epilogue(MathOp::relu, EpilogueScope::output_tile));
  BOOST_CHECK_THROW(TilePlan(g, {}), UsageError);
}

RC_BOOST_PROP(the_tiles_cover_the_operands_exactly, ()) {
  const auto extent = [] { return *rc::gen::inRange<std::int64_t>(1, 50); };
  const auto tile = [] { return *rc::gen::inRange<std::int64_t>(1, 20); };
  CompositeGemm g = gemm(extent(), extent(), extent());
  const TileShape shape{tile(), tile(), tile()};
  const TilePlan plan(g, shape);
  std::map<std::int64_t, std::vector<Range>> a_by_n, b_by_m;  // one pass over A per n, over B per m
  std::vector<Range> out;
  const std::uint64_t tiles_k = static_cast<std::uint64_t>((g.k + shape.k - 1) / shape.k);
  const std::uint64_t tiles_n = static_cast<std::uint64_t>((g.n + shape.n - 1) / shape.n);
  std::int64_t macs = 0;
  for (std::uint64_t i = 0; i < plan.tile_count(); ++i) {
    const Tile t = plan.tile(i);
    const Stage& a = stage_of(t, StageType::dma_read, 0);
    const Stage& b = stage_of(t, StageType::dma_read, 1);
    a_by_n[static_cast<std::int64_t>(i / tiles_k % tiles_n)].push_back({a.address, a.bytes});
    b_by_m[static_cast<std::int64_t>(i / tiles_k / tiles_n)].push_back({b.address, b.bytes});
    if ((i + 1) % tiles_k == 0)
      out.push_back(
          {stage_of(t, StageType::dma_write).address, stage_of(t, StageType::dma_write).bytes});
    const Stage& product = stage_of(t, StageType::gemm);
    macs += product.m * product.k * product.n;
  }
  for (const auto& [n, ranges] : a_by_n)
    RC_ASSERT(cover(ranges, g.a.address, static_cast<std::uint64_t>(2 * g.m * g.k)));
  for (const auto& [m, ranges] : b_by_m)
    RC_ASSERT(cover(ranges, g.b.address, static_cast<std::uint64_t>(2 * g.k * g.n)));
  RC_ASSERT(cover(out, g.out.address, static_cast<std::uint64_t>(2 * g.m * g.n)));
  RC_ASSERT(macs == g.m * g.k * g.n);
}

RC_BOOST_PROP(the_same_arguments_give_the_same_plan_and_every_register_is_given_back, ()) {
  const auto extent = [] { return *rc::gen::inRange<std::int64_t>(1, 100); };
  CompositeGemm g = gemm(extent(), extent(), extent());
  g.a.pinned = *rc::gen::arbitrary<bool>();
  g.b.pinned = *rc::gen::arbitrary<bool>();
  g.out.pinned = *rc::gen::arbitrary<bool>();
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    g.epilogue.push_back(epilogue(
        MathOp::add,
        *rc::gen::element(EpilogueScope::k_tile, EpilogueScope::output_tile, EpilogueScope::kernel),
        *rc::gen::element<std::uint64_t>(0, 2), *rc::gen::element<std::uint64_t>(0, 2)));
  }
  const TilePlan one(g, {16, 16, 16});
  const TilePlan two(g, {16, 16, 16});
  std::int64_t held = 0;
  std::uint64_t largest_buffer = 0;
  for (std::uint64_t i = 0; i < one.tile_count(); ++i) {
    const Tile t = one.tile(i);
    RC_ASSERT(same(t, two.tile(i)));
    for (std::size_t s = 0; s < t.size(); ++s) {
      held +=
          (t[s].type == StageType::fetch ? 1 : -1) * static_cast<std::int64_t>(t[s].register_bytes);
      RC_ASSERT(held >= 0);
      RC_ASSERT(static_cast<std::uint64_t>(held) <= one.largest_register_bytes());
    }
    largest_buffer = std::max(largest_buffer, buffer_bytes(t));
  }
  RC_ASSERT(held == 0);
  RC_ASSERT(largest_buffer == one.largest_buffer_bytes());
}

BOOST_AUTO_TEST_SUITE_END()
